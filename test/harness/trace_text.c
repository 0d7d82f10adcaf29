#include "trace_text.h"

#include <stdlib.h>

#include "base/out.h"
#include "trace/kind_table.h"

static struct out text;

static void text_release(void)
{
    out_abandon(&text);
}

static void print_name(const struct trace *t, const char *before, uint32_t name)
{
    if (name != 0) {
        out_text(&text, before);
        out_text(&text, trace_name(t, name));
    }
}

static void print_task(const struct trace *t, uint32_t number)
{
    const struct task *task = &t->tables.tasks.at[number];
    out_text(&text, trace_name(t, task->name));
    print_name(t, "@", task->node);
}

static void print_event(const struct trace *t, const struct event *e)
{
    const struct kind *kind = kind_of(e->kind);
    print_task(t, e->task);
    out_char(&text, ' ');
    out_text(&text, kind->name);
    if ((e->has & HAS_PEER) != 0) {
        out_char(&text, ' ');
        print_task(t, e->peer);
    } else {
        print_name(t, " ", e->object);
        print_name(t, " msg=", e->message);
    }
    print_name(t, " @", e->location);
    print_name(t, " text=", e->text);
    if ((e->has & HAS_SIZE) != 0) {
        out_format(&text, " size=%llu", (unsigned long long)e->size);
    }
    if ((e->has & HAS_VALUE) != 0) {
        out_format(&text, " value=%lld", (long long)e->value);
    }
    if ((e->has & HAS_TIME) != 0) {
        out_format(&text, " time=%lld", (long long)e->time);
    }
    const char *mode = mode_name(kind->modes, e->mode);
    if (mode != NULL) {
        out_format(&text, " mode=%s", mode);
    }
    out_char(&text, '\n');
}

const char *trace_text(const struct trace *t)
{
    if (text.buffer == NULL) {
        (void)atexit(text_release);
    } else {
        out_abandon(&text);
    }
    out_open_memory(&text);
    out_format(&text, "order %s\n", order_kind_name(t->tables.order));
    trace_each (t, e) {
        print_event(t, e);
    }
    out_char(&text, '\0');
    return text.buffer;
}
