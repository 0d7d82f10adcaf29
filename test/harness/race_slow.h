/* Which candidates race, decided slowly: twins for the race engine.
 *
 *     struct rules r;
 *     rules_read(&r, t);
 *     struct slow_answer answer = slow_answer_take(&arena, &r);
 *     if (slow_by_states(&r, SLOW_STRICT, &answer)) { ... answer.data[i] of r.data_candidates ... }
 *
 * Two ways that share nothing but the rules as read by race_rules.h: walking all states that an
 * execution can reach, one event at a time, and asking libz3 with one constraint per rule.
 * docs/theory/races-semantics.md defines the models. */
#ifndef CLEW_TEST_RACE_SLOW_H
#define CLEW_TEST_RACE_SLOW_H

#include <stdbool.h>

#include "race_rules.h"

enum slow_model {
    SLOW_STRICT,          /* some order of all events has the pair side by side */
    SLOW_FEASIBLE,        /* a prefix in which each read sees its write allows either next */
    SLOW_SYNC_PRESERVING, /* the same, and sections and handlers keep their order */
};

/* One flag per candidate of the rules. */
struct slow_answer {
    bool has_order; /* strict: some order is allowed at all; else true */
    bool *data;
    bool *message;
};

struct slow_answer slow_answer_take(struct arena *a, const struct rules *r);

enum { SLOW_EVENTS_MAX = 64 };

/* Decides by walking states; false when there are too many events (SLOW_EVENTS_MAX) or states. */
MUST_USE bool slow_by_states(const struct rules *r, enum slow_model model,
                             struct slow_answer *answer);

/* Decides strict or feasible by libz3, one query per candidate. */
void slow_by_z3(const struct rules *r, enum slow_model model, struct slow_answer *answer);

/* Plain happens-before over the order of sections in the list, by transitive closure. */
void slow_observed(const struct rules *r, struct slow_answer *answer);

enum { SLOW_TASKS_MAX = 8 };

/* Requests for locks by different tasks, of which each asks for a lock that the next one holds in
 * this section (of rules.sections), and the last for one that the first holds. */
struct slow_deadlock {
    event_id requests[SLOW_TASKS_MAX];
    uint32_t holds[SLOW_TASKS_MAX];
    size_t count;
    bool is_reached;
};

typedef VEC(struct slow_deadlock) slow_deadlocks;

/* Appends every choice of requests that is a candidate for a deadlock: no gate, no order. The first
 * is the one listed first. */
void slow_find_deadlocks(const struct rules *r, slow_deadlocks *list);

/* Sets is_reached of those that some prefix of the model reaches; false when there are too many
 * events or states. */
MUST_USE bool slow_reach_deadlocks(const struct rules *r, enum slow_model model,
                                   slow_deadlocks *list);

/* The key of similar requests: their tasks, locks, modes and places, and those of the contended
 * locks held at them. In the arena. */
const char *slow_deadlock_text(const struct rules *r, const event_id *requests, size_t count,
                               struct arena *a);

/* A race as a question to the walk over states. */
struct slow_claim {
    bool is_message;
    struct rules_pair pair;
};

/* A shortest prefix that shows the race in a model of prefixes, ending as struct witness wants it;
 * NULL when there is none, or too many states. The order is in the arena. */
const event_id *slow_witness(const struct rules *r, enum slow_model model, struct slow_claim claim,
                             struct arena *a, size_t *count);

/* True when the order is a feasible prefix that shows the race. */
bool slow_is_witness(const struct rules *r, struct slow_claim claim, const event_id *order,
                     size_t count);

/* The first candidate where two answers differ, as a sentence; NULL when they agree. Valid until
 * the next call. */
const char *slow_difference(const struct rules *r, const struct slow_answer *a,
                            const struct slow_answer *b);

#endif
