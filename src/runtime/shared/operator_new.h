/* C++'s new, in its six shapes. It calls malloc from its own library: so that a block is known by
 * the place that asked for it, each shape is hooked, and tells malloc's hook the place of its own
 * caller.
 *
 * Who hooks malloc (hook_memory.c, control_memory.c) writes a NEW_HOOK for each, with these before:
 *
 *     NEW_REAL(name)     the function of C++'s library; NULL: it was loaded out of sight
 *     outer_place        a variable of the thread, for the place
 *     outer_end(before)  puts *before back into it, as new may leave by an exception */
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

/* Without C++'s library malloc is all there is; what new does when that gives nothing is `fail`. */
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
