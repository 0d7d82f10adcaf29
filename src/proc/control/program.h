/* The world of one real program under control: `clew explore -- ./program args`.
 *
 * The program runs again and again with libclew_control.so in it, which lets one of its tasks go at
 * a time and chooses which (runtime/control/sched/run_control.h). A run is one plan out and one
 * execution back, through a page that both share (wire/control.h). */
#ifndef CLEW_PROC_CONTROL_PROGRAM_H
#define CLEW_PROC_CONTROL_PROGRAM_H

#include "spec/spec.h"
#include "wire/control.h"
#include "world/world.h"

/* A run has at most as many steps as the page that clew shares with the program has room for. */
enum {
    CONTROL_MODE_AUTO = -1,
    CONTROL_STEPS_DEFAULT = 20000,
    CONTROL_STEPS_MAX = CONTROL_STEPS_SIZE / sizeof(struct control_step),
};

struct control_options {
    char *const *command; /* ended by NULL; outlives the world */
    const char *cluster;  /* a cluster file, whose programs are run instead; NULL: none */
    int mode;             /* enum control_mode, or CONTROL_MODE_AUTO: the fastest that works */
    bool fails_on_exit;   /* a status other than 0 is a violation */
    uint32_t
        verify_every;  /* every so many-th run is made twice, and the two are compared; 0: none */
    bool shows_output; /* what the program prints goes to standard error; else it is dropped */
    const struct spec *spec;  /* properties of the variables it reports; NULL: none */
    const char *property;     /* a file of such in C (clew/property.h), or its .so; NULL: none */
    const char *const *watch; /* "NAME=EXPRESSION", or an expression: variables to be read */
    uint32_t watch_count;
    uint32_t spurious_max; /* waits for a condition that may end without a signal, for each task */
    bool shares_files;     /* runs change the files that are there, not copies */
    const char *setup;     /* a command that prepares the files of all runs; NULL: none */
    uint64_t hang_ns;      /* a run that takes longer is ended; 0: 10 seconds */
};

/* Opens the world; the program is started with the first run. Fails, *w is NULL, when clew's own
 * library is missing or the specification speaks of something else. */
MUST_USE int control_open(struct world **w, const struct control_options *options, struct err *e);

/* How many steps a run may take, where nobody says otherwise. */
uint32_t control_steps_max(const struct world *w);

/* The next run is made by gdb, on the terminal, or with these commands ("bt; info locals") at each
 * stop. It stops where x, the run before, was steered (the choices that are not the default), where
 * each task last touched what others touch, or took what one waits for in the end, and where x
 * broke something. */
void control_debug(struct world *w, const struct execution *x, const char *commands);

/* Ends the program until the next run, so that the processor time it took is known (limit_usage).
 */
void control_rest(struct world *w);

/* "fiber" ..., NULL when there is none. */
const char *control_mode_name(int mode);

/* What is known after the runs so far. */
struct control_told {
    enum control_mode mode;  /* of the last run */
    bool is_changed_outside; /* runs could not be rewound, and were forked instead */
    bool is_left;            /* a debugger was, before the end of its run */
    bool is_inexact;       /* tasks spun or looked at clocks, whose order no search covers whole */
    bool has_drawn;        /* random numbers, which came from the seed */
    bool has_waited;       /* for conditions, without spurious wake-ups */
    bool is_cluster;       /* of nodes, whose messages arrive as soon as they are sent */
    bool has_weak_order;   /* atomic operations weaker than seq_cst */
    bool is_unreached;     /* it listens for connections, none came, and no run ended by itself */
    const char *left;      /* something outside of its directory that a run left; "": nothing */
    uint64_t cut;          /* runs that did not end in time */
    const char *preempted; /* where code without scheduling points was preempted; "": nowhere */
    uint64_t verified, unlike;  /* runs that were made twice, and those that went otherwise then */
    const char *difference;     /* the first step of these that did, and what it read; "": none */
    const char *const *outside; /* calls that were not controlled */
    uint32_t outside_count;
    const char *const *unseen; /* files whose code does not tell its accesses to memory, where there
                                  were several tasks; without those of the C and C++ libraries */
    uint32_t unseen_count;
    const char *const *unmodelled; /* functions that code with such tasks takes from the C and C++
                                      libraries and whose effects inside are not seen */
    uint32_t unmodelled_count;
};
struct control_told control_told(struct world *w);

#endif
