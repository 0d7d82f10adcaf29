#include "report/dot.h"

#include "base/mem.h"
#include "order/hb.h"
#include "report/event_words.h"
#include "report/whole_trace.h"

/* A quoted string of the language: a backslash would begin an escape. */
static void print_quoted(struct out *out, const struct out *text)
{
    out_char(out, '"');
    for (size_t i = 0; i < text->used; i++) {
        if (text->buffer[i] == '"' || text->buffer[i] == '\\') {
            out_char(out, '\\');
        }
        out_char(out, text->buffer[i]);
    }
    out_char(out, '"');
}

static void print_event(const struct trace *t, event_id id, struct out *out)
{
    struct out words;
    out_open_memory(&words);
    event_words(&words, t, trace_at(t, id));
    event_words_place(&words, t, trace_at(t, id));
    out_format(out, "    e%u [label=", id);
    print_quoted(out, &words);
    out_text(out, "];\n");
    out_abandon(&words);
}

/* The events of a task, in a chain. */
static void print_task(const struct trace *t, uint32_t task, const event_id *next, event_id first,
                       struct out *out)
{
    struct out name;
    out_open_memory(&name);
    event_words_task(&name, t, task);
    out_format(out, "  subgraph cluster_%u {\n    label=", task);
    print_quoted(out, &name);
    out_text(out, "; color=gray;\n");
    out_abandon(&name);
    for (event_id id = first; id != EVENT_NONE; id = next[id]) {
        must(trace_at(t, id)->task == task);
        print_event(t, id, out);
        if (next[id] != EVENT_NONE) {
            out_format(out, "    e%u -> e%u [color=gray, weight=8];\n", id, next[id]);
        }
    }
    out_text(out, "  }\n");
}

static void print_tasks(const struct trace *t, struct out *out)
{
    event_id *next = mem_zero(t->events.count + 1, sizeof *next); /* the next of the same task */
    event_id *first = mem_zero(t->tables.tasks.count + 1, sizeof *first);
    for (size_t task = 0; task < t->tables.tasks.count; task++) {
        first[task] = EVENT_NONE;
    }
    for (event_id id = (event_id)t->events.count; id-- > 0;) {
        const uint32_t task = trace_at(t, id)->task;
        next[id] = first[task];
        first[task] = id;
    }
    for (uint32_t task = 0; task < t->tables.tasks.count; task++) {
        if (first[task] != EVENT_NONE) {
            print_task(t, task, next, first[task], out);
        }
    }
    mem_free(first);
    mem_free(next);
}

static void print_edges(const struct trace *t, const struct hb *hb, struct out *out)
{
    vec_each (&hb->edges.list, edge) {
        /* The end of a stream's earlier bytes: the message itself has its own edge. */
        if (edge->kind == EDGE_STREAM ||
            trace_at(t, edge->from)->task == trace_at(t, edge->to)->task) {
            continue;
        }
        out_format(out, "  e%u -> e%u [%s];\n", edge->from, edge->to,
                   edge->kind == EDGE_MESSAGE ? "color=blue" : "style=dashed, color=purple");
    }
}

static int print_dot(const struct trace *t, struct out *out, struct notes *n, struct err *e)
{
    struct hb hb;
    const struct hb_options options = {.model = HB_OBSERVED, .scope = REACH_NONE};
    if (hb_build(&hb, t, &options, n, e) < 0) {
        return -1;
    }
    out_text(out, "digraph trace {\n  rankdir=TB;\n  node [shape=box, fontname=\"sans-serif\", "
                  "fontsize=10, margin=\"0.08,0.03\", height=0.2];\n");
    print_tasks(t, out);
    print_edges(t, &hb, out);
    out_text(out, "}\n");
    hb_release(&hb);
    return 0;
}

static struct writer *dot_create(struct out *out, const struct tables *t, struct notes *n)
{
    return whole_trace_writer(print_dot, out, t, n);
}

const struct format format_dot = {
    .name = "dot",
    .ending = ".dot",
    .meaning = "the order of the events as a graph, for Graphviz",
    .create = dot_create,
};
