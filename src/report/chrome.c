#include "report/chrome.h"

#include "base/json.h"
#include "base/mem.h"
#include "order/hb.h"
#include "report/event_words.h"
#include "report/whole_trace.h"
#include "trace/kind_table.h"

/* The longest slice of an event that is timed. */
enum { SLICE_NS_MAX = 1000 };

/* The place of an event on the time axis. */
struct slice {
    uint64_t begin_ns, size_ns;
};

struct chrome {
    const struct trace *trace;
    struct json json;
    struct slice *slices; /* per event */
};

/* ---- the time axis ---- */

/* Whether every event has a time in known units, and none goes back in its task. */
static bool is_timed(const struct trace *t)
{
    int64_t *last = mem_zero(t->tables.tasks.count + 1, sizeof *last);
    bool *is_begun = mem_zero(t->tables.tasks.count + 1, sizeof *is_begun);
    bool is_whole = t->tables.tick_ns > 0;
    trace_each (t, event) {
        is_whole = is_whole && (event->has & HAS_TIME) != 0 &&
                   (!is_begun[event->task] || event->time >= last[event->task]);
        last[event->task] = event->time;
        is_begun[event->task] = true;
    }
    mem_free(is_begun);
    mem_free(last);
    return is_whole;
}

static int64_t first_time(const struct trace *t)
{
    int64_t first = t->events.at[0].time;
    trace_each (t, event) {
        first = event->time < first ? event->time : first;
    }
    return first;
}

/* By time where all events have one, else a microsecond for each event in the order of the list. */
static void place_slices(struct chrome *c)
{
    const struct trace *t = c->trace;
    const bool has_times = t->events.count > 0 && is_timed(t);
    const int64_t origin = has_times ? first_time(t) : 0;
    uint64_t *next = mem_zero(t->tables.tasks.count + 1, sizeof *next); /* 0: none */
    for (size_t i = t->events.count; i-- > 0;) {
        const struct event *event = &t->events.at[i];
        struct slice *slice = &c->slices[i];
        slice->begin_ns =
            has_times ? ((uint64_t)event->time - (uint64_t)origin) * t->tables.tick_ns : i * 1000;
        slice->size_ns = SLICE_NS_MAX;
        must(next[event->task] == 0 || next[event->task] > slice->begin_ns); /* no time goes back */
        if (next[event->task] > 0 && next[event->task] - 1 - slice->begin_ns < SLICE_NS_MAX) {
            slice->size_ns = next[event->task] - 1 - slice->begin_ns;
        }
        next[event->task] = slice->begin_ns + 1;
    }
    mem_free(next);
}

/* ---- records ---- */

static void begin_record(struct chrome *c, const char *phase, event_id at)
{
    const struct event *event = trace_at(c->trace, at);
    json_object(&c->json, NULL);
    json_text(&c->json, "ph", phase);
    json_u64(&c->json, "pid", (uint64_t)trace_node_of(c->trace, event) + 1);
    json_u64(&c->json, "tid", (uint64_t)event->task + 1);
    json_thousandths(&c->json, "ts", c->slices[at].begin_ns); /* microseconds */
}

static void print_name(struct chrome *c, const struct event *event)
{
    struct out text;
    out_open_memory(&text);
    event_words(&text, c->trace, event);
    out_char(&text, '\0');
    json_text(&c->json, "name", text.buffer);
    out_abandon(&text);
}

static void print_event(struct chrome *c, event_id id)
{
    const struct event *event = trace_at(c->trace, id);
    begin_record(c, "X", id);
    json_thousandths(&c->json, "dur", c->slices[id].size_ns);
    print_name(c, event);
    json_text(&c->json, "cat", class_name(event_class(event)));
    json_object(&c->json, "args");
    json_u64(&c->json, "event", id);
    const char *place = trace_name(c->trace, event->location);
    if (place[0] != '\0') {
        json_text(&c->json, "at", place);
    }
    json_end(&c->json);
    json_end(&c->json);
}

