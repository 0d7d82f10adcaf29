/* A simulated system: its shared object, its memory, and the run under way. The state that a step
 * can change is in cluster_state.h. */
#ifndef CLEW_SIM_SIM_STATE_H
#define CLEW_SIM_SIM_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "sim/cluster_state.h"
#include "sim/memory_hash.h"
#include "sim/sim.h"
#include "wire/prng.h"
#include "world/fuzz.h"
#include "world/world.h"

enum { SIM_SEGMENTS_MAX = 8, SIM_CHANNELS_TOUCHED_MAX = 64 };

_Static_assert(SIM_VARIABLES_MAX <= 64, "a bit each");

struct beginnings;
struct checker;
struct cover;
struct loops;
struct outside;
struct point;
struct shrinking;

/* Where a pending operation comes from. */
struct origin {
    struct parcel *parcel;
    uint32_t node;
    uint32_t cause;
    uint32_t number; /* timer, or writes that reach the disk at a crash */
    struct help *help;
};

/* The layout of the list of pending operations, and the changes by a step since. The list is
 * followed from step to step where no others are possible (pending.c). */
enum { SIM_FILLED_MAX = 16 };
struct listing {
    bool is_kept;         /* the list is whole but for these changes */
    uint32_t parcels_end; /* messages come first */
    uint32_t timers_first;
    uint32_t timers_end;
    bool has_timers_moved; /* of the node whose code has run */
    uint32_t filled_count;
    uint32_t filled[SIM_FILLED_MAX]; /* channels that were empty */
};

/* Writable memory of the shared object. */
struct segment {
    char *begin;
    size_t size;
    bool is_shared; /* its pages hold other variables, too: those of the thread */
};

/* A page of it, or the part of a page in it. */
struct variables_part {
    char *begin;
    size_t size;
    size_t place;    /* in segments_fresh */
    bool is_written; /* since it was loaded */
    struct image image;
};

/* Names of the system's parts: as numbers (pick/operation_name.h), and those of nodes as texts. */
struct sim_names {
    uint64_t nodes[SIM_NODES_MAX + 1]; /* the client's first */
    uint64_t *messages;                /* [channel * type_count + type]: of all of that kind */
    uint64_t timers[SIM_NODES_MAX][SIM_TIMERS_MAX];
    uint64_t writes[SIM_NODES_MAX];
    uint64_t helpers[SIM_NODES_MAX][SIM_HELPERS_MAX];
    const char *node_texts[SIM_NODES_MAX + 1]; /* NULL ends them */
    char *made_up;                             /* of nodes that the system gives none */
};

/* The parts of the state's hash, and which of them may have changed since they were computed. */
struct hashes {
    uint64_t nodes_touched; /* a bit each: code of the node ran, or a fault struck it */
    uint64_t nodes[SIM_NODES_MAX];
    uint64_t disks_touched;           /* likewise: bytes have reached it */
    uint64_t platters[SIM_NODES_MAX]; /* of disks, without writes under way */
    struct image heaps[SIM_NODES_MAX];
    struct image disks[SIM_NODES_MAX];
    struct image common[2]; /* loaded bytes, and those allocated since */
    uint32_t channels_touched[SIM_CHANNELS_TOUCHED_MAX]; /* as many as that: all are */
    uint32_t channels_touched_count;
    uint64_t *channels;
    uint64_t channel_sum;
};

/* The payload of a request of the run. */
struct request {
    uint64_t name;
    uint32_t type;
    uint32_t offset; /* in the bytes of all */
    uint32_t size;
};

/* Bytes that the system may write, and none around them. */
struct pen {
    char *memory; /* the fences, too; NULL: none yet */
    size_t room;  /* between them */
    char *bytes;
    size_t size;
};

/* A node without its heap and its clock, as words to be hashed. */
struct hash_beside {
    uint64_t is_up;
    uint64_t is_cut;
    uint64_t timers;
    uint64_t disk;
    uint64_t prng[4];
    uint64_t waiting;
    uint64_t variables;
};

_Static_assert(sizeof(struct hash_beside) == 10 * sizeof(uint64_t), "no padding is hashed");

/* A timer that fired since timers alone have. */
struct firing {
    uint64_t nodes; /* difference of the nodes from the row's beginning */
    uint64_t state; /* that, and the system's variables */
    uint32_t node;
    uint32_t timer;
};

/* A chain of calls of the system's code, as text; both are the sim's. */
struct chain {
    const char *places; /* the innermost first: "a.c:12 < b.c:30" */
    const char *calls;  /* the same with functions, a line each: "a.c:12 in deposit" */
};

/* The shared object. */
struct library {
    void *handle; /* of dlopen, NULL for a system in this program */
    char *path;
    uintptr_t bias; /* where it lies */
    uintptr_t end;
};

/* The system's own variables. */
struct own_variables {
    struct segment segments[SIM_SEGMENTS_MAX];
    uint32_t segment_count;
    char *fresh; /* their bytes as loaded */
    VEC(struct variables_part) parts;
    uint32_t *written;      /* numbers of written parts, in the order of their first writes */
    uint32_t written_count; /* grows in a handler of signals */
};

