/* Memory that all processes of a controlled program share: the region SEGMENT of the page
 * (wire/control.h). The scheduler's state lies here, because whichever process runs chooses who
 * goes next.
 *
 *     board = segment_take(sizeof *board);    in the order of the calls of start(), run_control.c
 *
 * Every process maps the page at the same address, and a new image of a process takes the same
 * pieces in the same order, so a pointer from the segment into the segment means the same
 * everywhere. A pointer to the program's own memory means something in the process of its task
 * alone; no other process follows it. */
#ifndef CLEW_RUNTIME_CONTROL_SCHED_SHARED_SEGMENT_H
#define CLEW_RUNTIME_CONTROL_SCHED_SHARED_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>

/* Before anything is taken. The first process of a program finds the segment zero; an image that
 * takes the place of another finds what the processes have left there. */
void segment_start(bool is_first);

/* The next piece, aligned to 64 bytes. Ends the process when there is no room. */
void *segment_take(size_t size);

#endif
