/* System calls as the runtime makes them: past the program's own door, which control stands in. */
#ifndef CLEW_RUNTIME_SYS_H
#define CLEW_RUNTIME_SYS_H

/* As syscall(2): -1 and errno when it fails. */
long sys(long number, ...);

#endif
