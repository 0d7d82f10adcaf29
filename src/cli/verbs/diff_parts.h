/* Shared declarations of the parts of a comparison. */
#ifndef CLEW_CLI_VERBS_DIFF_PARTS_H
#define CLEW_CLI_VERBS_DIFF_PARTS_H

#include "cli/verbs/diff_inputs.h"

enum { TEXT_SIZE = 1000 };

/* Whether the system of both is named, so that they are replayed. */
static inline bool comparison_is_replayed(const struct comparison *c)
{
    return c->session->input_count > 2;
}

/* Reads the session's input of that side and adds its events. */
MUST_USE int comparison_add_trace(struct comparison *c, enum align_side side, struct err *e);

/* Likewise of schedules, once both were read. */
MUST_USE int comparison_read_schedule(struct comparison *c, enum align_side side, struct err *e);
MUST_USE int comparison_add_schedule(struct comparison *c, enum align_side side, struct err *e);

/* The hash in its header, where the steps that it names do not tell all. */
void comparison_note_hash(struct comparison *c, enum align_side side);

/* Contents of requests without a choice: a request that is sent by default on both sides may have
 * other bytes on each. */
void comparison_compare_contents(struct comparison *c);

#endif
