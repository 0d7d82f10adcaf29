/* Suppressions: findings that the user knows and wants to hide.
 *
 *     struct suppressions s = {0};
 *     if (suppressions_read(&s, "known.supp", e) < 0 ||
 *         suppressions_read_baseline(&s, "last.findings", e) < 0) { ... }
 *     if (!suppressions_hide(&s, &finding)) { ... show it ... }
 *     suppressions_note(&s, &notes);
 *     suppressions_release(&s);
 *
 * A file of suppressions has a line for each, in the form of ThreadSanitizer's files:
 *
 *     # a comment
 *     race:PATTERN              a data or message race, or a use after free, with such a function,
 *                               file or variable
 *     race_top:PATTERN          the same, but only for the innermost frame of the access
 *     deadlock:PATTERN          a deadlock
 *     mutex:, thread:, signal:, called_from_lib:    findings that clew does not have
 *     key:KEY                   the finding with this key, of any kind ...
 *     key:KEY # REASON          ... and why
 *
 * A pattern matches any text that contains it; '*' stands for any bytes, '^' at its front and '$'
 * at its end anchor it to the beginning and the end of the text. A key matches as a whole; '*'
 * works too.
 *
 * A baseline is a findings file (docs/findings.md): it hides the findings whose keys it holds. */
#ifndef CLEW_REPORT_SUPPRESSIONS_H
#define CLEW_REPORT_SUPPRESSIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/names.h"
#include "base/notes.h"
#include "base/vec.h"
#include "trace/finding.h"

#define SUPPRESSION_TYPE_LIST(TYPE)                 \
    TYPE(RACE, "race", true)                        \
    TYPE(RACE_TOP, "race_top", true)                \
    TYPE(DEADLOCK, "deadlock", true)                \
    TYPE(MUTEX, "mutex", false)                     \
    TYPE(THREAD, "thread", false)                   \
    TYPE(SIGNAL, "signal", false)                   \
    TYPE(CALLED_FROM_LIB, "called_from_lib", false) \
    TYPE(KEY, "key", true)

enum suppression_type {
#define TYPE(id, name, is_known) SUPPRESSION_##id,
    SUPPRESSION_TYPE_LIST(TYPE)
#undef TYPE
        SUPPRESSION_TYPE_COUNT
};

/* A line of a file. */
struct suppression {
    enum suppression_type type;
    const char *pattern; /* as written */
    const char *glob;    /* the same as a pattern for a whole text, where only '*' is special */
    const char *reason;  /* "": none */
    const char *path;
    uint32_t line;
    uint64_t hit_count; /* findings that it hid */
};

/* {0} hides nothing. */
struct suppressions {
    struct arena arena;
    VEC(struct suppression) rules;
    struct names known;     /* keys of the baseline */
    struct names known_met; /* those of them that occurred again */
    struct names hidden;    /* keys that a rule hid */
    bool has_rules, has_baseline;
};

void suppressions_release(struct suppressions *s);

/* Adds the lines of a file; the error names the path and the line. */
MUST_USE int suppressions_read(struct suppressions *s, const char *path, struct err *e);

/* The same of bytes in memory; path is their name in messages. */
MUST_USE int suppressions_parse(struct suppressions *s, const char *path, const char *bytes,
                                size_t size, struct err *e);

/* Adds the keys of a findings file. */
MUST_USE int suppressions_read_baseline(struct suppressions *s, const char *path, struct err *e);

/* True when the finding is hidden; counts it. The baseline comes first. */
bool suppressions_hide(struct suppressions *s, const struct finding *f);

/* The number of findings, by their keys, that rules hid, and that the baseline hid. */
uint64_t suppressions_count(const struct suppressions *s);
uint64_t suppressions_known_count(const struct suppressions *s);

/* Whether anything could be hidden at all. */
static inline bool suppressions_are_given(const struct suppressions *s)
{
    return s->has_rules || s->has_baseline;
}

/* Notes the lines that hid nothing and the types that clew has no findings for. */
void suppressions_note(const struct suppressions *s, struct notes *n);

#endif
