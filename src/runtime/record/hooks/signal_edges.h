/* Orders from the sending of a signal, or the arming of a timer, to the thread that takes it. */
#ifndef CLEW_RUNTIME_RECORD_HOOKS_SIGNAL_EDGES_H
#define CLEW_RUNTIME_RECORD_HOOKS_SIGNAL_EDGES_H

#include <stddef.h>

/* The calling thread has got the signal: everything that was done before the signal was sent comes
 * before what follows. */
void signalled(int number, const void *place);

/* The same of the signals that it has read from a signalfd, and of a timerfd that it has read. */
void signalled_by_descriptor(const void *bytes, size_t size, const void *place);
void signalled_by_timer(int fd, const void *place);

/* The calling thread was made inside libc, for a timer that is to run a function: what was done
 * before the timer was armed comes before all that it does. */
void signalled_as_thread(void);

#endif
