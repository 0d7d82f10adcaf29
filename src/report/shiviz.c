#include "report/shiviz.h"

#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "order/event_clock.h"
#include "report/event_words.h"
#include "report/whole_trace.h"

/* The first line defines the format for ShiViz, the second (empty) means one execution. Then two
 * lines an event: its task and clock, and its description. */
static const char header[] = "(?<host>\\S*) (?<clock>{.*})\\n(?<event>.*)\n\n";

/* A code location that a task covered; the task's previous event prints it. */
struct covered {
    struct event event;
    event_id with;
};

/* A log: its events, and the locations that they cover. */
struct shiviz_log {
    struct trace trace;          /* its tables are those of the trace that is written */
    VEC(struct covered) covered; /* in the order of the trace, then by event */
};

/* Divides the events: a covered location belongs to the last event of its task. */
static void divide(struct shiviz_log *log, const struct trace *t)
{
    uint64_t *last = mem_zero(t->tables.tasks.count + 1, sizeof *last); /* plus one; 0: none */
    log->trace.tables = t->tables;
    trace_each (t, event) {
        if (event->kind == EVENT_COVERAGE && last[event->task] != 0) {
            vec_push(&log->covered,
                     (struct covered){.event = *event, .with = (event_id)(last[event->task] - 1)});
        } else {
            vec_push(&log->trace.events, *event);
            last[event->task] = log->trace.events.count;
        }
    }
    mem_free(last);
    must(log->trace.events.count + log->covered.count == t->events.count);
}

/* Names of tasks stand in the log as they are, and again as keys in JSON: characters that JSON
 * would escape, and blanks, are written %XX in both. */
static void print_escaped(struct out *o, const char *text)
{
    for (const char *c = text; *c != '\0'; c++) {
        const unsigned char byte = (unsigned char)*c;
        if (byte <= ' ' || byte == 0x7f || strchr("\"\\%{}", *c) != NULL) {
            out_format(o, "%%%02X", byte);
        } else {
            out_char(o, *c);
        }
    }
}

static void print_task(struct out *o, const struct trace *t, uint32_t task)
{
    must(task < t->tables.tasks.count);
    print_escaped(o, trace_name(t, t->tables.tasks.at[task].name));
    const char *node = trace_name(t, t->tables.tasks.at[task].node);
    if (node[0] != '\0') {
        out_char(o, '@');
        print_escaped(o, node);
    }
}

static int compare_covered(const void *left, const void *right,
                           __attribute__((unused)) const void *context)
{
    const struct covered *a = left;
    const struct covered *b = right;
    return (a->with > b->with) - (a->with < b->with);
}

/* "; covered bank.c:12 (3), bank.c:14 (1)": the locations from `at` in the list on that belong to
 * the event, with the number of entries of a block, or of locations. Returns the start of the next
 * event's. */
static size_t print_covered(struct out *o, const struct shiviz_log *log, size_t at, event_id id)
{
    const size_t first = at;
    while (at < log->covered.count && log->covered.at[at].with == id) {
        const struct event *e = &log->covered.at[at].event;
        const char *place = trace_name(&log->trace, e->location);
        event_words_line(o, at == first ? "; covered " : ", ",
                         place[0] == '\0' ? "somewhere" : place);
        out_text(o, " (");
        out_u64(o, (e->has & HAS_VALUE) != 0 ? (uint64_t)e->value : e->count);
        out_char(o, ')');
        at++;
    }
    return at;
}

static void print_clock(struct out *o, const struct trace *t, const uint32_t *counts)
{
    char separator = '{';
    for (uint32_t task = 0; task < t->tables.tasks.count; task++) {
        if (counts[task] > 0) {
            out_char(o, separator);
            out_char(o, '"');
            print_task(o, t, task);
            out_text(o, "\":");
            out_u64(o, counts[task]);
            separator = ',';
        }
    }
    out_text(o, "}\n");
}

static int print_log(struct shiviz_log *log, struct out *out, struct notes *n, struct err *e)
{
    const struct trace *t = &log->trace;
    struct hb hb;
    const struct hb_options options = {.model = HB_OBSERVED, .scope = REACH_ALL};
    if (hb_build(&hb, t, &options, n, e) < 0) {
        return -1;
    }
    uint32_t *counts = mem_zero(t->tables.tasks.count + 1, sizeof *counts);
    sort_stable(log->covered.at, log->covered.count, sizeof *log->covered.at, compare_covered,
                NULL);
    size_t covered = 0;
    out_text(out, header);
    for (event_id id = 0; id < t->events.count; id++) {
        clock_at(&hb, id, counts);
        must(counts[t->events.at[id].task] > 0); /* the clock counts its own event */
        print_task(out, t, t->events.at[id].task);
        out_char(out, ' ');
        print_clock(out, t, counts);
        event_words(out, t, &t->events.at[id]);
        event_words_place(out, t, &t->events.at[id]);
        covered = print_covered(out, log, covered, id);
        out_char(out, '\n');
    }
    must(covered == log->covered.count); /* each stands with an event */
    mem_free(counts);
    hb_release(&hb);
    return 0;
}

static int print_shiviz(const struct trace *t, struct out *out, struct notes *n, struct err *e)
{
    struct shiviz_log log = {0};
    divide(&log, t);
    trace_seal(&log.trace);
    const int result = print_log(&log, out, n, e);
    vec_release(&log.trace.events);
    vec_release(&log.covered);
    return result;
}

static struct writer *shiviz_create(struct out *out, const struct tables *t, struct notes *n)
{
    return whole_trace_writer(print_shiviz, out, t, n);
}

const struct format format_shiviz = {
    .name = "shiviz",
    .ending = ".shiviz",
    .meaning = "a log with vector clocks, the input of ShiViz",
    .create = shiviz_create,
};
