/* The few functions of libc that control still calls behind those of its own. */
#ifndef CLEW_RUNTIME_CONTROL_HOOKS_LIBC_BEHIND_H
#define CLEW_RUNTIME_CONTROL_HOOKS_LIBC_BEHIND_H

#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/types.h>
#include <time.h>

#include "runtime/shared/operator_new.h"

#define LIBC_LIST(FUNCTION)                                                                      \
    NEW_LIST(FUNCTION)                                                                           \
    FUNCTION(int, pthread_create,                                                                \
             (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))                   \
    FUNCTION(void, pthread_exit, (void *))                                                       \
    FUNCTION(int, pthread_detach, (pthread_t))                                                   \
    FUNCTION(int, pthread_getattr_np, (pthread_t, pthread_attr_t *))                             \
    FUNCTION(int, pthread_cancel, (pthread_t))                                                   \
    FUNCTION(void, pthread_testcancel, (void))                                                   \
    FUNCTION(int, pthread_setcancelstate, (int, int *))                                          \
    FUNCTION(int, pthread_setcanceltype, (int, int *))                                           \
    FUNCTION(int, pthread_kill, (pthread_t, int))                                                \
    FUNCTION(void, exit, (int))                                                                  \
    FUNCTION(void, quick_exit, (int))                                                            \
    FUNCTION(pid_t, fork, (void))                                                                \
    FUNCTION(int, sigaction, (int, const struct sigaction *, struct sigaction *))                \
    FUNCTION(int, __sigsetjmp, (struct __jmp_buf_tag *, int))                                    \
    FUNCTION(int, clock_gettime, (clockid_t, struct timespec *))                                 \
    FUNCTION(int, timespec_get, (struct timespec *, int))                                        \
    FUNCTION(int, gettimeofday, (struct timeval *, void *))                                      \
    FUNCTION(time_t, time, (time_t *))                                                           \
    FUNCTION(clock_t, clock, (void))                                                             \
    FUNCTION(int, nanosleep, (const struct timespec *, struct timespec *))                       \
    FUNCTION(int, clock_nanosleep, (clockid_t, int, const struct timespec *, struct timespec *)) \
    FUNCTION(int, usleep, (useconds_t))                                                          \
    FUNCTION(unsigned, sleep, (unsigned))                                                        \
    FUNCTION(FILE *, fopen, (const char *, const char *))                                        \
    FUNCTION(FILE *, fopen64, (const char *, const char *))                                      \
    FUNCTION(void *, mmap, (void *, size_t, int, int, int, off_t))                               \
    FUNCTION(int, munmap, (void *, size_t))                                                      \
    FUNCTION(void *, dlopen, (const char *, int))                                                \
    FUNCTION(int, __libc_start_main,                                                             \
             (int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void),      \
              void (*)(void), void *))

struct libc_functions {
#define FUNCTION(result, name, parameters) result(*name) parameters;
    LIBC_LIST(FUNCTION)
#undef FUNCTION
    void (*call_tls_dtors)(void);
    bool is_found;
};

/* Found when the first of them is called: constructors of other libraries may come before ours. */
extern struct libc_functions libc_functions;
void libc_find(void);

static inline struct libc_functions *libc_found(void)
{
    if (__builtin_expect(!libc_functions.is_found, 0)) {
        libc_find();
    }
    return &libc_functions;
}
#define libc (*libc_found())

/* exit() as the program calls it. */
_Noreturn void libc_exit(int status);

#endif
