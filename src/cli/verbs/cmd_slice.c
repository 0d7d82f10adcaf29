/* clew slice: a part of a trace as a new trace. */
#include "cli/input/trace_input.h"
#include "cli/text/trace_output.h"
#include "cli/text/verdict.h"
#include "order/trace_slice.h"

struct slice_command {
    struct common common;
    uint64_t event; /* UINT64_MAX: not asked */
    const char *node;
    const char *object;
    struct moment since, until;
};

/* Input, filter and output of a slice. */
struct slicing {
    const struct slice_command *command;
    struct reading reading;
    struct writing writing;
    struct slice_options options;
};

static bool has_condition(const struct slice_command *c)
{
    return c->event != UINT64_MAX || c->node != NULL || c->object != NULL || c->since.is_given ||
           c->until.is_given;
}

/* The span of time, once the trace's first time is known. */
static int set_span(struct slicing *k, const struct batch *b, struct err *e)
{
    const struct slice_command *c = k->command;
    const uint64_t tick_ns = k->reading.trace.tables.tick_ns;
    int64_t first = 0;
    for (size_t i = 0; i < b->count && first == 0; i++) {
        first = (b->events[i].has & HAS_TIME) != 0 ? b->events[i].time : 0;
    }
    k->options.has_since = c->since.is_given;
    k->options.has_until = c->until.is_given;
    if (c->since.is_given && moment_ticks(&c->since, first, tick_ns, &k->options.since, e) < 0) {
        return err_wrap(e, "--since");
    }
    if (c->until.is_given && moment_ticks(&c->until, first, tick_ns, &k->options.until, e) < 0) {
        return err_wrap(e, "--until");
    }
    return 0;
}

/* Writes the events of a batch that the filter keeps, those in a row at once. */
static int write_kept(struct slicing *k, struct slice_filter *filter, const struct batch *b,
                      struct err *e)
{
    size_t from = 0;
    for (size_t i = 0; i <= b->count; i++) {
        if (i < b->count && slice_keeps(filter, &b->events[i])) {
            continue;
        }
        if (i > from && writing_write(&k->writing, b->events + from, i - from, e) < 0) {
            return -1;
        }
        from = i + 1;
    }
    return 0;
}

/* Conditions on single events are decided as they stream by: the trace may be larger than memory.
 */
static int slice_stream(struct slicing *k, struct err *e)
{
    struct slice_filter filter;
    slice_filter_init(&filter, &k->options, &k->reading.trace.tables);
    struct batch b;
    bool is_first = true;
    int more = 0;
    while ((more = reading_next(&k->reading, &b, e)) > 0) {
        if ((is_first && set_span(k, &b, e) < 0) || write_kept(k, &filter, &b, e) < 0) {
            more = -1;
            break;
        }
        is_first = false;
    }
    if (more == 0 && !k->reading.is_cut && slice_filter_end(&filter, e) < 0) {
        more = err_wrap(e, "%s", k->reading.name);
    }
    slice_filter_release(&filter);
    return more;
}

/* The past of an event needs the whole trace. */
static int slice_past(struct slicing *k, struct err *e)
{
    struct reading *r = &k->reading;
    if (reading_load(r, e) < 0) {
        return -1;
    }
    if (r->is_cut) {
        return 0;
    }
    const struct batch all = {.events = r->trace.events.at, .count = r->trace.events.count};
    if (set_span(k, &all, e) < 0) {
        return -1;
    }
    struct slice slice = {0};
    int result = slice_build(&slice, &r->trace, &k->options, &r->notes, e);
    if (result < 0) {
        (void)err_wrap(e, "%s", r->name);
    }
    for (size_t i = 0; result == 0 && i < slice.events.count; i++) {
        result = writing_write(&k->writing, trace_at(&r->trace, slice.events.at[i]), 1, e);
    }
    slice_release(&slice);
    return result;
}

