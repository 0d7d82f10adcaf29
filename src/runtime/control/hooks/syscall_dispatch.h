/* System calls that the program, or libc for itself, makes without a name: the kernel hands them
 * back to us, by Syscall User Dispatch, where it can. What has a model is modelled, and the rest is
 * made on the caller's behalf. */
#ifndef CLEW_RUNTIME_CONTROL_HOOKS_SYSCALL_DISPATCH_H
#define CLEW_RUNTIME_CONTROL_HOOKS_SYSCALL_DISPATCH_H

#include <sys/types.h>

/* From now on in this thread, calls from code that is not ours are handed back while that is on.
 * Harmless where the kernel cannot. */
void trap_start(void);

/* A run begins; a run is over. */
void trap_on(void);
void trap_off(void);

/* Makes a process by a system call of the program's own, as fork() does. PROCESS_CLONE_ELSE: the
 * call makes a thread, or a process that shares memory or begins on another stack. */
enum { PROCESS_CLONE_ELSE = -2 };
long process_clone(long number, const long *a, const void *place);

/* As execveat; execve has folder AT_FDCWD. */
struct become {
    int flags;
    const void *place;
};
long process_become(int folder, const char *path, char *const *words, char *const *environment,
                    const struct become *how);
/* Waits until a child that is to become another program has done so; errno of what kept it from it,
 * which the child has left. */
int process_await_image(pid_t child, const void *place);

/* The calling task is about to make a call that may make another process, or another program of
 * this one: told as uncontrolled, or the end of the run. */
void process_leaves(long number, const long *a);
/* A call gave back 0: if that is a new process with memory of its own, it is not controlled. */
void process_left(long number, const long *a);

/* What a system call of the program comes to; -1 and errno when it fails. */
long syscall_model(long number, const long *a, const void *place);

#endif
