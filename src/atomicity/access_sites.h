/* The accesses of a sketch with the critical sections around them, and which two of one thread
 * belong together. */
#ifndef CLEW_ATOMICITY_ACCESS_SITES_H
#define CLEW_ATOMICITY_ACCESS_SITES_H

#include <stdbool.h>
#include <stdint.h>

#include "atomicity/variable_accesses.h"
#include "base/arena.h"
#include "base/map.h"
#include "base/tuple_intern.h"
#include "base/vec.h"

/* A critical section of a thread. */
struct site_section {
    uint32_t section; /* of the trace */
    uint32_t lock;    /* of the trace */
    bool is_shared;
};

/* An access of the sketch. */
struct site {
    event_id event;
    /* Its sections are held[held_first .. held_first + held_count); of those of version checks
     * only the ones that end with it: the others may be given up (version.h). */
    uint32_t held_first;
    uint32_t held_count;
    uint32_t locks; /* equal for accesses of one sketch that hold the same; 0: nothing */
    uint32_t sort;  /* equal for accesses of one kind at one place; where that is not known, or the
                       sorts have classes: to variables of one class */
    uint8_t which;
    bool is_write;
    bool is_related;
};

/* Two accesses of one thread, the first before the second, and nothing between that would make a
 * closer couple of the same kind. */
struct couple {
    uint32_t first, second; /* sites */
    uint32_t sort;          /* equal for couples of equal sorts */
    uint32_t cover;    /* the locks held from the first to the second, numbered as in `locks` */
    uint32_t locks[2]; /* of the two sites */
    bool has_reads_between; /* two writes */
    bool is_overwritten; /* a read of the one variable, and its task writes it before the second */
    /* Its accesses belong to two operations, and neither a marked region nor a lock that is held
     * across makes them one. */
    bool is_rounds;
    enum settled_by apart; /* why its accesses belong to two things that the task does, apart.h */
};

/* Numbers for sorts, shared by all sketches of a search, which so know earlier results. */
struct sorts {
    struct tuples tuples;
    VEC(uint32_t) group_of; /* per sort: its group plus one, while groups are made (cast.c) */
    bool has_classes; /* accesses to different classes differ even where their places are known */
};

void sorts_release(struct sorts *s);

typedef VEC(struct couple) couple_list;

struct sites {
    const struct sketch *sketch;
    struct site *list;  /* per access of the sketch */
    VEC(uint32_t) held; /* numbers of sections */
    VEC(struct site_section) sections;
    /* For separate_operations.c: of x and y, the reads that a section goes on from to a write; and
     * per lock, the task that holds it at an access plus 1, or UINT32_MAX for several. */
    struct map updates[2];
    struct map holders;
    struct arena arena;
};

/* Only sections of locks that tasks contend for are looked at. O(accesses * locks held there). */
void sites_build(struct sites *s, const struct sketch *sketch, struct sorts *sorts);
void sites_release(struct sites *s);

/* The couples of a thread: accesses to one variable that follow each other (of x alone; or, when
 * is_merged, of x and y taken as one), and two writes with only reads between.
 *
 * Of an atomic variable, a load and the store or blind read-modify-write that follows it are a
 * couple (check, then act), and so are a blind read-modify-write and the load that follows it. A
 * read-modify-write whose result is used looks at the value by itself. */
void sites_couples(const struct sites *s, uint32_t thread, bool is_merged, struct sorts *sorts,
                   couple_list *list);

/* The couples of an access to one variable and a later one to the other, closest of their kinds:
 * the first is the last of its kind (variable, read or write) before the second, and the second is
 * the first of its kind after the first. Accesses of the two other kinds may lie between:
 *
 *     W x   R y   R x   W y        (W x, R y)  (W x, W y)  (R y, R x)  (R x, W y)
 *
 * These couples are complete. If the closest couple cannot replace a wider one in an interleaving,
 * then two accesses of one kind are interrupted there, which is a pattern of one variable. */
void sites_pairs(const struct sites *s, uint32_t thread, struct sorts *sorts, couple_list *list);

/* True when a lock is held from the first of the couple to the second, and another excludes it
 * around the site: the site never comes between. Depends on the couple's `cover` and the site's
 * `locks` only. */
bool sites_shut_out(const struct sites *s, const struct couple *c, const struct site *other);

#endif
