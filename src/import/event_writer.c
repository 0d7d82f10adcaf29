#include "import/event_writer.h"

static int write_events(struct writer *writer, const struct event *events, size_t count,
                        struct err *e)
{
    struct event_writer *w = (struct event_writer *)writer;
    for (size_t i = 0; i < count; i++) {
        must(events[i].kind < KIND_LIMIT);
        if (!w->format->put(w, &events[i])) {
            w->lost.events[events[i].kind]++;
        }
    }
    if (writer->out.failed) {
        *e = writer->out.failure;
        return -1;
    }
    return 0;
}

static int finish(struct writer *writer, struct err *e)
{
    (void)e; /* out_close reports it */
    struct event_writer *w = (struct event_writer *)writer;
    if (w->format->end != NULL) {
        w->format->end(w);
    }
    lost_note(&w->lost, writer->notes, w->format->name);
    return 0;
}

static void release(struct writer *writer)
{
    struct event_writer *w = (struct event_writer *)writer;
    task_text_release(&w->task_text);
    if (w->format->release != NULL) {
        w->format->release(w);
    }
}

void event_writer_init(struct event_writer *w, const struct event_writer_format *format,
                       struct out *out, const struct tables *t, struct notes *n)
{
    static const struct writer_ops ops = {
        .write = write_events, .finish = finish, .release = release};
    w->writer = (struct writer){.ops = &ops, .tables = t, .notes = n, .out = *out};
    w->format = format;
}
