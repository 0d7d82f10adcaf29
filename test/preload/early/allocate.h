/* Uses the allocator by every call that allocates, in two threads. */
#ifndef CLEW_TEST_PRELOAD_ALLOCATE_H
#define CLEW_TEST_PRELOAD_ALLOCATE_H

#include <dlfcn.h>

#include "../program.h"

static inline void *allocate(void *unused)
{
    char *word = strdup("a word");
    char *part = strndup("a word", 1);
    CLAIM(word != NULL && part != NULL && strcmp(part, "a") == 0);
    word = realloc(word, 100);
    part = reallocarray(part, 3, 50);
    CLAIM(word != NULL && part != NULL && strcmp(word, "a word") == 0 && strcmp(part, "a") == 0);
    char *zeros = calloc(3, 5);
    CLAIM(zeros != NULL && zeros[14] == 0);
    char *printed = NULL;
    CLAIM(asprintf(&printed, "%s", word) == 6);
    void *aligned = NULL;
    CLAIM(posix_memalign(&aligned, 64, 100) == 0 && (uintptr_t)aligned % 64 == 0);
    free(aligned);
    aligned = aligned_alloc(64, 128);
    CLAIM(aligned != NULL);
    free(aligned);
    free(printed);
    free(zeros);
    free(part);
    free(word);
    CLAIM(dlsym(RTLD_DEFAULT, "no_such_function") == NULL); /* the message is allocated */
    CLAIM(dlerror() != NULL);
    return unused;
}

static inline void allocate_in_all_ways(void)
{
    const pthread_t thread = thread_begin(allocate, NULL);
    (void)allocate(NULL);
    thread_wait(thread);
}

#endif
