/* Whether a process or a task is still alive. */
#ifndef CLEW_PROC_RECORD_PROCESS_ALIVE_H
#define CLEW_PROC_RECORD_PROCESS_ALIVE_H

#include <stdbool.h>
#include <stdint.h>

/* One that has ended and was not waited for yet does nothing more: it is not alive. */
bool task_is_alive(uint32_t pid, uint32_t tid);

/* A number is given out again: of a process that recorded into the folder (an absolute path),
 * whether it is alive and still has its files mapped. Where that cannot be seen, being alive is
 * enough. */
bool process_is_recording(uint32_t pid, const char *folder);

#endif
