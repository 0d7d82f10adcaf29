/* Work shared among processes: each does its part and hands back bytes, which are taken in the
 * order of the parts, so that the result does not depend on who was faster.
 *
 *     static int work(void *context, uint32_t part, struct out *result, struct err *e);
 *     static int take(void *context, const char *bytes, size_t size, struct err *e);
 *     fork_pool_run(&(struct fork_pool){.count = 4, .work = work, .take = take, .context = &c}, e);
 */
#ifndef CLEW_BASE_FORK_POOL_H
#define CLEW_BASE_FORK_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/out.h"

struct fork_pool {
    uint32_t count; /* of parts, each a process of its own */
    /* Does one part, in a process that sees what this one saw and changes nothing of it. */
    int (*work)(void *context, uint32_t part, struct out *result, struct err *e);
    /* Takes the result of the next part. */
    int (*take)(void *context, const char *bytes, size_t size, struct err *e);
    void *context;
};

/* Runs all parts. Fails with the error of the first part that failed, or when a process cannot be
 * made or died; all are over then. */
MUST_USE int fork_pool_run(const struct fork_pool *c, struct err *e);

#endif
