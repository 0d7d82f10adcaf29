/* The scheduler: at each scheduling point it chooses the next operation. It follows a plan, keeps
 * its constraints, and leaves open choices to a strategy.
 *
 *     struct pick *p = pick_init(memory, &limits);
 *     pick_begin(p, &plan);
 *     while ((i = pick_choose(p, pending, count)) >= 0) {
 *         ... do pending[i]; pick_learn(p, &pending[i], blocks, block_count); ...
 *     }
 *     pick_end(p);
 *
 * Freestanding: all memory is the caller's, and it calls nothing but wire/. The same code chooses
 * in the simulator, inside a controlled program and in tests. Learnt data persists from run to run,
 * so the memory must be outside the state that a world rewinds. */
#ifndef CLEW_PICK_PICK_H
#define CLEW_PICK_PICK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A pending operation. A world lists the enabled ones in its default order: the first is the
 * default choice, and faults come last. */
struct pick_operation {
    uint64_t name;       /* pick/operation_name.h; unique among those pending */
    uint64_t action;     /* its action, for all occurrences: the key of coverage history */
    uint64_t content;    /* hash of its payload; 0: none */
    uint64_t place;      /* in the code, with its kind (name_of_place), for all tasks; 0: unknown */
    uint32_t task;       /* its task, the same number in every run */
    uint32_t objects[2]; /* the objects it touches, the same numbers in every run; 0: none */
    uint32_t region;     /* the memory region it touches, by a number, 0: none known ... */
    uint32_t begin, end; /* ... and the bytes of it from begin to before end */
    uint32_t needs;      /* an operation that gives this object may enable it; 0: none has to */
    uint16_t kind;       /* enum event_kind */
    uint16_t node;       /* the node on which its code runs */
    uint8_t writes;      /* bit i: objects[i] is changed, not only read */
    uint8_t gives;       /* bit i: it may enable those that need objects[i] */
    uint8_t fault;       /* FAULT_CRASH ...; 0 when it is none */
    uint8_t fault_bound; /* likewise a fault that is bound to occur, and so no choice; fault is 0
                            then */
    bool is_external;    /* an external event: a request, a fault */
    bool is_unignorable; /* a partial replay does not go on without it */
    bool is_access;      /* it touches only its bytes; else they only hold its objects */
    bool has_surplus;    /* of the operations that enable it, it does not need the last */
    bool is_overtaking; /* may come before earlier operations of its task; else a task is a sequence
                         */
    uint32_t occurrence; /* its occurrence of its action, for the world's own use */
};

/* Its fault, chosen or bound to occur; 0 when it is none. */
static inline uint8_t pick_fault(const struct pick_operation *o)
{
    return o->fault != 0 ? o->fault : o->fault_bound;
}

/* Touches everything: conflicts with each operation that touches anything. */
#define PICK_EVERYTHING UINT32_MAX

/* Whether the two do not commute: they are of one task, or touch one object that one of them
 * changes. Of an access to memory, the bytes count. */
bool pick_conflicts(const struct pick_operation *a, const struct pick_operation *b);

/* Whether a enables b, which comes later, as an unlock enables the next lock: b could not have come
 * first, where the only effect of a on b is to enable it. */
bool pick_enables(const struct pick_operation *a, const struct pick_operation *b);

/* Strategies that sample, a file each. Row: STRATEGY(id, name); strategy_##name is its table of
 * operations. */
#define PICK_SAMPLING_LIST(STRATEGY)                                                            \
    STRATEGY(RANDOM, random)       /* any enabled operation */                                  \
    STRATEGY(PCT, pct)             /* priorities of tasks, a few of them lowered */             \
    STRATEGY(POS, pos)             /* priorities of operations, drawn again after a conflict */ \
    STRATEGY(SURW, surw)           /* tasks in proportion to their remaining operations */      \
    STRATEGY(UNIQUE, unique)       /* the operation that covers the most new blocks of code */  \
    STRATEGY(FREQUENCY, frequency) /* the same, discounting blocks that are executed often */   \
    STRATEGY(NODEFREQ, nodefreq)   /* the same, for blocks that few nodes execute */

#define PICK_STRATEGY_LIST(STRATEGY)                       \
    STRATEGY(FIRST, first) /* the world's default order */ \
    PICK_SAMPLING_LIST(STRATEGY)

enum pick_strategy {
#define STRATEGY(id, name) PICK_##id,
    PICK_STRATEGY_LIST(STRATEGY)
#undef STRATEGY
        PICK_STRATEGY_COUNT
};

const char *pick_strategy_name(enum pick_strategy strategy);

/* The strategy of this name, -1 when there is none. */
int pick_strategy_find(const char *name);

