#include "report/shiviz.h"

#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "order/event_clock.h"
#include "trace/kind_table.h"

/* The first line defines the format for ShiViz, the second (empty) means one execution. Then two
 * lines an event: its task and clock, and its description. */
static const char header[] = "(?<host>\\S*) (?<clock>{.*})\\n(?<event>.*)\n\n";

/* A code location that a task covered; the task's previous event prints it. */
struct covered {
    struct event event;
    event_id with;
};

struct shiviz_writer {
    struct writer base;
    VEC(struct event) events;
    VEC(struct covered) covered; /* in the order of the trace */
    VEC(event_id) last_of;       /* the last event of each task, plus one; 0: none */
};

static int shiviz_write(struct writer *w, const struct event *events, size_t count, struct err *e)
{
    (void)e;
    struct shiviz_writer *s = (struct shiviz_writer *)w;
    for (size_t i = 0; i < count; i++) {
        while (s->last_of.count <= events[i].task) {
            vec_push(&s->last_of, 0);
        }
        event_id *last = &s->last_of.at[events[i].task];
        must(*last <= s->events.count);
        if (events[i].kind == EVENT_COVERAGE && *last != 0) {
            vec_push(&s->covered, (struct covered){.event = events[i], .with = *last - 1});
        } else {
            vec_push(&s->events, events[i]);
            *last = (event_id)s->events.count;
        }
    }
    return 0;
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

/* One line, for every name. */
static void print_word(struct out *o, const char *before, const char *text)
{
    if (text[0] == '\0') {
        return;
    }
    out_text(o, before);
    for (const char *c = text; *c != '\0'; c++) {
        out_char(o, (unsigned char)*c < ' ' ? ' ' : *c);
    }
}

static void print_event(struct out *o, const struct trace *t, const struct event *e)
{
    const struct kind *kind = kind_of(e->kind);
    out_text(o, kind->name);
    print_word(o, " ", trace_name(t, e->object));
    if ((e->has & HAS_PEER) != 0) {
        out_char(o, ' ');
        print_task(o, t, e->peer);
    } else {
        print_word(o, " message ", trace_name(t, e->message));
    }
    print_word(o, ": ", trace_name(t, e->text));
    if ((e->has & HAS_VALUE) != 0) {
        out_text(o, " = ");
        out_i64(o, e->value);
    }
    print_word(o, " at ", trace_name(t, e->location));
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
static size_t print_covered(struct out *o, const struct trace *t, const struct shiviz_writer *s,
                            size_t at, event_id id)
{
    const size_t first = at;
    while (at < s->covered.count && s->covered.at[at].with == id) {
        const struct event *e = &s->covered.at[at].event;
        const char *place = trace_name(t, e->location);
        print_word(o, at == first ? "; covered " : ", ", place[0] == '\0' ? "somewhere" : place);
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

static int shiviz_finish(struct writer *w, struct err *e)
{
    struct shiviz_writer *s = (struct shiviz_writer *)w;
    /* The reader owns the tables; only the events are ours. */
    struct trace t = {.tables = *w->tables};
    t.events.at = s->events.at;
    t.events.count = s->events.count;
    trace_seal(&t);

    struct hb hb;
    const struct hb_options options = {.model = HB_OBSERVED, .scope = REACH_ALL};
    if (hb_build(&hb, &t, &options, w->notes, e) < 0) {
        return -1;
    }
    uint32_t *counts = mem_zero(t.tables.tasks.count + 1, sizeof *counts);
    sort_stable(s->covered.at, s->covered.count, sizeof *s->covered.at, compare_covered, NULL);
    size_t covered = 0;
    out_text(&w->out, header);
    for (event_id id = 0; id < t.events.count; id++) {
        clock_at(&hb, id, counts);
        must(counts[t.events.at[id].task] > 0); /* the clock counts its own event */
        print_task(&w->out, &t, t.events.at[id].task);
        out_char(&w->out, ' ');
        print_clock(&w->out, &t, counts);
        print_event(&w->out, &t, &t.events.at[id]);
        covered = print_covered(&w->out, &t, s, covered, id);
        out_char(&w->out, '\n');
    }
    must(covered == s->covered.count); /* each stands with an event */
    mem_free(counts);
    hb_release(&hb);
    return 0;
}

static void shiviz_release(struct writer *w)
{
    struct shiviz_writer *s = (struct shiviz_writer *)w;
    vec_release(&s->events);
    vec_release(&s->covered);
    vec_release(&s->last_of);
}

static const struct writer_ops shiviz_ops = {
    .write = shiviz_write, .finish = shiviz_finish, .release = shiviz_release};

static struct writer *shiviz_create(struct out *out, const struct tables *t, struct notes *n)
{
    struct shiviz_writer *s = mem_zero(1, sizeof *s);
    s->base = (struct writer){.ops = &shiviz_ops, .tables = t, .notes = n, .out = *out};
    return &s->base;
}

const struct format format_shiviz = {
    .name = "shiviz",
    .ending = ".shiviz",
    .meaning = "a log with vector clocks, the input of ShiViz",
    .create = shiviz_create,
};
