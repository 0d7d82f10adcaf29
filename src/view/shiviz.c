#include "view/shiviz.h"

#include <string.h>

#include "base/mem.h"
#include "order/clock.h"
#include "trace/kind.h"

/* The first line tells ShiViz how to read the rest, the second (empty) that there is one execution.
 * Then two lines an event: its task and clock, and what happened. */
static const char header[] = "(?<host>\\S*) (?<clock>{.*})\\n(?<event>.*)\n\n";

struct shiviz_writer {
    struct writer base;
    VEC(struct event) events;
};

static int shiviz_write(struct writer *w, const struct event *events, size_t count, struct err *e)
{
    (void)e;
    struct shiviz_writer *s = (struct shiviz_writer *)w;
    vec_reserve(&s->events, s->events.count + count);
    memcpy(s->events.at + s->events.count, events, count * sizeof *events);
    s->events.count += count;
    return 0;
}

/* Names of tasks stand in the log as they are, and again as keys in JSON: what would be escaped
 * there, and blanks, are written %XX in both. */
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
    print_escaped(o, trace_name(t, t->tables.tasks.at[task].name));
    const char *node = trace_name(t, t->tables.tasks.at[task].node);
    if (node[0] != '\0') {
        out_char(o, '@');
        print_escaped(o, node);
    }
}

/* One line, whatever the name holds. */
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
    out_char(o, '\n');
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
    /* The tables are the reader's; only the events are ours. */
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
    out_text(&w->out, header);
    for (event_id id = 0; id < t.events.count; id++) {
        clock_at(&hb, id, counts);
        print_task(&w->out, &t, t.events.at[id].task);
        out_char(&w->out, ' ');
        print_clock(&w->out, &t, counts);
        print_event(&w->out, &t, &t.events.at[id]);
    }
    mem_free(counts);
    hb_release(&hb);
    return 0;
}

static void shiviz_release(struct writer *w)
{
    vec_release(&((struct shiviz_writer *)w)->events);
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
    .meaning = "a log with vector clocks, for ShiViz",
    .create = shiviz_create,
};
