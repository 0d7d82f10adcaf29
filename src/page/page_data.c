#include "page/page_data.h"

#include <stdio.h>

#include "base/json.h"
#include "order/order_graph.h"
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

/* The position of a finding's event in the trace. */
uint64_t page_position_of(const struct finding_event *e)
{
    return e->is_joined ? e->number : e->index;
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
        json_u64(j, NULL, page_position_of(&f->events[i]));
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

static void print_steps(const struct page_run *run, struct json *j)
{
    json_u64(j, "step_first", run->step_first);
    json_array(j, "steps");
    for (size_t i = 0; i < run->step_count; i++) {
        json_array(j, NULL);
        json_text(j, NULL, run->steps[i].detail);
        json_text(j, NULL, run->steps[i].source);
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

/* The tables with which the script puts numbers into words. */
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

static void print_run(const struct page_run *run, struct json *j)
{
    json_object(j, NULL);
    json_text(j, "title", run->title);
    json_text(j, "order", order_kind_name(run->trace->tables.order));
    json_text(j, "source", trace_name(run->trace, run->trace->tables.source));
    json_u64(j, "tick_ns", run->trace->tables.tick_ns);
    print_names(run->trace, j);
    print_steps(run, j);
    json_end(j);
}

/* Where the run was lost. */
static void print_shares(const struct page *p, struct json *j)
{
    uint32_t last = 0;
    json_array(j, "shares");
    for (size_t i = 0; i < p->share_count; i++) {
        const struct page_share *share = &p->shares[i];
        must(share->failed <= share->runs);
        must(i == 0 || share->step_count > last);
        last = share->step_count;
        json_array(j, NULL);
        json_u64(j, NULL, share->step_count);
        json_u64(j, NULL, share->failed);
        json_u64(j, NULL, share->runs);
        json_end(j);
    }
    json_end(j);
    print_text_if(j, "lost", p->lost);
    if (p->lost != NULL) {
        json_u64(j, "lost_step", p->lost_step);
    }
}

static void print_data(const struct page *p, event_id divergence, struct json *j)
{
    json_object(j, NULL);
    json_u64(j, "version", 1);
    json_text(j, "title", p->title);
    print_text_if(j, "verdict", p->verdict);
    print_text_if(j, "cause", p->cause);
    print_text_if(j, "replay", p->replay);
    json_u64(j, "elsewhere", p->findings_elsewhere);
    if (divergence != EVENT_NONE) {
        json_u64(j, "divergence", divergence);
    }
    json_array(j, "findings");
    for (size_t i = 0; p->findings != NULL && i < p->findings->list.count; i++) {
        print_finding(&p->findings->list.at[i], i + 1, j);
    }
    json_end(j);
    if (p->explanation != NULL) {
        print_explanation(p->explanation, j);
    }
    if (p->share_count > 0) {
        print_shares(p, j);
    }
    print_kinds(j);
    json_array(j, "runs");
    for (size_t i = 0; i < p->run_count; i++) {
        print_run(&p->runs[i], j);
    }
    json_end(j);
    source_windows_print(p, j);
    json_end(j);
}

void page_data_write(const struct page *p, event_id divergence, struct out *out)
{
    struct out text;
    out_open_memory(&text);
    struct json j = json_begin(&text);
    print_data(p, divergence, &j);
    out_text(out, "<script type=\"application/json\" id=\"data\">");
    document_json(out, text.buffer, text.used);
    out_text(out, "</script>\n");
    out_abandon(&text);
}
