/* Notes: warnings for the user. Each kind appears once, with its count and its first place. Below
 * cli/ nothing prints; skipped or assumed parts of the input are noted here. */
#ifndef CLEW_BASE_NOTES_H
#define CLEW_BASE_NOTES_H

#include <stdint.h>

#include "base/vec.h"
#include "wire/must.h"

struct note {
    char text[200];  /* the warning; "%s" is never in it */
    char place[160]; /* the first place, "" when there is none */
    uint64_t count;
};

/* {0} is empty. */
struct notes {
    VEC(struct note) list;
};

/* Counts one more occurrence of the text; the first place is kept. */
void notes_add(struct notes *n, const char *place, const char *format, ...) PRINTF_LIKE(3, 4);
void notes_add_many(struct notes *n, uint64_t count, const char *place, const char *text);

void notes_release(struct notes *n);

#endif
