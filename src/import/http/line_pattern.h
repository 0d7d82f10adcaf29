/* Lines of a log by a pattern:
 *
 *     %t %level [%task] %verb %res %status
 *
 * Each word behind a % stands for a piece of the line, which ends where the text behind the word
 * begins; %t for a time of day and year; blanks for one or more blanks; everything else for itself.
 * %* stands for a piece that means nothing, %% for a %. */
#ifndef CLEW_IMPORT_HTTP_LINE_PATTERN_H
#define CLEW_IMPORT_HTTP_LINE_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "import/text_builder.h"

enum { LINE_PARTS_MAX = 32 };

/* FIELD(id, word): the pieces that mean something. */
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
    struct piece text; /* of what is no field: what stands there */
};

/* Open for reading; its texts are in the arena it was parsed with. */
struct line_pattern {
    struct line_part parts[LINE_PARTS_MAX];
    size_t part_count;
};

/* What a line has, pointing into it; a field that the pattern lacks has size 0. */
struct line_fields {
    struct piece values[LINE_FIELD_COUNT];
    int64_t time_ns;
    bool has_time;
};

/* Parses text into p. False with what is wrong and at which byte of it: *word is what was met
 * instead of a field's name, if that is the matter. */
MUST_USE bool line_pattern_parse(struct line_pattern *p, struct arena *a, struct piece text,
                                 const char **wrong, size_t *at, struct piece *word);

/* Whether the line is as the pattern says; if so, its fields. */
bool line_pattern_matches(const struct line_pattern *p, struct piece line,
                          struct line_fields *fields);

/* Calls `word` with each name a field can have. */
void line_field_words(void (*word)(void *context, const char *name), void *context);

#endif
