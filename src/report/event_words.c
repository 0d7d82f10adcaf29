#include "report/event_words.h"

#include "trace/kind_table.h"

void event_words_line(struct out *out, const char *before, const char *text)
{
    if (text[0] == '\0') {
        return;
    }
    out_text(out, before);
    for (const char *c = text; *c != '\0'; c++) {
        out_char(out, (unsigned char)*c < ' ' ? ' ' : *c);
    }
}

void event_words_task(struct out *out, const struct trace *t, uint32_t task)
{
    must(task < t->tables.tasks.count);
    event_words_line(out, "", trace_name(t, t->tables.tasks.at[task].name));
    event_words_line(out, "@", trace_name(t, t->tables.tasks.at[task].node));
}

void event_words(struct out *out, const struct trace *t, const struct event *e)
{
    const struct kind *kind = kind_of(e->kind);
    must(kind != NULL);
    out_text(out, kind->name);
    event_words_line(out, " ", trace_name(t, e->object));
    if ((e->has & HAS_PEER) != 0) {
        out_char(out, ' ');
        event_words_task(out, t, e->peer);
    } else {
        event_words_line(out, " message ", trace_name(t, e->message));
    }
    event_words_line(out, ": ", trace_name(t, e->text));
    if ((e->has & HAS_VALUE) != 0) {
        out_text(out, " = ");
        out_i64(out, e->value);
    }
}

void event_words_place(struct out *out, const struct trace *t, const struct event *e)
{
    event_words_line(out, " at ", trace_name(t, e->location));
}
