/* sim.h - a distributed system as state machines in C, for `clew explore`.
 *
 *     #include <clew/sim.h>
 *
 *     enum { PING, ECHO };
 *     static const char *const messages[] = {"ping", "echo", NULL};
 *     struct node { int echoes; };
 *
 *     static void start(void *state)
 *     {
 *         if (clew_self() == 0) { clew_send(1, PING, NULL, 0); }
 *     }
 *
 *     static void message(void *state, const struct clew_message *m)
 *     {
 *         struct node *node = state;
 *         if (m->type == PING) { clew_send(m->from, ECHO, NULL, 0); } else { node->echoes++; }
 *     }
 *
 *     CLEW_SYSTEM(.name = "pingpong", .node_count = 2, .messages = messages,
 *                 .state_size = sizeof(struct node), .start = start, .message = message);
 *
 *     $ clew cc --sim pingpong.c -o pingpong.so && clew explore ./pingpong.so
 *
 * The rules: a node keeps its data in its state, in memory from malloc() or clew_alloc(), on
 * its disk, and in variables of the file that it alone uses; it talks to others by messages only;
 * time and random numbers come from here. Then every run can be rewound and repeated.
 *
 * `clew cc --sim` links the system with a small library (clew-cc(1)) that replaces malloc(),
 * rand(), time(), the functions related to them, and getpid(), in the files of the system and in
 * all static archives: their memory is the node's, their numbers come from the run's seed, their
 * clock is the node's (a unit is a millisecond). Calls that cannot be simulated, such as those for
 * threads, sockets and files, are refused when the system is linked.
 *
 * `clew replay` shows the output of a system on standard error; searches drop it. C and C++. */
#ifndef CLEW_SIM_H
#define CLEW_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <clew/property.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CLEW_SIM_VERSION 2

/* Where requests come from: from outside. */
#define CLEW_CLIENT (-1)

struct clew_message {
    int from; /* a node, or CLEW_CLIENT */
    int type; /* index into the system's messages */
    const void *bytes;
    size_t size;
};

/* A mistake that can be put into the system: `clew explore --bug NAME`. */
struct clew_bug {
    const char *name;  /* NULL ends a list */
    const char *about; /* a line for people */
    bool *is_on;       /* set before the first run */
};

/* A number that can be chosen: `clew explore --set NAME=N`. */
struct clew_setting {
    const char *name; /* NULL ends a list */
    const char *about;
    uint32_t *value; /* holds the default until it is set, before the first run */
    uint32_t least;
    uint32_t most;
};

/* A system. All but version, size, name, node_count and message may be left out. */
struct clew_system {
    uint32_t version; /* both set by CLEW_SYSTEM */
    uint32_t size;
    const char *name;
    uint32_t node_count;
    const char *const *nodes;    /* their names; NULL: n1, n2 ... */
    const char *const *messages; /* the types of messages by name, ended by NULL; left out: eight
                                    types, message-0 to message-7 */
    const char *const *timers;   /* the timers of a node by name, ended by NULL */
    size_t state_size;           /* of each node's state, which begins as zeros */
    size_t disk_size;            /* of each node's disk, which begins as zeros */

    /* Before the run: requests from outside, by clew_request(). */
    void (*setup)(void);
    /* A node begins. */
    void (*start)(void *state);
    /* A message, or a request from outside, arrives. */
    void (*message)(void *state, const struct clew_message *m);
    /* A timer fires. */
    void (*timer)(void *state, int timer);
    /* A write has reached the disk, or has failed. */
    void (*written)(void *state, uint32_t ticket, bool is_failed);
    /* A node starts again after a crash: its state and memory are new, its disk has all completed
     * writes. Left out: start. */
    void (*restart)(void *state);

    /* The identity of a message across runs: leaves out irrelevant parts, such as sequence numbers.
     * Left out: all of its bytes. */
    uint64_t (*fingerprint)(const struct clew_message *m);
    /* The state as a line of text for people. */
    void (*describe)(const void *state, char *text, size_t size);

