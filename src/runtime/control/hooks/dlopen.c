/* Libraries that are loaded, and functions that are looked up by name. */
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

#include "runtime/control/hooks/libc_behind.h"
#include "runtime/control/sched/run_control.h"

RT_EXPORT void *dlopen(const char *path, int flags)
{
    control_changed();
    void *library = libc.dlopen(path, flags);
    if (control != NULL) {
        object_modules();
    }
    return library;
}

#ifdef __x86_64__

static void *(*real_dlsym)(void *, const char *);

static bool is_in_module_of(uintptr_t address, uintptr_t known)
{
    uintptr_t begin = 0;
    uintptr_t end = 0;
    object_module_of(known, &begin, &end);
    return address >= begin && address < end;
}

/* The function of ours that the caller is to have instead of libc's; NULL: none. An allocator looks
 * pthread_create up behind itself, to make a thread of its own. Where a library stands in for
 * pthread_create, that is left to it. */
__attribute__((used)) static void *find_own(const char *name, uintptr_t caller)
{
    if (real_dlsym == NULL) {
        void *found = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
        memcpy(&real_dlsym, &found, sizeof found);
    }
    if (control == NULL || strcmp(name, "pthread_create") != 0 ||
        is_in_module_of(caller, (uintptr_t)find_own) ||
        !is_in_module_of((uintptr_t)libc.pthread_create, (uintptr_t)libc.exit)) {
        return NULL;
    }
    return (void *)(uintptr_t)pthread_create;
}

/* libc asks who called: it is jumped to. */
RT_EXPORT __attribute__((naked)) void *dlsym(__attribute__((unused)) void *library,
                                             __attribute__((unused)) const char *name)
{
    __asm__("push %rdi\n push %rsi\n mov %rsi, %rdi\n mov 16(%rsp), %rsi\n"
            "sub $8, %rsp\n call find_own\n add $8, %rsp\n"
            "pop %rsi\n pop %rdi\n test %rax, %rax\n jnz 1f\n jmp *real_dlsym(%rip)\n 1: ret\n");
}

#endif
