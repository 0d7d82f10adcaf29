/* What the programs share: threads that run at once. With -DFIXED each is its own fixed twin. */
#ifndef CLEW_CASES_THREADS_THREADS_H
#define CLEW_CASES_THREADS_THREADS_H

#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef void *thread_body(void *);

enum { THREADS_MAX = 128 };

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

/* The number of threads that the command line asks for, `usual` where it names none. */
static inline size_t threads_asked(int argc, char **argv, size_t usual)
{
    const size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : usual;
    assert(count >= 2 && count <= THREADS_MAX);
    return count;
}

/* Runs `others` in count - 1 threads and then starts `last`. */
static inline void threads_run_last(thread_body *others, thread_body *last, size_t count)
{
    thread_body *bodies[THREADS_MAX];
    assert(count >= 1 && count <= THREADS_MAX);
    for (size_t i = 0; i + 1 < count; i++) {
        bodies[i] = others;
    }
    bodies[count - 1] = last;
    threads_run(bodies, count);
}

/* Runs these at once: RUN(reader, writer, writer); */
#define RUN(...)                                     \
    threads_run((thread_body *const[]){__VA_ARGS__}, \
                sizeof((thread_body *[]){__VA_ARGS__}) / sizeof(thread_body *))

#endif
