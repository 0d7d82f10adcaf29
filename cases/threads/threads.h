/* What the programs share: threads that run at once. With -DFIXED each is its own fixed twin. */
#ifndef CLEW_CASES_THREADS_THREADS_H
#define CLEW_CASES_THREADS_THREADS_H

#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef void *thread_body(void *);

enum { THREADS_MAX = 20 };

/* Starts a thread for each body, which is told its place in the list, and waits for all. */
static inline void threads_run(thread_body *const *bodies, size_t count)
{
    pthread_t threads[THREADS_MAX];
    assert(count <= THREADS_MAX);
    for (size_t i = 0; i < count; i++) {
        const int result = pthread_create(&threads[i], NULL, bodies[i], (void *)(intptr_t)i);
        assert(result == 0);
    }
    for (size_t i = 0; i < count; i++) {
        (void)pthread_join(threads[i], NULL);
    }
}

/* Runs these at once: RUN(reader, writer, writer); */
#define RUN(...)                                     \
    threads_run((thread_body *const[]){__VA_ARGS__}, \
                sizeof((thread_body *[]){__VA_ARGS__}) / sizeof(thread_body *))

#endif
