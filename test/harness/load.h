/* Traces from files, for tests. */
#ifndef CLEW_TEST_LOAD_H
#define CLEW_TEST_LOAD_H

#include "trace/trace.h"

/* Fills t, which must be empty, with the Falcon log at path, and seals it; fails the test when that
 * cannot be read. */
void load_falcon(struct trace *t, const char *path);

#endif
