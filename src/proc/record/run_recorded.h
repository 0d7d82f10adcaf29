/* Runs a program with the recorder interposed, and turns its recording into a trace. */
#ifndef CLEW_PROC_RECORD_RUN_RECORDED_H
#define CLEW_PROC_RECORD_RUN_RECORDED_H

#include <stdbool.h>

#include "proc/record/collect.h"

struct recorder_options {
    char *const *command;        /* ended by NULL */
    const char *output;          /* the trace; its rows are in output.rings/ meanwhile */
    const char *node;            /* name of the first process, NULL: that of the command */
    const char *const *handlers; /* functions that handle messages, handler_count of them */
    size_t handler_count;        /* at most RECORDING_HANDLERS_MAX */
    bool all_accesses;
    uint32_t first_accesses; /* so many accesses of each place are recorded even if no other task
                                uses the word; below 256 */
    bool stacks;             /* keeps the calls that led to accesses */
    /* Called several times a second while the command runs, and once when it has ended, with the
     * recording's folder; NULL: not at all. */
    void (*watch)(void *context, const char *folder, bool is_over);
    void *watch_context;
    /* The limit on the bytes of segments, or half of the free space if that is less. At the limit a
     * task waits for a moment, then loses records. */
    uint64_t size_pending_max;
};

struct recorder_result {
    int status; /* as waitpid gives it */
    struct collect_stats stats;
};

/* Runs and waits for the command, then writes the trace. -1 when the command could not be started
 * or the trace could not be written; the segments then stay in their folder, and result->status is
 * the command's if it ran. */
MUST_USE int recorder_run(const struct recorder_options *options, struct recorder_result *result,
                          struct notes *n, struct err *e);

/* True when a `clew record` that was killed left rows for this output. */
bool recorder_has_left_rows(const char *output);

/* Writes the trace from them. Fails while a recorder, or the program itself, still writes them. */
MUST_USE int recorder_fold(const char *output, struct recorder_result *result, struct notes *n,
                           struct err *e);

#endif
