/* Races of a program that is still being recorded, reported as they happen: clew record --watch
 * races.
 */
#ifndef CLEW_CLI_VERBS_RECORD_WATCH_H
#define CLEW_CLI_VERBS_RECORD_WATCH_H

#include "base/notes.h"
#include "base/vec.h"
#include "cli/session.h"
#include "proc/record/live.h"
#include "race/observed/observed.h"

/* From which epoch on a task is at a moment. */
struct watch_moment {
    uint64_t epoch;
    struct observed_moment moment;
};

struct watch_task {
    VEC(struct watch_moment) moments;
};

struct watch {
    struct session *session;
    const char *command; /* run by the shell for each race; NULL: none */
    const char *trace;   /* where the recording will be */

    struct tables tables;
    struct notes notes;
    struct live_sink sink;
    struct live *live; /* NULL before the first look, and when watching has failed */
    struct observed *observed;
    VEC(struct watch_task) tasks; /* by number */
    struct names told;            /* pairs of places */
    uint64_t race_count;
    bool has_failed;
    VEC(pid_t) running; /* commands, the oldest first */
};

void watch_init(struct watch *w, struct session *s, const char *command, const char *trace);

/* Looks at the folder of a recording and tells the races that are new. When watching becomes
 * impossible it says so once, and the recording goes on. */
void watch_look(void *watch, const char *folder, bool is_over);

/* Waits for the commands that still run. */
void watch_release(struct watch *w);

#endif
