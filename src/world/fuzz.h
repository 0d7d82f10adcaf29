/* The fuzz file: the external events of a system and their times, in YAML.
 *
 *     initial:                       in this order, before all others
 *       - request: put
 *         to: n1
 *         numbers: [1, 100]
 *       - wait: n1.ready = 1         or: rest
 *       - crash: n3
 *       - start: n4                  which is down until then
 *     generate:
 *       events: 20                   drawn for each run
 *       from:
 *         - {name: put, weight: 5, request: put, to: any, numbers: [1..3, 0..100]}
 *         - {request: get, to: any, needs: put}
 *         - {crash: any, most: 1}
 *     net: fifo
 *     channels: [{from: n1, to: n2, net: datagram}]
 *     faults: drop=2
 *     weights: timer=1,message=8
 *     steps: 2000
 *     check_every: 1
 *     fingerprint: property
 *
 * A file is read once; for each run its events are drawn from the run's seed, so that a schedule
 * with the same file reproduces the run. Names are the system's: fuzz_check compares them. Man
 * page: clew-fuzz(5). */
#ifndef CLEW_WORLD_FUZZ_H
#define CLEW_WORLD_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/in.h"
#include "base/vec.h"
#include "wire/prng.h"

/* KIND(id, key) */
#define FUZZ_KIND_LIST(KIND)     \
    KIND(REQUEST, "request")     \
    KIND(START, "start")         \
    KIND(CRASH, "crash")         \
    KIND(RESTART, "restart")     \
    KIND(PARTITION, "partition") \
    KIND(HEAL, "heal")           \
    KIND(WAIT, "wait")

enum fuzz_kind {
#define KIND(id, key) FUZZ_##id,
    FUZZ_KIND_LIST(KIND)
#undef KIND
        FUZZ_KIND_COUNT
};

/* A number of a request's bytes: any from least to most. */
struct fuzz_range {
    int64_t least, most;
};

/* An event, or a generator of events. */
struct fuzz_event {
    enum fuzz_kind kind;
    const char *name; /* for `needs`: its own, else the message or the fault */
    const char *type; /* of a request: the message's */
    const char *node; /* its destination; NULL: any */
    const char *text; /* of a request: its bytes, NULL when they are numbers */
    size_t text_size;
    const struct fuzz_range *numbers; /* each in number_size bytes, the lowest first */
    size_t number_count;
    uint32_t number_size;
    const char *condition; /* of a wait: a formula (clew-spec(5)); NULL: until the system rests */
    uint64_t weight;       /* of a generator: its frequency relative to others; at least 1 */
    uint64_t most;         /* of a generator: the largest number in a run */
    size_t needs; /* of a generator: index of another that must have occurred; or SIZE_MAX */
    uint32_t line, column; /* of the event; of a wait, of its condition */
};

/* The source of requests, beside the names of nodes. */
#define FUZZ_CLIENT "client"

struct fuzz_channel {
    const char *from, *to; /* nodes, from may be FUZZ_CLIENT; NULL: any */
    bool is_fifo;
    uint32_t line, column;
};

/* The criterion for two violations to be the same. */
enum fuzz_fingerprint {
    FUZZ_BY_PROPERTY, /* the violated property */
    FUZZ_BY_WHAT,     /* the whole sentence, values included */
    FUZZ_BY_NOTHING,  /* every violation is the same */
};

/* {0} has no external events. All texts are in the arena. */
struct fuzz {
    struct arena arena;
    VEC(struct fuzz_event) initial;
    VEC(struct fuzz_event) generators;
    uint64_t event_count;              /* drawn for a run */
    const char *net;                   /* "fifo" or "datagram"; NULL when absent */
    VEC(struct fuzz_channel) channels; /* the last match wins */
    const char *faults;                /* as fault_budget_parse takes them; NULL when absent */
    const char *weights;               /* as weights_parse takes them; NULL when absent */
    uint64_t steps_max;                /* 0 when absent */
    uint64_t check_every; /* the interval in steps between checks of properties in C; at least 1 */
    enum fuzz_fingerprint fingerprint;
};

/* Reads the file into f, which must be {0}. Fails (-1, e set with line and column) on a malformed
 * file; f must be released either way. */
MUST_USE int fuzz_read(struct fuzz *f, struct in *in, struct err *e);
void fuzz_release(struct fuzz *f);

/* A system's names, each list ended by NULL. */
struct fuzz_names {
    const char *const *nodes;
    const char *const *messages;
};

/* Whether every name in f is one of the system's. Fails with line and column, and the nearest. */
MUST_USE int fuzz_check(const struct fuzz *f, const struct fuzz_names *names, struct err *e);

/* Whether the events of runs may differ in kind or time: by another seed, or by waits and faults
 * whose time depends on earlier steps. */
bool fuzz_is_drawn(const struct fuzz *f);

/* An event of one run. */
struct fuzz_injection {
    const struct fuzz_event *event;
    uint32_t node; /* index among the system's; of a wait: 0 */
    uint32_t type; /* index, of a request */
    const void *bytes;
    size_t size;
};

struct fuzz_injections {
    struct fuzz_injection *list;
    size_t count;
};

/* The events of a run: the initial ones, then event_count drawn by weight, in memory of the arena.
 * f must have passed fuzz_check with these names. The same prng gives the same events. There are
 * fewer when no generator may be drawn any more. */
struct fuzz_injections fuzz_draw(const struct fuzz *f, const struct fuzz_names *names,
                                 struct prng *prng, struct arena *arena);

#endif
