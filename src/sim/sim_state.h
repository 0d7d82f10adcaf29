/* What the files of sim/ share: everything a simulated system consists of.
 *
 * The core and the nodes' heaps lie in one reservation of addresses, the same in every process
 * where it is free:
 *
 *     [ core: clocks, queues, disks, messages | heap of node 0 | heap of node 1 | ... ]
 *
 * A checkpoint is a copy of the used part of each, and of the system's own variables. */
#ifndef CLEW_SIM_SIM_STATE_H
#define CLEW_SIM_SIM_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "sim/memory_hash.h"
#include "sim/sim.h"
#include "wire/prng.h"
#include "world/fuzz.h"
#include "world/world.h"

enum {
    SIM_NODES_MAX = 64,
    SIM_TYPES_MAX = 256,
    SIM_TIMERS_MAX = 16,
    SIM_HELPERS_MAX = 16,
    SIM_VARIABLES_MAX = 64,
    SIM_PENDING_MAX = 1 << 14,
    SIM_HEAP_CLASSES = 32,
    SIM_SEGMENTS_MAX = 8,
    SIM_CHANNELS_TOUCHED_MAX = 64,
};

/* Memory that is taken and given back inside one region: powers of two, a list of free blocks for
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
    char *bytes; /* what has reached it */
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
    bool is_resting; /* it would only repeat what it did: until something else happens */
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

/* What a blocked node waits for. */
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

/* Where a pending operation comes from. */
struct origin {
    struct parcel *parcel;
    uint32_t node;
    uint32_t cause;
    uint32_t number; /* timer, or writes that reach the disk at a crash */
    struct help *help;
};

/* How the list of pending operations is laid out, and what a step has changed of it since. The
 * list is followed from step to step where only this much can change (pending.c). */
