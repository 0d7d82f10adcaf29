/* The invariants of Raft (figure 3 of its paper), after every step. What a run has already decided
 * is remembered here, for those who were there may have crashed since. */
#include "raft.h"

#include <string.h>

enum { TERMS_MAX = 1024 };

/* Entry i of a log is at i - 1, as in the logs. */
static struct {
    uint8_t leaders[TERMS_MAX]; /* the first that was elected in each term */
    uint32_t committed_count;
    struct entry committed[LOG_MAX];
    uint32_t committed_in[LOG_MAX]; /* the term in which it was */
    uint32_t applied_count;
    struct entry applied[LOG_MAX]; /* the first that was applied */
    uint32_t index_contested;      /* where a node has applied another; 0: nowhere */
    uint32_t contester;
} history;

void history_elected(uint32_t leader, uint32_t term)
{
    if (term < TERMS_MAX && history.leaders[term] == NOBODY) {
        history.leaders[term] = (uint8_t)leader;
    }
}

void history_committed(const struct node *leader, uint32_t index)
{
    if (index > history.committed_count) {
        history.committed[index - 1] = *raft_entry(leader, index);
        history.committed_in[index - 1] = leader->durable.term;
        history.committed_count = index;
    }
}

static bool is_same(const struct entry *a, const struct entry *b)
{
    return a->term == b->term && a->command == b->command;
}

void history_applied(uint32_t node, uint32_t index, const struct entry *entry)
{
    if (index > history.applied_count) {
        history.applied[index - 1] = *entry;
        history.applied_count = index;
    } else if (!is_same(entry, &history.applied[index - 1])) {
        history.index_contested = index;
        history.contester = node;
    }
}

/* Nodes that were told other members are of another cluster. */
static bool are_of_one_cluster(const struct clew_view *view, uint32_t i, uint32_t k)
{
    const struct node *a = view->states[i];
    const struct node *b = view->states[k];
    return a == NULL || b == NULL || a->members == b->members;
}

/* At most one leader is elected in a term. */
static bool election_safety(const struct clew_view *view)
{
    for (uint32_t i = 0; i < view->node_count; i++) {
        const struct node *node = view->states[i];
        if (node == NULL || node->role != LEADER || node->durable.term >= TERMS_MAX) {
            continue;
        }
        const uint32_t first = history.leaders[node->durable.term];
        if (first != i + 1 && are_of_one_cluster(view, i, first - 1)) {
            return clew_broken(view, "n%u and n%u are both elected in term %u", first, i + 1,
                               node->durable.term);
        }
    }
    return true;
}

/* Where two logs have an entry of the same index and term, they are the same up to there. */
static bool is_matching(const struct clew_view *view, uint32_t i, uint32_t k)
{
    const struct durable *a = &((const struct node *)view->states[i])->durable;
    const struct durable *b = &((const struct node *)view->states[k])->durable;
    uint32_t last = a->count < b->count ? a->count : b->count;
    while (last > 0 && a->log[last - 1].term != b->log[last - 1].term) {
        last--;
    }
    if (memcmp(a->log, b->log, last * sizeof a->log[0]) == 0) {
        return true;
    }
    uint32_t index = 0;
    while (is_same(&a->log[index], &b->log[index])) {
        index++;
    }
    return clew_broken(view,
                       "entry %u has term %u on n%u and on n%u, but entry %u is %u of term %u on "
                       "one and %u of term %u on the other",
                       last, a->log[last - 1].term, i + 1, k + 1, index + 1, a->log[index].command,
                       a->log[index].term, b->log[index].command, b->log[index].term);
}

static bool log_matching(const struct clew_view *view)
{
    for (uint32_t i = 0; i < view->node_count; i++) {
        for (uint32_t k = 0; k < i; k++) {
            if (view->states[i] != NULL && view->states[k] != NULL && !is_matching(view, k, i)) {
                return false;
            }
        }
    }
    return true;
}

/* What was committed in a term is in the logs of the leaders of all later terms. */
static bool leader_completeness(const struct clew_view *view)
{
    for (uint32_t i = 0; i < view->node_count; i++) {
        const struct node *node = view->states[i];
        for (uint32_t k = 0; node != NULL && node->role == LEADER && k < history.committed_count;
             k++) {
            const struct entry *own = raft_entry(node, k + 1);
            if (node->durable.term > history.committed_in[k] &&
                (own == NULL || !is_same(own, &history.committed[k]))) {
                return clew_broken(
                    view,
                    "entry %u was committed in term %u, and n%u, which leads in term "
                    "%u, does not have it",
                    k + 1, history.committed_in[k], i + 1, node->durable.term);
            }
        }
    }
    return true;
}

/* No two nodes apply different entries at the same index. */
static bool state_machine_safety(const struct clew_view *view)
{
    return history.index_contested == 0 ||
           clew_broken(view, "n%u has applied another entry %u than was applied before",
                       history.contester, history.index_contested);
}

const struct clew_property raft_properties[] = {
    {.name = "election safety", .holds = election_safety},
    {.name = "log matching", .holds = log_matching},
    {.name = "leader completeness", .holds = leader_completeness},
    {.name = "state machine safety", .holds = state_machine_safety},
    {0},
};
