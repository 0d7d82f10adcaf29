/* Is somebody still there. */
#ifndef CLEW_PROC_ALIVE_H
#define CLEW_PROC_ALIVE_H

#include <stdbool.h>
#include <stdint.h>

/* One that has ended and was not waited for yet does nothing more: it is not alive. */
bool task_is_alive(uint32_t pid, uint32_t tid);
bool process_is_alive(uint32_t pid);

#endif
