/* A pool of forked processes: each does one part of the work and returns bytes. The results are
 * consumed in the order of the parts, so that the outcome does not depend on timing.
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
    /* Does one part, in a forked process that has a copy of the parent's memory. */
    int (*work)(void *context, uint32_t part, struct out *result, struct err *e);
    /* Consumes the result of the next part. */
    int (*take)(void *context, const char *bytes, size_t size, struct err *e);
    void *context;
};

/* Runs all parts. Fails with the error of the first part that failed, or when fork fails or a
 * process dies; no process is left then. */
MUST_USE int fork_pool_run(const struct fork_pool *c, struct err *e);

#endif
