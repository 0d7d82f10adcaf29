/* The programs that a command starts: it runs to its end, and each program that one of its
 * processes becomes, and whose file is below a folder, is noted.
 *
 *     struct started s = {0};
 *     if (started_run(&s, (char *const[]){"make", "check", NULL}, "/src/queue", e) == 0) {
 *         vec_each (&s.programs, program) { ... program->path, program->words ... }
 *     }
 *     started_release(&s);
 *
 * The command is traced (ptrace) through its forks and execs. A dynamic program below the folder is
 * let go once it is noted, so that a leak checker in it works; what it starts itself is not seen.
 * Programs with set-user-ID bits run without these rights. */
#ifndef CLEW_PROC_SUITE_STARTED_PROGRAMS_H
#define CLEW_PROC_SUITE_STARTED_PROGRAMS_H

#include "base/arena.h"
#include "base/err.h"
#include "base/map.h"
#include "base/vec.h"

/* Texts are in the arena of struct started. */
struct started_program {
    const char *path;         /* of its file */
    const char *folder;       /* where it started */
    char *const *words;       /* of its command, ended by NULL */
    char *const *environment; /* ended by NULL */
    uint32_t start_count;     /* of the same path, folder and words */
    bool is_static;           /* it cannot be controlled */
};

/* {0} is empty. */
struct started {
    struct arena arena;
    VEC(struct started_program) programs; /* in the order of their first start */
    struct map known;
    int status; /* of the command, as of waitpid */
};

/* Runs the command, whose output goes to standard error. Fails when it cannot be started or
 * traced. */
MUST_USE int started_run(struct started *s, char *const *command, const char *folder,
                         struct err *e);
void started_release(struct started *s);

#endif
