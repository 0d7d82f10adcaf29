/* What the processes of a trace reported: the cuts that it allows, and what each variable was in
 * each state.
 *
 *     struct state_history h = {0};
 *     state_history_processes(&h, t);                 who is there, for bind_spec
 *     state_history_build(&h, &spec, &bound, &options, &notes);
 *     column = state_history_column(&h, cell);        what a local formula is in each state
 *     state_history_release(&h);
 *
 * A process is a node of the trace or, where the trace knows no nodes, a task. Its events are in
 * the order of the trace. Only what matters is a report: a change of a variable that the
 * specification reads, and both ends of a message between two processes. */
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
#define REPORT_RESET (UINT32_MAX - 1)   /* the process begins anew: none of its variables has one */
#define REPORT_GAP (UINT32_MAX - 2)     /* reports are missing: all of them may have any */
#define REPORT_SPECIAL (UINT32_MAX - 2) /* the least of these */

struct report {
    event_id event; /* of a gap: the first after it */
    uint32_t slot;  /* whose value it sets, or one of the above */
    bool is_wrong;  /* the value is no number */
    struct span value;
};

/* Reports of a process that are missing. */
struct gap {
    uint32_t process;
    uint32_t report;    /* that stands for them */
    int64_t begin, end; /* the times around them */
};

/* A receive, which is a report, whose send is not there. */
struct orphan {
    uint32_t process;
    event_id event;
    int64_t time;
};

/* What a formula over the variables of one process is in each of its states. A variable has no
 * value before its first report: there, what depends on it does not hold and is not counted. Of one
 * that is never reported, whose value was no number or where reports are missing, nothing is known:
 * such states are open. */
struct column {
    uint32_t process;
    bool is_known;   /* no state is open */
    struct span *at; /* per state */
    bool *is_open;   /* per state */
};

/* States in a row in which it is the same, by how many reports of the process are taken. */
struct column_run {
    uint32_t first, end;
    struct span value;
    bool is_open;
};
typedef void column_see(void *context, const struct column_run *run);

/* Which part of a cell a column is: all of it, or of messages on their way from one process to
 * another those that the one has sent, and those that the other has received. */
enum column_part { COLUMN_VALUE, COLUMN_SENT, COLUMN_RECEIVED };

/* The last report of a process before a history. */
struct state_history_last {
    uint64_t event; /* UINT64_MAX: there is none */
    int64_t time;
    int64_t hlc_time;
    uint32_t hlc_count;
    bool has_hlc;
};

/* A message of which not both ends are among the reports of a history that is a part of a run. */
struct passing {
    uint32_t from;
    uint32_t to;      /* UINT32_MAX: it was not received so far */
    uint32_t send;    /* a report; UINT32_MAX: it was before all of them */
    uint32_t receive; /* a report; UINT32_MAX: it is after all of them */
    uint32_t name;    /* of the trace */
};

/* What came before the first report, where a history does not begin with the run: per slot its
 * value, whether that may be anything, and whether it was ever reported; and per process. */
struct state_history_base {
    const struct span *slots;
    const bool *is_open;
    const bool *is_reported;
    const struct state_history_last *last;
};

/* Whose variables a cell reads. */
#define OWNER_NONE UINT32_MAX          /* nobody's: a constant */
#define OWNER_SEVERAL (UINT32_MAX - 1) /* those of several processes */
#define OWNER_UNKNOWN (UINT32_MAX - 2) /* of what has no value in a cut: now, steps, messages */

struct state_history {
    struct arena arena;
    struct arena scratch; /* of whoever decides; empty between decisions */
    const struct trace *trace;
    VEC(const char *) processes;
    uint32_t inside_count;    /* of them, those that properties speak of: the others come last */
    VEC(uint32_t) process_of; /* per task */
    const struct bound *bound;
    struct cuts cuts;
    const struct report *reports; /* process by process */
    const uint32_t *change_first; /* per process, and one more: its part of changes */
    const uint32_t *changes;      /* the reports that set or forget values */
    const uint64_t *numbers;      /* per event: its number in the run; NULL: its id is it */
    const struct hlc *stamps;     /* per event, computed; NULL: the trace has them */
    const struct state_history_base *base; /* NULL: nothing came before */
    VEC(struct passing) passing;           /* of what is told, if something came before */
    struct bits is_reported;               /* per slot: some time */
    const uint32_t *owner;                 /* per cell */
    struct map column_of;                  /* by cell */
    VEC(struct column) columns;
    struct span *slot_work, *cell_work; /* of whoever fills a column */
    bool *open_work;
    bool counts_messages; /* all of them are here, from the beginning */
    struct bits has_lost; /* per process: it sent what nobody received, or may have */
    VEC(struct gap) gaps;
    VEC(struct orphan) orphans; /* only where there are gaps */
    bool has_times;
    bool has_unmatched; /* messages that could not be matched, or may have been so wrongly */
    bool has_threads;   /* reports of one process are by tasks that nothing orders */
    uint64_t doubts; /* events whose time is missing among others, or earlier than the one before:
                        a cut that they rule out may have been one. And clocks that differ
                        by more than the skew */
};

struct state_history_options {
    int64_t skew;    /* in ticks; INT64_MAX: clocks say nothing */
    bool is_logical; /* the time is that of the hybrid logical clock */
};

/* Finds the processes of t, which is sealed and must outlive h. Where nodes were simulated, what is
 * outside of them, and sends them requests, is a process that properties do not speak of. */
void state_history_processes(struct state_history *h, const struct trace *t);

/* Reads the trace for what the specification, bound to these processes, asks. Notes receives
 * without a send, events without a time, clocks that go back (what was reported meanwhile counts as
 * missing) or differ by more than the skew, values that are no numbers, reports that are missing,
 * repeated or out of order, and variables that nobody reports. */
void state_history_build(struct state_history *h, const struct spec *s, const struct bound *b,
                         const struct state_history_options *o, struct notes *n);
void state_history_release(struct state_history *h);

/* Fills in whose variables each cell of h->bound reads; a part of state_history_build. */
void state_history_find_owners(struct state_history *h);

/* Notes that nobody reports the variable. */
void state_history_note_unreported(const struct state_history *h, const struct spec *s,
                                   const struct slot *slot, struct notes *n);

/* The column of a cell that one process owns; good until the next call. */
const struct column *state_history_column(struct state_history *h, uint32_t cell);

/* Sees the column run by run, without keeping it: for who needs it once. */
void state_history_scan(struct state_history *h, uint32_t cell, column_see *see, void *context);

/* Fills in which reports are changes; a part of whatever builds the reports. */
void state_history_find_changes(struct state_history *h);

/* The same for a part of it. */
const struct column *state_history_part(struct state_history *h, uint32_t cell,
                                        enum column_part part);

/* Whether the report, of the trace that h->trace has, sends a message: connections need each
 * other's ends too. */
bool state_history_is_send(const struct state_history *h, uint32_t report);

/* Whether `taken` is a cut whatever the missing reports were: none of them can have been a message
 * that forbids it. */
bool state_history_is_certain(const struct state_history *h, const uint32_t *taken);

#endif
