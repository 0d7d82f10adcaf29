#include "report/whole_trace.h"

#include "base/mem.h"

struct whole_trace_writer {
    struct writer base;
    whole_trace_print *print;
    struct trace held; /* its tables are the reader's, from the end on */
};

static int hold(struct writer *w, const struct event *events, size_t count, struct err *e)
{
    (void)e;
    struct whole_trace_writer *own = (struct whole_trace_writer *)w;
    for (size_t i = 0; i < count; i++) {
        vec_push(&own->held.events, events[i]);
    }
    return 0;
}

static int finish(struct writer *w, struct err *e)
{
    struct whole_trace_writer *own = (struct whole_trace_writer *)w;
    struct trace t = own->held;
    t.tables = *w->tables;
    trace_seal(&t);
    return own->print(&t, &w->out, w->notes, e);
}

static void release(struct writer *w)
{
    struct whole_trace_writer *own = (struct whole_trace_writer *)w;
    vec_release(&own->held.events);
}

static const struct writer_ops ops = {.write = hold, .finish = finish, .release = release};

struct writer *whole_trace_writer(whole_trace_print *print, struct out *out, const struct tables *t,
                                  struct notes *n)
{
    struct whole_trace_writer *own = mem_zero(1, sizeof *own);
    own->base = (struct writer){.ops = &ops, .tables = t, .notes = n, .out = *out};
    own->print = print;
    return &own->base;
}
