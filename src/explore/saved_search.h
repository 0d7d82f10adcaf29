/* The state of a search, as numbers in a row, so that another process goes on with it. */
#ifndef CLEW_EXPLORE_SAVED_SEARCH_H
#define CLEW_EXPLORE_SAVED_SEARCH_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/out.h"

/* Numbers that are yet to be taken. {.at = bytes, .left = their number / 8} begins. */
struct saved {
    const char *at;
    size_t left;   /* numbers */
    bool is_short; /* one was asked for that is not there; all since are 0 */
};

static inline void saved_put(struct out *out, uint64_t number)
{
    out_bytes(out, &number, sizeof number);
}

static inline uint64_t saved_take(struct saved *s)
{
    uint64_t number = 0;
    if (s->left == 0) {
        s->is_short = true;
        return 0;
    }
    memcpy(&number, s->at, sizeof number);
    s->at += sizeof number;
    s->left--;
    return number;
}

/* How many of something follow, each of at least one number: never more than there can be. */
static inline uint64_t saved_take_count(struct saved *s)
{
    const uint64_t count = saved_take(s);
    s->is_short = s->is_short || count > s->left;
    return s->is_short ? 0 : count;
}

#endif