/* Classes of a system's operations, by which they may be weighted. CLASS(id, name) */
#define PICK_CLASS_LIST(CLASS)                                                         \
    CLASS(MESSAGE, "message") /* from node to node, and all others not listed below */ \
    CLASS(TIMER, "timer")                                                              \
    CLASS(WRITE, "write") /* a write reaches the disk */                               \
    CLASS(HELPER, "helper")                                                            \
    CLASS(REQUEST, "request") /* an external request */

enum pick_class {
#define CLASS(id, name) PICK_CLASS_##id,
    PICK_CLASS_LIST(CLASS)
#undef CLASS
        PICK_CLASS_COUNT
};

const char *pick_class_name(enum pick_class which);
enum pick_class pick_class_of(const struct pick_operation *o);

/* The weights of the classes in a strategy's choice. All 0: classes do not matter. */
struct pick_weights {
    uint32_t of[PICK_CLASS_COUNT];
};
bool pick_weights_are_any(const struct pick_weights *w);

/* At this step (from 0) of the run, the operation of this name. */
struct pick_turn {
    uint64_t name;
    uint32_t step;
    bool is_unignorable; /* is not skipped: the default goes on until it is pending */
    bool is_optional; /* comes right after the previous turn, at any step; is skipped when it is not
                         pending */
};

/* The match among pending operations with the same action. */
enum pick_match {
    PICK_SAME,           /* the oldest with the same payload */
    PICK_SAME_OR_OLDEST, /* where none has it, the oldest of all */
    PICK_SAME_OR_NEWEST,
    PICK_OLDEST, /* the oldest, with any payload */
    PICK_NEWEST,
};

/* A requested operation, known by its action and not by its occurrence: it stays the same in a run
 * in which less has happened. */
struct pick_want {
    uint64_t action;
    uint64_t content;
    uint8_t fault;
    uint8_t match;       /* enum pick_match */
    bool is_unignorable; /* is not skipped: the default goes on until it is pending */
};

/* A fault that a constraint names occurs where nothing else can, though no strategy chooses it. */
enum pick_relation {
    PICK_BEFORE, /* first happens before second */
    PICK_FROM, /* first, which touches an object, finds it as second left it; 0: as at the start */
};

struct pick_constraint {
    uint64_t first;
    uint64_t second;
    enum pick_relation relation;
    bool is_negated;
};

/* A wish: a soft constraint on the order of operations. An operation waits for it only while
 * another free operation can be chosen, and at most WISH_STEPS_MAX steps. So a wish never ends a
 * run, and every run under wishes is a run of the program. */
enum pick_wish_kind {
    PICK_HOLD,    /* each operation at the place `second` waits */
    PICK_EARLY,   /* those of other tasks that conflict with `operation` wait until it, called
                     `first`, is done */
    PICK_BETWEEN, /* once `first` is done, operations at the place `second` of its task wait: with
                     PICK_EARLY this opens a triple, so that others come between the two */
    PICK_AFTER,   /* each operation at the place `second` waits until one at `first` is done */
    PICK_READS, /* the same, and after `first` operations that would overwrite its value wait until
                   one at `second` is done: a read at `second` finds the value of `first` */
    PICK_TURNS, /* operations at `first` and at `second` alternate: one of them waits if the last
                   done at either place was at its own, and at `second` if none was */
};

enum { PICK_WISHES_MAX = 64, WISH_STEPS_MAX = 1500 };

struct pick_wish {
    enum pick_wish_kind kind;
    uint64_t first;      /* of EARLY and BETWEEN the name of an operation, else a place */
    uint64_t second;     /* a place */
    uint32_t skip;       /* of HOLD: this many operations at the place do not wait */
    uint64_t tasks_seed; /* of HOLD: not 0: a random half of the tasks is held */
    struct pick_operation operation; /* of EARLY: the objects it touches */
};

/* A plan. All pointers outlive the run. {0} is the default order to the end. */
struct pick_plan {
    const struct pick_turn *turns; /* by step */
    size_t turn_count;
    bool is_lenient;      /* a turn whose operation is not pending is skipped */
    uint32_t steps_first; /* steps below this without a turn take the default, like all steps before
                             the last turn */
    const struct pick_want *wants; /* instead of turns, if not NULL: in sequence; one that is not
                                      pending is skipped; after the last the run ends */
    size_t want_count;
    const struct pick_constraint *constraints;
    size_t constraint_count;
    const struct pick_wish *wishes; /* at most PICK_WISHES_MAX */
    size_t wish_count;
    /* If not NULL: accesses to memory are choices only at these points (pick_is_point). A list
     * grows from run to run, at its end alone; another list has another number, not 0. */
    const uint64_t *points;
    size_t point_count;
    uint64_t points_number;
    /* The sleep set: `first` does not choose these after the last turn, until an operation that
     * they conflict with has happened. */
    const struct pick_operation *asleep;
    size_t asleep_count;
    enum pick_strategy strategy; /* for the rest */
    const uint64_t *actions; /* if not NULL, in ascending order: the only actions that the strategy
                                may choose, beside faults */
    size_t action_count;
    uint32_t externals_max; /* of a run, that the strategy may add to; 0: any number */
    bool is_fair; /* a task that could go on does so at the latest when FAIR_TIMERS timers have
                     fired instead: time does not starve it */
    bool has_rare_timers; /* the strategy chooses timers rarely, if anything else is pending */
    struct pick_weights weights; /* by which a class is drawn; the strategy then chooses in it */
    uint32_t depth;              /* of bugs that pct aims at, from 1; 0: 3 */
    uint32_t length;             /* of runs, as pct takes it; 0: of the longest so far */
    uint64_t seed;
};

