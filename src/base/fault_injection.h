/* Fault injection: tests make the outside world fail. Every allocation and every system call asks
 * seam_fails() first; in production nothing is armed and the question is one comparison. */
#ifndef CLEW_BASE_FAULT_INJECTION_H
#define CLEW_BASE_FAULT_INJECTION_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

extern uint64_t seam_countdown; /* 0: nothing armed */
bool seam_hit(void);

/* True when this call is the one that must fail. */
static inline bool seam_fails(void)
{
    return __builtin_expect(seam_countdown != 0, 0) && seam_hit();
}

/* The result of a failed call: sets errno to `why` and returns -1.
 *
 *     const ssize_t got = seam_fails() ? seam_failure(EIO) : read(fd, bytes, size);
 */
static inline int seam_failure(int why)
{
    errno = why;
    return -1;
}

/* Makes the call_index-th call from now fail (the next one is 1). */
void seam_arm(uint64_t call_index);

/* Disarms; returns whether the armed call was reached. */
bool seam_disarm(void);

#endif
