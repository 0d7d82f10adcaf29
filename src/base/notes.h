/* Warnings on their way to the user: each kind of thing once, with how often it was met and where
 * first. Below cli/ nothing prints; what is skipped or assumed is noted here. */
#ifndef CLEW_BASE_NOTES_H
#define CLEW_BASE_NOTES_H

#include <stdint.h>

#include "base/vec.h"
#include "wire/must.h"

struct note {
    char text[200];  /* what was met; "%s" is never in it */
    char place[160]; /* where first, "" when nowhere */
    uint64_t count;
};

/* {0} is empty. */
struct notes {
    VEC(struct note) list;
};

/* Counts one more of what the text says; place is kept from the first. */
void notes_add(struct notes *n, const char *place, const char *format, ...) PRINTF_LIKE(3, 4);
void notes_add_many(struct notes *n, uint64_t count, const char *place, const char *text);

void notes_release(struct notes *n);

#endif
