/* A JSON reader for input of any size, as a stream of selected values.
 *
 *     enum place { ELSEWHERE, ROOT = JSON_ROOT, LOG, ENTRIES, ENTRY, URL };
 *     static const struct json_place places[] = {
 *         {ROOT, "log", LOG}, {LOG, "entries", ENTRIES},
 *         {ENTRIES, NULL, ENTRY}, {ENTRY, "url", URL}, {0},
 *     };
 *
 * A row names a field of an object, or (NULL) every element of an array, at a place; its value is
 * at another. Values without a place are skipped. A string is kept up to JSON_STRING_MAX bytes and
 * its rest skipped, so that memory does not depend on the input's size. */
#ifndef CLEW_IMPORT_JSON_JSON_TREE_H
#define CLEW_IMPORT_JSON_JSON_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/in.h"
#include "import/text_builder.h"

enum { JSON_ELSEWHERE = 0, JSON_ROOT = 1, JSON_STRING_MAX = 1 << 20 };

struct json_place {
    uint8_t parent;
    const char *key;
    uint8_t place;
};

struct json_value {
    struct piece text; /* a string, or a number's digits; valid during the call */
    bool is_string;
    bool is_cut; /* the string was truncated */
};

struct json_tree {
    const struct json_place *places; /* ended by a row of zeros */
    /* An object or array opens or closes at a place; the offset is that of its bracket. */
    void (*open)(void *context, uint8_t place, uint64_t offset);
    void (*close)(void *context, uint8_t place);
    /* A string or number at a place. */
    void (*value)(void *context, uint8_t place, const struct json_value *value);
};

/* Reads a sequence of JSON values to the end of the input. Fails on malformed JSON, with its byte.
 */
MUST_USE int json_tree_read(const struct json_tree *tree, struct in *in, void *context,
                            struct err *e);

/* Whether the text begins, after blanks, as an object with this first field. */
bool json_begins_with(struct piece text, const char *field);

/* The number of the digits; 0 when they are none. */
double json_number(struct piece digits);
int64_t json_whole(struct piece digits);

#endif
