#include "explore/replay.h"

#include <stdio.h>
#include <string.h>

#include "world/recipe.h"

int replay_check(const struct world *w, const struct schedule *s, struct err *e)
{
    const struct {
        const char *what;
        uint32_t wanted;
        const char *is;
    } parts[] = {{"world", s->world, w->ops->name},
                 {"net", s->net, w->net},
                 {"choice", s->with, w->with == NULL ? "" : w->with},
                 {"system", s->system, w->system}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const char *wanted = names_text(&s->names, parts[i].wanted);
        if (parts[i].wanted != 0 && strcmp(wanted, parts[i].is) != 0) {
            return err_set(e, "is for the %s \"%s\", and this is \"%s\"", parts[i].what, wanted,
                           parts[i].is);
        }
    }
    return 0;
}

/* The choice as the schedule writes it, without the end of its line. */
static void print_choice(const struct schedule *s, const struct choice *c, char *text, size_t size)
{
    struct out out;
    out_open_memory(&out);
    schedule_print_choice(s, c, &out);
    (void)snprintf(text, size, "%.*s", out.used > 0 ? (int)out.used - 1 : 0, out.buffer);
    out_abandon(&out);
}

static void print_constraint(const struct schedule *s, size_t index, char *text, size_t size)
{
    struct out out;
    out_open_memory(&out);
    schedule_print_constraint(s, &s->constraints.at[index], &out);
    (void)snprintf(text, size, "%.*s", out.used > 0 ? (int)out.used - 1 : 0, out.buffer);
    out_abandon(&out);
}

void replay_say_divergence(const struct schedule *s, const struct execution *x, char *text,
                           size_t size)
{
    char line[200];
    const bool is_choice = x->outcome == OUTCOME_DIVERGED;
    *text = '\0';
    if ((is_choice || x->outcome == OUTCOME_UNSATISFIED) &&
        x->where >= (is_choice ? s->choices.count : s->constraints.count)) {
        (void)snprintf(text, size, "after %zu steps, the run does not say what it cannot follow",
                       x->steps.count);
    } else if (is_choice) {
        print_choice(s, &s->choices.at[x->where], line, sizeof line);
        (void)snprintf(text, size, "at step %zu, \"%s\" is not pending", x->steps.count + 1, line);
    } else if (x->outcome == OUTCOME_UNSATISFIED) {
        print_constraint(s, x->where, line, sizeof line);
        (void)snprintf(text, size, "after %zu steps, \"%s\" cannot be satisfied", x->steps.count,
                       line);
    }
}

static bool has_step(const struct execution *x, uint64_t name)
{
    vec_each (&x->steps, step) {
        if (step->operation.name == name) {
            return true;
        }
    }
    return false;
}

/* Contents are said of requests that arrive: one that does not is not the one that was meant. */
static void say_contents(const struct schedule *s, const struct recipe *recipe, struct replayed *r)
{
    must(recipe->plan.content_count == s->contents.count);
    for (size_t i = 0; i < recipe->plan.content_count && r->divergence[0] == '\0'; i++) {
        if (!has_step(&r->execution, recipe->plan.contents[i].name)) {
            const struct choice c = {.kind = CHOICE_MESSAGE, .message = s->contents.at[i].message};
            char line[200];
            print_choice(s, &c, line, sizeof line);
            (void)snprintf(r->divergence, sizeof r->divergence,
                           "\"%s\", whose content is said, does not come", line);
        }
    }
}

int replay(struct world *w, const struct schedule *s, const struct replay_options *o,
           struct replayed *r, struct err *e)
{
    struct recipe recipe = {0};
    int result = replay_check(w, s, e) < 0 ? -1 : recipe_parse(&recipe, s, e);
    r->divergence[0] = '\0';
    if (result == 0) {
        recipe.plan.trace = o->trace;
        recipe.plan.wants_states = o->wants_states;
        result = world_run(w, &recipe.plan, &r->execution, e);
    }
    if (result == 0) {
        recipe_explain(&r->execution);
        replay_say_divergence(s, &r->execution, r->divergence, sizeof r->divergence);
        say_contents(s, &recipe, r);
    }
    /* The first divergence is known: now as well as it goes. */
    if (result == 0 && r->execution.outcome == OUTCOME_DIVERGED && o->is_lenient) {
        recipe.plan.pick.is_lenient = true;
        if (o->trace != NULL) {
            trace_release(o->trace);
            trace_init(o->trace);
        }
        result = world_run(w, &recipe.plan, &r->execution, e);
    }
    r->is_same = s->hash == 0 ? r->divergence[0] == '\0' : s->hash == r->execution.hash;
    recipe_release(&recipe);
    return result;
}

void replayed_release(struct replayed *r)
{
    execution_release(&r->execution);
}
