/* What the programs here share: two threads, the second of which comes late by the clock alone. */
#ifndef CLEW_TEST_RECORDED_ATOMICITY_TWO_H
#define CLEW_TEST_RECORDED_ATOMICITY_TWO_H
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define LOCK(m) pthread_mutex_lock(&(m))
#define UNLOCK(m) pthread_mutex_unlock(&(m))
#define MUTEX PTHREAD_MUTEX_INITIALIZER
static inline void late(void)
{
    usleep(20000);
}
static inline int run2(void *(*a)(void *), void *(*b)(void *))
{
    pthread_t t[2];
    pthread_create(&t[0], 0, a, 0);
    pthread_create(&t[1], 0, b, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    return 0;
}
#endif
