/* A check whether a trace is well formed. It reads the events once, in order. It separates
 * impossible events (an unlock by another task) from recordings that merely lack their end (a lock
 * held at exit).
 *
 *     struct check *c = check_new(&tables, &options, &findings);
 *     while (cursor_next(cursor, &b, e) > 0) { check_events(c, &b); }
 *     check_end(c);                                  reports everything still open
 *     const struct check_counts *counts = check_counts(c);
 *     check_free(c);
 *
 * Impossible events are findings of kind malformed, open ones of kind unfinished; each names its
 * events with index and byte offset, and has the rule's name in its key. Memory grows with tasks,
 * locks, messages and channels, never with events. */
#ifndef CLEW_TRACE_CHECK_H
#define CLEW_TRACE_CHECK_H

#include <stdint.h>

#include "trace/cursor.h"
#include "trace/finding.h"
#include "trace/tables.h"

/* RULE(id, name, severity, meaning); the order is the order of reports about counts. */
#define CHECK_RULE_LIST(RULE)                                                                     \
    RULE(TIME_BACKWARDS, "time-backwards", ERROR, "time runs backwards within a task")            \
    RULE(CLOCK_BACKWARDS, "clock-backwards", ERROR,                                               \
         "the hybrid logical clock runs backwards within a task")                                 \
    RULE(NEGATIVE_DELAY, "negative-delay", ERROR, "a sleep or timer of less than no time")        \
    RULE(START_TWICE, "start-twice", ERROR, "a task starts although it runs")                     \
    RULE(BEFORE_START, "before-start", ERROR, "a task acts before its start")                     \
    RULE(BEFORE_CREATE, "before-create", ERROR, "a task acts before it is created")               \
    RULE(AFTER_END, "after-end", ERROR, "a task acts after its end")                              \
    RULE(AFTER_JOIN, "after-join", ERROR, "a task acts after another has waited for its end")     \
    RULE(OWN_PARENT, "own-parent", ERROR, "a task creates itself or waits for its own end")       \
    RULE(UNLOCK_FOREIGN, "unlock-foreign", ERROR,                                                 \
         "a lock is released by a task that does not hold it, but another does")                  \
    RULE(UNLOCK_UNHELD, "unlock-unheld", ERROR, "a lock is released that nobody holds")           \
    RULE(LOCK_OVERLAP, "lock-overlap", ERROR, "a lock is acquired while another task holds it")   \
    RULE(WAIT_NESTED, "wait-nested", ERROR, "a task begins to wait while it waits")               \
    RULE(BARRIER_UNENTERED, "barrier-unentered", ERROR,                                           \
         "a task leaves a barrier it has not entered")                                            \
    RULE(REGION_UNBEGUN, "region-unbegun", ERROR, "an atomic region ends that has not begun")     \
    RULE(HANDLER_UNBEGUN, "handler-unbegun", ERROR, "a handler ends that has not begun")          \
    RULE(RECEIVE_UNSENT, "receive-unsent", ERROR,                                                 \
         "a message is received that was never sent, though its sender is recorded")              \
    RULE(RECEIVE_EARLY, "receive-early", ERROR, "a message is received before it is sent")        \
    RULE(UNLOCK_MISUSED, "unlock-misused", WARNING,                                               \
         "the program releases a lock that it does not hold")                                     \
    RULE(HANDLER_NESTED, "handler-nested", WARNING, "a handler begins inside another")            \
    RULE(TIME_ZERO, "time-zero", WARNING, "a time of 0 among real ones")                          \
    RULE(LOCK_HELD, "lock-held", WARNING, "a lock is still held at the end")                      \
    RULE(NOT_ENDED, "not-ended", WARNING, "a task has no end")                                    \
    RULE(NOT_STARTED, "not-started", WARNING, "a task is created, and nothing of it is recorded") \
    RULE(WAIT_UNENDED, "wait-unended", WARNING, "a wait has no end")                              \
    RULE(REGION_UNENDED, "region-unended", WARNING, "an atomic region has no end")                \
    RULE(HANDLER_UNENDED, "handler-unended", WARNING, "a handler has no end")                     \
    RULE(SEND_UNRECEIVED, "send-unreceived", WARNING,                                             \
         "a message is sent and never received, though its receiver is recorded")

enum check_rule {
#define RULE(id, name, severity, meaning) CHECK_##id,
    CHECK_RULE_LIST(RULE)
#undef RULE
        CHECK_RULE_COUNT
};

const char *check_rule_name(enum check_rule rule);
const char *check_rule_meaning(enum check_rule rule);
enum finding_severity check_rule_severity(enum check_rule rule);

struct check_options {
    uint64_t findings_max; /* described at most, of each severity; all are counted */
};

struct check_counts {
    uint64_t events;
    uint64_t errors;
    uint64_t warnings;
    uint64_t by_rule[CHECK_RULE_COUNT];
    uint64_t messages_outside; /* exchanged with peers that are not recorded */
};

struct check;

/* The tables are those the cursor fills; all three outlive the check. */
MUST_USE struct check *check_new(const struct tables *tables, const struct check_options *options,
                                 struct findings *findings);
void check_free(struct check *c);

/* A batch names its input among joined ones; indices count in each input separately. */
void check_events(struct check *c, const struct batch *b);

/* Reports everything still open; no events follow. */
void check_end(struct check *c);

const struct check_counts *check_counts(const struct check *c);

#endif
