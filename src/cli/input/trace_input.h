/* The trace a verb reads: recognized by content, joined from several files with --one-run, its
 * progress shown, its reading ended by the budget.
 *
 *     struct reading r;
 *     if (reading_open(&r, s, e) < 0) { return -1; }
 *     while ((more = reading_next(&r, &b, e)) > 0) { ... }
 *     if (more == 0) { reading_warn(&r); }
 *     reading_close(&r);
 */
#ifndef CLEW_CLI_INPUT_TRACE_INPUT_H
#define CLEW_CLI_INPUT_TRACE_INPUT_H

#include "base/notes.h"
#include "cli/session.h"
#include "cli/text/progress.h"
#include "import/http/http_rules.h"
#include "trace/finding.h"
#include "trace/merge_inputs.h"
#include "trace/trace.h"

struct reading {
    struct session *session;
    size_t input_first; /* of the session's inputs */
    size_t input_count;
    const char *name; /* name of the input, for messages */
    char name_joined[32];
    struct trace trace; /* its tables; its events only after reading_load */
    struct notes notes;
    struct http_rules rules; /* if --rules names some */
    struct cursor *cursor;
    struct progress progress;
    uint64_t size; /* in bytes, 0 when not known */
    uint64_t event_count;
    bool is_cut; /* the budget ended before the trace did */
};

/* Opens the session's inputs. On failure, -1 or MISUSED, there is nothing to close. */
MUST_USE int reading_open(struct reading *r, struct session *s, struct err *e);

/* Opens only the index-th of them, an execution of its own. */
MUST_USE int reading_open_one(struct reading *r, struct session *s, size_t index, struct err *e);

/* Events of joined inputs were counted through all of them: that number stays theirs, beside their
 * place in an input. The finding's events are replaced by copies in f. */
void reading_place_events(const struct reading *r, struct findings *f, struct finding *finding);

/* Like cursor_next, with the input's name in the error; 0 also when the budget is spent, with
 * is_cut set. */
MUST_USE int reading_next(struct reading *r, struct batch *b, struct err *e);

/* Reads all of it into r->trace and seals that, unless the budget cut it short. */
MUST_USE int reading_load(struct reading *r, struct err *e);

/* Prints the reader's notes, and whether the budget cut the reading short. */
void reading_warn(const struct reading *r);

void reading_close(struct reading *r);

#endif
