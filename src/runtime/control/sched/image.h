/* The program that a process runs, and the one that takes its place by exec.
 *
 * The page is kept open on a descriptor that the program does not know, so that the next program
 * can map it again: its environment gets the variable CLEW_CONTROL with the descriptor and the
 * number of the process, and clew's library in LD_PRELOAD. The process keeps the turn until the
 * next program has reached its main. */
#ifndef CLEW_RUNTIME_CONTROL_SCHED_IMAGE_H
#define CLEW_RUNTIME_CONTROL_SCHED_IMAGE_H

#include <stdbool.h>

/* The page was mapped from this descriptor, which is moved out of the program's way. A program that
 * took the place of another gets its number (control_image). */
void image_keep_page(int fd);
/* Whether the descriptor is the one of the page. */
bool image_is_page(int fd);
/* The environment is the program's again. */
void image_unset_preload(void);

/* Makes the calling process another program, as execve does. Returns -1 and errno where that
 * fails. */
long image_exec(int folder, const char *path, char *const arguments[], char *const environment[],
                int flags);

#endif