static void print_metadata(struct chrome *c, const char *what, uint64_t pid, uint64_t tid,
                           const char *name)
{
    json_object(&c->json, NULL);
    json_text(&c->json, "ph", "M");
    json_text(&c->json, "name", what);
    json_u64(&c->json, "pid", pid);
    json_u64(&c->json, "tid", tid);
    json_object(&c->json, "args");
    json_text(&c->json, "name", name);
    json_end(&c->json);
    json_end(&c->json);
}

static void print_tasks(struct chrome *c)
{
    const struct tables *tables = &c->trace->tables;
    struct map seen = {0};
    for (size_t i = 0; i < tables->tasks.count; i++) {
        const struct task *task = &tables->tasks.at[i];
        if (map_get(&seen, (uint64_t)task->node + 1) == NULL) {
            map_put(&seen, (uint64_t)task->node + 1, 1);
            const char *node = names_text(&tables->names, task->node);
            print_metadata(c, "process_name", (uint64_t)task->node + 1, 0,
                           node[0] == '\0' ? "tasks" : node);
        }
        print_metadata(c, "thread_name", (uint64_t)task->node + 1, i + 1,
                       names_text(&tables->names, task->name));
    }
    map_release(&seen);
}

/* An arrow between two tasks. */
static void print_flow(struct chrome *c, const struct edge *edge, uint64_t number)
{
    const bool is_message = edge->kind == EDGE_MESSAGE;
    for (int end = 0; end < 2; end++) {
        begin_record(c, end == 0 ? "s" : "f", end == 0 ? edge->from : edge->to);
        json_u64(&c->json, "id", number);
        json_text(&c->json, "name", is_message ? "message" : "order");
        json_text(&c->json, "cat", is_message ? "message" : "order");
        if (end == 1) {
            json_text(&c->json, "bp", "e"); /* the slice that it lies in */
        }
        json_end(&c->json);
    }
}

static void print_flows(struct chrome *c, const struct hb *hb)
{
    uint64_t number = 0;
    vec_each (&hb->edges.list, edge) {
        /* The end of a stream's earlier bytes: the message itself has its own arrow. */
        if (edge->kind != EDGE_STREAM &&
            trace_at(c->trace, edge->from)->task != trace_at(c->trace, edge->to)->task) {
            print_flow(c, edge, ++number);
        }
    }
}

static void print_sections(struct chrome *c, const struct hb *hb)
{
    for (uint32_t i = 0; i < hb->sections.count; i++) {
        const struct section *s = &hb->sections.list[i];
        for (int end = 0; end < (s->is_released ? 2 : 1); end++) {
            begin_record(c, end == 0 ? "b" : "e", end == 0 ? s->begin : s->end);
            json_u64(&c->json, "id", (uint64_t)i + 1);
            json_text(&c->json, "name", trace_name(c->trace, hb->sections.locks[s->lock].name));
            json_text(&c->json, "cat", "lock");
            json_end(&c->json);
        }
    }
}

static int print_chrome(const struct trace *t, struct out *out, struct notes *n, struct err *e)
{
    struct hb hb;
    const struct hb_options options = {.model = HB_OBSERVED, .scope = REACH_NONE};
    if (hb_build(&hb, t, &options, n, e) < 0) {
        return -1;
    }
    struct chrome c = {.trace = t, .json = json_begin(out)};
    c.slices = mem_zero(t->events.count + 1, sizeof *c.slices);
    place_slices(&c);
    json_object(&c.json, NULL);
    json_text(&c.json, "displayTimeUnit", "ns");
    json_array(&c.json, "traceEvents");
    print_tasks(&c);
    for (event_id id = 0; id < t->events.count; id++) {
        print_event(&c, id);
    }
    print_flows(&c, &hb);
    print_sections(&c, &hb);
    json_end(&c.json);
    json_end(&c.json);
    out_char(out, '\n');
    mem_free(c.slices);
    hb_release(&hb);
    return 0;
}

static struct writer *chrome_create(struct out *out, const struct tables *t, struct notes *n)
{
    return whole_trace_writer(print_chrome, out, t, n);
}

const struct format format_chrome = {
    .name = "chrome",
    .ending = ".trace.json",
    .meaning = "trace events in JSON, which Perfetto and Chrome open",
    .create = chrome_create,
};
