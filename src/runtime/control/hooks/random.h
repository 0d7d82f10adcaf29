/* Random numbers of a run under control. */
#ifndef CLEW_RUNTIME_CONTROL_HOOKS_RANDOM_H
#define CLEW_RUNTIME_CONTROL_HOOKS_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Random bytes of the calling task: they depend on the plan's seed, on the task and on how many it
 * drew before. */
void random_fill(void *bytes, size_t size);

/* Whether the path is that of a device that gives random bytes. */
bool random_is_device(const char *path);

/* A stream of such bytes; NULL when there is no memory. */
FILE *random_stream(void);

#endif
