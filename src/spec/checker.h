/* A checker: evaluates properties on the states of a run as they arrive, each a value per variable.
 *
 *     struct checker *c = NULL;
 *     if (checker_new(&c, &spec, &(struct checker_system){names, 3}, e) < 0) { ... }
 *     slot = checker_slot(c, 0, "leader");     once; CHECKER_SLOT_NONE: no property reads it
 *     checker_begin(c);                        per run; checker_set(c, slot, 1) as variables change
 *     if (checker_step(c, now_ns) > 0) { ... this state violates a property ... }
 *     checker_end(c, &(struct checker_ending){.kind = CHECKER_REST});
 *     checker_status(c, property)->verdict ...
 *     checker_free(c);
 *
 * An absent variable may have any value: a property that holds or fails for all of them is decided;
 * otherwise it is skipped in that state, and counted. Numbers beyond 64 bits are absent too.
 *
 * checker_step decides properties without temporal operators, checker_end the others:
 *
 *     CHECKER_REST   the last state lasts forever; its time goes on too
 *     CHECKER_LASSO  the state is that of an earlier step: the steps between repeat forever
 *     CHECKER_CUT    the continuation is unknown: decided is a verdict that none can change
 *
 * A checker belongs to one run; it keeps, per step, a byte for each property and part of a temporal
 * one. */
#ifndef CLEW_SPEC_CHECKER_H
#define CLEW_SPEC_CHECKER_H

#include "base/err.h"
#include "spec/spec.h"

#define CHECKER_SLOT_NONE UINT32_MAX

/* The processes of the specification; the names must outlive the checker. */
struct checker_system {
    const char *const *processes;
    uint32_t process_count;
};

enum checker_verdict {
    CHECKER_HELD,     /* it held; or, of possibly, it was seen */
    CHECKER_VIOLATED, /* never and always only */
    CHECKER_UNKNOWN,  /* variables were absent, the run was cut; or, of possibly, it was not seen */
};

/* The result of one property in this run. */
struct checker_status {
    enum checker_verdict verdict;
    uint64_t checks; /* states in which it was decided ... */
    uint64_t skips;  /* ... and could not be, for absent variables or an open end */
    uint64_t step;   /* the first step that violated it (of possibly: showed it), from 0 */
};

enum checker_ending_kind { CHECKER_REST, CHECKER_LASSO, CHECKER_CUT };

struct checker_ending {
    enum checker_ending_kind kind;
    uint64_t repeats; /* of LASSO: the last step has the state of this earlier step */
};

struct checker;

/* Makes a checker for the properties of s, which must outlive it. Fails (-1, e set with line and
 * column) when s names a process or group that the system lacks, or is too large once expanded for
 * every process. */
MUST_USE int checker_new(struct checker **c, const struct spec *s,
                         const struct checker_system *system, struct err *e);
void checker_free(struct checker *c);

/* The slot of a process's variable. */
uint32_t checker_slot(const struct checker *c, uint32_t process, const char *variable);

/* The slot of the number of messages in transit from one process to another. */
uint32_t checker_message_slot(const struct checker *c, uint32_t from, uint32_t to);

/* The values of all slots, for worlds that save and restore states: their size is constant for the
 * life of the checker. */
struct checker_values {
    void *bytes;
    size_t size;
};
struct checker_values checker_values(struct checker *c);

/* Sets or clears the value of a slot. CHECKER_SLOT_NONE does nothing. */
void checker_set(struct checker *c, uint32_t slot, int64_t value);
void checker_unset(struct checker *c, uint32_t slot);

/* Starts a run: no slot has a value, no step was taken. */
void checker_begin(struct checker *c);

/* Takes the slots as the state after one more step, at this time. Returns the number of properties
 * that this state is the first of the run to violate. */
uint32_t checker_step(struct checker *c, uint64_t now_ns);

/* Copies all state of the run, and restores it. Freed with mem_free. */
size_t checker_copy_size(const struct checker *c);
void *checker_copy(const struct checker *c);
void checker_restore(struct checker *c, const void *copy);

/* Rewinds to step_count steps, which must not be more than were taken. The caller restores the
 * values of slots (checker_values). */
void checker_rewind(struct checker *c, uint64_t step_count);

/* Whether some property refers to the future, so that a search for loops in runs is useful; false
 * when one also reads now or steps, which no loop repeats. */
bool checker_wants_loops(const struct checker *c);

/* Whether some property has durations: then a loop must repeat the time between its states. */
bool checker_has_durations(const struct checker *c);

/* As checker_end, if that violates a property; else nothing is recorded, and the run may go on. */
MUST_USE uint32_t checker_foresee(struct checker *c, const struct checker_ending *ending);

/* Ends the run: decides temporal properties. Returns the number of temporal properties violated. */
uint32_t checker_end(struct checker *c, const struct checker_ending *ending);

/* The result of a property, by its index in the specification; valid until the next call. */
const struct checker_status *checker_status(const struct checker *c, uint32_t property);

/* Writes the current values that a property reads: "s1.leader = 1, s2.leader absent". */
void checker_print_values(const struct checker *c, uint32_t property, struct out *out);

#endif
