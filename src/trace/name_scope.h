/* The scope of a name. Equal names used by tasks of two nodes are two objects, one for each node,
 * unless the name says that the object belongs to the whole trace:
 *
 *     balance          a variable of its node
 *     shm:/queue+16    memory that processes share: the mapped object, then the offset in it
 *     eventfd#1        an eventfd, which processes may share too
 *
 * The name decides, not the event, so that every format that carries names carries scopes. */
#ifndef CLEW_TRACE_NAME_SCOPE_H
#define CLEW_TRACE_NAME_SCOPE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/names.h"

#define SCOPE_WHOLE_TRACE UINT32_MAX
#define SCOPE_MEMORY "shm:"
#define SCOPE_EVENTFD "eventfd#"

static inline bool scope_text_is_whole(const char *text)
{
    return strncmp(text, SCOPE_MEMORY, sizeof SCOPE_MEMORY - 1) == 0 ||
           strncmp(text, SCOPE_EVENTFD, sizeof SCOPE_EVENTFD - 1) == 0;
}

/* Whether the name means one object in the whole trace. */
static inline bool scope_is_whole(const struct names *names, uint32_t name)
{
    return scope_text_is_whole(names_text(names, name));
}

/* The node that this name belongs to when a task of `node` uses it, or SCOPE_WHOLE_TRACE. */
static inline uint32_t scope_of(const struct names *names, uint32_t node, uint32_t name)
{
    return scope_is_whole(names, name) ? SCOPE_WHOLE_TRACE : node;
}

#endif
