/* The patterns of unserializable interleavings, as tables.
 *
 * One variable: two accesses of thread 1 with one of thread 2 between (RWR: the second read sees
 * another value). Two variables: x1 before x2 and y2 before y1, where the number is the thread and
 * x1 is the first of the four; in one of the orders
 *
 *     x1 x2 y2 y1       x1 y2 x2 y1       x1 y2 y1 x2
 *
 * and each seen from four sides (threads swapped, variables swapped): 108 typed orders, exactly
 * those whose conflicts form a cycle. */
#ifndef CLEW_ATOMICITY_VIOLATION_H
#define CLEW_ATOMICITY_VIOLATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/finding.h"

enum violation {
    VIOLATION_NONE,
    VIOLATION_RWR,
    VIOLATION_WWR,
    VIOLATION_RWW,
    VIOLATION_WRW,
    VIOLATION_WWW,
    VIOLATION_P1,
    VIOLATION_P2,
    VIOLATION_P3,
    VIOLATION_P4,
    VIOLATION_STALE, /* Rx1 Wx2 Wy1: serializable, but the written value may follow from the read */
    VIOLATION_MERGED, /* one of the first five, if x and y were one variable */
    VIOLATION_COUNT
};

/* An access in an interleaving of two threads. */
struct violation_access {
    uint8_t thread; /* 1 or 2 */
    uint8_t which;  /* 0: x, 1: y */
    bool is_write;
};

enum { VIOLATION_SIZE_MAX = 16, TYPED_ORDER_COUNT = 108, TYPED_ORDER_SIZE = 4 };

/* One of the typed orders, and its pattern. */
struct typed_order {
    struct violation_access accesses[TYPED_ORDER_SIZE];
    enum violation pattern;
    uint8_t form; /* 0, 1, 2: which of the three orders */
    uint8_t view; /* bit 0: threads are swapped, bit 1: variables are */
};

/* "lost update" and the like, for eyes; "RWW", "P1" for keys. */
const char *violation_name(enum violation p);
const char *violation_key(enum violation p);

/* The pattern of three accesses to one variable by threads 1, 2, 1; NONE: serializable. */
enum violation violation_of_three(bool first, bool middle, bool last);

/* Which of the four accesses of two variables write. */
struct violation_types {
    bool x1, x2, y2, y1;
};

/* The pattern of four accesses to two variables, NONE when x or y is only read. */
enum violation violation_of_four(struct violation_types writes);

/* The index-th typed order. */
struct typed_order violation_typed_order(size_t index);

/* Is the interleaving equivalent to running one thread after the other: by the order of
 * conflicting accesses, or by the values that reads see and the final values? count is at most
 * VIOLATION_SIZE_MAX. */
bool violation_is_conflict_serializable(const struct violation_access *a, size_t count);
bool violation_is_view_serializable(const struct violation_access *a, size_t count);

#endif
