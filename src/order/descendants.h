/* Descendants: what an event of a handler comes before, where that is little.
 *
 *     struct descendants d;
 *     if (descendants_find(&d, hb, receive) && descendants_have(&d, hb, send)) { ... }
 *
 * Most handlers send a message or two, whose handlers lead no further. A short walk then tells all;
 * where it grows long, ancestors.h answers for many events at once. */
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

/* Finds what comes after an event of a handler, in other contexts, by other ways than the main
 * event that the handler ends before. False when more contexts or edges than a few take part. */
bool descendants_find(struct descendants *d, const struct hb *hb, event_id id);

/* Whether the event is among them. */
bool descendants_have(const struct descendants *d, const struct hb *hb, event_id id);

#endif
