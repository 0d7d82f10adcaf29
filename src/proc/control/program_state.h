/* What the files of the controlled world share. */
#ifndef CLEW_PROC_CONTROL_PROGRAM_STATE_H
#define CLEW_PROC_CONTROL_PROGRAM_STATE_H

#include <stdatomic.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/names.h"
#include "place/place.h"
#include "place/uninstrumented.h"
#include "proc/build/install_paths.h"
#include "proc/build/property_library.h"
#include "proc/cluster/launch.h"
#include "proc/control/private_files.h"
#include "proc/control/program.h"
#include "proc/record/loop_routines.h"
#include "spec/checker.h"

/* An action the way schedules write it. */
struct described {
    uint32_t task; /* number */
    uint32_t ordinal, offset, owner;
    uint64_t key;
    uint16_t kind;
};

/* What the runs have shown so far, in memory that all processes of a search share. */
enum { SHOWN_OUTSIDE_MAX = 64 };
struct shown {
    atomic_flag is_taken; /* by the process that changes it */
    bool has_idled, has_looked, has_passed, has_listened, has_accepted;
    bool has_drawn, has_waited, has_weak_order;
    char left[200];            /* something outside of its directory that a run left; "": nothing */
    bool has_started;          /* all nodes of a cluster were ready in some run */
    uint64_t cut;              /* runs that did not end in time */
    char preempted[200];       /* where code without scheduling points was; "": nowhere */
    uint64_t verified, unlike; /* runs that were made twice, and that went otherwise then */
    char difference[400];      /* of the first of these */
    uint32_t outside_count;
    char outside[SHOWN_OUTSIDE_MAX][CONTROL_OUTSIDE_SIZE]; /* calls that were not controlled */
};

struct controlled {
    struct world world;
    struct control_options options;
    struct install install;
    struct cluster cluster; /* {0}: there is none */
    launch_words command;   /* that is run, of a cluster the launcher's; ended by NULL */
    char system[64];
    char
        program[PATH_MAX]; /* that is run: command[0], which may be relative to another directory */
    enum control_mode mode; /* of the next run */
    bool is_changed_outside;
    struct shown *shown;
    struct private_files *files;            /* NULL: runs share the files that are there */
    const char *outside[SHOWN_OUTSIDE_MAX]; /* of `shown`, as control_told has it */
    uint64_t run_count;                     /* of this process */
    bool is_verification_due;               /* the next run that can be made twice is */

    struct control *page;
    int page_fd;
    pid_t server; /* 0: not running */
    pid_t owner;  /* the process of clew's whose page it is */
    int server_status;

    struct places *places;
    struct routines routines; /* whose loops were looked at */
    uint32_t module_count;    /* that places know */
    struct out text;

    struct map action_of; /* action to its place in `actions` */
    VEC(struct described) actions;

    struct checker *checker;
    struct properties *in_c; /* NULL: none */
    struct world_property *properties, *properties_told;
    struct arena texts;
    const char *process; /* what the specification calls the program */
    struct map counts;   /* of messages, by name, in one run */
    struct names channels;

    struct covering *covering; /* control_cover.c */
    /* The next runs are made in a debugger. */
    bool is_debugged;
    bool is_left;               /* the last of them was not let come to its end */
    const char *debug_commands; /* at each stop; NULL: by hand */
    uint64_t report_broken;     /* the report that broke a property in the last run; 0: none */

    uint32_t unseen_modules; /* modules of the page that were looked at for this: */
    plain_names unseen;      /* modules whose accesses are not told, in runs with several tasks */
    plain_names unmodelled;  /* functions of libraries whose effects no model knows */
};

static inline void *control_at(const struct controlled *c, size_t place)
{
    return (char *)c->page + place;
}

/* control_process.c */

/* Makes the page. */
MUST_USE int process_page(struct controlled *c, struct err *e);

/* A process that was forked off the one that opened the world needs a page of its own, before it
 * writes to it. */
MUST_USE int process_own_page(struct controlled *c, struct err *e);

/* Runs the plan that is in the page: starts the program if it does not wait for one, answers what
 * it asks, and returns when the result is there; the program may be gone then. */
MUST_USE int process_run(struct controlled *c, struct err *e);

/* The same in a debugger, until that is left. */
MUST_USE int process_debug(struct controlled *c, struct err *e);