static int slice(struct slicing *k, struct err *e)
{
    if (writing_open(&k->writing, &k->reading.trace.tables, e) < 0) {
        return -1;
    }
    const bool is_past = k->command->event != UINT64_MAX;
    if ((is_past ? slice_past(k, e) : slice_stream(k, e)) < 0) {
        writing_abandon(&k->writing);
        return -1;
    }
    if (k->reading.is_cut) {
        writing_abandon(&k->writing);
        reading_warn(&k->reading);
        return verdict_status(VERDICT_UNKNOWN);
    }
    if (k->writing.event_count == 0) {
        notes_add(&k->reading.notes, "", "no event is all that was asked for: the slice is empty");
    }
    if (writing_close(&k->writing, e) < 0) {
        return -1;
    }
    reading_warn(&k->reading);
    return EXIT_CLEAN;
}

static int run(struct session *s, const void *options, struct err *e)
{
    struct slicing k = {.command = options};
    const struct slice_command *c = k.command;
    if (!has_condition(c)) {
        return session_misused(e, "which part? say --event, --node, --object, --since or --until");
    }
    if (c->event != UINT64_MAX && c->event >= EVENT_NONE) {
        return session_misused(e, "--event: no trace has an event %llu",
                               (unsigned long long)c->event);
    }
    k.options = (struct slice_options){
        .event = c->event == UINT64_MAX ? EVENT_NONE : (event_id)c->event,
        .node = c->node,
        .object = c->object,
    };
    int status = writing_choose(&k.writing, s, e);
    if (status < 0) {
        return status;
    }
    status = reading_open(&k.reading, s, e);
    if (status < 0) {
        return status;
    }
    status = slice(&k, e);
    reading_close(&k.reading);
    return status;
}

static const struct option options[] = {
    {.name = "event",
     .type = OPTION_NUMBER,
     .argument = "N",
     .target = offsetof(struct slice_command, event),
     .help = "keep event N, counted from 0, and its causal past"},
    {.name = "node",
     .type = OPTION_TEXT,
     .argument = "GLOB",
     .target = offsetof(struct slice_command, node),
     .help = "keep events of these nodes"},
    {.name = "object",
     .type = OPTION_TEXT,
     .argument = "GLOB",
     .target = offsetof(struct slice_command, object),
     .help = "keep events about these objects: variables, locks, channels ..."},
    {.name = "since",
     .type = OPTION_MOMENT,
     .argument = "TIME",
     .target = offsetof(struct slice_command, since),
     .help = "keep events from this time on: a time of the trace, or an offset from its first time "
             "(1.5s)"},
    {.name = "until",
     .type = OPTION_MOMENT,
     .argument = "TIME",
     .target = offsetof(struct slice_command, until),
     .help = "keep events up to this time"},
    COMMON_OUTPUT,
    COMMON_INPUT,
    COMMON_JSON,
    COMMON_BUDGET,
    COMMON_ALWAYS,
    {0},
};

static const struct slice_command defaults = {.common = COMMON_DEFAULTS, .event = UINT64_MAX};

static const struct example examples[] = {
    {"clew slice bank.log --event 30 -o past.clew", "Write the causal past of event 30."},
    {"clew slice run.clew --node 'db-*' --since 2s --until 3s -o part.clew",
     "Write one second of some nodes."},
    {"clew slice run.clew --object journal --to text -o -",
     "Print all events of one lock as text."},
    {0},
};

const struct verb verb_slice = {
    .name = "slice",
    .summary = "write part of a trace",
    .operands = "TRACE... -o OUT",
    .operand_min = 1,
    .operand_max = SIZE_MAX,
    .replaces_input = true,
    .about = "Writes the events that fulfil all conditions as a new trace: the causal past of an "
             "event (by program order, lock order and messages of the run), the events of some "
             "nodes, the events about some objects, or those in a time interval. Events keep their "
             "order. Only --event needs the whole trace in memory.",
    .exit_statuses = "0 OUT was written\n2 the trace could not be read, has no such event, or OUT "
                     "could not be written\n3 the budget ended first; OUT was not written",
    .options = options,
    .defaults = &defaults,
    .options_size = sizeof(struct slice_command),
    .examples = examples,
    .run = run,
};
