/* Makes every allocation and every outside call of a piece of work fail once.
 *
 *     static int convert(void *context) { ... 0, or one line on stderr and 2 ... }
 *     CHECK(fault_sweep(&(struct fault_sweep){.run = convert, .context = &paths}) > 20);
 *
 * The work runs in a child process with the first seam failing, then with the second, and so on
 * until the armed call is no longer reached. Each time the child must end by itself, either as it
 * does when nothing fails or with status 2 and exactly one line on stderr; it must leave no
 * half-written file in the scratch folder, and (under LeakSanitizer, unless memory was what ended)
 * no leak. */
#ifndef CLEW_TEST_FAULT_H
#define CLEW_TEST_FAULT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct fault_sweep {
    /* Does the work and returns its exit status: 0, or 2 after one line on stderr. If memory ends,
     * the sweep's own handler ends the child with that line. */
    int (*run)(void *context);
    void *context;
    /* Whether the output, after a run with this status, is absent or whole; NULL: not asked. Called
     * in the parent; it may remove the output to begin afresh. */
    bool (*output_is_right)(void *context, int status);
};

/* Returns how many calls were failed; fails the test at the first that is not handled. */
uint64_t fault_sweep(const struct fault_sweep *sweep);

/* For `run`: prints the error as its one line and returns 2. */
int fault_told(const struct err *e);

#endif
