/* The next reports, one per process, the earliest on top: a heap of processes. */
#ifndef CLEW_MONITOR_ONLINE_REPORT_HEAP_H
#define CLEW_MONITOR_ONLINE_REPORT_HEAP_H

#include "monitor/offline/cuts.h"

struct front {
    const struct cuts *cuts;
    uint32_t *taken;   /* per process: reports taken; the owner raises it, then calls front_sink */
    uint32_t *heap;    /* processes */
    uint32_t *heap_at; /* per process: its place in the heap */
    int64_t *next;     /* per process: the time of its next report; INT64_MAX: none is left */
};

/* Builds the heap after `taken`; arrays are in the arena. O(processes). */
void front_init(struct front *f, const struct cuts *c, uint32_t *taken, struct arena *a);

/* The owner has raised `taken` of the process. O(log processes). */
void front_sink(struct front *f, uint32_t process);

/* Whether all reports of the process are taken. */
static inline bool front_is_done(const struct front *f, uint32_t process)
{
    return f->cuts->first[process] + f->taken[process] == f->cuts->first[process + 1];
}

/* The process whose next report is the earliest; a finished one when all are finished. */
static inline uint32_t front_soonest(const struct front *f)
{
    return f->heap[0];
}

#endif
