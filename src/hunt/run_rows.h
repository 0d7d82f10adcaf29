/* The steps of a run in words: of a program's, with the lines of the source; of a simulated
 * system's, with the state that each step changed. */
#ifndef CLEW_HUNT_RUN_ROWS_H
#define CLEW_HUNT_RUN_ROWS_H

#include "base/arena.h"
#include "world/world.h"

/* A step. Texts are "" where there is nothing to say. */
struct run_row {
    struct world_step words; /* `task` is the node of a simulated system's step */
    const char *detail;      /* "term=2 (was 1)" */
    const char *from;        /* the node that sent the message, the task that made this one */
};

/* {0} is empty. */
struct run_rows {
    struct arena arena;
    uint32_t first; /* the step of the first row: a long run has only its last ones */
    VEC(struct run_row) list;
    const char *states; /* of a simulated system's nodes at the end, a line each; else "" */
};

/* The most rows that are read. */
enum { RUN_ROWS_MAX = 4000 };

/* Describes x, the last run of the world, which ran under the plan. A simulated system takes its
 * steps once more. */
void run_rows_read(struct run_rows *r, struct world *w, const struct plan *p,
                   const struct execution *x);
void run_rows_release(struct run_rows *r);

/* The row of a step, NULL when it has none. */
const struct run_row *run_rows_at(const struct run_rows *r, size_t step);

#endif
