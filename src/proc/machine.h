/* What this machine lets clew do with real programs, found by trying. */
#ifndef CLEW_PROC_MACHINE_H
#define CLEW_PROC_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

/* One thing that a machine may allow. */
struct ability {
    const char *name;
    bool (*is_there)(void);
    const char *use;    /* what it is good for */
    const char *remedy; /* what to do where it is missing */
};

extern const struct ability abilities[];
extern const size_t ability_count;

#endif
