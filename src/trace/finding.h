/* A finding: a claim about an execution. Analyses add findings, report/ prints them, and the JSON
 * form (spec: docs/findings.md) is the file that later verbs take. */
#ifndef CLEW_TRACE_FINDING_H
#define CLEW_TRACE_FINDING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"
#include "trace/trace.h"

#define FINDING_KIND_LIST(FINDING)                \
    FINDING(DATA_RACE, "data-race")               \
    FINDING(MESSAGE_RACE, "message-race")         \
    FINDING(ATOMICITY_SINGLE, "atomicity-single") \
    FINDING(ATOMICITY_PAIR, "atomicity-pair")     \
    FINDING(ATOMICITY_MERGED, "atomicity-merged") \
    FINDING(ATOMICITY_REGION, "atomicity-region") \
    FINDING(STALE_READ, "stale-read")             \
    FINDING(LOST_UPDATE, "lost-update")           \
    FINDING(PREDICATE, "predicate")               \
    FINDING(PROPERTY, "property")                 \
    FINDING(LIVENESS, "liveness")                 \
    FINDING(ASSERTION, "assertion")               \
    FINDING(EXIT, "exit")                         \
    FINDING(CRASH, "crash")                       \
    FINDING(USE_AFTER_FREE, "use-after-free")     \
    FINDING(DOUBLE_FREE, "double-free")           \
    FINDING(OVERFLOW, "overflow")                 \
    FINDING(SANITIZER, "sanitizer")               \
    FINDING(DEADLOCK, "deadlock")                 \
    FINDING(LIVELOCK, "livelock")                 \
    FINDING(HANG, "hang")                         \
    FINDING(NONDETERMINISM, "not-deterministic")  \
    FINDING(MALFORMED, "malformed")               \
    FINDING(UNFINISHED, "unfinished")

enum finding_kind {
#define FINDING(id, name) FINDING_##id,
    FINDING_KIND_LIST(FINDING)
#undef FINDING
        FINDING_KIND_COUNT
};

enum finding_status { STATUS_PREDICTED, STATUS_CONFIRMED, STATUS_REFUTED, STATUS_UNKNOWN };
/* GRADE_OBSERVED: of races, nothing ordered the two accesses in the run itself, which makes them a
 * data race by C11's definition, but no prefix is known that makes both enabled next. */
enum finding_grade { GRADE_NONE, GRADE_SOUND, GRADE_MAY, GRADE_OBSERVED };
enum finding_severity { SEVERITY_ERROR, SEVERITY_WARNING, SEVERITY_NOTE };

/* An event of a finding, self-contained: it can be printed without the trace. Texts are "" when the
 * event has none. */
struct finding_event {
    uint32_t input;  /* the index of the input */
    uint64_t index;  /* 0-based position in that input */
    uint64_t offset; /* byte offset there, UINT64_MAX when unknown */
    bool is_joined;  /* the inputs were read as one run, and */
    uint64_t number; /* this is its position in the run, as witnesses count */
    const char *node;
    const char *task;
    const char *access; /* "R", "W", or the name of the event's kind */
    const char *object; /* or the other task, of events between two */
    const char *location;
    const char *stack; /* its call stack, innermost first; NULL or "": unknown */
};

struct finding_value {
    const char *name;
    int64_t value;
};

/* The state of a process at a moment of a finding. */
struct finding_state {
    const char *process;
    const struct finding_value *values; /* that are known */
    size_t value_count;
    bool has_from, has_to;
    int64_t from, to; /* by the clock of the process, in ticks of the trace */
};

/* A moment: a state of each process that can have occurred together. */
struct finding_moment {
    const struct finding_state *states;
    size_t count;
    bool has_clocks;     /* the fields below are known */
    const char *early;   /* the process that left its state first, by its clock, */
    const char *late;    /* and the one that entered its own last */
    int64_t skew_needed; /* the least clock difference at this moment, in ticks */
    bool has_least;
    int64_t skew_least; /* the least skew with which some moment shows it */
};

/* All memory is in the arena of the findings it belongs to. */
struct finding {
    uint32_t id; /* its number for users; 0: its position in the list, from 1 */
    enum finding_kind kind;
    enum finding_status status;
    enum finding_grade grade;
    enum finding_severity severity;
    const char *what; /* the claim, one sentence */
    const char *why;  /* the argument, may have several lines; NULL or "": none */
    const char *key;  /* stable across runs */
    const struct finding_event *events;
    size_t event_count;
    /* Positions of events, in the input or the joined run, in an order that shows the finding;
     * NULL: none. */
    const uint64_t *witness;
    size_t witness_count;
    const struct finding_moment *moment; /* of properties over clocks; NULL: none */
    const char *replay;  /* the command that reproduces it, NULL when there is none */
    uint64_t pair_count; /* the number of pairs of events that it stands for, at least 1 */
    bool is_of_calls; /* of atomicity: the task makes the interrupted accesses in several calls */
};

/* {0} is empty. */
struct findings {
    struct arena arena;
    VEC(struct finding) list;
};

void findings_release(struct findings *f);

/* Appends a copy of *finding; its texts and arrays must be in f->arena already. */
void findings_add(struct findings *f, const struct finding *finding);

/* Text formatted into f->arena. */
const char *findings_text(struct findings *f, const char *format, ...) PRINTF_LIKE(2, 3);

/* Event `id` of trace t, described for input number `input`, in f->arena. */
struct finding_event findings_event(struct findings *f, const struct trace *t, event_id id,
                                    uint32_t input);

const char *finding_kind_name(enum finding_kind kind);
const char *finding_status_name(enum finding_status status);
const char *finding_grade_name(enum finding_grade grade); /* "" for GRADE_NONE */
const char *finding_severity_name(enum finding_severity severity);

/* The number of the kind, status, grade or severity of this name, -1 when there is none. */
int finding_kind_find(const char *name);
int finding_status_find(const char *name);
int finding_grade_find(const char *name);
int finding_severity_find(const char *name);

#endif
