/* Version checks as critical sections.
 *
 *     GET /a  ->  version 5          [ from the access that showed the version ...
 *     PUT /a, If-Match: 5            ... to the write that asks for it ]
 *     PUT /a                         [ ] a write that asks for none, a section of its own
 *
 * The server refuses a conditional write if somebody has written the resource since its task has
 * seen the version. So as far as conditional writes succeed, these sections of a resource exclude
 * each other like those of a lock. A write to a resource above or below changes the version too: it
 * passes through the section of each.
 *
 * One thing is different from a lock: nothing waits. A task that does not reach its conditional
 * write has not held the version; such a section counts only in executions that have its end. */
#ifndef CLEW_ATOMICITY_VERSION_H
#define CLEW_ATOMICITY_VERSION_H

#include "atomicity/shared_variable.h"
#include "base/arena.h"
#include "order/section.h"

/* Adds the sections of version checks to those of locks; each resource whose writes are checked is
 * one more lock behind the others, with the resource's name. Sections get new numbers, by the
 * list. They live in the arena. O(sections log sections + writes * (depth of their names + checked
 * resources above and below)). */
void versions_add(struct sections *s, const struct trace *t, const struct variables *v,
                  struct arena *a);

/* Whether the section is one of a version check that begins before the write that asks: it counts
 * only where that write, its end, is done. */
static inline bool version_is_awaited(const struct section *s, uint32_t version_first)
{
    return s->lock >= version_first && s->begin != s->end;
}

#endif
