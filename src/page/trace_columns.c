#include "page/trace_columns.h"

#include "base/sort.h"
#include "order/hb.h"
#include "page/columns.h"

/* Where the columns of a run go. */
struct column_set {
    struct out *out;
    size_t run;
};

#define WRITE_COLUMN(t, to, name, number)                               \
    do {                                                                \
        struct column column_ = column_begin((to).out, (to).run, name); \
        trace_each (t, event) {                                         \
            column_add(&column_, (number));                             \
        }                                                               \
        column_end(&column_);                                           \
    } while (0)

/* Numbers of the events that have them. */
#define WRITE_SPARSE(t, to, name, flag, number)                         \
    do {                                                                \
        struct column column_ = column_begin((to).out, (to).run, name); \
        trace_each (t, event) {                                         \
            if ((event->has & (flag)) != 0) {                           \
                column_add_signed(&column_, (number));                  \
            }                                                           \
        }                                                               \
        column_end(&column_);                                           \
    } while (0)

static void write_events(const struct trace *t, struct column_set to)
{
    WRITE_COLUMN(t, to, "kind", event->kind);
    WRITE_COLUMN(t, to, "mode", event->mode);
    WRITE_COLUMN(t, to, "has", event->has);
    WRITE_COLUMN(t, to, "task", event->task);
    WRITE_COLUMN(t, to, "object", event->object);
    WRITE_COLUMN(t, to, "location", event->location);
    WRITE_COLUMN(t, to, "text", event->text);
    WRITE_COLUMN(t, to, "message", event->message);
    WRITE_SPARSE(t, to, "value", HAS_VALUE, event->value);
    WRITE_SPARSE(t, to, "size", HAS_SIZE, (int64_t)event->size);
    WRITE_SPARSE(t, to, "count", HAS_COUNT, event->count);
    int64_t time = 0;
    struct column column = column_begin(to.out, to.run, "time");
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

static void write_edges(const struct trace *t, struct edges *edges, struct column_set to)
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
    struct column later = column_begin(to.out, to.run, "edge-to");
    vec_each (&edges->list, edge) {
        must(edge->to >= last);
        column_add(&later, edge->to - last);
        last = edge->to;
    }
    column_end(&later);
    struct column from = column_begin(to.out, to.run, "edge-from");
    vec_each (&edges->list, edge) {
        column_add_signed(&from, (int64_t)edge->to - (int64_t)edge->from);
    }
    column_end(&from);
    struct column kind = column_begin(to.out, to.run, "edge-kind");
    vec_each (&edges->list, edge) {
        must(edge->kind <= EDGE_EXCLUSION);
        column_add(&kind, edge->kind);
    }
    column_end(&kind);
}

static void write_sections(const struct hb *hb, struct column_set to)
{
    event_id last = 0;
    struct column begin = column_begin(to.out, to.run, "section-begin");
    for (uint32_t i = 0; i < hb->sections.count; i++) {
        must(hb->sections.list[i].begin >= last);
        column_add(&begin, hb->sections.list[i].begin - last);
        last = hb->sections.list[i].begin;
    }
    column_end(&begin);
    struct column end = column_begin(to.out, to.run, "section-end");
    for (uint32_t i = 0; i < hb->sections.count; i++) {
        const struct section *s = &hb->sections.list[i];
        column_add(&end, s->is_released ? (uint64_t)(s->end - s->begin) + 1 : 0);
    }
    column_end(&end);
    struct column lock = column_begin(to.out, to.run, "section-lock");
    for (uint32_t i = 0; i < hb->sections.count; i++) {
        const struct section *s = &hb->sections.list[i];
        column_add(&lock, (uint64_t)hb->sections.locks[s->lock].name * 2 + s->is_shared);
    }
    column_end(&lock);
}

static void write_event_steps(const struct page_run *run, struct column_set to)
{
    must(run->event_step_count <= run->trace->events.count);
    struct column step = column_begin(to.out, to.run, "step");
    for (size_t i = 0; i < run->event_step_count; i++) {
        const uint32_t number = run->event_steps[i];
        column_add(&step, number == PAGE_STEP_NONE ? 0 : (uint64_t)number + 1);
    }
    column_end(&step);
}

static int write_order(const struct trace *t, struct column_set to, struct err *e)
{
    struct hb hb;
    struct notes ignored = {0}; /* irregularities are the verbs' to report that judge the trace */
    const struct hb_options options = {.model = HB_OBSERVED, .scope = REACH_NONE};
    const int result = hb_build(&hb, t, &options, &ignored, e);
    if (result == 0) {
        write_edges(t, &hb.edges, to);
        write_sections(&hb, to);
        hb_release(&hb);
    }
    notes_release(&ignored);
    return result;
}

int trace_columns_write(const struct page_run *run, size_t index, struct out *out, struct err *e)
{
    const struct column_set to = {out, index};
    write_events(run->trace, to);
    write_event_steps(run, to);
    return write_order(run->trace, to, e);
}

void trace_columns_write_partners(const struct trace *first, const event_id *partners,
                                  struct out *out)
{
    struct column column = column_begin(out, 0, "partner");
    for (event_id id = 0; id < first->events.count; id++) {
        column_add(&column, partners[id] == EVENT_NONE ? 0 : (uint64_t)partners[id] + 1);
    }
    column_end(&column);
}
