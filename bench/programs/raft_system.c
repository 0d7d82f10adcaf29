/* The library raft_library.c as a system of three members, which replicate raft_store.c. */
#include <clew/sim.h>
#include <stdio.h>
#include <stdlib.h>

#include "raft_library.h"
#include "raft_requests.h"
#include "raft_store.h"

/* Of the library, in one of ours. An election takes 10 to 19 without a word from a leader. */
#ifndef TICKS
#define TICKS 5
#endif

enum { MEMBERS = 3, DISK_SIZE = 8192, TICK = 1 };
enum { MESSAGE }; /* requests come behind it */
static const char *const messages[] = {"message", "propose", "transfer", "read", "change", NULL};
static const char *const timers[] = {"tick", NULL};

struct member {
    struct raft *raft;
    struct store *store;
    uint64_t reads;
};

static void send(void *context, int to, const void *bytes, size_t size)
{
    (void)context;
    clew_send(to, MESSAGE, bytes, size);
}

static void save(void *context, const void *bytes, size_t size)
{
    (void)context;
    clew_disk_save(0, &(uint32_t){(uint32_t)size}, sizeof(uint32_t));
    clew_disk_save(sizeof(uint32_t), bytes, size);
}

static void apply(void *context, uint64_t index, const void *bytes, size_t size)
{
    struct member *m = context;
    (void)store_apply(m->store, index, bytes, size);
}

static char *take_snapshot(void *context, size_t *size)
{
    const struct member *m = context;
    return store_snapshot(m->store, size);
}

static void restore(void *context, const void *bytes, size_t size)
{
    struct member *m = context;
    store_restore(m->store, bytes, size);
}

static uint32_t draw(void *context, uint32_t bound)
{
    (void)context;
    return (uint32_t)clew_random(bound);
}

static void request(int member, enum request_type type, const void *bytes, size_t size)
{
    clew_request(member, MESSAGE + (int)type, bytes, size);
}

static void setup(void)
{
    requests_make(MEMBERS, request);
}

static void begin(struct member *m)
{
    const struct raft_io io = {.context = m,
                               .send = send,
                               .save = save,
                               .apply = apply,
                               .take_snapshot = take_snapshot,
                               .restore = restore,
                               .random = draw};
    uint32_t size = 0;
    clew_disk_read(0, &size, sizeof size);
    char *saved = size == 0 ? NULL : malloc(size);
    if (saved != NULL) {
        clew_disk_read(sizeof size, saved, size);
    }
    m->store = store_new();
    m->raft = raft_new(clew_self(), MEMBERS, &io, saved, size);
    free(saved);
    clew_timer_set(0, TICK);
}

static void start(void *state)
{
    begin(state);
}

static void message(void *state, const struct clew_message *m)
{
    struct member *member = state;
    if (m->type == MESSAGE) {
        raft_receive(member->raft, m->from, m->bytes, m->size);
    } else {
        request_serve(member->raft, (enum request_type)(m->type - MESSAGE), m->bytes, m->size,
                      &member->reads);
    }
}

static void timer(void *state, int number)
{
    const struct member *member = state;
    (void)number;
    for (int i = 0; i < TICKS; i++) {
        raft_tick(member->raft);
    }
    clew_timer_set(0, TICK);
}

static void describe(const void *state, char *text, size_t size)
{
    static const char *const roles[] = {"follower", "pre-candidate", "candidate", "leader"};
    const struct raft *r = ((const struct member *)state)->raft;
    snprintf(text, size, "%s term=%llu log=%llu..%llu commit=%llu voters=%x", roles[raft_role(r)],
             (unsigned long long)raft_term(r), (unsigned long long)raft_first(r),
             (unsigned long long)raft_last(r), (unsigned long long)raft_commit(r), raft_voters(r));
}

static const struct raft *raft_of(const struct clew_view *view, uint32_t node)
{
    const struct member *m = view->states[node];
    return m == NULL ? NULL : m->raft;
}

