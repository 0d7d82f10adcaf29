/* A writer of a foreign format, event by event. Events that the format cannot express are left out,
 * and counted with every other loss. */
#ifndef CLEW_IMPORT_EVENT_WRITER_H
#define CLEW_IMPORT_EVENT_WRITER_H

#include "import/lost_fields.h"
#include "import/task_text.h"
#include "trace/format.h"

struct event_writer;

struct event_writer_format {
    const char *name; /* its name in notes */
    /* Writes the event to w->writer.out; false when the format has no such kind of event. */
    bool (*put)(struct event_writer *w, const struct event *e);
    /* Writes the held-back events, and releases the memory of the format's struct; NULL: nothing.
     */
    void (*end)(struct event_writer *w);
    void (*release)(struct event_writer *w);
};

/* A format's own struct begins with this. */
struct event_writer {
    struct writer writer;
    const struct event_writer_format *format;
    struct task_text task_text;
    struct lost lost;
};

/* Makes w, which is all zero, a writer to out, which it takes over. */
void event_writer_init(struct event_writer *w, const struct event_writer_format *format,
                       struct out *out, const struct tables *t, struct notes *n);

#endif