/* How long a run may take. */
uint64_t process_limit_ns(const struct controlled *c);

/* Ends the program, wherever it is. */
void process_stop(struct controlled *c);
void process_close(struct controlled *c);

/* control_files.c: the files of the next run, told to the process that makes it. */
void files_begin(struct controlled *c);
/* Answers the path in the page. */
MUST_USE int files_answer(struct controlled *c, struct err *e);
/* For world_ops. */
MUST_USE int files_keep(struct world *w, const char *folder, bool *is_kept, struct err *e);

/* program_cluster.c: a run before which no run had all nodes ready says whether the cluster can
 * start at all. Fails where it did not. */
MUST_USE int cluster_judge_start(struct controlled *c, const struct execution *x, struct err *e);

/* The history that clients wrote in a run that passed; a fault in it is a violation. Fails where it
 * cannot be read. */
MUST_USE int cluster_judge_history(struct controlled *c, struct execution *x, struct err *e);

/* control_shown.c: begins it, and ends it in the process that began it. */
MUST_USE int shown_open(struct controlled *c, struct err *e);
void shown_close(struct controlled *c);
/* Adds the run in the page, which ended so. */
void shown_add(struct controlled *c, const struct execution *x);
/* Adds a run that was made twice; the difference is NULL where there was none. */
void shown_add_verified(struct controlled *c, const char *difference);

/* control_debug.c: becomes a debugger of the program; returns when that cannot be, errno says why.
 */
void debug_become(const struct controlled *c);

/* control_watch.c: tells the process, which has come to its main, which variables to read. */
MUST_USE int watch_put(struct controlled *c, struct err *e);

/* control_name.c */

/* Learns of the modules that the process has told of. */
void name_modules(struct controlled *c);

/* Puts the text of the key into the page. */
MUST_USE int name_answer(struct controlled *c, uint64_t key, struct err *e);

/* Writes the name of an object; nothing for key 0. */
struct named {
    uint64_t key;
    uint32_t ordinal, offset, owner;
};
void name_print(struct controlled *c, struct named n, struct out *out);

/* Writes where something happened in the words of the program, or the very line, also where that is
 * in a header of the system. */
void name_print_place(struct controlled *c, uint64_t place, struct out *out);
void name_print_line(struct controlled *c, uint64_t place, struct out *out);
/* The functions that this is in, as places_print_functions has them. */
bool name_print_functions(struct controlled *c, uint64_t place, struct out *out);

/* Whether the program may use what the call at this place returned. */
bool name_uses_result(struct controlled *c, uint64_t place);
bool name_tests_result(struct controlled *c, uint64_t place);
bool name_ignores_result(struct controlled *c, uint64_t place);
bool name_plain_update(struct controlled *c, uint64_t place, struct place_update *update);
bool name_stored_constant(struct controlled *c, uint64_t place, int64_t *value);

const char *name_task(const struct controlled *c, uint32_t number);

/* control_verdict.c: how the run in the page ended. */
MUST_USE int verdict_read(struct controlled *c, const struct plan *p, struct execution *x,
                          struct err *e);

/* The step by which the one who holds it took what another waits for; SIZE_MAX: none did. */
size_t verdict_taken(const struct controlled *c, const struct control_stand *stand);

/* The calls in which it ended. */
void verdict_calls(struct world *w, struct out *out);

/* control_claim.c: the specification and the properties in C on what the program reported. Cuts the
 * execution where a property breaks. */
MUST_USE int claim_open(struct controlled *c, struct err *e);
void claim_close(struct controlled *c);
MUST_USE int claim_check(struct controlled *c, struct execution *x, struct err *e);
uint32_t claim_tell(struct world *w, const struct world_property **properties);

/* control_cover.c: which code was entered. */
void covering_open(struct controlled *c);
struct world_coverage covering_sum(const struct world *w);
uint32_t covering_tell(struct world *w, const struct world_block **blocks);

/* control_steps.c: "main/1 read counter at bank.c:12"; and for world_ops. */
void steps_print_one(struct controlled *c, const struct control_step *s, struct out *out);
void steps_print(struct world *w, size_t most, struct out *out);
bool steps_show(struct world *w, size_t index, struct arena *a, struct world_step *step);

/* control_tell.c: the run as a trace. */
void tell_run(struct controlled *c, const struct plan *p, struct execution *x);

#endif
