/* Properties evaluated on the states of a run as they come, each a value per variable.
 *
 *     struct checker *c = NULL;
 *     if (checker_new(&c, &spec, &(struct checker_system){names, 3}, e) < 0) { ... }
 *     slot = checker_slot(c, 0, "leader");     once; CHECKER_SLOT_NONE: nobody reads it
 *     checker_begin(c);                        per run; checker_set(c, slot, 1) as variables change
 *     if (checker_step(c, now_ns) > 0) { ... a property is broken in this state ... }
 *     checker_end(c, &(struct checker_ending){.kind = CHECKER_REST});
 *     checker_status(c, property)->verdict ...
 *     checker_free(c);
 *
 * A variable that has no value may have any: what holds or fails whatever it is, is decided; the
 * rest is skipped in that state, and counted. Numbers too large for 64 bits are no values either.
 *
 * Properties without temporal operators are decided by checker_step, the others by checker_end:
 *
 *     CHECKER_REST   the last state goes on for ever; its time goes on too
 *     CHECKER_LASSO  the state is that of an earlier step: what came between is repeated for ever
 *     CHECKER_CUT    nobody knows how it went on: decided is what no continuation can change
 *
 * A checker is one run's; it keeps, per step, a byte for each property and part of a temporal one.
 */
#ifndef CLEW_SPEC_CHECKER_H
#define CLEW_SPEC_CHECKER_H

#include "base/err.h"
#include "spec/spec.h"

#define CHECKER_SLOT_NONE UINT32_MAX

/* The processes the specification is about; the names must outlive the checker. */
struct checker_system {
    const char *const *processes;
    uint32_t process_count;
};

enum checker_verdict {
    CHECKER_HELD,     /* it held; or, of possibly, it was seen */
    CHECKER_VIOLATED, /* never and always only */
    CHECKER_UNKNOWN,  /* variables were absent, the run was cut; or, of possibly, it was not seen */
};

/* What became of one property in this run. */
struct checker_status {
    enum checker_verdict verdict;
    uint64_t checks; /* states in which it was decided ... */
    uint64_t skips;  /* ... and could not be, for absent variables or an open end */
    uint64_t step;   /* the first step that broke it (of possibly: showed it), from 0 */
};

enum checker_ending_kind { CHECKER_REST, CHECKER_LASSO, CHECKER_CUT };

struct checker_ending {
    enum checker_ending_kind kind;
    uint64_t repeats; /* of LASSO: the last step has the state of this earlier step */
};

struct checker;

/* Makes a checker for the properties of s, which must outlive it. Fails (-1, e set with line and
 * column) when s names a process or group that the system has not, or is too large once written
 * out for every process. */
MUST_USE int checker_new(struct checker **c, const struct spec *s,
                         const struct checker_system *system, struct err *e);
void checker_free(struct checker *c);

/* Where the value of a process's variable goes. */
uint32_t checker_slot(const struct checker *c, uint32_t process, const char *variable);

/* Where the number of messages on their way from one process to another goes. */
uint32_t checker_message_slot(const struct checker *c, uint32_t from, uint32_t to);

/* The values of all slots, for worlds that save and restore states: the same number of bytes for
 * the life of the checker. */
struct checker_values {
    void *bytes;
    size_t size;
};
struct checker_values checker_values(struct checker *c);

/* A slot has a value from now on, or has none. CHECKER_SLOT_NONE is nobody's and does nothing. */
void checker_set(struct checker *c, uint32_t slot, int64_t value);
void checker_unset(struct checker *c, uint32_t slot);

/* A new run: no slot has a value, no step was taken. */
void checker_begin(struct checker *c);

/* The slots are the state after one more step, at this time. Returns how many properties this state
 * violates that no earlier one of the run did. */
uint32_t checker_step(struct checker *c, uint64_t now_ns);

/* A copy of all that it knows of the run, of so many bytes, and back to it. Freed with mem_free. */
size_t checker_copy_size(const struct checker *c);
void *checker_copy(const struct checker *c);
void checker_restore(struct checker *c, const void *copy);

/* Goes back to when only so many steps had been taken, which must not be more than were. Values of
 * slots are for the caller to restore (checker_values). */
void checker_rewind(struct checker *c, uint64_t step_count);

/* Whether some property speaks of what is still to come, so that runs should be looked at for
 * loops; no when one also reads now or steps, which no loop repeats. */
bool checker_wants_loops(const struct checker *c);

/* Whether some property speaks of durations: then a loop must repeat the time between its states.
 */
bool checker_has_durations(const struct checker *c);

/* As checker_end, if that violates a property; else nothing is noted, and the run may go on. */
MUST_USE uint32_t checker_foresee(struct checker *c, const struct checker_ending *ending);

/* The run is over: decides what is temporal. Returns how many temporal properties are violated. */
uint32_t checker_end(struct checker *c, const struct checker_ending *ending);

/* What became of a property, by its index in the specification; good until the next call. */
const struct checker_status *checker_status(const struct checker *c, uint32_t property);

/* Writes the values that a property reads, as they are now: "s1.leader = 1, s2.leader absent". */
void checker_print_values(const struct checker *c, uint32_t property, struct out *out);

#endif
