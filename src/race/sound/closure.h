/* Cuts, and their closure. A cut is a part of an execution: a number of first events of each task.
 * Its closure is the least larger cut that is an execution of its own.
 *
 *     task 0   . . . . | . .        cut {4, 2, 3}
 *     task 1   . . | . . .
 *     task 2   . . . |
 *
 * A cut is *closed* if it contains the needs of each of its events: the earlier events of its task,
 * the sources of its edges, the write and the blind updates that a read saw, the notify that served
 * a wait, the earlier bytes of a received stream; and of two sections of one lock that exclude each
 * other and have both begun in it, the first has ended in it. The events of a closed cut, in the
 * order of the execution, are an execution: each read sees its write again. (Sync-preserving
 * prefixes: Mathur, Pavlogiannis and Viswanathan, POPL 2021; here also for handlers, messages,
 * waits and shared locks.) In a recording, if a read may have seen several writes, the cut holds
 * all of them: in the order of the execution the read sees the same one again. A task is one chain
 * here, its handlers included, as they ran; that is a restriction, not an assumption.
 *
 * The events are fed once, in the order of the execution. For each task the least closed cut with
 * all its events so far is kept; older ones can be restored. */
#ifndef CLEW_RACE_SOUND_CLOSURE_H
#define CLEW_RACE_SOUND_CLOSURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "order/hb.h"
#include "race/scoped_ids.h"
#include "race/sound/sync_preserving.h"
#include "race/vector_clock.h"

#define CUT_NONE UINT32_MAX

/* A section as it stands open. */
struct cut_section {
    uint32_t number; /* in hb->sections */
    uint32_t lock;
    bool is_shared;
};

/* From this many events on, a task has these sections open: cuts.open.at[first .. first + count).
 */
struct cut_holding {
    uint32_t count_from; /* first: searched by */
    uint32_t first;
    uint32_t count;
};

/* The cut of a task when it had done up to `count_to` events; exact from `count_from` on, before
 * that more than is needed. */
struct cut_past {
    uint32_t count_to; /* first: searched by */
    uint32_t count_from;
    uint32_t row;
};

/* A read in doubt: with this event of its task, or a later one, a cut holds the events of the row.
 */
struct cut_doubt {
    uint32_t count; /* first: searched by */
    uint32_t row;   /* of all reads in doubt of the task so far */
};

struct cut_task {
    uint32_t row;        /* its cut */
    uint32_t count;      /* of its events taken */
    uint32_t count_from; /* the cut, except its own column, is unchanged since this event */
    uint32_t epoch;      /* grows when it begins a section or learns of others */
    uint32_t stuck_from; /* no closed cut holds this event or a later one; CUT_NONE: all may */
    VEC(struct cut_past) past;
    VEC(struct cut_holding) holdings;
    VEC(struct cut_doubt) doubts;
};

/* A section that has begun, in the list of one task's sections of one lock. */
struct cut_begun {
    uint32_t count;          /* first: searched by; the number of its beginning in its task */
    uint32_t number;         /* in hb->sections */
    uint32_t exclusive_last; /* the latest up to here that is not shared, CUT_NONE when none is */
};

struct cut_user {
    uint32_t task;
    VEC(struct cut_begun) begun;
};

struct cut_lock {
    VEC(uint32_t) users; /* places in cuts.users */
};

/* An event, by its task and its number there. */
struct cut_source {
    uint32_t task, count;
};

/* The content of a variable: a write, and the blind updates since. */
struct cut_content {
    struct cut_source writer;       /* count 0: nobody has written yet */
    VEC(struct cut_source) updates; /* the last of each task */
};

/* A stream channel in the order of the execution. */
struct cut_stream {
    VEC(struct cut_source) sends;
    VEC(uint64_t) begins; /* of the sends' bytes */
    size_t send_next;     /* the first that no receive so far needs */
    uint64_t sent, received;
    uint64_t total;                 /* bytes sent in the whole trace, once somebody asks */
    struct cut_source receive_last; /* count 0: none yet */
};

