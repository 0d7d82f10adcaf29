#include "report/svg.h"

#include <string.h>

#include "base/mem.h"
#include "order/hb.h"
#include "report/event_words.h"
#include "report/whole_trace.h"

/* Lengths in pixels. */
enum { LEFT = 56, TOP = 34, ROW = 18, LANE = 150, LABELS = 480 };

static int lane_x(uint32_t lane)
{
    return LEFT + (int)lane * LANE;
}

static long row_y(event_id row)
{
    return TOP + (long)row * ROW + ROW / 2;
}

static void print_text(struct out *out, const struct out *text)
{
    for (size_t i = 0; i < text->used; i++) {
        const char c = text->buffer[i];
        if (strchr("<>&\"", c) != NULL && c != '\0') {
            out_format(out, "&#%d;", c);
        } else {
            out_char(out, c);
        }
    }
    out_text(out, "</text>\n");
}

static void print_lanes(const struct trace *t, struct out *out)
{
    const long bottom = row_y((event_id)t->events.count);
    for (uint32_t task = 0; task < t->tables.tasks.count; task++) {
        struct out name;
        out_open_memory(&name);
        event_words_task(&name, t, task);
        out_format(out, "<path d=\"M%d %dV%ld\" class=\"lane\"/>\n", lane_x(task), TOP, bottom);
        out_format(out, "<text x=\"%d\" y=\"%d\" class=\"head\">", lane_x(task) - 10, TOP - 12);
        print_text(out, &name);
        out_abandon(&name);
    }
}

static void print_edges(const struct trace *t, const struct hb *hb, struct out *out)
{
    vec_each (&hb->edges.list, edge) {
        const uint32_t from = trace_at(t, edge->from)->task;
        const uint32_t to = trace_at(t, edge->to)->task;
        /* The end of a stream's earlier bytes: the message itself has its own arrow. */
        if (from != to && edge->kind != EDGE_STREAM) {
            out_format(out, "<path d=\"M%d %ldL%d %ld\" class=\"%s\"/>\n", lane_x(from),
                       row_y(edge->from), lane_x(to) + (to > from ? -5 : 5), row_y(edge->to),
                       edge->kind == EDGE_MESSAGE ? "message" : "order");
        }
    }
}

static void print_events(const struct trace *t, struct out *out)
{
    for (event_id id = 0; id < t->events.count; id++) {
        const struct event *event = trace_at(t, id);
        struct out words;
        out_open_memory(&words);
        event_words(&words, t, event);
        event_words_place(&words, t, event);
        out_format(out, "<circle cx=\"%d\" cy=\"%ld\" r=\"3.5\"%s/>\n", lane_x(event->task),
                   row_y(id), event->kind == EVENT_VIOLATION ? " class=\"bug\"" : "");
        out_format(out, "<text x=\"%d\" y=\"%ld\" class=\"number\">%u</text>\n", LEFT - 22,
                   row_y(id) + 4, id);
        out_format(out, "<text x=\"%d\" y=\"%ld\">", lane_x(event->task) + 9, row_y(id) + 4);
        print_text(out, &words);
        out_abandon(&words);
    }
}

static int print_svg(const struct trace *t, struct out *out, struct notes *n, struct err *e)
{
    struct hb hb;
    const struct hb_options options = {.model = HB_OBSERVED, .scope = REACH_NONE};
    if (hb_build(&hb, t, &options, n, e) < 0) {
        return -1;
    }
    out_format(out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%ld\" "
               "font-family=\"sans-serif\" font-size=\"12\">\n",
               lane_x((uint32_t)t->tables.tasks.count) + LABELS,
               row_y((event_id)t->events.count) + ROW);
    out_text(out,
             "<style>.lane{stroke:#9aa4b2;stroke-width:1.5}.head{font-weight:600}"
             ".message{stroke:#0b62a8;stroke-width:1.3;fill:none;marker-end:url(#m)}"
             ".order{stroke:#7a6a9c;stroke-dasharray:5 3;fill:none;marker-end:url(#o)}"
             ".number{fill:#5b6470;font-size:10px;text-anchor:end}.bug{fill:#c8410a}</style>\n"
             "<defs><marker id=\"m\" markerWidth=\"8\" markerHeight=\"8\" refX=\"7\" refY=\"4\" "
             "orient=\"auto\"><path d=\"M0 1L7 4L0 7z\" fill=\"#0b62a8\"/></marker>"
             "<marker id=\"o\" markerWidth=\"8\" markerHeight=\"8\" refX=\"7\" refY=\"4\" "
             "orient=\"auto\"><path d=\"M0 1L7 4L0 7z\" fill=\"#7a6a9c\"/></marker></defs>\n"
             "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
    print_lanes(t, out);
    print_edges(t, &hb, out);
    print_events(t, out);
    out_text(out, "</svg>\n");
    hb_release(&hb);
    return 0;
}

static struct writer *svg_create(struct out *out, const struct tables *t, struct notes *n)
{
    return whole_trace_writer(print_svg, out, t, n);
}

const struct format format_svg = {
    .name = "svg",
    .ending = ".svg",
    .meaning = "a space-time diagram as a picture",
    .create = svg_create,
};