enum { FAIR_TIMERS = 32 };

/* The results of pick_choose without a choice. */
enum pick_stop {
    PICK_REST = -1,     /* nothing is pending but faults */
    PICK_DIVERGED = -2, /* the operation of a turn is not pending: pick_where is the turn */
    PICK_STUCK = -3,  /* the constraints allow no operation: pick_where is a constraint that blocks
                         the first one */
    PICK_ASLEEP = -4, /* all pending operations sleep: the continuation is explored elsewhere */
    PICK_DONE = -5, /* all requested operations have occurred, or cannot; or the strategy may choose
                       none of the pending ones */
};

/* Capacities; beyond them learning stops and choosing goes on. */
struct pick_limits {
    uint32_t task_max;       /* task numbers are below */
    uint32_t pending_max;    /* operations offered at once, at most */
    uint32_t object_max;     /* objects whose users are counted (surw), last changes kept (FROM) */
    uint32_t constraint_max; /* of a plan */
    uint32_t asleep_max;     /* of a plan */
    uint32_t point_max;      /* of a plan */
    bool is_by_task;         /* coverage strategies use the task of an operation as its action */
    uint32_t action_max;     /* actions whose blocks are remembered */
    uint32_t block_count;    /* block numbers are below */
};

struct pick;

/* The bytes that pick_init needs, for any alignment up to 64. */
size_t pick_size(const struct pick_limits *limits);
struct pick *pick_init(void *memory, const struct pick_limits *limits);

/* Begins a run. The plan's counts are within the limits. */
void pick_begin(struct pick *p, const struct pick_plan *plan);

/* The index of the operation to do next, or an enum pick_stop. O(count) and, with constraints,
 * O(count * constraints). */
int pick_choose(struct pick *p, const struct pick_operation *pending, uint32_t count);

/* A scheduling point for memory accesses: a word of memory (8 bytes of a region) that several tasks
 * use, a place in the code that used one, or a region all of whose points are listed. */
uint64_t pick_point_of_word(uint32_t region, uint32_t word);
uint64_t pick_point_of_place(uint64_t place);
uint64_t pick_point_of_region(uint32_t region);

/* Whether the operation is a scheduling point of the plan: every operation is, except an access to
 * memory at none of its points. An access to an unlisted region is one if its place is. */
bool pick_is_point(const struct pick *p, const struct pick_operation *o);

/* Instead of pick_choose: the operation, of the last running task and no scheduling point, is the
 * next. It is the default, so a schedule omits it. False, without effect, where the plan has a turn
 * for this step. */
bool pick_pass(struct pick *p, const struct pick_operation *o);

/* In a run of requested operations a world may get them one by one: the next, or the one `ahead`
 * after it, NULL when there is no more. */
const struct pick_want *pick_wanted(const struct pick *p, size_t ahead);

/* In a run of requested operations: the number already asked for. A run may begin as if this many
 * had been, with as many steps taken. */
uint32_t pick_asked(const struct pick *p);
void pick_skip(struct pick *p, uint32_t want_count, uint32_t step_count);

/* Like pick_choose where these include all operations with the next requested action: the index of
 * the match, or -1, and then the request is skipped. */
int pick_choose_wanted(struct pick *p, const struct pick_operation *pending, uint32_t count);

/* Whether the requested operation is among these. */
bool pick_is_among(const struct pick_want *want, const struct pick_operation *pending,
                   uint32_t count);

/* The blocks that the last chosen operation covered: each with its count, on its node. */
struct pick_block {
    uint32_t block;
    uint32_t count;
};
void pick_learn(struct pick *p, const struct pick_operation *done, const struct pick_block *blocks,
                uint32_t block_count);

/* Ends the run: learnt data is kept for the next. */
void pick_end(struct pick *p);

/* The turn or the constraint that pick_choose stopped at. */
size_t pick_where(const struct pick *p);

/* After a run: the first constraint that it did not satisfy, because its operations never occurred;
 * constraint_count when it satisfied all. */
size_t pick_unsatisfied(const struct pick *p);

#endif
