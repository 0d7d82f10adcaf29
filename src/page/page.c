#include "page/page.h"

#include <stdio.h>

#include "base/json.h"
#include "base/sort.h"
#include "order/hb.h"
#include "page/columns.h"
#include "page/document.h"
#include "page/source_windows.h"
#include "trace/kind_table.h"

/* Names of the edges, by enum edge_kind. */
static const char *const edge_names[] = {
    [EDGE_HANDLER] = "handler",       [EDGE_HANDLED] = "handled",
    [EDGE_FORK] = "create",           [EDGE_JOIN] = "join",
    [EDGE_MESSAGE] = "message",       [EDGE_STREAM] = "stream",
    [EDGE_CONNECT] = "connect",       [EDGE_CLOSE] = "close",
    [EDGE_ATOMIC] = "atomic",         [EDGE_SEMAPHORE] = "semaphore",
    [EDGE_BARRIER] = "barrier",       [EDGE_ONCE] = "once",
    [EDGE_ANNOTATION] = "annotation", [EDGE_GIVEN] = "given",
    [EDGE_WITHIN] = "within",         [EDGE_SECTION] = "lock",
    [EDGE_NOTIFY] = "wake",           [EDGE_EXCLUSION] = "capacity",
};

static const size_t edge_kinds = sizeof edge_names / sizeof *edge_names;

/* ---- what was found ---- */

/* The position of a finding's event in the trace. */
static uint64_t position_of(const struct finding_event *e)
{
    return e->is_joined ? e->number : e->index;
}

static int check_findings(const struct page *p, struct err *e)
{
    for (size_t i = 0; p->findings != NULL && i < p->findings->list.count; i++) {
        const struct finding *f = &p->findings->list.at[i];
        for (size_t k = 0; k < f->event_count; k++) {
            if (position_of(&f->events[k]) >= p->trace->events.count) {
                return err_set(e, "%s: finding %zu names event %llu of %zu: the trace has changed",
                               p->title, i + 1, (unsigned long long)position_of(&f->events[k]),
                               p->trace->events.count);
            }
        }
        for (size_t k = 0; k < f->witness_count; k++) {
            if (f->witness[k] >= p->trace->events.count) {
                return err_set(e, "%s: the witness of finding %zu is of another trace", p->title,
                               i + 1);
            }
        }
    }
    return 0;
}

static void print_text_if(struct json *j, const char *key, const char *text)
{
    if (text != NULL && text[0] != '\0') {
        json_text(j, key, text);
    }
}

static void print_finding(const struct finding *f, size_t number, struct json *j)
{
    json_object(j, NULL);
    json_u64(j, "id", f->id == 0 ? number : f->id);
    json_text(j, "kind", finding_kind_name(f->kind));
    json_text(j, "status", finding_status_name(f->status));
    json_text(j, "grade", finding_grade_name(f->grade));
    json_text(j, "what", f->what);
    print_text_if(j, "why", f->why);
    print_text_if(j, "key", f->key);
    print_text_if(j, "replay", f->replay);
    json_array(j, "events");
    for (size_t i = 0; i < f->event_count; i++) {
        json_u64(j, NULL, position_of(&f->events[i]));
    }
    json_end(j);
    json_array(j, "stacks");
    for (size_t i = 0; i < f->event_count; i++) {
        json_text(j, NULL, f->events[i].stack == NULL ? "" : f->events[i].stack);
    }
    json_end(j);
    json_array(j, "witness");
    for (size_t i = 0; i < f->witness_count; i++) {
        json_u64(j, NULL, f->witness[i]);
    }
    json_end(j);
    json_end(j);
}

static void print_steps(const struct page *p, struct json *j)
{
    json_u64(j, "step_first", p->step_first);
    json_array(j, "steps");
    for (size_t i = 0; i < p->step_count; i++) {
        json_array(j, NULL);
        json_text(j, NULL, p->steps[i].detail);
        json_text(j, NULL, p->steps[i].source);
        json_end(j);
    }
    json_end(j);
}

/* ---- names ---- */

static void print_names(const struct trace *t, struct json *j)
{
    json_array(j, "names");
    vec_each (&t->tables.names.list, name) {
        json_text(j, NULL, name->text == NULL ? "" : name->text);
    }
    json_end(j);
    json_array(j, "tasks");
    vec_each (&t->tables.tasks, task) {
        json_array(j, NULL);
        json_u64(j, NULL, task->node);
        json_u64(j, NULL, task->name);
        json_end(j);
    }
    json_end(j);
}

