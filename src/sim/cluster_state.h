/* The simulated cluster: nodes with clocks, timers, disks and heaps, and the messages between them.
 *
 * The core and the nodes' heaps lie in one reservation of addresses, the same in every process
 * where it is free:
 *
 *     [ core: clocks, queues, disks, messages | heap of node 0 | heap of node 1 | ... ]
 *
 * A checkpoint is a copy of the used part of each, and of the system's own variables. */
#ifndef CLEW_SIM_CLUSTER_STATE_H
#define CLEW_SIM_CLUSTER_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/prng.h"
#include "world/world.h"

enum {
    SIM_NODES_MAX = 64,
    SIM_TYPES_MAX = 256,
    SIM_TIMERS_MAX = 16,
    SIM_HELPERS_MAX = 16,
    SIM_VARIABLES_MAX = 64,
    SIM_PENDING_MAX = 1 << 14,
    SIM_HEAP_CLASSES = 32,
};

_Static_assert(SIM_NODES_MAX <= 64, "a bit each");

/* Memory that is allocated and freed inside one region: powers of two, a list of free blocks for
 * each. */
struct heap {
    char *begin;
    size_t used; /* bytes from the beginning that were ever taken */
    size_t size;
    void *free[SIM_HEAP_CLASSES];
};

/* A message on its way. */
struct parcel {
    struct parcel *older; /* of all on their way */
    struct parcel *newer;
    struct parcel *behind; /* the next in its channel */
    uint64_t age;          /* how many were sent before it */
    uint64_t name;
    uint64_t action;
    int32_t from; /* CLEW_CLIENT for requests */
    uint32_t to;
    uint32_t type;
    uint32_t channel;
    uint32_t occurrence;
    uint32_t cause; /* the step that sent it */
    bool is_unignorable;
    uint64_t fingerprint;
    uint64_t content; /* hash of type and bytes; 0: not computed yet */
    struct pick_operation delivery;
    size_t size;
    char bytes[];
};

/* The messages from one node to another, in the order they will arrive if nothing is reordered. */
struct queue {
    struct parcel *first;
    struct parcel *last;
};

struct disk_write {
    struct disk_write *next;
    uint32_t cause; /* the step that began it */
    uint32_t ticket;
    bool is_failing;
    size_t offset;
    size_t size;
    char bytes[];
};

struct disk {
    char *bytes; /* the bytes that have reached it */
    struct disk_write *first;
    struct disk_write *last;
    uint32_t write_count;
    uint32_t ticket; /* of the last write */
    bool is_slow;
};

struct timer {
    uint64_t deadline;
    uint64_t set_at;     /* which setting of all it was: equal deadlines fire in this order */
    uint32_t cause;      /* the step that set it */
    uint32_t occurrence; /* how often it was set */
    bool is_set;
    bool is_resting; /* it would only repeat itself: until another event has happened */
};

/* A helper that was started. */
struct help {
    struct help *next;
    uint32_t cause; /* the step that started it */
    uint32_t helper;
    uint32_t occurrence;
    size_t size;
    char bytes[];
};

/* The message that a blocked node waits for. */
struct awaited {
    bool is_any; /* it is blocked */
    uint32_t from;
    uint32_t type;
};

struct node {
    struct heap heap;
    void *state;       /* NULL while it is down */
    bool is_cut;       /* nothing reaches it or leaves it */
    bool is_unstarted; /* a start from outside is to come */
    uint64_t clock;
    struct prng prng;
    struct disk disk;
    struct timer timers[SIM_TIMERS_MAX];
    struct awaited awaited;
    struct help *helps; /* in the order they were started */
    uint32_t help_counts[SIM_HELPERS_MAX];
    uint64_t variables_set; /* a bit each */
    int64_t variables[SIM_VARIABLES_MAX];
};

/* All that a step can change, besides the nodes' own memory. */
struct core {
    struct heap heap; /* of the core: messages, disks */
    uint32_t steps;   /* taken */
    struct parcel *oldest;
    struct parcel *newest;
    uint32_t parcel_count;
    uint64_t parcels_sent;
    uint64_t timer_settings;
    struct prng prng;       /* of code outside handlers ... */
    uint32_t drawn_outside; /* ... and how many numbers it drew */
    bool reads_clock;       /* some node has asked for the time */
    bool has_resting;       /* some timer rests */
    bool goes_round;        /* timers rest that would lead through other states */
    uint16_t fault_counts[FAULT_LIMIT];
    uint32_t events_come;    /* of those from outside */
    uint32_t event_cause;    /* the step since which the next of them can come */
    uint64_t *events_passed; /* a bit each: others came, though it had not */
    struct node *nodes;
    struct queue *queues; /* [(from + 1) * node_count + to] */
    uint32_t *sent;       /* [channel * type_count + type] */
};

#endif
