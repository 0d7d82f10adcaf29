/* A pattern for the lines of a log:
 *
 *     %t %level [%task] %verb %res %status
 *
 * Each word behind a % stands for a piece of the line, which ends where the text behind the word
 * begins; %t for a date and time; blanks for one or more blanks; everything else for itself. %*
 * stands for an ignored piece, %% for a %. */
#ifndef CLEW_IMPORT_HTTP_LINE_PATTERN_H
#define CLEW_IMPORT_HTTP_LINE_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "import/text_builder.h"

enum { LINE_PARTS_MAX = 32 };

/* FIELD(id, word): the pieces with a meaning. */
#define LINE_FIELD_LIST(FIELD) \
    FIELD(TIME, "t")           \
    FIELD(TASK, "task")        \
    FIELD(VERB, "verb")        \
    FIELD(RES, "res")          \
    FIELD(STATUS, "status")    \
    FIELD(VERSION, "version")  \
    FIELD(ETAG, "etag")        \
    FIELD(LEVEL, "level")      \
    FIELD(ANY, "*")

enum line_field {
#define FIELD(id, word) LINE_##id,
    LINE_FIELD_LIST(FIELD)
#undef FIELD
        LINE_FIELD_COUNT
};

struct line_part {
    bool is_field;
    enum line_field field;
    struct piece text; /* of literal text: the text */
};

/* Open for reading; its texts are in the arena it was parsed with. */
struct line_pattern {
    struct line_part parts[LINE_PARTS_MAX];
    size_t part_count;
};

/* The fields of a line, pointing into it; a field that the pattern lacks has size 0. */
struct line_fields {
    struct piece values[LINE_FIELD_COUNT];
    int64_t time_ns;
    bool has_time;
};

/* Parses text into p. False with an error text and the byte of the fault: *word is the unknown
 * field name, if that is the fault. */
MUST_USE bool line_pattern_parse(struct line_pattern *p, struct arena *a, struct piece text,
                                 const char **wrong, size_t *at, struct piece *word);

/* Whether the line matches the pattern; if so, its fields. */
bool line_pattern_matches(const struct line_pattern *p, struct piece line,
                          struct line_fields *fields);

/* Calls `word` with each name a field can have. */
void line_field_words(void (*word)(void *context, const char *name), void *context);

#endif