    const struct clew_property *properties; /* ended by {0} */

    /* Defaults for options that the command line of `clew explore` does not set. */
    const char *faults; /* "crash=1,drop=2" */
    const char *net;    /* "fifo" (default) or "datagram" */
    uint32_t depth;     /* steps of a run, at most */

    /* Variants of the system; lists ended by {0}. */
    const struct clew_bug *bugs;
    const struct clew_setting *settings;
    const uint32_t *node_count_chosen; /* a setting's value that stands for node_count */

    /* External events in addition to those that setup requests: the text of a fuzz file
     * (clew-fuzz(5)). A file on the command line replaces it. */
    const char *config;

    /* Called once the variants are chosen: may change fields that depend on them, such as faults
     * and net. */
    void (*adjust)(struct clew_system *system);

    /* Helpers of a node by name, ended by NULL, and their functions (clew_help). */
    const char *const *helpers;
    void (*help)(int helper, const void *bytes, size_t size);

    /* For `clew minimize`: the index-th variant of a request that is smaller, in an order of the
     * system's own that is the same every time (such as: one element left out, the first, the
     * second ...). Writes at most m->size bytes and says how many; false when there are no more. */
    bool (*shrink)(const struct clew_message *m, uint32_t index, void *bytes, size_t *size);

    /* Timers of a node fire in any order, as if each had a clock of its own; otherwise they fire
     * in the order of their deadlines. */
    bool timers_independent;
    /* A setting's value: by how much the clocks of two nodes may differ. NULL or 0: by any amount.
     * Not together with timers_independent. */
    const uint32_t *clock_skew_max;

    /* A message as a line of text, for traces, diagrams and `clew replay --step`. Only reads: it
     * changes no state and calls nothing of clew. */
    void (*describe_message)(const struct clew_message *m, char *text, size_t size);
};

/* Declares the system of a shared object. */
#define CLEW_SYSTEM(...)                                                                \
    extern __attribute__((visibility("default"))) const struct clew_system clew_system; \
    const struct clew_system clew_system = {                                            \
        .version = CLEW_SIM_VERSION, .size = sizeof(struct clew_system), __VA_ARGS__}

/* The code below does not count as code of the system. */
#ifdef __clang__
#define CLEW_UNCOUNTED __attribute__((no_sanitize("coverage")))
#else
#define CLEW_UNCOUNTED __attribute__((no_sanitize_coverage))
#endif

/* The functions of clew for a node; use those below. */
struct clew_calls {
    int (*self)(void);
    void (*send)(int to, int type, const void *bytes, size_t size);
    void (*request)(int to, int type, const void *bytes, size_t size);
    void (*timer_set)(int timer, uint64_t delay);
    void (*timer_cancel)(int timer);
    uint32_t (*disk_write)(size_t offset, const void *bytes, size_t size);
    void (*disk_save)(size_t offset, const void *bytes, size_t size);
    void (*disk_read)(size_t offset, void *bytes, size_t size);
    uint64_t (*now)(void);
    uint64_t (*random)(uint64_t bound);
    void *(*alloc)(size_t size);
    void (*free)(void *block);
    void (*variable)(const char *name, int64_t value);
    void (*log)(const char *text);
    void (*access)(const char *variable, bool is_write, const char *file, int line);
    void (*violate)(const char *claim, const char *file, int line);
    void (*block)(const void *address);
    void (*await)(int from, int type);
    void (*help)(int helper, const void *bytes, size_t size);
    void (*send_unignorable)(int to, int type, const void *bytes, size_t size);
    /* For the library that `clew cc --sim` links in place of parts of libc. Memory belongs to the
     * calling node, outside of handlers to the system. `take` returns NULL beyond the node's limit,
     * `resize` does as realloc, `size` returns the requested size. Blocks of other allocators go to
     * libc. */
    void *(*take)(size_t size, size_t alignment);
    void *(*resize)(void *block, size_t size);
    void (*give)(void *block);
    size_t (*size)(void *block);
    uint64_t (*time_ns)(void); /* the node's clock */
    uint64_t (*draw)(void);    /* 64 random bits */
    int (*process)(void);      /* the node, as a process id */
    void (*fail_in)(const char *claim, const char *file, int line, const char *function);
    /* The code that returns to `at` has undefined behaviour of this kind. */
    void (*undefined)(const char *what, const void *at);
};

