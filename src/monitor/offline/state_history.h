/* The state history of a trace: the cuts that it allows, and the value of each variable in each
 * state.
 *
 *     struct state_history h = {0};
 *     state_history_processes(&h, t);                 the processes, for bind_spec
 *     state_history_build(&h, &spec, &bound, &options, &notes);
 *     column = state_history_column(&h, cell);        the value of a local formula in each state
 *     state_history_release(&h);
 *
 * A process is a node of the trace or, where the trace has no nodes, a task. Its events are in the
 * order of the trace. A report is a relevant event: a change of a variable that the specification
 * reads, or an end of a message between two processes. */
#ifndef CLEW_MONITOR_OFFLINE_STATE_HISTORY_H
#define CLEW_MONITOR_OFFLINE_STATE_HISTORY_H

#include "base/bits.h"
#include "base/map.h"
#include "base/notes.h"
#include "monitor/offline/cuts.h"
#include "spec/bind.h"
#include "trace/trace.h"
#include "wire/hlc.h"

/* Reports that set no single value. */
#define REPORT_NO_SLOT UINT32_MAX       /* a send or a receive */
#define REPORT_RESET (UINT32_MAX - 1)   /* a restart: no variable of the process has a value */
#define REPORT_GAP (UINT32_MAX - 2)     /* reports are missing: every variable may have any value */
#define REPORT_SPECIAL (UINT32_MAX - 2) /* the least of these */

struct report {
    event_id event; /* of a gap: the first after it */
    uint32_t slot;  /* the slot that it sets, or one of the above */
    bool is_wrong;  /* the value is no number */
    struct span value;
};

/* Reports of a process that are missing. */
struct gap {
    uint32_t process;
    uint32_t report;    /* the report that stands for them */
    int64_t begin, end; /* the times around them */
};

/* A receive, which is a report, whose send is missing. */
struct orphan {
    uint32_t process;
    event_id event;
    int64_t time;
};

/* The values of a local formula in each state of its process. A variable has no value before its
 * first report: a formula that depends on it does not hold there and is not counted. A state is
 * open, that is unknown, when a variable is never reported, had a value that is no number, or
 * reports are missing. */
struct column {
    uint32_t process;
    bool is_known;   /* no state is open */
    struct span *at; /* per state */
    bool *is_open;   /* per state */
};

/* A run of states with the same value, by the number of reports taken. */
struct column_run {
    uint32_t first, end;
    struct span value;
    bool is_open;
};
typedef void column_see(void *context, const struct column_run *run);

/* The part of a cell that a column has: all of it, or, of messages in transit from one process to
 * another, the number sent or the number received. */
enum column_part { COLUMN_VALUE, COLUMN_SENT, COLUMN_RECEIVED };

/* The last report of a process before a history. */
struct state_history_last {
    uint64_t event; /* UINT64_MAX: there is none */
    int64_t time;
    int64_t hlc_time;
    uint32_t hlc_count;
    bool has_hlc;
};

/* A message with at least one end outside the reports of a history that is a part of a run. */
struct passing {
    uint32_t from;
    uint32_t to;      /* UINT32_MAX: not received so far */
    uint32_t send;    /* a report; UINT32_MAX: it precedes all of them */
    uint32_t receive; /* a report; UINT32_MAX: it follows all of them */
    uint32_t name;    /* of the trace */
};

/* The state before the first report, where a history does not begin with the run: per slot its
 * value, whether that is unknown, and whether it was ever reported; and per process. */
struct state_history_base {
    const struct span *slots;
    const bool *is_open;
    const bool *is_reported;
    const struct state_history_last *last;
};

/* The process whose variables a cell reads. */
#define OWNER_NONE UINT32_MAX          /* none: a constant */
#define OWNER_SEVERAL (UINT32_MAX - 1) /* several processes */
#define OWNER_UNKNOWN (UINT32_MAX - 2) /* of no value in a cut: now, steps, messages */

struct state_history {
    struct arena arena;
    struct arena scratch; /* of the deciding method; empty between decisions */
    const struct trace *trace;
    VEC(const char *) processes;
    uint32_t inside_count;    /* those that properties refer to; the others come last */
    VEC(uint32_t) process_of; /* per task */
    const struct bound *bound;
    struct cuts cuts;
    const struct report *reports; /* process by process */
    const uint32_t *change_first; /* per process, and one more: its part of changes */
    const uint32_t *changes;      /* the reports that set or forget values */
    const uint64_t *numbers;      /* per event: its number in the run; NULL: its id is the number */
    const struct hlc *stamps;     /* per event, computed; NULL: the trace has them */
    const struct state_history_base *base; /* NULL: the history begins with the run */
    VEC(struct passing) passing;           /* for the text, if the history is a part of a run */
    struct bits is_reported;               /* per slot: reported at some time */
    const uint32_t *owner;                 /* per cell */
    struct map column_of;                  /* by cell */
    VEC(struct column) columns;
    struct span *slot_work, *cell_work; /* of the function that fills a column */
    bool *open_work;
    bool counts_messages; /* all messages are here, from the beginning */
    struct bits has_lost; /* per process: it sent a message that nobody received, or may have */
    VEC(struct gap) gaps;
    VEC(struct orphan) orphans; /* only where there are gaps */
    bool has_times;
    bool has_unmatched; /* messages that could not be matched, or may have been so wrongly */
    bool has_threads;   /* tasks without an order between them report for one process */
    /* Events without a time among others, or earlier than their predecessor: a cut that they rule
     * out may exist. Also clocks that differ by more than the skew. */
    uint64_t doubts;
};

struct state_history_options {
    int64_t skew;    /* in ticks; INT64_MAX: clocks say nothing */
    bool is_logical; /* the time is that of the hybrid logical clock */
};

/* Finds the processes of t, which is sealed and must outlive h. Where nodes were simulated, the
 * external source of requests is a process that properties do not refer to. */
void state_history_processes(struct state_history *h, const struct trace *t);

/* Builds the history of the trace for a specification bound to these processes. Notes receives
 * without a send, events without a time, variables that nobody reports and values that are no
 * numbers. Notes clocks that go back (reports meanwhile count as missing) or differ by more than
 * the skew. Notes reports that are missing, repeated or out of order. */
void state_history_build(struct state_history *h, const struct spec *s, const struct bound *b,
                         const struct state_history_options *o, struct notes *n);
void state_history_release(struct state_history *h);

/* Computes the owner of each cell of h->bound; a part of state_history_build. */
void state_history_find_owners(struct state_history *h);

/* Notes that nobody reports the variable. */
void state_history_note_unreported(const struct state_history *h, const struct spec *s,
                                   const struct slot *slot, struct notes *n);

/* The column of a cell that one process owns; valid until the next call. */
const struct column *state_history_column(struct state_history *h, uint32_t cell);

/* Visits the column run by run, without keeping it: for a single use. */
void state_history_scan(struct state_history *h, uint32_t cell, column_see *see, void *context);

/* Computes which reports are changes; every builder of reports calls it. */
void state_history_find_changes(struct state_history *h);

/* The same for one part of the cell. */
const struct column *state_history_part(struct state_history *h, uint32_t cell,
                                        enum column_part part);

/* Whether the report, of the trace h->trace, sends a message. The ends of connections need each
 * other too. */
bool state_history_is_send(const struct state_history *h, uint32_t report);

/* Whether `taken` is a cut for all possible missing reports: none of them can be a message that
 * forbids it. */
bool state_history_is_certain(const struct state_history *h, const uint32_t *taken);

#endif
