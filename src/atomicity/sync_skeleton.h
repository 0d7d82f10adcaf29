/* The synchronization of a trace, as the models of all its variables need it: the places where
 * tasks take and release locks, and where they wait for each other; task by task. */
#ifndef CLEW_ATOMICITY_SYNC_SKELETON_H
#define CLEW_ATOMICITY_SYNC_SKELETON_H

#include <stdbool.h>
#include <stdint.h>

#include "atomicity/compared_again.h"
#include "atomicity/fixed_order.h"
#include "atomicity/shared_variable.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/notes.h"
#include "order/hb.h"

/* Marks at one event stand in this order, an access between LOCK and UNLOCK. */
enum mark_kind {
    MARK_POINT, /* something else must come before, or waits for it */
    MARK_LOCK,
    MARK_UNLOCK,
};

struct mark {
    event_id event;
    uint32_t section; /* of hb.sections; POINT: none */
    enum mark_kind kind;
};

/* A part of a list of numbers. */
struct frame_span {
    uint32_t first, count;
};

/* Where a section stands in the marks; MARK_NONE: it never ends. */
struct section_marks {
    uint32_t lock, unlock;
};

#define MARK_NONE UINT32_MAX

/* Open for reading. */
struct frame {
    const struct trace *trace;
    struct hb hb;           /* its sections are those of locks and of version checks (version.h) */
    uint32_t version_first; /* locks from this number on are version checks */
    struct variables variables;
    struct settled settled;
    const struct mark *marks;
    const uint32_t *first;    /* per task, and one more: its marks */
    const bool *has_point_in; /* per lock: a POINT lies in some section of it, or takes it */
    const uint32_t *points;   /* the marks that are POINTs, in their order */
    size_t point_count;
    const struct section_marks *section_marks; /* per section */
    const struct frame_span *held_at;          /* per access: the sections around it, in `held` */
    const struct frame_span *held_after;       /* per mark: the sections held behind it */
    const uint32_t *held;
    const struct frame_span *nested_in; /* per lock: those in whose sections it is taken or
                                           released, in `nested` */
    const uint32_t *nested;
    const uint32_t *access_of; /* per event: its access, ACCESS_NONE: it is none */
    struct compared_reads compared;
    const uint32_t *writer; /* per access: the last write listed before it, ACCESS_NONE: none */
    struct arena arena;
};

/* Reads t, which must outlive f. O(events + orders * tasks + accesses * locks held there). */
MUST_USE int frame_build(struct frame *f, const struct trace *t, struct notes *n, struct err *e);
void frame_release(struct frame *f);

/* An atomic variable of a node. */
struct frame_without {
    uint32_t node, name;
};

/* The same without the order that the variable's own loads make. */
MUST_USE int frame_build_without(struct frame *f, const struct trace *t,
                                 const struct frame_without *without, struct notes *n,
                                 struct err *e);

/* Whether an event of one task must come before one of another; where nothing orders tasks, that is
 * known at once. */
static inline bool frame_is_before(const struct frame *f, event_id a, event_id b)
{
    return f->point_count > 0 && hb_is_before(&f->hb, a, b);
}

/* How many events of a task must come before one of another. O(1). */
static inline uint32_t frame_count_before(const struct frame *f, event_id event, uint32_t task)
{
    return f->point_count > 0 ? reach_count(&f->hb.before, event, task) : 0;
}

/* The outermost section around the access; UINT32_MAX: none. O(locks held there). */
uint32_t frame_outermost(const struct frame *f, uint32_t access);

/* Whether the section is of a version check. */
static inline bool frame_is_version(const struct frame *f, uint32_t section)
{
    return f->hb.sections.list[section].lock >= f->version_first;
}

/* The first mark of a task at or behind an event of the list. O(log). */
uint32_t frame_mark_from(const struct frame *f, uint32_t task, event_id event);

/* Whether a task that has come up to this mark holds a lock that others want. */
bool frame_is_holding(const struct frame *f, uint32_t task, uint32_t mark);

/* The last event of a task, at or before this one of its list, in front of which it holds no lock
 * that others want. O(log + marks between). */
event_id frame_calm(const struct frame *f, uint32_t task, event_id event);

/* Sections that are held while marks pass by, as a set. */
struct held {
    VEC(uint32_t) sections;
};

void held_pass(struct held *h, const struct mark *m);

#endif
