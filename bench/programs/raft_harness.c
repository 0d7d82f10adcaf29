/* raft_library.c without clew: a harness as one writes it to throw away. Three members, random
 * steps, the three properties after each, nothing recorded, nothing repeatable, no coverage. Prints
 * how many million steps a second of processor time it makes: what a search could at most. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "raft_library.h"
#include "raft_requests.h"
#include "raft_store.h"

enum { MEMBERS = 3, CLIENT = 0, SENDERS = MEMBERS + 1, STEPS = 300, TICKS = 5 };
enum { FAULT_ONE_IN = 8, TIMER = SENDERS };

struct message {
    struct message *next;
    int from;
    enum request_type type;
    size_t size;
    char bytes[];
};

struct queue {
    struct message *first;
    struct message *last;
};

static struct queue queues[SENDERS][MEMBERS]; /* from the client, then from members */
static struct raft *members[MEMBERS];
static struct store *stores[MEMBERS];
static uint64_t reads[MEMBERS];
static struct disk {
    char *bytes;
    size_t size;
} disks[MEMBERS];
static int self;
static uint64_t chance = 88172645463325252u;

static uint32_t draw(void *context, uint32_t bound)
{
    (void)context;
    chance ^= chance << 13;
    chance ^= chance >> 7;
    chance ^= chance << 17;
    return (uint32_t)((chance >> 32) * bound >> 32);
}

static void put(int from, int to, enum request_type type, const void *bytes, size_t size)
{
    struct message *m = malloc(sizeof *m + size);
    if (m == NULL) {
        abort();
    }
    *m = (struct message){.from = from, .type = type, .size = size};
    memcpy(m->bytes, bytes, size);
    struct queue *q = &queues[from + 1][to];
    *(q->first == NULL ? &q->first : &q->last->next) = m;
    q->last = m;
}

static struct message *take(struct queue *q)
{
    struct message *m = q->first;
    q->first = m->next;
    return m;
}

static void send(void *context, int to, const void *bytes, size_t size)
{
    (void)context;
    put(self, to, REQUEST_MESSAGE, bytes, size);
}

static void save(void *context, const void *bytes, size_t size)
{
    (void)context;
    disks[self].bytes = realloc(disks[self].bytes, size);
    if (disks[self].bytes == NULL) {
        abort();
    }
    memcpy(disks[self].bytes, bytes, size);
    disks[self].size = size;
}

static void apply(void *context, uint64_t index, const void *bytes, size_t size)
{
    (void)context;
    (void)store_apply(stores[self], index, bytes, size);
}

static char *take_snapshot(void *context, size_t *size)
{
    (void)context;
    return store_snapshot(stores[self], size);
}

static void restore(void *context, const void *bytes, size_t size)
{
    (void)context;
    store_restore(stores[self], bytes, size);
}

static void begin(int member)
{
    static const struct raft_io io = {.send = send,
                                      .save = save,
                                      .apply = apply,
                                      .take_snapshot = take_snapshot,
                                      .restore = restore,
                                      .random = draw};
    self = member;
    stores[member] = store_new();
    members[member] = raft_new(member, MEMBERS, &io, disks[member].bytes, disks[member].size);
}

static void crash(int member)
{
    raft_free(members[member]);
    store_free(stores[member]);
    members[member] = NULL;
    for (int from = 0; from < SENDERS; from++) {
        while (queues[from][member].first != NULL) {
            free(take(&queues[from][member]));
        }
    }
}

static bool is_broken(void)
{
    for (int i = 0; i < MEMBERS; i++) {
        for (int k = 0; k < i; k++) {
            const struct raft *a = members[i];
            const struct raft *b = members[k];
            if (a != NULL && b != NULL && raft_role(a) == RAFT_LEADER &&
                raft_role(b) == RAFT_LEADER && raft_term(a) == raft_term(b)) {
                return true;
            }
        }
    }
    for (int i = 1; i < MEMBERS; i++) {
        const struct raft *a = members[i - 1];
        const struct raft *b = members[i];
        const uint64_t of_a = a == NULL ? 0 : raft_commit(a);
        const uint64_t of_b = b == NULL ? 0 : raft_commit(b);
        const uint64_t index = of_a < of_b ? of_a : of_b;
        if (index > 0 && index >= raft_first(a) && index >= raft_first(b) &&
            raft_entry_hash(a, index) != raft_entry_hash(b, index)) {
            return true;
        }
        if (a != NULL && b != NULL && store_applied(stores[i - 1]) == store_applied(stores[i]) &&
            store_hash(stores[i - 1]) != store_hash(stores[i])) {
            return true;
        }
    }
    return false;
}

static void deliver(int from, int to)
{
    struct message *m = take(&queues[from][to]);
    if (m->type == REQUEST_MESSAGE) {
        raft_receive(members[to], m->from, m->bytes, m->size);
    } else {
        request_serve(members[to], m->type, m->bytes, m->size, &reads[to]);
    }
    free(m);
}

/* Any message that is first in its queue, or a timer. */
static void step(void)
{
    struct {
        int from, to;
    } pending[(SENDERS + 1) * MEMBERS];
    uint32_t count = 0;
    for (int from = 0; from <= TIMER; from++) {
        for (int to = 0; to < MEMBERS; to++) {
            if (members[to] != NULL && (from == TIMER || queues[from][to].first != NULL)) {
                pending[count].from = from;
                pending[count++].to = to;
            }
        }
    }
    const uint32_t chosen = draw(NULL, count);
    self = pending[chosen].to;
    if (pending[chosen].from != TIMER) {
        deliver(pending[chosen].from, self);
        return;
    }
    for (int i = 0; i < TICKS; i++) {
        raft_tick(members[self]);
    }
}

/* One of a crash and a restart, if there is one left that can strike the member. */
static bool strike(int *crashes, int *restarts)
{
    const int member = (int)draw(NULL, MEMBERS);
    if (members[member] != NULL && *crashes > 0) {
        (*crashes)--;
        crash(member);
        return true;
    }
    if (members[member] == NULL && *restarts > 0) {
        (*restarts)--;
        begin(member);
        return true;
    }
    return false;
}

static void request(int member, enum request_type type, const void *bytes, size_t size)
{
    put(CLIENT - 1, member, type, bytes, size);
}

static void run(void)
{
    requests_make(MEMBERS, request);
    for (int i = 0; i < MEMBERS; i++) {
        reads[i] = 0;
        begin(i);
    }
    int crashes = 1;
    int restarts = 1;
    for (int i = 0; i < STEPS; i++) {
        if (draw(NULL, FAULT_ONE_IN) != 0 || !strike(&crashes, &restarts)) {
            step();
        }
        if (is_broken()) {
            abort();
        }
    }
    for (int i = 0; i < MEMBERS; i++) {
        if (members[i] != NULL) {
            crash(i);
        }
        free(disks[i].bytes);
        disks[i] = (struct disk){0};
    }
}

int main(int argc, char **argv)
{
    const long runs = argc > 1 ? strtol(argv[1], NULL, 10) : 1000;
    const clock_t before = clock();
    for (long i = 0; i < runs; i++) {
        run();
    }
    const double seconds = (double)(clock() - before) / CLOCKS_PER_SEC;
    printf("%.3f\n", (double)runs * STEPS / seconds / 1e6);
    return 0;
}
