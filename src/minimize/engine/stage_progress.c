/* How far it is, whether it goes on, and why a stage did nothing. */
#include <stdarg.h>
#include <stdio.h>

#include "minimize/engine/reducer.h"

/* The least time between two lines of progress. */
static const uint64_t telling_ns = 100000000;

/* A trial reports the progress of the outermost reducer, which has the best of all. */
void reducer_tell(struct reducer *r)
{
    struct reducer *of_all = r;
    while (of_all->of != NULL) {
        of_all = of_all->of;
    }
    of_all->told_ns = limit_now_ns();
    if (r->options->progress != NULL && !speculation_is_worker(r->speculation)) {
        const struct minimized *m = of_all->result;
        r->options->progress(r->options->context,
                             &(struct minimize_progress){.stage = of_all->stage,
                                                         .steps = (uint32_t)m->best.steps.count,
                                                         .externals = m->final_externals,
                                                         .switches = m->final_switches,
                                                         .replays = r->result->replays});
    }
}

static bool is_time_to_tell(const struct reducer *r)
{
    return limit_now_ns() - reducer_of_all(r)->told_ns > telling_ns;
}

bool reducer_goes_on(struct reducer *r)
{
    const struct minimize_options *o = r->options;
    if (o->progress != NULL && is_time_to_tell(r)) {
        reducer_tell(r);
    }
    if (!r->is_over) {
        r->result->stopped_by =
            *o->is_stopped != 0 ? LIMIT_STOPPED : limit_end(&o->budget, r->result->replays);
        r->is_over = r->result->stopped_by != LIMIT_OPEN;
    }
    const bool goes_on = !r->is_over && !r->is_broken;
    if (!goes_on) {
        speculation_end(r->speculation);
    }
    return goes_on;
}

static void PRINTF_LIKE(2, 0) note(struct reducer *r, const char *format, va_list arguments)
{
    struct stage_account *account = &r->result->stages[r->stage];
    if (!account->has_failed) {
        (void)vsnprintf(account->note, sizeof account->note, format, arguments);
    }
}

void reducer_note(struct reducer *r, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    note(r, format, arguments);
    va_end(arguments);
}

void reducer_note_idle(struct reducer *r, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (r->result->stages[r->stage].replays == 0) {
        note(r, format, arguments);
    }
    va_end(arguments);
}

void reducer_note_failure(struct reducer *r, const char *how)
{
    reducer_note(r, "%s", how);
    r->result->stages[r->stage].has_failed = true;
}

bool reducer_is_longer(struct reducer *r, uint32_t steps_max)
{
    if (reducer_size(r) > steps_max) {
        reducer_note_idle(r, "skipped: more than %u steps", steps_max);
    }
    return reducer_size(r) > steps_max;
}

bool reducer_is_shorter(struct reducer *r, uint32_t steps_min)
{
    if (reducer_size(r) < steps_min) {
        reducer_note_idle(r, "skipped: fewer than %u steps", steps_min);
    }
    return reducer_size(r) < steps_min;
}

bool reducer_is_bound(struct reducer *r)
{
    if (r->options->no_diverge) {
        reducer_note_idle(r, "skipped: --no-diverge rejects other state transitions");
    }
    return r->options->no_diverge;
}
