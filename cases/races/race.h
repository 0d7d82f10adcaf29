/* What the programs of this folder share: claims that end the program, threads and child processes.
 *
 * The first comment of a program says what it does and what races in it:
 *
 *     race: VARIABLE WORD WORD      accesses at the lines whose comments are these words race
 *     may race: VARIABLE WORD WORD  so do these, but not in every run
 *     no race                       the program is correct
 *
 * VARIABLE is how clew names it, up to an index, a member or an offset: `queue.length`,
 * `main::job`, `shm:` for memory that processes share, - for what has no name of its own.
 */
#ifndef CLEW_CASES_RACES_RACE_H
#define CLEW_CASES_RACES_RACE_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Ends the program when the claim is false. */
#define MUST(claim)         \
    do {                    \
        if (!(claim)) {     \
            perror(#claim); \
            exit(99);       \
        }                   \
    } while (0)

typedef void *thread_body(void *);

static inline pthread_t thread_start(thread_body *body, void *argument)
{
    pthread_t thread;
    MUST(pthread_create(&thread, NULL, body, argument) == 0);
    return thread;
}

static inline void thread_join(pthread_t thread)
{
    MUST(pthread_join(thread, NULL) == 0);
}

/* Runs two threads at once and waits for both. */
static inline void threads_run(thread_body *first, thread_body *second)
{
    const pthread_t a = thread_start(first, NULL);
    const pthread_t b = thread_start(second, NULL);
    thread_join(a);
    thread_join(b);
}

/* Runs the body in a child process, which then ends. */
static inline pid_t process_start(void (*body)(void))
{
    const pid_t child = fork();
    MUST(child >= 0);
    if (child == 0) {
        body();
        _exit(0);
    }
    return child;
}

static inline void process_join(pid_t child)
{
    int status = -1;
    MUST(waitpid(child, &status, 0) == child);
    MUST(status == 0);
}

/* Memory that children share with their parent, all zero. */
static inline void *shared_memory(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    MUST(memory != MAP_FAILED);
    return memory;
}

#endif
