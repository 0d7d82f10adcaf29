#include "explore/confirm.h"

#include <stdio.h>
#include <string.h>

#include "explore/replay.h"

enum { REPLAYS_MAX = 4, STEP_TEXT_SIZE = 120 };

/* The step as schedules write it. */
static void print_step(struct world *w, const struct step *step, char text[STEP_TEXT_SIZE])
{
    struct schedule line;
    struct choice c = {0};
    struct out out;
    schedule_init(&line);
    out_open_memory(&out);
    w->ops->describe(w, &step->operation, &line, &c);
    schedule_print_choice(&line, &c, &out);
    (void)snprintf(text, STEP_TEXT_SIZE, "%.*s", out.used > 0 ? (int)out.used - 1 : 0, out.buffer);
    out_abandon(&out);
    schedule_release(&line);
}

/* The first step at which both executions have a state and the states differ, or which only one of
 * them took; the number of steps when there is none. */
static size_t find_state(const struct execution *a, const struct execution *b)
{
    size_t i = 0;
    while (i < a->steps.count && i < b->steps.count) {
        const struct step *left = &a->steps.at[i];
        const struct step *right = &b->steps.at[i];
        if (left->operation.name != right->operation.name ||
            (left->state != 0 && right->state != 0 && left->state != right->state)) {
            break;
        }
        i++;
    }
    return i;
}

/* Makes more replays that keep their states, until two of all executions differ in one. */
static int find_difference(struct world *w, const struct schedule *s, const struct execution *x,
                           size_t *step, struct err *e)
{
    struct replayed replays[REPLAYS_MAX] = {0};
    *step = x->steps.count;
    int result = 0;
    for (size_t i = 0; i < REPLAYS_MAX && result == 0; i++) {
        result = replay(w, s, &(struct replay_options){.wants_states = true}, &replays[i], e);
        const struct execution *before = i == 0 ? x : &replays[i - 1].execution;
        const size_t found = find_state(before, &replays[i].execution);
        *step = found < *step ? found : *step;
    }
    must(*step <= x->steps.count);
    for (size_t i = 0; i < REPLAYS_MAX; i++) {
        replayed_release(&replays[i]);
    }
    return result;
}

static int tell_difference(struct world *w, const struct schedule *s, const struct execution *x,
                           const struct replayed *r, char *text, size_t size, struct err *e)
{
    char step_text[STEP_TEXT_SIZE];
    size_t step = 0;
    if (r->divergence[0] != '\0') {
        (void)snprintf(text, size, "%s", r->divergence);
        return 0;
    }
    if (find_difference(w, s, x, &step, e) < 0) {
        return -1;
    }
    if (step < x->steps.count) {
        print_step(w, &x->steps.at[step], step_text);
        (void)snprintf(text, size, "step %zu, \"%s\", leads to another state", step + 1, step_text);
    } else {
        (void)snprintf(text, size, "the same %zu steps end with \"%s: %.150s\"", x->steps.count,
                       outcome_name(r->execution.outcome), r->execution.what);
    }
    return 0;
}

int repeat_check(struct world *w, const char *schedule, const struct execution *x,
                 struct trace *trace, char *difference, size_t size, struct err *e)
{
    struct schedule s;
    struct in in;
    struct replayed r = {0};
    schedule_init(&s);
    in_open_memory(&in, schedule, strlen(schedule));
    difference[0] = '\0';
    int result = schedule_parse(&s, &in, e);
    if (result == 0) {
        result = replay(w, &s, &(struct replay_options){.trace = trace}, &r, e);
    }
    if (result == 0 && (r.execution.hash != x->hash || r.execution.outcome != x->outcome)) {
        result = tell_difference(w, &s, x, &r, difference, size, e);
    }
    replayed_release(&r);
    schedule_release(&s);
    return result;
}
