/* The findings file: the one JSON object that a verb prints with --json and that later verbs take
 * (docs/findings.md).
 *
 *     struct finding_file f = {.verb = "races"};
 *     vec_push(&f.inputs, path);
 *     finding_file_count(&f, "data_races", 2);
 *     ... analyses add to f.findings ...
 *     finding_file_print(&f, &out);
 *     finding_file_release(&f);
 */
#ifndef CLEW_REPORT_FINDINGS_FILE_H
#define CLEW_REPORT_FINDINGS_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/in.h"
#include "base/json.h"
#include "base/out.h"
#include "base/vec.h"
#include "trace/finding.h"

enum { FINDING_SCHEMA = 1 };

enum verdict { VERDICT_CLEAN, VERDICT_FOUND, VERDICT_UNKNOWN };

enum figure_type { FIGURE_COUNT, FIGURE_REAL, FIGURE_FLAG, FIGURE_TEXT };

/* One entry of "stats". Entries in a row with the same group make one object inside it. */
struct figure {
    const char *group; /* NULL: stands by itself */
    const char *name;
    enum figure_type type;
    union {
        uint64_t count;
        double real;
        bool flag;
        const char *text;
    };
};

/* {0} is an empty file. Texts belong to the caller or to the arena of the findings. */
struct finding_file {
    const char *verb;
    VEC(const char *) inputs;
    uint64_t event_count;
    enum verdict verdict;
    VEC(struct figure) stats;
    /* Prints further members of the object that only this verb has; NULL: none. Readers skip them.
     */
    void (*print_more)(const void *context, struct json *j);
    const void *context;
    VEC(const char *) assumptions;
    struct findings findings;
};

void finding_file_release(struct finding_file *f);

/* Append one entry to the stats. The name must outlive f. */
void finding_file_count(struct finding_file *f, const char *name, uint64_t count);
void finding_file_real(struct finding_file *f, const char *name, double real);
void finding_file_flag(struct finding_file *f, const char *name, bool flag);
void finding_file_text(struct finding_file *f, const char *name, const char *text);

/* Writes the object, a finding a line, and a new line behind it. */
void finding_file_print(const struct finding_file *f, struct out *out);

/* Writes one finding as the next element of an array, or on its own; id is used when it has none.
 */
void finding_print(const struct finding *finding, uint32_t id, struct json *j);

/* Reads the object into f, which must be empty; its texts go into the arena of its findings. A real
 * figure without a fraction becomes a count. Unknown keys are skipped. Fails (-1, e set with the
 * byte, f empty) on malformed JSON, a newer schema, wrong types, missing keys, nesting deeper than
 * 16 and texts over a mebibyte. */
MUST_USE int finding_file_parse(struct finding_file *f, struct in *in, struct err *e);

/* The number of the verdict of this name, -1 when there is none. */
int verdict_find(const char *name);

#endif
