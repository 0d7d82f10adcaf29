/* The environment of a program that a recorded one becomes or spawns: its own, with the recorder's
 * variables in it. */
#ifndef CLEW_RUNTIME_RECORD_HOOKS_EXEC_ENVIRONMENT_H
#define CLEW_RUNTIME_RECORD_HOOKS_EXEC_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

struct environment {
    char *const *words; /* ended by NULL */
    void *pages;        /* where the list and the words added are; NULL: none of its own */
    size_t size;
};

/* Builds it from `given`. Without memory for it, words is `given` itself and the program will not
 * be recorded. Safe after a fork. */
void environment_build(struct environment *e, char *const *given, bool is_for_child);
void environment_release(struct environment *e);

/* Remembers where the recorder's library is; called once, at the start. */
void environment_start(void);

#endif
