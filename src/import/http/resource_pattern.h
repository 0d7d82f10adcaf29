/* Patterns of resource names, as rules write them.
 *
 *     STAR/b/{bucket}/o/{+object}        where STAR is a '*'
 *
 * A '*' stands for any text, also none; {name} for a piece without '/', not empty; {+name} for one
 * that may hold '/'. Everything else stands for itself. The values of the names can be put into
 * another pattern of the same names: {bucket}/{object}. */
#ifndef CLEW_IMPORT_HTTP_RESOURCE_PATTERN_H
#define CLEW_IMPORT_HTTP_RESOURCE_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "import/text_builder.h"

enum { PATTERN_PARTS_MAX = 32, PATTERN_NAMES_MAX = 8 };

enum pattern_part_type { PART_TEXT, PART_ANY, PART_SEGMENT, PART_PATH };

struct pattern_part {
    enum pattern_part_type type;
    struct piece text; /* of PART_TEXT */
    uint32_t name;     /* of PART_SEGMENT and PART_PATH: its index */
};

/* Open for reading; its texts are in the arena it was parsed with. */
struct pattern {
    struct pattern_part parts[PATTERN_PARTS_MAX];
    size_t part_count;
    struct piece names[PATTERN_NAMES_MAX];
    size_t name_count;
};

/* The values of a pattern's names, pointing into the text that matched. */
struct pattern_match {
    struct piece values[PATTERN_NAMES_MAX];
};

/* The fault of a pattern, and its byte. */
struct pattern_fault {
    const char *what; /* NULL: no fault */
    size_t at;
    struct piece name; /* the one at fault, if there is one */
};

/* Parses text into p. When `known` is not NULL, names are those of it and no others, and no '*'
 * is allowed: p is for pattern_fill. */
MUST_USE bool pattern_parse(struct pattern *p, struct arena *a, struct piece text,
                            const struct pattern *known, struct pattern_fault *fault);

/* Whether the pattern matches all of text; if so, the values of its names. The shortest possible
 * ones, from left to right. O(parts * size^2) at the worst. */
bool pattern_matches(const struct pattern *p, struct piece text, struct pattern_match *match);

/* Appends the pattern with its names replaced by their values. */
void pattern_fill(const struct pattern *p, const struct pattern_match *match, struct text *out);

/* The index of this name in the pattern, -1 when none. */
int pattern_name(const struct pattern *p, struct piece name);

#endif
