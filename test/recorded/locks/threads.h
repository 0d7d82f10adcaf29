/* Threads that take locks one after the other: each sleeps for its number, which orders nothing but
 * keeps the run from the deadlock that it allows. The first comment of a program says which
 * deadlocks there are ("deadlock: a>b c>d": taken at the line called a, asked for at b, and so on)
 * or that there is none; a line is called by the word at its end. */
#ifndef THREADS_H
#define THREADS_H

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { TURN_US = 30000 };

#define NEED(call)     \
    do {               \
        if (!(call)) { \
            abort();   \
        }              \
    } while (0)

/* The thread with this number, from 0, may begin. */
static inline void await_turn(unsigned number)
{
    NEED(usleep(number * TURN_US) == 0);
}

static inline pthread_t begin(void *(*run)(void *), void *argument)
{
    pthread_t thread;
    NEED(pthread_create(&thread, NULL, run, argument) == 0);
    return thread;
}

static inline void finish(pthread_t thread)
{
    NEED(pthread_join(thread, NULL) == 0);
}

#endif
