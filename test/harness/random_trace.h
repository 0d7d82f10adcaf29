/* Random small executions, for tests that compare a fast method with its slow twin.
 *
 *     struct prng prng;
 *     prng_init(&prng, seed);
 *     struct random_shape shape = random_shape(&prng, 12);
 *     random_trace(&t, &prng, &shape);
 *
 * A scheduler is simulated: tasks take a lock only when it is free, receive only messages sent
 * before, return from a wait only when woken, and so on. So the list is a possible execution, and
 * the same seed gives the same trace. */
#ifndef CLEW_TEST_RANDOM_TRACE_H
#define CLEW_TEST_RANDOM_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/trace.h"
#include "wire/prng.h"

enum random_feature {
    RANDOM_ACCESS = 1 << 0,  /* reads and writes */
    RANDOM_LOCK = 1 << 1,    /* mutexes: nested, reentrant, released in any order */
    RANDOM_RWLOCK = 1 << 2,  /* locks in read and write mode */
    RANDOM_THREAD = 1 << 3,  /* create, start, end, join; start and end sometimes not recorded */
    RANDOM_MESSAGE = 1 << 4, /* datagrams, named or not, delivered in any order, sometimes lost */
    RANDOM_STREAM = 1 << 5,  /* TCP in pieces, shared by the tasks of a node; connect and close */
    RANDOM_HANDLER = 1 << 6, /* a receive may be followed by a handler */
    RANDOM_WAIT = 1 << 7,    /* conditions; waits with and without a recorded beginning */
    RANDOM_ATOMIC = 1 << 8,  /* atomic loads, stores and read-modify-writes of any memory order */
    RANDOM_OTHER = 1 << 9,   /* barriers, once, annotations, log lines */
    RANDOM_SEMAPHORE = 1 << 10, /* posts and waits by any task, and one that is used as a lock */
    RANDOM_ALL = (1 << 11) - 1,
    RANDOM_SHARED = 1 << 11,    /* nodes share memory: half of the objects are one on all nodes */
    RANDOM_PREDICATE = 1 << 13, /* tasks wait under a lock until a variable says so; time limits */
    RANDOM_TOKEN = 1 << 12,     /* most streams carry equal pieces, each received alone */
};

struct random_shape {
    uint32_t event_count; /* about how many events */
    uint32_t node_count;  /* up to RANDOM_NODES_MAX */
    uint32_t root_count;  /* tasks that are there from the start */
    uint32_t task_max;    /* up to RANDOM_TASKS_MAX */
    uint32_t variable_count, lock_count;
    unsigned features; /* enum random_feature */
    bool is_finished;  /* locks are released, handlers and threads ended where possible */
};

enum { RANDOM_NODES_MAX = 4, RANDOM_TASKS_MAX = 8, RANDOM_NAMES_MAX = 6 };

/* A shape with this many events and a few features that meet often enough to be interesting. */
struct random_shape random_shape(struct prng *prng, uint32_t event_count);

/* Fills t, which must be empty, with an execution of this shape, and seals it. */
void random_trace(struct trace *t, struct prng *prng, const struct random_shape *shape);

/* Fills `to`, which must be empty, with the events of `from`, damaged the way recordings are: an
 * event lost, repeated or moved, a handler opened twice, times of 0. Some damage leaves a trace
 * that is still an execution. */
void random_damage(struct trace *to, const struct trace *from, struct prng *prng);

#endif
