/* Chance, as a run has it. */
#ifndef CLEW_RUNTIME_CONTROL_RANDOM_H
#define CLEW_RUNTIME_CONTROL_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Bytes that depend on the plan's seed and on how many were drawn before. */
void random_fill(void *bytes, size_t size);

/* Whether the path is that of a device that gives random bytes. */
bool random_is_device(const char *path);

/* A stream of such bytes; NULL when there is no memory. */
FILE *random_stream(void);

#endif
