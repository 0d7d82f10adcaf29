#include "report/mermaid.h"

#include <string.h>

#include "base/mem.h"
#include "order/hb.h"
#include "report/event_words.h"
#include "report/whole_trace.h"

/* Mermaid refuses a diagram of more characters, unless its page allows more. */
enum { TEXT_SIZE_MAX = 50000 };

void mermaid_text(struct out *out, const char *text)
{
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c < ' ') {
            out_char(out, ' ');
        } else if (strchr("#;<>&\"%{}`", c) != NULL) {
            out_format(out, "#%u;", c);
        } else {
            out_char(out, *text);
        }
    }
}

/* Per event, 1 more than the event that sent the message it receives, and whether it is received.
 */
struct message_ends {
    uint64_t *sender;
    bool *is_received;
};

static struct message_ends find_messages(const struct trace *t, const struct hb *hb)
{
    const struct message_ends ends = {.sender = mem_zero(t->events.count + 1, sizeof *ends.sender),
                                      .is_received =
                                          mem_zero(t->events.count + 1, sizeof *ends.is_received)};
    vec_each (&hb->edges.list, edge) {
        const bool is_drawn = edge->kind == EDGE_MESSAGE && edge->from < edge->to &&
                              trace_at(t, edge->from)->task != trace_at(t, edge->to)->task;
        if (is_drawn && ends.sender[edge->to] == 0) {
            ends.sender[edge->to] = (uint64_t)edge->from + 1;
            ends.is_received[edge->from] = true;
        }
    }
    return ends;
}

static void print_event(const struct trace *t, event_id id, const struct message_ends *ends,
                        struct out *out)
{
    const struct event *event = trace_at(t, id);
    struct out words;
    if (ends->sender[id] > 0) {
        const event_id sender = (event_id)(ends->sender[id] - 1);
        must(sender < id);
        out_format(out, "    T%u->>T%u: ", trace_at(t, sender)->task, event->task);
    } else {
        out_format(out, "    Note over T%u: ", event->task);
    }
    out_open_memory(&words);
    event_words(&words, t, event);
    event_words_place(&words, t, event);
    out_char(&words, '\0');
    mermaid_text(out, words.buffer);
    out_char(out, '\n');
    out_abandon(&words);
}

/* Participants are called T0, T1 ...: a name of a task could be a word of the language. */
static void print_participants(const struct trace *t, struct out *out)
{
    for (uint32_t task = 0; task < t->tables.tasks.count; task++) {
        struct out name;
        out_open_memory(&name);
        event_words_task(&name, t, task);
        out_char(&name, '\0');
        out_format(out, "    participant T%u as ", task);
        mermaid_text(out, name.buffer[0] == '\0' ? "task" : name.buffer);
        out_char(out, '\n');
        out_abandon(&name);
    }
}

/* A message is drawn where it is received; its sending is drawn only where no task receives it. */
static int print_mermaid(const struct trace *t, struct out *out, struct notes *n, struct err *e)
{
    struct hb hb;
    const struct hb_options options = {.model = HB_OBSERVED, .scope = REACH_NONE};
    if (hb_build(&hb, t, &options, n, e) < 0) {
        return -1;
    }
    const struct message_ends ends = find_messages(t, &hb);
    struct out text;
    out_open_memory(&text);
    out_text(&text, "sequenceDiagram\n");
    print_participants(t, &text);
    for (event_id id = 0; id < t->events.count; id++) {
        if (!ends.is_received[id]) {
            print_event(t, id, &ends, &text);
        }
    }
    if (text.used > TEXT_SIZE_MAX) {
        notes_add(n, "",
                  "Mermaid refuses diagrams of more than %d characters; make a smaller trace with "
                  "clew slice, or use --to svg",
                  TEXT_SIZE_MAX);
    }
    out_bytes(out, text.buffer, text.used);
    out_abandon(&text);
    mem_free(ends.is_received);
    mem_free(ends.sender);
    hb_release(&hb);
    return 0;
}

static struct writer *mermaid_create(struct out *out, const struct tables *t, struct notes *n)
{
    return whole_trace_writer(print_mermaid, out, t, n);
}

const struct format format_mermaid = {
    .name = "mermaid",
    .ending = ".mmd",
    .meaning = "a sequence diagram for Mermaid",
    .create = mermaid_create,
};
