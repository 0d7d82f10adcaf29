/* System calls of the runtime itself. They do not go through syscall(), which control interposes.
 */
#ifndef CLEW_RUNTIME_SHARED_RAW_SYSCALL_H
#define CLEW_RUNTIME_SHARED_RAW_SYSCALL_H

#include <poll.h>
#include <stdint.h>

/* As syscall(2): -1 and errno when it fails. */
long sys(long number, ...);
long sys_call(long number, const long *a);

/* As poll(2). */
int sys_poll(struct pollfd *descriptors, uint32_t count, int ms);

#endif
