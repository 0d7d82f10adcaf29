/* A set of ids: numbers or texts. Ids that lie close together cost a bit each. */
#ifndef CLEW_IMPORT_ID_SET_H
#define CLEW_IMPORT_ID_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/names.h"

/* {0} is empty. */
struct id_set {
    struct map page_of;  /* number / 64 to index into pages */
    VEC(uint64_t) pages; /* a bit for each of 64 numbers */
    struct names texts;
};

/* Adds an id; false when it was present. */
bool id_set_add(struct id_set *s, int64_t number);
bool id_set_add_text(struct id_set *s, const char *text, size_t size);

void id_set_release(struct id_set *s);

#endif
