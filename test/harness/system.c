#include "system.h"

#include "base/mem.h"
#include "test.h"

struct world *system_open(const struct clew_system *system, const char *net)
{
    struct world *w = NULL;
    struct err e = {.text = ""};
    if (sim_open_system(&w, system, &clew_calls, &(struct sim_options){.net = net}, &e) < 0) {
        fail_msg("%s", e.text);
    }
    return w;
}

void system_run(struct world *w, const struct plan *p, struct execution *x)
{
    struct err e = {.text = ""};
    if (world_run(w, p, x, &e) < 0) {
        fail_msg("%s", e.text);
    }
}

enum { BREAK_RUNS_MAX = 200 };

bool system_break(struct world *w, struct plan *p, struct prng *prng, struct execution *x)
{
    bool is_broken = false;
    for (uint32_t i = 0; i < BREAK_RUNS_MAX && !is_broken; i++) {
        p->pick = (struct pick_plan){.strategy = PICK_RANDOM, .seed = prng_next(prng)};
        system_run(w, p, x);
        is_broken = outcome_is_violation(x->outcome);
    }
    return is_broken;
}

static char *printed(struct out *out)
{
    char *text = mem_resize(NULL, out->used + 1);
    if (out->used > 0) {
        memcpy(text, out->buffer, out->used);
    }
    text[out->used] = '\0';
    out_abandon(out);
    return text;
}

char *system_steps(struct world *w, const struct execution *x)
{
    struct schedule s;
    struct out out;
    schedule_init(&s);
    out_open_memory(&out);
    vec_each (&x->steps, step) {
        struct choice c = {0};
        w->ops->describe(w, &step->operation, &s, &c);
        schedule_print_choice(&s, &c, &out);
    }
    schedule_release(&s);
    return printed(&out);
}

char *system_schedule(struct world *w, const struct plan *p, const struct execution *x)
{
    struct schedule s;
    struct out out;
    schedule_init(&s);
    out_open_memory(&out);
    recipe_write(&s, w, p, x);
    schedule_print(&s, &out);
    schedule_release(&s);
    return printed(&out);
}

void system_recipe(struct world *w, const struct plan *p, const struct execution *x,
                   struct recipe *r)
{
    char *text = system_schedule(w, p, x);
    struct schedule s;
    struct in in;
    struct err e = {.text = ""};
    in_open_memory(&in, text, strlen(text));
    schedule_init(&s);
    if (schedule_parse(&s, &in, &e) < 0 || recipe_parse(r, &s, &e) < 0) {
        fail_msg("%s", e.text);
    }
    schedule_release(&s);
    mem_free(text);
}

bool system_leave_one_out(const struct clew_message *m, uint32_t index, void *bytes, size_t *size)
{
    if (index >= m->size) {
        return false;
    }
    *size = m->size - 1;
    memcpy(bytes, m->bytes, index);
    memcpy((char *)bytes + index, (const char *)m->bytes + index + 1, m->size - index - 1);
    return true;
}
