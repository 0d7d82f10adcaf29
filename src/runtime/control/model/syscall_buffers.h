/* The buffers of system calls, under control: the kernel reads what is sent and writes what is
 * received in the name of the calling task, so that both are accesses of that task.
 *
 *     buffer_read(&call);                    what is sent, before it is
 *     struct buffer_own own;
 *     if (buffer_take(&call, &own)) {        a receive goes to memory of the task's own ...
 *         result = made(own.a);
 *         buffer_give(&call, &own, result);  ... and from there, in parts, to where it belongs
 *     }
 *
 * Calls that libc makes for itself use its own buffers under its own locks: they are no accesses.
 */
#ifndef CLEW_RUNTIME_CONTROL_MODEL_SYSCALL_BUFFERS_H
#define CLEW_RUNTIME_CONTROL_MODEL_SYSCALL_BUFFERS_H

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/uio.h>

enum { BUFFER_ARGUMENTS = 6 };

/* A system call by its number: read, readv, recvfrom, recvmsg, pread and their kin. */
struct buffer_call {
    long number;
    const long *a;
    const void *place;
};

/* The same call with a buffer of the task's own. */
struct buffer_own {
    long a[BUFFER_ARGUMENTS];
    struct iovec all;
    struct msghdr message;
};

/* What the call sends is read by the calling task. */
void buffer_read(const struct buffer_call *c);

/* Makes a call that receives into memory of the task's own. False when nobody else could notice its
 * writes, or there is no memory: the call is then made as it is, and its writes are told by
 * buffer_write. */
bool buffer_take(const struct buffer_call *c, struct buffer_own *own);
/* The call has received so much. */
void buffer_give(const struct buffer_call *c, struct buffer_own *own, long received);

/* So many bytes were written to the buffers of the call by now. */
void buffer_write(const struct buffer_call *c, long received);

#endif
