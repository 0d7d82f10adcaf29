/* A YAML file as a tree in which every node has its place.
 *
 *     struct yaml y = {0};
 *     if (yaml_read(&y, &in, e) < 0) { ... "line 3, column 5: ..." ... }
 *     static const char *const fields[] = {"steps", "events", NULL};
 *     if (yaml_want_fields(y.root, fields, e) < 0) { ... misspelt, or no mapping ... }
 *     const struct yaml_node *steps = yaml_field(y.root, "steps");     NULL when absent
 *     yaml_release(&y);
 *
 * One document of scalars, sequences and mappings with scalar keys. Aliases and tags are rejected:
 * settings do not need them, and an alias can make a small file huge. */
#ifndef CLEW_BASE_YAML_H
#define CLEW_BASE_YAML_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/in.h"

enum yaml_kind { YAML_TEXT, YAML_LIST, YAML_MAP };

struct yaml_node {
    enum yaml_kind kind;
    const char *text; /* of a text: ends in a 0 byte, and may hold others */
    size_t size;
    const struct yaml_node *key;   /* of a value in a mapping: a text; else NULL */
    const struct yaml_node *items; /* of lists and mappings, in their order */
    size_t item_count;
    uint32_t line, column; /* from 1 */
};

/* {0} is empty. */
struct yaml {
    struct arena arena;
    const struct yaml_node *root; /* NULL for an empty document */
};

/* Reads all of the input. Fails (-1, e set with line and column) on malformed YAML, duplicate keys,
 * aliases, tags, a second document, and more than a mebibyte; y must be released either way. */
MUST_USE int yaml_read(struct yaml *y, struct in *in, struct err *e);
void yaml_release(struct yaml *y);

/* Sets "line 3, column 5: MESSAGE"; always -1. */
int yaml_refuse(const struct yaml_node *n, struct err *e, const char *format, ...)
    PRINTF_LIKE(3, 4);

/* The value of the key in a mapping, NULL when it is absent. */
const struct yaml_node *yaml_field(const struct yaml_node *map, const char *key);

/* Each fails (-1, e set with the place) on a node of the wrong kind or form. */
MUST_USE int yaml_want(const struct yaml_node *n, enum yaml_kind kind, struct err *e);

/* A mapping without other keys than these; the error for a misspelt one names the nearest. */
MUST_USE int yaml_want_fields(const struct yaml_node *n, const char *const *fields, struct err *e);

/* A number from least to most. */
MUST_USE int yaml_want_i64(const struct yaml_node *n, int64_t least, int64_t most, int64_t *number,
                           struct err *e);

/* One of the words, the last followed by NULL; its index. */
MUST_USE int yaml_want_word(const struct yaml_node *n, const char *const *words, size_t *index,
                            struct err *e);

#endif
