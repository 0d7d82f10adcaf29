/* libc's own function behind one that control stands in for. */
#ifndef CLEW_RUNTIME_CONTROL_HOOKS_NEXT_SYMBOL_H
#define CLEW_RUNTIME_CONTROL_HOOKS_NEXT_SYMBOL_H

#include <dlfcn.h>
#include <stddef.h>

static inline void (*next_find(const char *name))(void)
{
    union {
        void *object;
        void (*function)(void);
    } found = {.object = dlsym(RTLD_NEXT, name)};
    return found.function;
}

/* Looked up when it is first called: constructors may call before ours. */
#define NEXT(name)                                        \
    (__extension__({                                      \
        static __typeof__(name) *found;                   \
        if (found == NULL) {                              \
            found = (__typeof__(name) *)next_find(#name); \
        }                                                 \
        found;                                            \
    }))

#endif
