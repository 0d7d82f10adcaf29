/* The messages that each task received, in order, and the accesses of their handlers.
 *
 *     rank                0        1        2        3
 *     received            m4       m7       m9       m10
 *     handlers write x    e31               e50 e52  e60         a track: ranks 0 2 2 3
 */
#ifndef CLEW_RACE_MESSAGE_HANDLERS_H
#define CLEW_RACE_MESSAGE_HANDLERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/map.h"
#include "order/bucket.h"
#include "order/hb.h"
#include "race/access_classes.h"

#define RANK_NONE UINT32_MAX

/* One task's messages, by rank. */
struct inbox {
    uint32_t task;
    uint32_t count;
    const struct message *messages;
    const uint32_t
        *like_before; /* the rank of the message before of the same send, RANK_NONE: none */
};

/* Events that look alike, each with the rank of the message whose handler it is in. Ranks never
 * fall.
 */
struct track {
    uint32_t count;
    const uint32_t *ranks;
    const event_id *events;
};

/* Tracks are kept per class: of the accesses, and after them, with numbers of their own, of the
 * receives of each task (all of it, and by the place of the receive). */
struct inboxes {
    uint32_t task_count;
    uint32_t access_class_count;
    const struct inbox *of_task;
    const struct track *tracks; /* the first ones are those of the accesses' classes */
    struct map track_of;    /* (class, stream) to the part that came by the stream; stream 0: all */
    struct map place_of;    /* (task, location of receives) to a class */
    struct buckets classes; /* per task: the classes of its accesses in handlers, by variable */
};

/* Sorts the messages that the filter's span lets through, and the accesses in their handlers. */
void inboxes_build(struct inboxes *x, const struct hb *hb, const struct accesses *a,
                   const struct access_filter *f, struct arena *arena);
void inboxes_release(struct inboxes *x);

/* The class of all that a task received. */
static inline uint32_t inbox_class(const struct inboxes *x, uint32_t task)
{
    return x->access_class_count + task;
}

/* The track of a class, or the part of it that came by a stream (0: all); empty when nothing did.
 */
struct track inbox_track(const struct inboxes *x, uint32_t class, uint32_t stream);

/* Where the ranks from..to-1 begin in the track, and how many entries they are. O(log). */
uint32_t track_from(const struct track *k, uint32_t rank);
uint32_t track_count(const struct track *k, uint32_t from, uint32_t to);

/* Whether two messages of an inbox can race at all: they are of different sends, and streams keep
 * their order. */
static inline bool inbox_may_swap(const struct message *a, const struct message *b)
{
    return a->send != b->send && (a->stream == 0 || a->stream != b->stream);
}

#endif