/* Set when the system is loaded; weak, so that every file of a system may include this header. */
__attribute__((weak, visibility("default"))) const struct clew_calls *clew_calls;

/* The node whose code is running, from 0. */
CLEW_UNCOUNTED static inline int clew_self(void)
{
    return clew_calls->self();
}

/* Sends a copy of the bytes to a node. */
CLEW_UNCOUNTED static inline void clew_send(int to, int type, const void *bytes, size_t size)
{
    clew_calls->send(to, type, bytes, size);
}

/* The same for a message that a run does not go on without: no fault loses it on its way, and where
 * a run is repeated in part, the next step waits until it is there. */
CLEW_UNCOUNTED static inline void clew_send_unignorable(int to, int type, const void *bytes,
                                                        size_t size)
{
    clew_calls->send_unignorable(to, type, bytes, size);
}

/* Blocks the node when the handler is over: nothing reaches it, no message, timer or end of a
 * write, but one message of this type from that node, which may overtake others. Once for a
 * handler. A node that is blocked when nothing can happen any more is a deadlock. */
CLEW_UNCOUNTED static inline void clew_await(int from, int type)
{
    clew_calls->await(from, type);
}

/* Starts a helper of the node, a task beside it that shares nothing with it: later, in one step
 * that nothing interrupts, `help` is called with a copy of the bytes. It may send, and runs even
 * while the node is blocked; a crash ends it. */
CLEW_UNCOUNTED static inline void clew_help(int helper, const void *bytes, size_t size)
{
    clew_calls->help(helper, bytes, size);
}

/* In setup: a request from outside, to arrive some time. */
CLEW_UNCOUNTED static inline void clew_request(int to, int type, const void *bytes, size_t size)
{
    clew_calls->request(to, type, bytes, size);
}

/* The timer fires when the node's clock has moved on by delay; a running timer is set again. The
 * clock moves when timers fire. The timers of one node fire in the order of their deadlines, unless
 * the system is declared with timers_independent. Timers of different nodes fire in any order,
 * unless it bounds their difference by clock_skew_max. */
CLEW_UNCOUNTED static inline void clew_timer_set(int timer, uint64_t delay)
{
    clew_calls->timer_set(timer, delay);
}
CLEW_UNCOUNTED static inline void clew_timer_cancel(int timer)
{
    clew_calls->timer_cancel(timer);
}

/* Begins to write to the node's disk; `written` gets the ticket when it is done. A crash before
 * that may or may not find it on the disk. Writes reach the disk in their order. */
CLEW_UNCOUNTED static inline uint32_t clew_disk_write(size_t offset, const void *bytes, size_t size)
{
    return clew_calls->disk_write(offset, bytes, size);
}

/* Writes to the node's disk and waits: when it returns, no crash undoes it. Writes under way
 * elsewhere on the disk are overtaken; there must be none in the same place. */
CLEW_UNCOUNTED static inline void clew_disk_save(size_t offset, const void *bytes, size_t size)
{
    clew_calls->disk_save(offset, bytes, size);
}

/* Reads from the node's disk, writes under way included. */
CLEW_UNCOUNTED static inline void clew_disk_read(size_t offset, void *bytes, size_t size)
{
    clew_calls->disk_read(offset, bytes, size);
}

/* The node's clock. */
CLEW_UNCOUNTED static inline uint64_t clew_now(void)
{
    return clew_calls->now();
}

/* A number below bound, the same in every repetition of a run. */
CLEW_UNCOUNTED static inline uint64_t clew_random(uint64_t bound)
{
    return clew_calls->random(bound);
}