struct cuts {
    const struct hb *hb;
    struct clocks clocks; /* a column per task; rows are cuts */
    VEC(struct cut_task) tasks;
    uint32_t *count_of; /* per event: its number in its task, from 1; 0: not fed yet */
    uint32_t *in_next;  /* per context: its next edge */

    VEC(uint32_t) holders;         /* tasks with sections that can exclude others */
    VEC(struct cut_section) open;  /* the sections that holdings refer to */
    const uint32_t *by_task;       /* sections of contended locks, task by task */
    uint32_t *begin_next;          /* per task: its next section in by_task */
    const uint32_t *by_task_first; /* per task, and one more */
    uint32_t *end_count;           /* per section: the number of its end, 0: not yet */
    struct map user_of;            /* (lock, task) to its place in users */
    VEC(struct cut_user) users;
    VEC(struct cut_lock) locks;

    VEC(uint32_t) doubters;    /* tasks with reads in doubt */
    const uint32_t *number_of; /* recordings, per event: its number in its task, from 1 */

    struct scoped variable_of;
    VEC(struct cut_content) contents; /* by variable */
    struct map stream_of;
    VEC(struct cut_stream) streams;
    bool knows_totals; /* of the streams */

    struct arena arena;
    uint32_t scratch; /* a row */
    size_t past_count;
    size_t past_max; /* of all tasks; beyond, every other one is given up */
};

/* Ready for the first event of the line. */
void cuts_init(struct cuts *c, const struct hb *hb);
void cuts_release(struct cuts *c);

/* The next event needs these before it can come, whatever it reads: adds them to the cut of its
 * task. */
void cuts_reach(struct cuts *c, event_id id);

/* The event comes: adds the write it reads from, and itself. */
void cuts_take(struct cuts *c, event_id id);

/* The cut of a task with all its events so far, valid until the next call. */
static inline const uint32_t *cuts_of_task(const struct cuts *c, uint32_t task)
{
    return clocks_row(&c->clocks, c->tasks.at[task].row);
}

/* Whether a and b, by different tasks, can come next to each other: b is the event last reached and
 * not yet taken, a was taken before. If so, `cut` (one number per task) is the prefix before them.
 */
bool cuts_meet(struct cuts *c, event_id a, event_id b, uint32_t *cut);

/* The same for any two events that were taken. */
bool cuts_met(struct cuts *c, event_id a, event_id b, uint32_t *cut);

/* Whether `receive` can come after `send`, which was listed later or elsewhere: a closed cut with
 * the send and without the receive in which the receive can come next. Both were taken. */
bool cuts_follow(struct cuts *c, event_id send, event_id receive, uint32_t *cut);

/* Several events that were taken, as they come next together: cuts_gather_begin, then for each
 * cuts_gather, then cuts_gather_close. The cut gathered is the least closed one which contains the
 * needs of all of them, except for the sections that they themselves begin. More can be gathered
 * after it was closed. */
void cuts_gather_begin(struct cuts *c);
void cuts_gather(struct cuts *c, event_id id);
void cuts_gather_close(struct cuts *c);

/* How many events of the task the gathered cut holds. */
uint32_t cuts_gathered(const struct cuts *c, uint32_t task);

/* Copies the gathered cut out; false when an event in it can be in no execution. */
bool cuts_gather_end(const struct cuts *c, uint32_t *cut);

/* Whether a closed cut holds this one and `more` (a number per task each), but none of the events
 * asked about: a and b, or with a message race b alone. If so, `cut` becomes it; else it stays. */
bool cuts_extend(struct cuts *c, const uint32_t *more, const struct sound_pair *without,
                 uint32_t *cut);

/* The sections that the task has open now. */
struct cut_holding cuts_holding(const struct cuts *c, uint32_t task);

/* Whether two holdings, of different tasks, have a lock in common that excludes them. */
bool cuts_holdings_exclude(const struct cuts *c, struct cut_holding a, struct cut_holding b);

/* The number of the variable that an access or atomic speaks of. */
static inline uint32_t cuts_variable(struct cuts *c, const struct event *e)
{
    const struct trace *t = c->hb->trace;
    return scoped_number(&c->variable_of, &t->tables.names, trace_node_of(t, e), e->object);
}

#endif
