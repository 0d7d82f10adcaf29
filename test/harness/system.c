#include "system.h"

#include "base/mem.h"
#include "test.h"
#include "world/recipe.h"

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
