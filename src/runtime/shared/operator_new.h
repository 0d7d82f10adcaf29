/* Hooks of C++'s six operators new. They call malloc from libstdc++, so malloc's hook would see a
 * place in the library. Each hook therefore passes the place of its own caller to malloc's hook.
 *
 * A file that hooks malloc (hooks/malloc.c of record/ and control/) writes a NEW_HOOK for each, and
 * defines before:
 *
 *     NEW_REAL(name)     the function of libstdc++; NULL: dlsym does not find it
 *     outer_place        a thread-local variable, for the place
 *     outer_end(before)  restores outer_place to *before, also when new throws an exception */
#ifndef CLEW_RUNTIME_SHARED_OPERATOR_NEW_H
#define CLEW_RUNTIME_SHARED_OPERATOR_NEW_H

#include <stdlib.h>

#define NEW_LIST(FUNCTION)                                        \
    FUNCTION(void *, _Znwm, (size_t))                             \
    FUNCTION(void *, _Znam, (size_t))                             \
    FUNCTION(void *, _ZnwmSt11align_val_t, (size_t, size_t))      \
    FUNCTION(void *, _ZnamSt11align_val_t, (size_t, size_t))      \
    FUNCTION(void *, _ZnwmRKSt9nothrow_t, (size_t, const void *)) \
    FUNCTION(void *, _ZnamRKSt9nothrow_t, (size_t, const void *))

/* Without libstdc++ the hook calls malloc itself; `fail` is its action when malloc returns NULL. */
#define NEW_HOOK(name, parameters, arguments, fail)                                         \
    RT_EXPORT void *name parameters;                                                        \
    RT_EXPORT void *name parameters                                                         \
    {                                                                                       \
        __attribute__((cleanup(outer_end), unused)) const void *const before = outer_place; \
        outer_place = RT_PLACE;                                                             \
        __typeof__(&(name)) const of_library = NEW_REAL(name);                              \
        if (of_library != NULL) {                                                           \
            return of_library arguments;                                                    \
        }                                                                                   \
        void *block = malloc(size);                                                         \
        if (block == NULL) {                                                                \
            fail;                                                                           \
        }                                                                                   \
        return block;                                                                       \
    }

#endif
