/* A hunt: from a program or a simulated system to bugs that are confirmed, minimized and explained,
 * within one budget.
 *
 *     struct hunt h;
 *     if (hunt_run(&h, &options, e) < 0) { ... nothing could be run ... }
 *     vec_each (&h.bugs.list, bug) { ... bug->what, bug->replay ... }
 *     hunt_release(&h);
 *
 *     observe   runs under control; races, atomicity violations and deadlocks are predicted from
 *               their traces (programs)
 *     confirm   each prediction is looked for in the real program, and the harm of races in both
 *               orders; runs that begin as one that shows a prediction, until one fails (programs)
 *     explore   a search for other failures
 *     minimize  the shortest execution of each failure
 *     explain   the interleaving, the missing order and the nearest passing run; the page
 *
 * The folder receives the traces of the observed runs, the predictions with their answers, a
 * schedule and a minimized schedule of each bug, its page, and the report. */
#ifndef CLEW_HUNT_HUNT_H
#define CLEW_HUNT_HUNT_H

#include "base/limit.h"
#include "explore/search.h"
#include "hunt/bugs.h"
#include "hunt/predictions.h"
#include "world/world.h"

/* STAGE(id, name, meaning) */
#define HUNT_STAGE_LIST(STAGE)                                               \
    STAGE(OBSERVE, "observe", "runs whose traces predictions are made from") \
    STAGE(CONFIRM, "confirm", "predictions looked for in the program")       \
    STAGE(EXPLORE, "explore", "a search for further failures")               \
    STAGE(MINIMIZE, "minimize", "failing schedules made short")              \
    STAGE(EXPLAIN, "explain", "the nearest passing run of each failure")

enum hunt_stage {
#define STAGE(id, name, meaning) HUNT_##id,
    HUNT_STAGE_LIST(STAGE)
#undef STAGE
        HUNT_STAGE_COUNT
};

const char *hunt_stage_name(enum hunt_stage stage);

/* The work of a stage. */
struct hunt_stage_account {
    bool is_planned;  /* it has something to do */
    bool is_finished; /* it did all that was planned */
    uint64_t runs;
    uint64_t done, total; /* runs, predictions or bugs */
    uint64_t elapsed_ns;
    char note[300]; /* why it is not finished, or what it found; "": nothing to say */
};

struct hunt_progress {
    enum hunt_stage stage;
    uint64_t done, total; /* runs, predictions or bugs of the stage; total 0: not known */
    uint64_t runs;        /* of all stages, as far as they are counted */
    uint64_t prediction_count;
    uint64_t bug_count; /* so far */
};

/* What is hunted. */
struct hunt_target {
    struct world *world;
    bool is_program;              /* predictions can be confirmed */
    bool keeps_checkpoints;       /* a run may be rewound: no property looks back */
    struct search_options search; /* of the search; of its runs: depth, faults, seed */
};

/* What only the opener of the world knows. */
struct hunt_judgement {
    const char *hindrance;      /* why runs were not under control; NULL: they were */
    bool is_exact;              /* a finished search says something of every execution */
    VEC(const char *) left_out; /* what the hunt could not see or control, a sentence each */
};

struct hunt;

struct hunt_options {
    /* Opens the target, a failing exit status being a violation or not. */
    int (*open)(void *context, bool fails_on_exit, struct hunt_target *t, struct err *e);
    /* Why a finished search of the world says nothing of every execution; NULL: it does. */
    const char *(*doubt)(void *context);
    /* Fills the judgement after the last run; its texts are in the arena, or outlive the hunt. */
    void (*judge)(void *context, const struct hunt *h, struct arena *a, struct hunt_judgement *j);
    /* Writes the command that replays the schedule at this path. */
    void (*print_replay)(void *context, const char *path, struct out *out);
    /* Whether a bug is not to be reported. */
    bool (*is_hidden)(void *context, const struct bug *bug);
    void (*progress)(void *context, const struct hunt_progress *p);
    void *context;

    const char *folder;         /* where everything is written; it is made */
    const char *title;          /* the command, for the report */
    const char *const *sources; /* folders where source files are looked for */
    size_t source_count;
    struct limit budget; /* begun; its is_stopped is not NULL */
    uint64_t seed;
    uint32_t jobs;
    bool never_fails_on_exit;  /* a failing exit status is never a violation */
    bool always_fails_on_exit; /* it is one even if the first run ends with it */
};

struct hunt {
    const struct hunt_options *options;
    struct hunt_target target;
    bool fails_on_exit; /* an exit status other than 0 is a violation */
    struct predictions predictions;
    VEC(struct trace *) traces; /* of observed runs */
    VEC(const char *) trace_paths;
    struct bugs bugs;
    struct hunt_stage_account stages[HUNT_STAGE_COUNT];
    struct hunt_judgement judgement;
    bool is_complete;        /* the search saw all executions */
    bool has_data_races;     /* a complete search saw some */
    bool is_stopped;         /* by the user */
    char broken[300];        /* why the world broke during a stage; "": it did not */
    char unfinished[500];    /* why not all that was planned was done, or not under control: a
                                sentence; "": it was */
    const char *report_path; /* "" before it is written */
    struct arena arena;
};

/* Hunts. Fails when the world cannot be opened, when its first run breaks it, or when a file cannot
 * be written; hunt_release is due either way. Where the world breaks later, the hunt ends with what
 * it has. */
MUST_USE int hunt_run(struct hunt *h, const struct hunt_options *o, struct err *e);
void hunt_release(struct hunt *h);

/* Time since the hunt began. */
uint64_t hunt_elapsed_ns(const struct hunt *h);

#endif