static bool one_leader(const struct clew_view *view)
{
    for (uint32_t i = 0; i < view->node_count; i++) {
        const struct raft *a = raft_of(view, i);
        for (uint32_t k = 0; k < i && a != NULL; k++) {
            const struct raft *b = raft_of(view, k);
            if (b != NULL && raft_role(a) == RAFT_LEADER && raft_role(b) == RAFT_LEADER &&
                raft_term(a) == raft_term(b)) {
                return clew_broken(view, "n%u and n%u lead term %llu", k + 1, i + 1,
                                   (unsigned long long)raft_term(a));
            }
        }
    }
    return true;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* What two members have committed last together is the same. */
static bool commits_agree(const struct clew_view *view)
{
    for (uint32_t i = 1; i < view->node_count; i++) {
        const struct raft *a = raft_of(view, i - 1);
        const struct raft *b = raft_of(view, i);
        const uint64_t index = a == NULL || b == NULL ? 0 : smaller(raft_commit(a), raft_commit(b));
        if (index > 0 && index >= raft_first(a) && index >= raft_first(b) &&
            raft_entry_hash(a, index) != raft_entry_hash(b, index)) {
            return clew_broken(view, "entry %llu differs", (unsigned long long)index);
        }
    }
    return true;
}

/* Two state machines that have got the same commands are in the same state. */
static bool stores_agree(const struct clew_view *view)
{
    for (uint32_t i = 1; i < view->node_count; i++) {
        const struct member *a = view->states[i - 1];
        const struct member *b = view->states[i];
        if (a != NULL && b != NULL && a->store != NULL && b->store != NULL &&
            store_applied(a->store) == store_applied(b->store) &&
            store_hash(a->store) != store_hash(b->store)) {
            return clew_broken(view, "the stores of n%u and n%u differ after entry %llu", i, i + 1,
                               (unsigned long long)store_applied(a->store));
        }
    }
    return true;
}

#ifdef FIGURE_8
/* What a member has committed is in the log of each leader of its term or a later one. */
static bool leaders_are_complete(const struct clew_view *view)
{
    for (uint32_t i = 0; i < view->node_count * view->node_count; i++) {
        const struct raft *leader = raft_of(view, i / view->node_count);
        const struct raft *other = raft_of(view, i % view->node_count);
        const bool is_later = leader != NULL && other != NULL && raft_role(leader) == RAFT_LEADER &&
                              raft_term(leader) >= raft_term(other);
        const uint64_t index = is_later ? raft_commit(other) : 0;
        if (index > 0 && index >= raft_first(leader) && index >= raft_first(other) &&
            (index > raft_last(leader) ||
             raft_entry_hash(leader, index) != raft_entry_hash(other, index))) {
            return clew_broken(view, "the leader of term %llu has another entry %llu",
                               (unsigned long long)raft_term(leader), (unsigned long long)index);
        }
    }
    return true;
}
#endif

/* No property, but a goal: how many runs get there is how productive they are. */
#ifdef GOAL
static bool few_commits(const struct clew_view *view)
{
    for (uint32_t i = 0; i < view->node_count; i++) {
        const struct raft *r = raft_of(view, i);
        if (r != NULL && raft_commit(r) >= GOAL) {
            return false;
        }
    }
    return true;
}
#endif

static const struct clew_property properties[] = {
#ifdef GOAL
    {.name = "few commits", .holds = few_commits},
#endif
    {.name = "one leader", .holds = one_leader},
    {.name = "commits agree", .holds = commits_agree},
    {.name = "stores agree", .holds = stores_agree},
#ifdef FIGURE_8
    {.name = "leaders are complete", .holds = leaders_are_complete},
#endif
    {0}};

CLEW_SYSTEM(.name = "raft-library", .node_count = MEMBERS, .messages = messages, .timers = timers,
            .state_size = sizeof(struct member), .disk_size = DISK_SIZE, .setup = setup,
            .start = start, .message = message, .timer = timer, .describe = describe,
            .properties = properties, .faults = "crash=1,restart=1", .depth = 300);
