/* The stages of a hunt, as hunt.c calls them one after the other. Each takes its share of the
 * remaining budget, notes in its account what it did, and stops when the user does. */
#ifndef CLEW_HUNT_HUNT_STAGES_H
#define CLEW_HUNT_HUNT_STAGES_H

#include "hunt/hunt.h"

/* Planned runs: of a program, whose traces are analysed; of the search of a program, and of a
 * simulated system, which is faster; after a confirmed prediction that has done no harm. */
enum {
    HUNT_OBSERVED_RUNS = 8,
    HUNT_PROGRAM_RUNS = 3000,
    HUNT_SYSTEM_RUNS = 30000,
    HUNT_FOLLOWED_RUNS = 100,
};

MUST_USE int hunt_observe(struct hunt *h, struct err *e);
MUST_USE int hunt_confirm(struct hunt *h, struct err *e);
MUST_USE int hunt_explore(struct hunt *h, struct err *e);
MUST_USE int hunt_minimize(struct hunt *h, struct err *e);
MUST_USE int hunt_explain(struct hunt *h, struct err *e);

/* Begins the account of a stage. */
struct hunt_stage_account *hunt_stage_begin(struct hunt *h, enum hunt_stage stage, uint64_t total);

/* Ends it. */
void hunt_stage_end(struct hunt *h, enum hunt_stage stage, bool is_finished);

/* Shows how far the current stage is. */
void hunt_show(struct hunt *h, enum hunt_stage stage);

/* A limit of this share, in per cent, of the remaining time, and of runs_max runs; 0: as many as
 * are left. */
struct limit hunt_share(const struct hunt *h, uint32_t per_cent, uint64_t runs_max);

/* Whether the user or the budget has ended the hunt. */
bool hunt_is_over(const struct hunt *h);

/* The folder's file of this name, in the arena of the hunt. */
const char *hunt_path(struct hunt *h, const char *format, ...) PRINTF_LIKE(2, 3);

/* Writes a text as a file. */
MUST_USE int hunt_write_text(const char *path, const char *text, size_t size, struct err *e);

#endif