enum { SIM_FILLED_MAX = 16 };
struct listing {
    bool is_kept;         /* the list is whole but for what is noted here */
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

/* A page of it, or what of a page is in it. */
struct variables_part {
    char *begin;
    size_t size;
    size_t place;    /* in segments_fresh */
    bool is_written; /* since it was loaded */
    struct image image;
};

/* Names of the system's parts as numbers (pick/operation_name.h). */
struct sim_names {
    uint64_t nodes[SIM_NODES_MAX + 1]; /* the client's first */
    uint64_t *messages;                /* [channel * type_count + type]: of all of that kind */
    uint64_t timers[SIM_NODES_MAX][SIM_TIMERS_MAX];
    uint64_t writes[SIM_NODES_MAX];
    uint64_t helpers[SIM_NODES_MAX][SIM_HELPERS_MAX];
};

_Static_assert(SIM_NODES_MAX <= 64, "a bit each");

/* The parts of the state's hash, and which of them may have changed since they were computed. */
struct hashes {
    uint64_t nodes_touched; /* a bit each: code of the node ran, or a fault struck it */
    uint64_t nodes[SIM_NODES_MAX];
    uint64_t disks_touched;           /* likewise: bytes have reached it */
    uint64_t platters[SIM_NODES_MAX]; /* of disks, without what is under way */
    struct image heaps[SIM_NODES_MAX];
    struct image disks[SIM_NODES_MAX];
    struct image common[2]; /* what was loaded, and what was taken since */
    uint32_t channels_touched[SIM_CHANNELS_TOUCHED_MAX]; /* as many as that: all are */
    uint32_t channels_touched_count;
    uint64_t *channels;
    uint64_t channel_sum;
};

struct beginnings;
struct checker;
struct cover;
struct loops;
struct outside;
struct point;
struct shrinking;

/* What a request of the run brought. */
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

/* What a node is besides its heap and its clock, as words to be hashed. */
struct hash_beside {
    uint64_t is_up;
    uint64_t is_cut;
    uint64_t timers;
    uint64_t disk;
    uint64_t prng[4];
    uint64_t waiting;
    uint64_t variables;
};

/* A timer that fired since timers alone have. */
struct firing {
    uint64_t nodes; /* how far nodes are from what they were at the row's beginning */
    uint64_t state; /* that, and the system's variables */
    uint32_t node;
    uint32_t timer;
};

/* A chain of calls of the system's code, as text; both are the sim's. */
struct chain {
    const char *places; /* the innermost first: "a.c:12 < b.c:30" */
    const char *calls;  /* the same with functions, a line each: "a.c:12 in deposit" */
};

struct sim {
    struct world world;
    const struct clew_system *system; /* `described`, once it is checked */
    struct clew_system described;     /* what an older clew/sim.h does not say, is 0 */
    void *library;                    /* of dlopen, NULL for a system in this program */
    char *library_path;
    char *with;             /* of its options; NULL: none */
    uintptr_t library_bias; /* where it lies */
    uintptr_t library_end;
    enum sim_net net;     /* of channels of which nothing else is said */
    bool *is_fifo;        /* of each channel */
    bool has_datagrams;   /* on some channel */
    uint32_t check_every; /* so many steps those in C are asked */
    uint32_t skew_max;    /* of two clocks; 0: any */
    uint32_t node_count;
    uint32_t type_count;
    uint32_t timer_count;
    uint32_t helper_count;
    struct sim_names names;
    const char *node_names[SIM_NODES_MAX + 1]; /* NULL ends them */
    char *made_up_names;                       /* of nodes that the system gives none */
    char *memory;                              /* the reservation */
    size_t core_size;
    struct segment segments[SIM_SEGMENTS_MAX];
    uint32_t segment_count;
    char *segments_fresh; /* their bytes as loaded */
    VEC(struct variables_part) parts;
    uint32_t *written;         /* those parts that are, in the order in which they were */
    uint32_t written_count;    /* grows in a handler of signals */
    VEC(const char *) doubts;  /* of the world */
    VEC(const char *) ignored; /* likewise, keys */
    struct arena texts;        /* of both, and of chains */
    VEC(struct chain) chains;  /* that runs ended in, from run to run */
    struct map chain_numbers;  /* by a key of theirs */
    struct heap *common;       /* memory that belongs to no node; its blocks lie behind it */
    char *common_fresh;        /* it and its blocks, as every run begins with them */
    size_t common_fresh_used;
    struct hashes hashes;
    void *pick_memory;

    struct core *core;

    /* Of the run. */
    const struct plan *plan;
    bool has_faults; /* the plan allows some */
    struct execution *execution;
    int32_t self;       /* the node whose code runs; -1: none */
    bool is_setting_up; /* requests may be made */
    bool is_helping;    /* it is a helper's code */
    const char *doing;  /* for messages: "start", "message" ... */
    uint32_t now;       /* the step that is being taken; STEP_NONE while nodes start */
    struct pick_operation *pending;
    struct origin *origins;
    uint32_t pending_count;
    struct listing listing;
    uint32_t choice_by_hand;
    bool is_wanted;      /* only what is wanted is listed */
    const void **states; /* of the nodes, for properties */
    uint64_t variables;  /* hash of the system's own, when nodes had started; of reduced plans */
    struct clew_view view;
    char broken[300];  /* what a property said */
    const char *calls; /* in which the run ended; NULL: not known */

    bool has_run; /* a run was made */

    /* Names of reported variables, from run to run. */
    char *variable_names[SIM_VARIABLES_MAX];
    uint64_t variable_keys[SIM_VARIABLES_MAX]; /* hashes of them */
    uint32_t variable_count;

    const struct spec *spec; /* NULL: none */
    struct checker *checker;
    struct world_property *claims; /* what became of those in C, then of the specification's */
    struct world_property *claims_told;
    uint32_t claim_count;
    bool sees_states;   /* one in C is checked after each step */
    bool asks_steps;    /* one in C has asked how many were taken */
    bool has_uncounted; /* the checker's last run is not in claims yet */
    struct arena claim_texts;
    struct loops *loops;     /* NULL: no property asks for them */
    struct cover *cover;     /* NULL: nothing counts blocks */
    struct outside *outside; /* NULL: nothing comes from outside but what setup asks for */

