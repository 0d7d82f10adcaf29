/* Orders from the sending of a signal, or the arming of a timer, to the thread that takes it. */
#ifndef CLEW_RUNTIME_RECORD_HOOKS_SIGNAL_EDGES_H
#define CLEW_RUNTIME_RECORD_HOOKS_SIGNAL_EDGES_H

#include <stddef.h>

/* The calling thread received the signal: the events before its sending happen before the thread's
 * later ones. */
void signalled(int number, const void *place);

/* The same of the signals that it has read from a signalfd, and of a timerfd that it has read. */
void signalled_by_descriptor(const void *bytes, size_t size, const void *place);
void signalled_by_timer(int fd, const void *place);

/* libc created the calling thread to run a timer's function: the events before the timer was armed
 * happen before the thread's. */
void signalled_as_thread(void);

#endif
