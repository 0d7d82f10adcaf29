/* Functions that the hooks of POSIX threads and those of C11 threads share. */
#ifndef CLEW_RUNTIME_RECORD_HOOKS_SYNC_SHARED_H
#define CLEW_RUNTIME_RECORD_HOOKS_SYNC_SHARED_H

#include <pthread.h>
#include <semaphore.h>

#include "runtime/record/log/recorder.h"

/* One operation on an object without more to say. */
void sync_record(enum event_kind kind, uint8_t mode, const volatile void *object,
                 const void *place);
/* The same before it is done, for it may be refused. */
struct rt_mark sync_announce(enum event_kind kind, uint8_t mode, const volatile void *object,
                             const void *place);

/* The mode of a mutex's events. */
uint8_t sync_mutex_mode(const pthread_mutex_t *m);

/* Begin and end of a wait for a condition. */
void sync_record_wait(enum event_kind kind, const pthread_cond_t *c, const pthread_mutex_t *m,
                      const void *place);

/* A semaphore has been made with this count. */
void sync_record_semaphore(const sem_t *s, unsigned value, const void *place);

/* Runs `once` through `real`, such that the one who initializes records it before anybody can see
 * it done, and all others after. */
int sync_once(int (*real)(pthread_once_t *, void (*)(void)), pthread_once_t *once,
              void (*run)(void), const void *place);

/* Creates a thread for either name of a thread; exactly one of run and run_c11 is set. */
struct thread_creation {
    void *(*run)(void *);
    int (*run_c11)(void *);
    void *argument;
    const void *place;
};
int thread_create(pthread_t *thread, const pthread_attr_t *attributes,
                  const struct thread_creation *creation);

/* The task's number, or -1, asked before a join; and the join once it has succeeded. */
int64_t thread_number(pthread_t thread);
void thread_record_join(int64_t number, const void *place);

#endif
