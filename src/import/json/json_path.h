/* Values inside a JSON text, by a small part of JSONPath:
 *
 *     $.keys[*]        each element of the array `keys`
 *     $.docs[0]._id    a field of an array's first element
 *     $['odd name']    a field whose name is not made of letters, digits, _ and -
 */
#ifndef CLEW_IMPORT_JSON_JSON_PATH_H
#define CLEW_IMPORT_JSON_JSON_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "import/text_builder.h"

enum { JSON_PATH_STEPS_MAX = 16 };

enum json_step_type { STEP_FIELD, STEP_ELEMENT, STEP_EVERY };

struct json_step {
    enum json_step_type type;
    struct piece field;
    uint32_t element;
};

struct json_path {
    struct json_step steps[JSON_PATH_STEPS_MAX];
    size_t step_count;
};

/* Parses text into p, with copies in a. False with an error text and the byte of the fault. */
MUST_USE bool json_path_parse(struct json_path *p, struct arena *a, struct piece text,
                              const char **wrong, size_t *at);

/* Calls `found` for each string or number in the JSON text that the path selects, in their order;
 * the value is valid during the call. Returns their number; -1, without any call, when the text is
 * not JSON. */
int json_path_find(const struct json_path *p, struct piece json,
                   void (*found)(void *context, struct piece value), void *context);

#endif
