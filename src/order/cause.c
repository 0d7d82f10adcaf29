#include "order/cause.h"

#include "base/notes.h"
#include "order/context.h"
#include "order/message.h"
#include "order/order_graph.h"
#include "order/sync_edges.h"

/* The precedence of causes: the message before the creation of the task. */
enum rank { RANK_FORK, RANK_JOIN, RANK_MESSAGE, RANK_NONE };

static enum rank rank_of(enum edge_kind kind)
{
    switch (kind) {
    case EDGE_FORK: return RANK_FORK;
    case EDGE_JOIN: return RANK_JOIN;
    case EDGE_MESSAGE:
    case EDGE_CONNECT: return RANK_MESSAGE;
    case EDGE_HANDLER:
    case EDGE_HANDLED:
    case EDGE_STREAM:
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
    case EDGE_EXCLUSION: return RANK_NONE;
    }
    bug("edge kind");
}

/* The order of the list must not matter, so the kind decides first. */
static void find_causes(const struct edges *edges, enum rank rank, event_id *cause_of)
{
    vec_each (&edges->list, edge) {
        if (rank_of(edge->kind) == rank) {
            cause_of[edge->to] = EVENT_NONE;
        }
    }
    vec_each (&edges->list, edge) {
        if (rank_of(edge->kind) == rank && edge->from < cause_of[edge->to]) {
            cause_of[edge->to] = edge->from;
        }
    }
}

const event_id *causes_build(const struct trace *t, struct arena *a)
{
    struct arena scratch = {0};
    struct notes notes = {0}; /* another check reports the irregularities of the trace */
    struct edges edges = {0};
    struct contexts contexts;
    struct messages messages;
    contexts_build(&contexts, t, CONTEXT_TASKS, &scratch, &notes);
    messages_build(&messages, t, &edges, &scratch, &notes);
    sync_add(&edges, t, &contexts, &(struct sync_options){.scope = SYNC_THIS_SCHEDULE}, &notes);
    event_id *cause_of = arena_array(a, event_id, t->events.count + 1);
    for (size_t i = 0; i < t->events.count; i++) {
        cause_of[i] = EVENT_NONE;
    }
    for (int rank = RANK_FORK; rank <= RANK_MESSAGE; rank++) {
        find_causes(&edges, (enum rank)rank, cause_of);
    }
    edges_release(&edges);
    notes_release(&notes);
    arena_release(&scratch);
    return cause_of;
}
