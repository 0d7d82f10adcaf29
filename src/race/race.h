/* Finds races in a trace: pairs of conflicting accesses, and pairs of messages, that another
 * execution can order differently; and deadlocks: tasks that can wait for each other's locks.
 *
 *     struct race_stats stats;
 *     const struct race_options options = {.model = RACE_STRICT};
 *     if (race_find(t, &options, &findings, &stats, &notes, e) < 0) { ... }
 *
 * docs/theory/races-semantics.md defines races under each model. A data race is a pair
 * of accesses by two tasks, a message race a pair of messages to one task; where the handlers of
 * the two messages touch the same variable, the finding shows the conflicting accesses. */
#ifndef CLEW_RACE_RACE_H
#define CLEW_RACE_RACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/limit.h"
#include "base/notes.h"
#include "order/user_edges.h"
#include "trace/finding.h"
#include "trace/trace.h"

enum race_model {
    RACE_STRICT,   /* some order of all events, by the rules, shows it */
    RACE_SOUND,    /* strict, and some prefix of a real execution shows it */
    RACE_FEASIBLE, /* a prefix in which each read sees its write shows it */
    RACE_OBSERVED, /* nothing orders them as things went: race/observed/observed.h, not race_find */
};

/* Decides as another program does, errors included; for tests and benches. */
enum race_compat {
    RACE_COMPAT_NONE,
    RACE_COMPAT_SPIDER,       /* SPIDER as published */
    RACE_COMPAT_SPIDER_PAPER, /* as its dissertation says: messages race when their sends do */
};

/* The method of deciding. */
enum race_via {
    RACE_VIA_ENGINE,  /* clocks and locks, and the native solver for the remaining choices */
    RACE_VIA_NATIVE,  /* the native solver, for every candidate */
    RACE_VIA_Z3,      /* libz3, for every candidate */
    RACE_VIA_PROGRAM, /* a program that speaks SMT-LIB, for every candidate */
};

enum race_verdict {
    RACE_NO,
    RACE_YES,
    RACE_UNKNOWN, /* its budget ended, or the solver broke */
};

/* Why a pair of places is neither shown nor refuted, where each one is decided. */
enum race_open {
    RACE_OPEN_NOT,     /* it is */
    RACE_OPEN_DOUBT,   /* the write that a read before it saw is not known */
    RACE_OPEN_REORDER, /* only another order of lock sections might show it */
    RACE_OPEN_LARGE,   /* too many events or pairs of events are involved */
    RACE_OPEN_HARD,    /* the solver ended at its limit of steps */
    RACE_OPEN_BUDGET,  /* the budget ended */
    RACE_OPEN_NUMBER,  /* its address may depend on a descriptor number */
    RACE_OPEN_UNSEEN,  /* a file, or a socket that was ready, may order it */
    RACE_OPEN_TORN,    /* the recording misses releases of locks, or contradicts itself */
    RACE_OPEN_OWNER,   /* only a lock on a file that both tasks hold as one process excludes them */
    RACE_OPEN_IGNORED, /* a call orders it that may give up, and whose result is ignored */
    RACE_OPEN_INTERRUPT, /* the place of a signal handler orders it, which could be another */
    RACE_OPEN_SENDER,    /* a receive orders it that another sender could have satisfied */
    RACE_OPEN_CALLER,    /* a one-time routine orders it that another caller could have run */
    RACE_OPEN_WAKE,      /* a wait orders it that may end without a notify */
    RACE_OPEN_COUNT
};

/* A candidate that has been decided. */
struct race_decided {
    enum race_verdict verdict;
    bool is_message;
    /* Two accesses, as listed; or the SEND of the message received later and the RECV of the one
     * received earlier. */
    event_id a, b;
};

/* {0} is the default: strict, everything, grouped by pairs of places. */
struct race_options {
    enum race_model model;
    enum race_compat compat;
    enum race_via via;
    const char *command; /* RACE_VIA_PROGRAM: its words */
    const char *smtlib; /* a folder for a file per query the engine hands to a solver; NULL: none */

    bool skips_data, skips_messages, skips_deadlocks;
    const char *variable; /* a glob for names of variables; NULL: all */
    bool has_since, has_until;
    int64_t since, until;      /* times; of the candidates, both events are in the span */
    const struct given *given; /* orders the tracer could not see, NULL: none */

    bool prunes;         /* leaves out accesses that show no further pair of places */
    bool wants_pairs;    /* a finding per pair of events, not per pair of places */
    bool wants_witness;  /* findings carry an order that shows them, where one was found */
    bool skips_grades;   /* findings are not graded */
    bool decides_places; /* each pair of places is shown, refuted or left open for a reason; so are
                            those of recordings, always */
    bool wants_all;      /* then, findings also for those that are not shown */
    uint64_t find_max;   /* bound on the findings; 0: all. Counts are exact all the same */
    bool counts_only;    /* no findings at all */
    uint32_t input;      /* which of the inputs the trace is, for the findings */
    uint32_t worker_count; /* processes that decide; 0 and 1: this one */
    size_t clause_max;     /* how many clauses a solver is given; 0: four million */
    uint64_t pairs_max;    /* up to this number all candidates are decided if places are graded; of
                            * more, one is sought for    each pair of places. 0: a million */
    uint64_t step_max;     /* bound on one query, in the solver's steps; 0: a million */
    const struct limit
        *budget; /* of all together; races it leaves undecided are unknown. NULL: none */

    /* Called for every candidate, one by one, which takes time that follows their number; NULL: not
     * at all. */
    void (*decided)(void *context, const struct race_decided *d);
    void *context;
};

struct race_stats {
    /* Pairs of events. Of races, sound counts those at places it is proved for, and feasible those
     * that were shown: per pair of places one, unless each candidate is asked about. */
    uint64_t data_candidates, data_races;
    uint64_t message_candidates, message_races; /* pairs of messages */
    uint64_t deadlock_candidates; /* cycles of requests by different tasks without a gate lock */
    uint64_t deadlocks;           /* of them, those that nothing orders and the model allows */
    uint64_t deadlock_places;     /* findings of them: cycles of places */
    uint64_t use_places;          /* findings of uses after free: pairs of places, none of which
                                     counts below */
    uint64_t conflict_pairs;      /* pairs of accesses that racing messages bring */
    uint64_t location_pairs;      /* findings: pairs of places (and variables) */
    uint64_t pruned_events;
    uint64_t unknown;        /* candidates nobody could decide; feasible: where none is shown */
    bool has_decided_places; /* of the pairs of places that strict allows: */
    uint64_t places_sound;
    uint64_t places_observed;              /* unordered in the run itself, not known to be sound */
    uint64_t places_refuted;               /* no prefix of an execution shows them */
    uint64_t places_open[RACE_OPEN_COUNT]; /* the rest, by reason */
    uint64_t asked;                        /* candidates that needed a solver */
    uint64_t constraints;                  /* of the formula, when there was one */
    bool is_cut;                           /* the budget ended before all was decided and graded */
    struct err silence; /* why a solver left the first of its questions open; "": it left none */
};

/* Finds the races of t, which is sealed. Appends findings and notes; assumptions and oddities are
 * notes. Fails if the options name something that the trace does not have, if a solver cannot be
 * opened, and for RACE_OBSERVED, which reads a stream (race/observed/observed.h). */
MUST_USE int race_find(const struct trace *t, const struct race_options *o, struct findings *f,
                       struct race_stats *s, struct notes *n, struct err *e);

#endif
