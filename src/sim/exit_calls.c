/* Calls that end a process or its thread. A system that makes one would end the explorer, without a
 * word and with a status of its own; here it ends the run. The linker lets a program's definitions
 * take the place of the C library's in all shared objects but that library itself: functions in
 * there that call exit(), as err() does, reach an exit handler. Calls of the program itself, which
 * a signal ends or which has no memory left, have their usual effect. */
#include "sim/exit_calls.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sim/handler_guard.h"
#include "sim/net.h"
#include "sim/state_hash.h"

/* POSIX lets dlsym's object pointer be a function pointer; ISO C does not, hence the unions. */
static _Noreturn void leave(const char *call, int status)
{
    const union {
        void *object;
        void (*function)(int status);
    } real = {.object = dlsym(RTLD_NEXT, call)};
    must(real.function != NULL);
    real.function(status);
    __builtin_unreachable();
}

static _Noreturn void leave_thread(void *value)
{
    const union {
        void *object;
        void (*function)(void *value);
    } real = {.object = dlsym(RTLD_NEXT, "pthread_exit")};
    must(real.function != NULL);
    real.function(value);
    __builtin_unreachable();
}

/* The linker's words for where the program begins, and where its code ends. */
extern const char program_begin[] __asm__("__executable_start");
extern const char code_end[] __asm__("etext");

static bool is_own(const void *caller)
{
    return (uintptr_t)caller >= (uintptr_t)program_begin && (uintptr_t)caller < (uintptr_t)code_end;
}

static void end_run(int status)
{
    char what[60];
    (void)snprintf(what, sizeof what, "ends the process with status %d", status & 0xff);
    guard_quit(what);
}

void exit(int status)
{
    if (!is_own(__builtin_return_address(0))) {
        end_run(status);
    }
    leave("exit", status);
}

void quick_exit(int status)
{
    if (!is_own(__builtin_return_address(0))) {
        end_run(status);
    }
    leave("quick_exit", status);
}

/* Calls the C library's function: signal handlers and new processes must not search for it. */
void _exit(int status)
{
    if (!is_own(__builtin_return_address(0))) {
        end_run(status);
    }
    while (true) {
        (void)syscall(SYS_exit_group, status);
    }
}

/* No function of its own: one that calls the other would be taken for the caller. */
void _Exit(int status) __attribute__((alias("_exit")));

void pthread_exit(void *value)
{
    if (!is_own(__builtin_return_address(0))) {
        guard_quit("ends its thread");
    }
    leave_thread(value);
}

static bool is_watching;

/* Each handler is off the list before it is called, so that it may be left by a jump. */
static void on_leaving(int status, void *context)
{
    (void)context;
    is_watching = false;
    end_run(status);
}

void quit_watch(void)
{
    if (!is_watching) {
        is_watching = on_exit(on_leaving, NULL) == 0;
    }
}
