/* Where clew minimize leaves its schedules. A file has each better one in the place of the one
 * before; standard output, a pipe or a device takes the last alone.
 *
 *     best_file_name(&f, "out.sched", "in.sched", e);
 *     best_file_look(&f, world, same, 1);               a better one may be there already ...
 *                                                       ... or be put there meanwhile
 *     if (best_file_wants(&f, world, &best)) { best_file_write(&f, world, &plan, &best, e); }
 *     best_file_release(&f);
 */
#ifndef CLEW_CLI_VERBS_MINIMIZE_OUTPUT_H
#define CLEW_CLI_VERBS_MINIMIZE_OUTPUT_H

#include <sys/stat.h>

#include "minimize/minimize.h"

struct best_file {
    char path[4096]; /* "-" is standard output */
    bool is_regular; /* has each better one, else the last alone */
    enum same same;
    uint32_t replays_max;   /* of a file of another process; 0: it is replaced unseen */
    struct stat seen;       /* the file last read or written; {0}: none */
    struct execution there; /* run of another process's file; without a violation: none of use */
    bool is_kept;           /* that is better than the last offer */
    bool is_written;        /* it has one of ours, of ... */
    uint32_t switches, steps, externals;
};

/* Names the file: as given, or, where that is NULL, X.min.sched for X.sched and - for -. */
MUST_USE int best_file_name(struct best_file *f, const char *given, const char *input,
                            struct err *e);

bool best_file_is_stdout(const struct best_file *f);

/* Checks whether the file is a schedule of the world that shows a violation, in one of several
 * replays. Any other file will be replaced. */
void best_file_look(struct best_file *f, struct world *w, enum same same, uint32_t replays_max);

/* Whether the execution, which ends in a violation, belongs into the file: unless the file of
 * another process shows the same and is better. A file that changed since it was last read or
 * written is replayed first, which is a run of the world. */
bool best_file_wants(struct best_file *f, struct world *w, const struct execution *x);

/* Writes it. Fails when it cannot be written: the old file stays. */
MUST_USE int best_file_write(struct best_file *f, struct world *w, const struct plan *p,
                             const struct execution *x, struct err *e);

void best_file_release(struct best_file *f);

#endif