/* Memory of the node, cleared to zero; gone at a crash. */
CLEW_UNCOUNTED static inline void *clew_alloc(size_t size)
{
    return clew_calls->alloc(size);
}
CLEW_UNCOUNTED static inline void clew_free(void *block)
{
    clew_calls->free(block);
}

/* The node's variable has this value from now on: for properties and for traces. */
CLEW_UNCOUNTED static inline void clew_variable(const char *name, int64_t value)
{
    clew_calls->variable(name, value);
}

/* A line for the trace. */
CLEW_UNCOUNTED static inline void clew_log_line(const char *text)
{
    clew_calls->log(text);
}

/* An access to a variable of the node, for `clew races` and `clew atomicity` on the run's trace. */
#define clew_reads(variable) (clew_calls->access((variable), false, __FILE__, __LINE__))
#define clew_writes(variable) (clew_calls->access((variable), true, __FILE__, __LINE__))

/* A violation of the node's own: ends the run. assert() comes here too. */
#define clew_fail(claim) (clew_calls->fail_in((claim), __FILE__, __LINE__, __func__))

/* Where the compiler counts the blocks that are entered (clang), and asks about each (gcc): bound
 * inside the shared object, for `clew cc --sim`. */
struct clew_counters {
    uint8_t *begin;
    uint8_t *end;
    const uintptr_t *places; /* per block its address, and its kind */
};

/* A program that holds a system itself, and is not a shared object, says so. */
#ifndef CLEW_SIM_IN_PROGRAM

#define CLEW_BOUND CLEW_UNCOUNTED __attribute__((weak, visibility("hidden")))

__attribute__((weak, visibility("default"))) struct clew_counters clew_counters;

CLEW_BOUND void __sanitizer_cov_8bit_counters_init(uint8_t *begin, uint8_t *end);
CLEW_BOUND void __sanitizer_cov_8bit_counters_init(uint8_t *begin, uint8_t *end)
{
    clew_counters.begin = begin;
    clew_counters.end = end;
}

CLEW_BOUND void __sanitizer_cov_pcs_init(const uintptr_t *begin, const uintptr_t *end);
CLEW_BOUND void __sanitizer_cov_pcs_init(const uintptr_t *begin, const uintptr_t *end)
{
    (void)end;
    clew_counters.places = begin;
}

CLEW_BOUND void __sanitizer_cov_trace_pc(void);
CLEW_BOUND void __sanitizer_cov_trace_pc(void)
{
    if (clew_calls != NULL) {
        clew_calls->block(__builtin_return_address(0));
    }
}

/* Counters that clew/sim_counters.s has made of gcc's calls, where it has. */
#ifndef __clang__
extern uint8_t __start_clew_cntrs[] __attribute__((weak, visibility("hidden")));
extern uint8_t __stop_clew_cntrs[] __attribute__((weak, visibility("hidden")));
extern const uintptr_t __start_clew_pcs[] __attribute__((weak, visibility("hidden")));

CLEW_BOUND __attribute__((constructor)) void clew_find_counters(void);
CLEW_BOUND __attribute__((constructor)) void clew_find_counters(void)
{
    uint8_t *begin = __start_clew_cntrs;
    if (begin != NULL) {
        clew_counters.begin = begin;
        clew_counters.end = __stop_clew_cntrs;
        clew_counters.places = __start_clew_pcs;
    }
}
#endif

/* assert() calls this: the run ends with a violation, and the search goes on. */
CLEW_BOUND __attribute__((noreturn)) void __assert_fail(const char *claim, const char *file,
                                                        unsigned int line, const char *function);
CLEW_BOUND __attribute__((noreturn)) void __assert_fail(const char *claim, const char *file,
                                                        unsigned int line, const char *function)
{
    clew_calls->fail_in(claim, file, (int)line, function);
    __builtin_trap();
}

#undef CLEW_BOUND
#endif

#undef CLEW_UNCOUNTED

#ifdef __cplusplus
}
#endif

#endif