/* What the script needs to put numbers into words. */
static void print_kinds(struct json *j)
{
    json_array(j, "kinds");
    for (uint32_t i = 0; i < KIND_LIMIT; i++) {
        const struct kind *kind = kind_of(i);
        json_array(j, NULL);
        if (kind != NULL) {
            json_text(j, NULL, kind->name);
            json_text(j, NULL, class_name(kind->class));
            json_u64(j, NULL, kind->modes);
        }
        json_end(j);
    }
    json_end(j);
    json_array(j, "modes");
    for (int set = MODES_NONE; set <= MODES_ANNOTATION; set++) {
        json_object(j, NULL);
        for (int mode = 1; mode < 64; mode++) {
            const char *name = mode_name((enum mode_set)set, (uint8_t)mode);
            if (name != NULL) {
                char key[4];
                (void)snprintf(key, sizeof key, "%d", mode);
                json_text(j, key, name);
            }
        }
        json_end(j);
    }
    json_end(j);
    json_array(j, "edges");
    for (size_t i = 0; i < edge_kinds; i++) {
        json_text(j, NULL, edge_names[i]);
    }
    json_end(j);
}

/* ---- explanation ---- */

static void print_rows(struct json *j, const char *key, const struct explanation *x,
                       const explained_rows *rows)
{
    json_array(j, key);
    vec_each (rows, row) {
        json_object(j, NULL);
        json_u64(j, "number", row->number);
        json_text(j, "column", x->columns.at[row->column]);
        json_text(j, "operation", row->operation);
        print_text_if(j, "location", row->location);
        print_text_if(j, "source", row->source);
        print_text_if(j, "detail", row->detail);
        json_end(j);
    }
    json_end(j);
}

static void print_explanation(const struct explanation *x, struct json *j)
{
    json_object(j, "explanation");
    json_array(j, "order");
    vec_each (&x->order, line) {
        json_text(j, NULL, *line);
    }
    json_end(j);
    json_array(j, "causes");
    vec_each (&x->causes, line) {
        json_text(j, NULL, *line);
    }
    json_end(j);
    json_array(j, "values");
    vec_each (&x->values, value) {
        json_array(j, NULL);
        json_text(j, NULL, value->what);
        json_text(j, NULL, value->failing);
        json_text(j, NULL, value->passing);
        json_end(j);
    }
    json_end(j);
    print_text_if(j, "passing", x->passing);
    print_rows(j, "passing_rows", x, &x->passing_rows);
    json_array(j, "key_steps");
    vec_each (&x->rows, row) {
        if (row->is_key) {
            json_u64(j, NULL, row->number);
        }
    }
    json_end(j);
    json_end(j);
}

static void print_data(const struct page *p, struct json *j)
{
    json_object(j, NULL);
    json_u64(j, "version", 1);
    json_text(j, "title", p->title);
    print_text_if(j, "verdict", p->verdict);
    print_text_if(j, "replay", p->replay);
    json_text(j, "order", order_kind_name(p->trace->tables.order));
    json_text(j, "source", trace_name(p->trace, p->trace->tables.source));
    json_u64(j, "tick_ns", p->trace->tables.tick_ns);
    json_u64(j, "events", p->trace->events.count);
    json_u64(j, "elsewhere", p->findings_elsewhere);
    json_array(j, "findings");
    for (size_t i = 0; p->findings != NULL && i < p->findings->list.count; i++) {
        print_finding(&p->findings->list.at[i], i + 1, j);
    }
    json_end(j);
    if (p->explanation != NULL) {
        print_explanation(p->explanation, j);
    }
    print_kinds(j);
    print_names(p->trace, j);
    print_steps(p, j);
    source_windows_print(p, j);
    json_end(j);
}

static void write_data(const struct page *p, struct out *out)
{
    struct out text;
    out_open_memory(&text);
    struct json j = json_begin(&text);
    print_data(p, &j);
    out_text(out, "<script type=\"application/json\" id=\"data\">");
    document_json(out, text.buffer, text.used);
    out_text(out, "</script>\n");
    out_abandon(&text);
}

/* ---- columns ---- */

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
        must((size_t)edge->kind < edge_kinds);
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

int page_write(const struct page *p, struct out *out, struct err *e)
{
    must(p->trace->is_sealed);
    if (check_findings(p, e) < 0) {
        return -1;
    }
    document_begin(p, out);
    write_data(p, out);
    write_events(p->trace, out);
    write_event_steps(p, out);
    if (write_order(p, out, e) < 0) {
        return -1;
    }
    document_end(out);
    return 0;
}
