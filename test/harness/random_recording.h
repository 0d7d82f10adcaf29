/* The recording of an execution: the trace that `clew record` could have made of it.
 *
 *     struct recording r;
 *     recording_of(&r, &exact, &prng, RECORDING_ALL);
 *     ... r.trace, whose event i is event r.source[i] of the exact trace ...
 *     recording_release(&r);
 *
 * Events other than plain accesses keep their order; a plain access stands anywhere between the
 * events of other kinds around it in its task, as the stamps allow. docs/theory/record.md, "Which
 * accesses", lists the events that are left out. */
#ifndef CLEW_TEST_RANDOM_RECORDING_H
#define CLEW_TEST_RANDOM_RECORDING_H

#include "base/vec.h"
#include "trace/trace.h"
#include "wire/prng.h"

enum recording_filter {
    RECORDING_ALL,   /* every access, as with --all-accesses */
    RECORDING_SITES, /* once for each place and epoch */
    RECORDING_OWNED, /* also, while one task uses a variable alone, only the last of each kind */
};

struct recording {
    struct trace trace; /* of order stamped, sealed */
    VEC(event_id) source;
};

/* Fills r from the trace, which is an execution. */
void recording_of(struct recording *r, const struct trace *exact, struct prng *prng,
                  enum recording_filter filter);
void recording_release(struct recording *r);

/* The epoch of each event of a trace: how many events of its task other than plain accesses come up
 * to it. Freed with mem_free. */
uint32_t *recording_epochs(const struct trace *t);

#endif
