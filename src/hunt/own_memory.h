/* Which accesses of a run are to memory that no other task of the run accesses. Of a program in C++
 * they are most of its steps, and they say nothing about the order of tasks. */
#ifndef CLEW_HUNT_OWN_MEMORY_H
#define CLEW_HUNT_OWN_MEMORY_H

#include "base/arena.h"
#include "base/bits.h"
#include "world/world.h"

/* A bit for each step of x. O(steps + bytes that they access). */
struct bits own_memory_find(const struct execution *x, struct arena *a);

#endif
