/* Descendants: the successors of an event of a handler, where they are few.
 *
 *     struct descendants d;
 *     if (descendants_find(&d, hb, receive) && descendants_have(&d, hb, send)) { ... }
 *
 * Most handlers send a message or two, whose handlers lead no further. Then a short walk finds all;
 * when it grows long, ancestors.h answers for many events at once. */
#ifndef CLEW_ORDER_DESCENDANTS_H
#define CLEW_ORDER_DESCENDANTS_H

#include <stdbool.h>
#include <stdint.h>

#include "order/hb.h"

enum { DESCENDANTS_MAX = 32 };

/* A context from this position on. */
struct descendant {
    uint32_t context;
    uint32_t position;
};

struct descendants {
    uint32_t count;
    struct descendant list[DESCENDANTS_MAX];
};

/* Finds the successors of an event of a handler, in other contexts, by other paths than the main
 * event after the handler's end. False when more than a few contexts or edges take part. */
bool descendants_find(struct descendants *d, const struct hb *hb, event_id id);

/* Whether the event is among them. */
bool descendants_have(const struct descendants *d, const struct hb *hb, event_id id);

#endif