struct sim_memory {
    char *begin; /* the reservation */
    size_t core_size;
    struct heap *common; /* memory that belongs to no node; its blocks lie behind it */
    char *common_fresh;  /* it and its blocks, as every run begins with them */
    size_t common_fresh_used;
    struct own_variables own;
    struct hashes hashes;
};

/* Texts that are kept from run to run. */
struct kept_texts {
    VEC(const char *) doubts;  /* of the world */
    VEC(const char *) ignored; /* likewise, keys */
    VEC(struct chain) chains;  /* that runs ended in */
    struct map chain_numbers;  /* by a key of theirs */
    struct arena texts;        /* of all of these */
};

struct channels {
    enum sim_net net;   /* of channels that no fuzz file sets */
    bool *is_fifo;      /* of each channel */
    bool has_datagrams; /* on some channel */
};

/* The run. */
struct sim_run {
    bool has_faults;    /* the plan allows some */
    int32_t self;       /* the node whose code runs; -1: none */
    bool is_setting_up; /* requests may be made */
    bool is_helping;    /* it is a helper's code */
    const char *doing;  /* for messages: "start", "message" ... */
    uint32_t now;       /* the step that is being taken; STEP_NONE while nodes start */
    uint32_t choice;    /* of a caller that chooses each step */
    uint64_t variables; /* hash of the system's own, when nodes had started; of reduced plans */
    const char *calls;  /* in which the run ended; NULL: not known */
    bool was_any;       /* a run was made */
};

/* The operations that could be next. */
struct pending_list {
    struct pick_operation *operations;
    struct origin *origins; /* one of each */
    uint32_t count;
    struct listing listing;
    bool is_requested; /* only requested operations are listed */
};

/* Names of reported variables, from run to run. */
struct reported {
    char *names[SIM_VARIABLES_MAX];
    uint64_t keys[SIM_VARIABLES_MAX]; /* hashes of them */
    uint32_t count;
};

/* Properties in C, then those of the specification. */
struct claims {
    const struct spec *spec; /* NULL: none */
    struct checker *checker;
    struct world_property *at; /* their verdicts */
    struct world_property *told;
    uint32_t count;
    uint32_t check_every; /* those in C are checked after each check_every-th step */
    bool sees_states;     /* one in C is checked after each step */
    bool asks_steps;      /* one in C has asked for the number of steps */
    bool has_uncounted;   /* the checker's last run is not in `at` yet */
    struct arena texts;
    struct loops *loops; /* NULL: no property asks for them */
    const void **states; /* of the nodes */
    struct clew_view view;
    char broken[300]; /* the values of a broken property */
};

/* Requests of the run, where the system can shrink them. */
struct requests {
    VEC(struct request) list;
    VEC(char) bytes;
    struct pen pen;              /* the system's buffer for a smaller payload */
    struct shrinking *shrinking; /* while the system is asked */
    char failure[200];           /* how it failed when it was; "": it did not */
};

/* While a node's state or a message is described. */
struct shown {
    uint32_t node;
    const struct parcel *parcel;
    char text[1000];
};

/* Runs of requests that begin alike. */
struct prefixes {
    struct beginnings *beginnings;
    const struct point *resumed; /* where the run goes on; NULL: it began at its start */
    struct map actions;          /* actions of messages and timers, to which they are */
};

/* A node before it fires. */
struct before_firing {
    bool is_kept;              /* of this firing: else resting timers do not matter */
    bool has_disk;             /* the disk's hash is in beside: the firing has changed the disk */
    uint32_t fired;            /* the node ... */
    struct hash_beside beside; /* ... its parts besides its heap ... */
    VEC(char) heap;            /* ... and its heap */
    uint64_t begun;            /* count of sent messages, writes and helpers */
};

/* Firings since timers alone have fired. */
struct timer_row {
    VEC(struct firing) firings; /* the first is none */
    struct before_firing before;
};

struct tracing {
    struct trace *trace;           /* that is written, NULL: none */
    uint32_t lives[SIM_NODES_MAX]; /* how often each node has begun in it */
    bool has_client;               /* the client sent a request */
};

struct sim {
    struct world world;
    const struct clew_system *system; /* `described`, once it is checked */
    struct clew_system described;     /* fields that an older clew/sim.h lacks are 0 */
    struct library library;
    char *with;        /* of its options; NULL: none */
    uint32_t skew_max; /* of two clocks; 0: any */
    uint32_t node_count;
    uint32_t type_count;
    uint32_t timer_count;
    uint32_t helper_count;
    struct channels channels;
    struct sim_names names;
    struct sim_memory memory;
    struct kept_texts kept;
    struct core *core; /* in memory */
    void *pick_memory;
    const struct plan *plan;     /* of the run */
    struct execution *execution; /* of the run; NULL: none yet */
    struct sim_run run;
    struct pending_list pending;
    struct reported reported;
    struct claims claims;
    struct requests requests;
    struct prefixes prefixes;
    struct timer_row row;
    struct shown shown;
    struct tracing tracing;
    struct cover *cover;     /* NULL: nothing counts blocks */
    struct outside *outside; /* NULL: no external events but the requests of setup */
};

/* The sim of a world that is one. */
struct sim *sim_of(struct world *w);

#endif
