#include "order/cause.h"

#include "base/notes.h"
#include "order/context.h"
#include "order/graph.h"
#include "order/message.h"
#include "order/sync.h"

static bool is_cause(enum edge_kind kind)
{
    switch (kind) {
    case EDGE_FORK:
    case EDGE_JOIN:
    case EDGE_MESSAGE:
    case EDGE_CONNECT: return true;
    case EDGE_HANDLER:
    case EDGE_HANDLED:
    case EDGE_CLOSE:
    case EDGE_ATOMIC:
    case EDGE_SEMAPHORE:
    case EDGE_BARRIER:
    case EDGE_ONCE:
    case EDGE_ANNOTATION:
    case EDGE_GIVEN:
    case EDGE_WITHIN:
    case EDGE_SECTION:
    case EDGE_NOTIFY:
    case EDGE_EXCLUSION: return false;
    }
    bug("edge kind");
}

const event_id *causes_build(const struct trace *t, struct arena *a)
{
    struct arena scratch = {0};
    struct notes notes = {0}; /* what is odd about a trace is told by who checks it */
    struct edges edges = {0};
    struct contexts contexts;
    struct messages messages;
    contexts_build(&contexts, t, CONTEXT_TASKS, &scratch, &notes);
    messages_build(&messages, t, &edges, &scratch, &notes);
    sync_add(&edges, t, &contexts, &notes);
    event_id *cause_of = arena_array(a, event_id, t->events.count + 1);
    for (size_t i = 0; i < t->events.count; i++) {
        cause_of[i] = EVENT_NONE;
    }
    vec_each (&edges.list, edge) {
        if (is_cause(edge->kind) && edge->from < cause_of[edge->to]) {
            cause_of[edge->to] = edge->from;
        }
    }
    edges_release(&edges);
    notes_release(&notes);
    arena_release(&scratch);
    return cause_of;
}
