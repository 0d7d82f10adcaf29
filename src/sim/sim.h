/* The in-process world: nodes written as state machines (clew/sim.h) over a simulated network, disk
 * and clock. Loading a system runs its code in this process: its faults are caught, its memory is
 * rewound between runs, but it is trusted as any program is that one starts. */
#ifndef CLEW_SIM_SIM_H
#define CLEW_SIM_SIM_H

#define CLEW_SIM_IN_PROGRAM
#include <clew/sim.h>

#include "base/err.h"
#include "spec/spec.h"
#include "world/fuzz.h"
#include "world/world.h"

enum sim_net {
    SIM_FIFO,     /* messages from one node to another arrive in the order they were sent */
    SIM_DATAGRAM, /* in any order */
};

struct sim_options {
    const char *system;      /* its name must be this; NULL: any */
    const char *net;         /* "fifo", "datagram"; NULL: as the system says */
    const struct spec *spec; /* properties of the nodes' variables, checked too; NULL: none */
    const char *with;        /* bugs and settings, "a-bug,nodes=5"; NULL: as the system is */
    const struct fuzz *fuzz; /* the external events; NULL: as the system says */
    const char *fuzz_name;   /* of its file, for messages */
    /* Keys of violations past which runs go on (world/world.h). */
    const char *const *ignored;
    size_t ignored_count;
};

/* The defaults of the fuzz file, or else of the system itself. */
struct sim_defaults {
    const char *name;
    const char *faults;  /* "" when nothing is said */
    const char *weights; /* of classes of operations; "" when nothing is said */
    uint32_t depth;      /* 0 when nothing is said */
    bool is_drawn;       /* external events may differ from run to run */
};

/* Loads the shared object at path (which names a file, never a library to be searched for). Fails,
 * *w is NULL, where it cannot be loaded, has no system in it, or was built for another version.
 * Closed by world_close. */
MUST_USE int sim_open(struct world **w, const char *path, const struct sim_options *options,
                      struct err *e);

/* The same for a system in this program; *calls is set for its handlers. Its variables outside node
 * states are not rewound. */
MUST_USE int sim_open_system(struct world **w, const struct clew_system *system,
                             const struct clew_calls **calls, const struct sim_options *options,
                             struct err *e);

struct sim_defaults sim_defaults(const struct world *w);

/* The name of the node of an operation; the world's own. */
const char *sim_node_name(const struct world *w, uint16_t node);

/* The choices that the system offers; texts and lists are its own, and gone with it. */
struct sim_choices {
    const char *system;
    const struct clew_bug *bugs; /* NULL: none */
    const struct clew_setting *settings;
};
struct sim_choices sim_choices(const struct world *w);

/* When runs were made: fails when a property or a wait speaks of a variable that none reported. */
MUST_USE int sim_check_reported(const struct world *w, struct err *e);

/* Where this is in the environment, clew_stop_here() is called where a run is broken, and
 * clew_step_now is the number of its step, from 1: for debuggers. */
#define SIM_DEBUG_VARIABLE "CLEW_SIM_DEBUG"

/* Appends the handlers of the system that debug information knows, of each a line: file, blank,
 * function. */
void sim_print_handlers(const struct world *w, struct out *out);

#endif
