#include "page/trace_columns.h"

#include "base/sort.h"
#include "order/hb.h"
#include "page/columns.h"

#define WRITE_COLUMN(t, out, name, number)               \
    do {                                                 \
        struct column column_ = column_begin(out, name); \
        trace_each (t, event) {                          \
            column_add(&column_, (number));              \
        }                                                \
        column_end(&column_);                            \
    } while (0)

/* Numbers of the events that have them. */
#define WRITE_SPARSE(t, out, name, flag, number)         \
    do {                                                 \
        struct column column_ = column_begin(out, name); \
        trace_each (t, event) {                          \
            if ((event->has & (flag)) != 0) {            \
                column_add_signed(&column_, (number));   \
            }                                            \
        }                                                \
        column_end(&column_);                            \
    } while (0)

static void write_events(const struct trace *t, struct out *out)
{
    WRITE_COLUMN(t, out, "kind", event->kind);
    WRITE_COLUMN(t, out, "mode", event->mode);
    WRITE_COLUMN(t, out, "has", event->has);
    WRITE_COLUMN(t, out, "task", event->task);
    WRITE_COLUMN(t, out, "object", event->object);
    WRITE_COLUMN(t, out, "location", event->location);
    WRITE_COLUMN(t, out, "text", event->text);
    WRITE_COLUMN(t, out, "message", event->message);
    WRITE_SPARSE(t, out, "value", HAS_VALUE, event->value);
    WRITE_SPARSE(t, out, "size", HAS_SIZE, (int64_t)event->size);
    WRITE_SPARSE(t, out, "count", HAS_COUNT, event->count);
    int64_t time = 0;
    struct column column = column_begin(out, "time");
    trace_each (t, event) {
        if ((event->has & HAS_TIME) != 0) {
            column_add_signed(&column, (int64_t)((uint64_t)event->time - (uint64_t)time));
            time = event->time;
        }
    }
    column_end(&column);
}

static int compare_edges(const void *left, const void *right,
                         __attribute__((unused)) const void *context)
{
    const struct edge *a = left;
    const struct edge *b = right;
    if (a->to != b->to) {
        return a->to < b->to ? -1 : 1;
    }
    return (a->from > b->from) - (a->from < b->from);
}

/* Whether the edge says more than the order of a task. */
static bool is_between_tasks(const struct trace *t, const struct edge *edge)
{
    return trace_at(t, edge->from)->task != trace_at(t, edge->to)->task;
}

static void write_edges(const struct trace *t, struct edges *edges, struct out *out)
{
    size_t kept = 0;
    vec_each (&edges->list, edge) {
        if (is_between_tasks(t, edge)) {
            edges->list.at[kept++] = *edge;
        }
    }
    must(kept <= edges->list.count);
    edges->list.count = kept;
    sort_stable(edges->list.at, kept, sizeof *edges->list.at, compare_edges, NULL);
    event_id last = 0;
    struct column to = column_begin(out, "edge-to");
    vec_each (&edges->list, edge) {
        must(edge->to >= last);
        column_add(&to, edge->to - last);
        last = edge->to;
    }
    column_end(&to);
    struct column from = column_begin(out, "edge-from");
    vec_each (&edges->list, edge) {
        column_add_signed(&from, (int64_t)edge->to - (int64_t)edge->from);
    }
    column_end(&from);
    struct column kind = column_begin(out, "edge-kind");
    vec_each (&edges->list, edge) {
        must(edge->kind <= EDGE_EXCLUSION);
        column_add(&kind, edge->kind);
    }
    column_end(&kind);
}

static void write_sections(const struct hb *hb, struct out *out)
{
    event_id last = 0;
    struct column begin = column_begin(out, "section-begin");
    for (uint32_t i = 0; i < hb->sections.count; i++) {
        must(hb->sections.list[i].begin >= last);
        column_add(&begin, hb->sections.list[i].begin - last);
        last = hb->sections.list[i].begin;
    }
    column_end(&begin);
    struct column end = column_begin(out, "section-end");
    for (uint32_t i = 0; i < hb->sections.count; i++) {
        const struct section *s = &hb->sections.list[i];
        column_add(&end, s->is_released ? (uint64_t)(s->end - s->begin) + 1 : 0);
    }
    column_end(&end);
    struct column lock = column_begin(out, "section-lock");
    for (uint32_t i = 0; i < hb->sections.count; i++) {
        const struct section *s = &hb->sections.list[i];
        column_add(&lock, (uint64_t)hb->sections.locks[s->lock].name * 2 + s->is_shared);
    }
    column_end(&lock);
}

static void write_event_steps(const struct page *p, struct out *out)
{
    must(p->event_step_count <= p->trace->events.count);
    struct column step = column_begin(out, "step");
    for (size_t i = 0; i < p->event_step_count; i++) {
        column_add(&step,
                   p->event_steps[i] == PAGE_STEP_NONE ? 0 : (uint64_t)p->event_steps[i] + 1);
    }
    column_end(&step);
}

static int write_order(const struct page *p, struct out *out, struct err *e)
{
    struct hb hb;
    struct notes ignored = {0}; /* irregularities are the verbs' to report that judge the trace */
    const struct hb_options options = {.model = HB_OBSERVED, .scope = REACH_NONE};
    const int result = hb_build(&hb, p->trace, &options, &ignored, e);
    if (result == 0) {
        write_edges(p->trace, &hb.edges, out);
        write_sections(&hb, out);
        hb_release(&hb);
    }
    notes_release(&ignored);
    return result;
}

int trace_columns_write(const struct page *p, struct out *out, struct err *e)
{
    write_events(p->trace, out);
    write_event_steps(p, out);
    return write_order(p, out, e);
}