    /* Requests of the run, where the system can shrink them. */
    VEC(struct request) requests;
    VEC(char) request_bytes;
    struct pen pen;              /* what the system writes of a smaller one */
    struct shrinking *shrinking; /* while the system is asked */
    char shrink_failure[200];    /* how it failed when it was; "": it did not */

    /* While a node's state or a message is described. */
    uint32_t shown_node;
    const struct parcel *shown_parcel;
    char shown_text[1000];

    struct beginnings *beginnings;
    const struct point *resumed; /* where the run goes on; NULL: it began anew */
    struct map actions;          /* what messages and timers do, to which they are (wanted.c) */

    VEC(struct firing) firings; /* since timers alone have fired; the first is none */
    struct {
        bool is_kept;              /* of this one: else nobody asks who rests */
        bool has_disk;             /* the hash of it is in beside: the firing has changed it */
        uint32_t fired;            /* the node ... */
        struct hash_beside beside; /* ... and what it was besides its heap ... */
        VEC(char) heap;            /* ... and its heap */
        uint64_t begun;            /* what was sent and begun */
    } before;                      /* the firing */

    struct trace *trace;           /* that is written, NULL: none */
    uint32_t lives[SIM_NODES_MAX]; /* how often each node has begun in it */
    bool has_client;               /* something came from outside */
};

/* The sim of a world that is one. */
struct sim *sim_of(struct world *w);

/* memory.c */
MUST_USE int memory_open_common(struct sim *s, struct err *e); /* before the system is loaded */
MUST_USE int memory_open(struct sim *s, struct err *e);
void memory_keep_fresh(struct sim *s); /* memory of no node, as every run begins with it */
/* The heap that the address lies in, and whose it is (-1: no node's); NULL: none. */
struct heap *memory_heap_of(struct sim *s, const void *block, int32_t *node);
void memory_close(struct sim *s);
void memory_reset(struct sim *s);
void *heap_take(struct heap *h, size_t size); /* cleared; NULL when it is full */
void *heap_take_aligned(struct heap *h, size_t size, size_t alignment); /* a power of two */
void *heap_resize(struct heap *h, void *block,
                  size_t size); /* NULL: full, the block is as it was */
void heap_give(struct heap *h, void *block);
/* The same; the block that lies last leaves no trace, as if it had never been taken. */
void heap_give_last(struct heap *h, void *block);
bool heap_has(const struct heap *h, const void *taken); /* such a block is taken */
bool heap_had(const struct heap *h, const void *taken); /* it looks like one that was given back */
size_t heap_size(const void *block);                    /* asked for */
size_t memory_size(const struct sim *s);                /* of a checkpoint */
void *memory_checkpoint(struct sim *s);
void memory_restore(struct sim *s, const void *checkpoint);

/* hash.c */
void hash_open(struct sim *s);
void hash_close(struct sim *s);
uint64_t hash_state(struct sim *s);               /* never 0 */
uint64_t hash_node(struct sim *s, uint32_t node); /* all but its clock */
uint64_t hash_heap(struct sim *s, uint32_t node);
uint64_t hash_disk(struct sim *s, uint32_t node);
void hash_beside(const struct sim *s, uint32_t node, struct hash_beside *beside); /* but the disk */
uint64_t hash_words(const struct hash_beside *beside);
uint64_t hash_segments(struct sim *s);            /* the system's own variables */
uint64_t hash_view(struct sim *s, uint32_t node); /* what claims see of it; never 0 */
/* What may have changed. */
void hash_touch_all(struct sim *s);
static inline void hash_touch_node(struct sim *s, uint32_t node)
{
    s->hashes.nodes_touched |= UINT64_C(1) << node;
}
static inline void hash_touch_disk(struct sim *s, const struct node *n)
{
    s->hashes.disks_touched |= UINT64_C(1) << (n - s->core->nodes);
}
static inline void hash_touch_channel(struct sim *s, uint32_t channel)
{
    struct hashes *h = &s->hashes;
    if (h->channels_touched_count < SIM_CHANNELS_TOUCHED_MAX) {
        h->channels_touched[h->channels_touched_count++] = channel;
    }
}

/* net.c */
struct parcel *net_send(struct sim *s, int32_t from, uint32_t to, const struct clew_message *m);
void net_take(struct sim *s, struct parcel *p);    /* off its channel; not freed */
void net_discard(struct sim *s, struct parcel *p); /* and freed */
void net_repeat(struct sim *s, const struct parcel *p);
void net_advance(struct sim *s, struct parcel *p); /* to the head of its channel */
void net_forget(struct sim *s, uint32_t to);       /* all that is on its way in connections */
uint32_t net_channel(const struct sim *s, int32_t from, uint32_t to);
/* From each node and from the client to each node. */
static inline uint32_t net_channel_count(const struct sim *s)
{
    return (s->node_count + 1) * s->node_count;
}
static inline bool net_is_fifo(const struct sim *s, const struct parcel *p)
{
    return s->is_fifo[p->channel];
}
static inline bool net_is_first(const struct sim *s, const struct parcel *p)
{
    return s->core->queues[p->channel].first == p;
}

/* disk.c */
uint32_t disk_begin_write(struct sim *s, struct node *n, size_t offset, const void *bytes,
                          size_t size);
bool disk_is_busy(const struct node *n, size_t offset, size_t size); /* writes are under way here */
void disk_save(struct sim *s, struct node *n, size_t offset, const void *bytes, size_t size);
void disk_read(const struct sim *s, const struct node *n, size_t offset, void *bytes, size_t size);
struct disk_write *disk_complete(struct sim *s,
                                 struct node *n); /* the first write is over; the caller frees */
void disk_crash(struct sim *s, struct node *n, uint32_t reached);

/* pending.c: fills pending and origins. Ends the run where there is no room for more. */
void pending_list(struct sim *s);
/* The same after a step that was at this place of the list: what the step did not change stays. */
void pending_follow(struct sim *s, uint32_t choice);
/* Of a change that a list which is followed does not know of: the next is made anew. */
static inline void pending_forget(struct sim *s)
{
    s->listing.is_kept = false;
}
/* A message is in a channel that was empty. */
static inline void pending_note_filled(struct sim *s, uint32_t channel)
{
    struct listing *l = &s->listing;
    if (l->filled_count == SIM_FILLED_MAX) {
        pending_forget(s);
    } else {
        l->filled[l->filled_count++] = channel;
    }
}
void pending_add(struct sim *s, const struct pick_operation *o, const struct origin *from);
void pending_parcel(struct sim *s, struct parcel *p);              /* adds it, if it can come */
void pending_timer(struct sim *s, uint32_t node, uint32_t number); /* likewise */
void pending_make_delivery(const struct sim *s, struct parcel *p); /* which has its name */
uint32_t pending_task_count(const struct sim *s);
uint32_t pending_help_task(const struct sim *s, uint32_t node);

/* wanted.c: runs that are told step by step what is wanted. */
void wanted_open(struct sim *s);
void wanted_close(struct sim *s);
bool wanted_is_enough(const struct sim *s); /* nobody asks what else is pending in this run */
int wanted_choose(struct sim *s);           /* fills pending with it; as pick_choose says */
/* Whether it may matter who rests when a timer of this node, which is about to, has fired. */
bool wanted_minds_rest(struct sim *s, uint32_t firing_node);

/* beginning.c: runs of wants that begin alike. */
void beginning_open(struct sim *s);
void beginning_close(struct sim *s);
/* The point from which the run can go on, NULL when it must begin anew. */
const struct point *beginning_find(struct sim *s);
void beginning_resume(struct sim *s, const struct point *point); /* that was found */
void beginning_look(struct sim *s); /* puts a point aside, if it is time */

/* describe.c: operations the way schedules write them. */
uint64_t sim_exchanged(struct world *w, const struct pick_operation *o, uint16_t first,
                       uint16_t second);
void sim_describe(struct world *w, const struct pick_operation *o, struct schedule *schedule,
                  struct choice *c);

/* node.c: what happens to nodes. */
void node_start(struct sim *s, uint32_t node, bool is_again);
void node_keep_clock(struct sim *s, uint32_t node); /* within the skew of all others */
void node_deliver(struct sim *s, struct parcel *p);
void node_fire(struct sim *s, uint32_t node, uint32_t timer);
void node_written(struct sim *s, uint32_t node);
void node_crash(struct sim *s, uint32_t node, uint32_t writes_reached);
void node_help(struct sim *s, uint32_t node, struct help *h);
uint64_t node_clock_latest(const struct sim *s); /* of all */

/* block.c: nodes that wait for one message. */
bool block_is_awaited(const struct sim *s, const struct parcel *p); /* by a node that is blocked */
void block_check(struct sim *s); /* at rest: a deadlock if a node is blocked */

/* help.c: tasks beside a node's own. */
void help_start(struct sim *s, uint32_t node, const struct help *what, const void *bytes);
void help_end(struct sim *s, struct node *n, struct help *h);
void help_list(struct sim *s);

/* fault.c */
void fault_list(struct sim *s);
void fault_list_outside(struct sim *s); /* the one that is to come from outside, if one is */
bool fault_can_strike(const struct sim *s, uint8_t fault, uint32_t node);
/* What a fault from outside does, as an action. */
uint64_t fault_action(const struct sim *s, uint8_t fault, uint32_t node);
void fault_strike(struct sim *s, const struct pick_operation *o, const struct origin *from);

/* request.c: what requests bring. */
void request_begin(struct sim *s);
void request_close(struct sim *s);
/* Of a request that is about to be sent: what it brings in this run. */
struct clew_message request_content(struct sim *s, uint64_t name, const struct clew_message *m);
/* A system that has failed at it once is not asked again. */
int request_shrink(struct world *w, uint64_t name, uint32_t index, struct plan_content *smaller,
                   struct err *e);
size_t request_size(struct world *w, uint64_t name);

/* pen.c: room for so many bytes, cleared and aligned as on a heap; what was there is gone. */
MUST_USE int pen_open(struct pen *p, size_t size, struct err *e);
bool pen_is_whole(const struct pen *p); /* nothing was written right behind the bytes */
void pen_close(struct pen *p);

/* cycle.c: timers that bring nothing new. */
void cycle_begin(struct sim *s);
void cycle_close(struct sim *s);
/* A step is taken, and has been. */
void cycle_before(struct sim *s, const struct pick_operation *o, const struct origin *from);
void cycle_after(struct sim *s, const struct origin *from);
/* Bytes of the disk of the node whose code runs are about to change. */
void cycle_before_save(struct sim *s);

/* outside.c: events of a fuzz file, one after the other. */
MUST_USE int outside_open(struct sim *s, const struct sim_options *options, struct err *e);
void outside_close(struct sim *s);
const struct fuzz *outside_fuzz(const struct sim *s); /* NULL: none */
/* The condition of the index-th wait that has one, from 0; NULL: there are no more. */
const struct spec *outside_condition(const struct sim *s, size_t index);
void outside_begin(struct sim *s);            /* draws those of the run */
void outside_begin_anew(struct sim *s);       /* none of them has come; marks nodes to be started */
void outside_advance(struct sim *s);          /* lets those come that can */
bool outside_is_waiting(const struct sim *s); /* the next is a wait, which ends at rest too */
/* Where nothing that is listed could be next, lets a wait be over and lists what can be then. */
void outside_end_waits(struct sim *s);
/* What is wanted and stands behind faults and waits that have not come may come without them;
 * false when it is no such thing. */
bool outside_pass_over(struct sim *s, const struct pick_want *want);
void outside_end(const struct sim *s); /* tells the execution of those that were passed over */
/* The fault that can strike now, and whom; 0 when there is none. */
uint8_t outside_fault(const struct sim *s, uint32_t *node);
void outside_come(struct sim *s);         /* the next of them has */
void outside_set_channels(struct sim *s); /* fills is_fifo, by net and file */
void outside_settle_key(const struct sim *s, struct execution *x);

/* calls.c: what the handlers call. */
extern const struct clew_calls clew_sim_calls;
void calls_begin(struct sim *s); /* this is the system that runs */
struct sim *calls_running(void); /* NULL: none ever was */

/* routed.c: what the system calls as if it were libc (src/runtime/sim_*.c). */
void *routed_take(size_t size, size_t alignment);
void *routed_resize(void *block, size_t size);
void routed_give(void *block);
size_t routed_size(void *block);
uint64_t routed_time_ns(void);
uint64_t routed_draw(void);
int routed_process(void);

/* guard.c: the run ends here, with this outcome; does not return. */
_Noreturn void guard_end(struct sim *s, enum outcome outcome, const char *key, const char *format,
                         ...) PRINTF_LIKE(4, 5);
/* Runs the function; true when it came to its end, false when guard_end or a signal ended it. */
bool guard_run(struct sim *s, void (*run)(struct sim *s));
/* The same for code of the system that is no part of a run: its execution is left as it is, and e
 * says how it failed. */
bool guard_try(struct sim *s, void (*run)(struct sim *s), struct err *e);
/* If the caller is what guard_run runs, it ends here: it does this, such as "ends its thread". Else
 * it returns. */
void guard_quit(const char *what);
/* The same for code that does what C leaves undefined, in the call that returns to `at`. Where it
 * is no part of a run, the process ends with a message. */
_Noreturn void guard_undefined(const char *what, const void *at);
void guard_open(void);
void guard_close(void);
/* The run goes on: the watchdog begins to count anew. */
void guard_alive(void);

/* backtrace.c: the calls in which a run ended. `take` keeps those of its caller, or of what a
 * signal interrupted at an instruction, and is safe in a handler of signals; `take_from` leaves out
 * those within the call that returns to `at`. */
void backtrace_take(uint64_t interrupted);
void backtrace_take_from(const void *at);
/* The address that the innermost of the system's own calls returns to; 0: none was taken. A handler
 * of signals has too small a stack to look at debug information. */
uintptr_t backtrace_first(const struct sim *s, bool is_handler);
/* Where the system's own code is on those that were taken; notes them as the run's. */
const char *backtrace_places(struct sim *s);
/* Takes the caller's calls as the run's; those of a key that is known are not taken again. */
void backtrace_note(struct sim *s, const char *key);
void backtrace_close(struct sim *s);

/* reported.c: fails when a property or a wait speaks of a variable that no run has reported and no
 * run can: none that its shared object has as a text; `is_last`: no run will come that could. */
MUST_USE int reported_check(const struct sim *s, bool is_last, struct err *e);

/* stop.c: for debuggers. */
void stop_open(void);
void stop_note_step(uint32_t step);
/* The run is broken: a debugger may stop here, before the calls that led there are left. */
void stop_broken(struct sim *s, const char *outcome, const char *what);
void stop_fault(struct sim *s, const char *signal); /* the same in a handler of signals */

/* words.c: what the system says of itself, as a line without its end; good until the next call. */
const char *words_of_node(struct sim *s, uint32_t node);
const char *words_of_message(struct sim *s, const struct parcel *p); /* "" where it says nothing */

/* quit.c: ends of the process from inside the C library come to guard_quit, too. */
void quit_watch(void);

/* settings.c: turns on the bugs and sets the numbers of a list "a-bug,nodes=5" (NULL: none), and
 * lets the system adjust itself to them. */
MUST_USE int settings_choose(struct sim *s, const char *list, struct err *e);

/* check.c: refuses a system that is not well described; counts its parts. */
MUST_USE int check_version(struct sim *s, struct err *e);
MUST_USE int check_system(struct sim *s, struct err *e);

/* claims.c: what must hold; a violation ends the run. */
MUST_USE int claims_open(struct sim *s, const struct spec *spec, struct err *e);
void claims_close(struct sim *s);
void claims_begin(struct sim *s);
void claims_set(struct sim *s, uint32_t node, uint32_t variable, int64_t value);
void claims_forget(struct sim *s, uint32_t node); /* the node is down */
void claims_check(struct sim *s);                 /* after a step */
void claims_end(struct sim *s, bool is_at_rest);
void claims_note_order(struct sim *s, enum world_order why); /* that of all steps matters */
void claims_loop(struct sim *s, uint32_t repeats); /* as if what followed this step went on */
uint32_t claims_tell(struct world *w, const struct world_property **properties);
enum { SIM_TICK_NS = 1000000 };                               /* one unit of the nodes' clocks */
void claims_count_messages(struct sim *s, struct checker *c); /* into their slots */
uint64_t claims_now(const struct sim *s);                     /* the latest clock, in ns */

/* loop.c: runs that come back to where they were. */
void loop_open(struct sim *s);
void loop_close(struct sim *s);
void loop_begin(struct sim *s);
void loop_look(struct sim *s);       /* after a step, what is pending is listed */
void loop_look_again(struct sim *s); /* the run ends here: at more loops than usual */

/* cover.c: blocks of code that were entered. */
void cover_open(struct sim *s, const struct clew_counters *counters);
void cover_close(struct sim *s);
uint32_t cover_block_max(const struct sim *s); /* numbers are below */
void cover_call(struct sim *s, uint64_t address);
void cover_forget(struct sim *s); /* what was entered and not taken */
/* Those since the last time, by code of this node (SIM_NODES_MAX: of some); how many. Good until
 * the next is entered. */
uint32_t cover_take(struct sim *s, uint32_t node, const struct pick_block **blocks);
struct world_coverage cover_total(const struct sim *s);
uint32_t cover_blocks(struct world *w, const struct world_block **blocks);

/* load.c */
MUST_USE int load_library(struct sim *s, const char *path, struct err *e);
void load_keep_fresh(struct sim *s); /* its variables, as every run begins with them */
void load_close(struct sim *s);

/* variables.c: the system's own variables. */
void variables_open(struct sim *s); /* they are as every run begins with them */
void variables_close(struct sim *s);
/* Whether the fault was the first write to a part of them, which is writable now. Safe in a handler
 * of signals. */
bool variables_note_fault(const void *address);
void variables_reset(struct sim *s);
uint64_t variables_hash(struct sim *s); /* 0: as loaded */
size_t variables_copy_size(const struct sim *s);
char *variables_copy(const struct sim *s, char *to); /* its end */
const char *variables_restore(struct sim *s, const char *from);

/* doubt.c: what the library takes from elsewhere and the simulator does not control. */
MUST_USE int doubt_library(struct sim *s, struct err *e);
void doubt_close(struct sim *s);

/* tell.c: events of the trace, when one is written. */
void tell_begin(struct sim *s);
void tell_end(struct sim *s);
void tell_start(struct sim *s, uint32_t node, bool is_again);
void tell_send(struct sim *s, const struct parcel *p);
void tell_deliver(struct sim *s, const struct parcel *p);
void tell_handler_end(struct sim *s, uint32_t node);
void tell_timer_set(struct sim *s, uint32_t timer, uint64_t delay);
void tell_timer_cancel(struct sim *s, uint32_t timer);
void tell_fire(struct sim *s, uint32_t node, uint32_t timer);
void tell_help(struct sim *s, uint32_t node, uint32_t helper);
void tell_help_end(struct sim *s, uint32_t node, uint32_t helper);
void tell_write(struct sim *s, const struct disk_write *w);
void tell_saved(struct sim *s, size_t offset, size_t size);
void tell_written(struct sim *s, uint32_t node);
void tell_fault(struct sim *s, uint8_t fault, const struct origin *from);
void tell_variable(struct sim *s, const char *name, int64_t value);
void tell_log(struct sim *s, const char *text);
void tell_access(struct sim *s, const char *variable, bool is_write, const char *place);
void tell_violation(struct sim *s);

#endif
