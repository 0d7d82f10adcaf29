/* Findings for continuous integration: SARIF 2.1.0, JUnit XML, and GitHub's annotations.
 *
 *     struct exports x = {.verb = "races", .is_wanted = true};
 *     exports_add(&x, &finding);                   the finding is copied
 *     x.end = EXPORT_FOUND;
 *     export_writers[EXPORT_SARIF](&x, &out);
 *     exports_release(&x);
 *
 * A further format is a row of export_writers and of the options (COMMON_EXPORTS). */
#ifndef CLEW_REPORT_EXPORTS_H
#define CLEW_REPORT_EXPORTS_H

#include <stdbool.h>

#include "base/out.h"
#include "base/vec.h"
#include "trace/finding.h"

/* How the command ended. */
enum export_end { EXPORT_CLEAN, EXPORT_FOUND, EXPORT_UNKNOWN };

struct exports {
    const char *verb;
    VEC(const char *) inputs; /* as the user named them; belong to the caller */
    bool is_wanted;           /* else exports_add does nothing */
    enum export_end end;
    struct findings findings; /* copies */
    VEC(const char *) passed; /* tests without a finding, for JUnit; in the findings' arena */
};

void exports_release(struct exports *x);

/* Copies the finding, if exports are wanted. */
void exports_add(struct exports *x, const struct finding *f);
void exports_add_all(struct exports *x, const struct findings *f);

/* Notes a test that passed, if exports are wanted. */
void exports_add_passed(struct exports *x, const char *name);

enum export_format { EXPORT_SARIF, EXPORT_JUNIT, EXPORT_FORMAT_COUNT };

/* Each format's writer. */
typedef void (*export_writer)(const struct exports *x, struct out *out);
extern const export_writer export_writers[EXPORT_FORMAT_COUNT];

/* Writes an annotation for each finding, a line each (GitHub's workflow commands). */
void exports_annotate(const struct exports *x, struct out *out);

/* A line of a source file. */
struct source_place {
    const char *file; /* not ended by a 0 byte */
    size_t file_size; /* 0: none is known */
    uint32_t line;
};

/* The place "account.c:11", if that is what the text is. */
struct source_place source_place_of(const char *location);

/* Where the finding is: its first event with a line, else the first line that its sentence names.
 */
struct source_place source_place_of_finding(const struct finding *f);

void export_sarif(const struct exports *x, struct out *out);
void export_junit(const struct exports *x, struct out *out);

#endif
