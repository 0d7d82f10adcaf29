/* The state of a check, shared by the files that hold its rules: check.c (time, life of tasks),
 * check_lock.c and check_message.c. */
#ifndef CLEW_TRACE_CHECK_STATE_H
#define CLEW_TRACE_CHECK_STATE_H

#include <stdbool.h>

#include "base/map.h"
#include "base/vec.h"
#include "trace/check.h"

/* The part of an event that a later report needs. A kind of 0 is no event. */
struct place {
    uint64_t index; /* in its input */
    uint64_t offset;
    uint32_t input;
    uint32_t task;
    uint32_t object;
    uint32_t location;
    uint16_t kind;
};

enum task_phase { PHASE_UNSEEN, PHASE_RUNNING, PHASE_ENDED };

struct task_state {
    int64_t time; /* the latest, 0: none yet */
    int64_t hlc_time;
    uint32_t hlc_count;
    uint8_t phase; /* enum task_phase */
    bool has_hlc;
    bool is_started; /* by an explicit start event */
    bool is_created;
    bool has_overlap; /* another task acquired a lock it holds; see check_lock.c */
    uint32_t handler_depth;
    uint32_t region_depth;
    uint32_t barrier_depth;
    uint32_t held_first;  /* its first holding, HOLDING_NONE: none */
    struct place life;    /* the event that created, started or ended it */
    struct place first;   /* its first event since then */
    struct place joined;  /* a join of it before its end */
    struct place handler; /* the beginning of the open handler, likewise below */
    struct place region;
    struct place wait;
};

#define HOLDING_NONE UINT32_MAX

/* A task and a lock it holds or has held, in the list of the task and that of the lock while it is
 * held. */
struct holding {
    uint32_t task;
    uint32_t lock;
    uint32_t depth; /* 0: not held */
    uint32_t depth_waiting;
    bool is_shared;
    uint32_t task_next, task_before;
    uint32_t lock_next, lock_before;
    struct place at;      /* its acquisition */
    struct place overlap; /* the acquisition by another task meanwhile */
};

struct lock_state {
    uint32_t held_first;
    uint32_t exclusive_count;
};

/* Messages of one name or shape of which only one side has occurred so far. */
struct message_state {
    struct place at; /* the first of them */
    uint32_t channel;
    uint32_t next_free;
    bool is_send;
};

/* Bytes of a directed stream. */
struct stream_state {
    uint64_t sent;
    uint64_t received;
    struct place at; /* the event since which the two differ */
};

struct check {
    const struct tables *tables;
    struct check_options options;
    struct findings *findings;
    struct check_counts counts;
    VEC(uint64_t) given; /* events so far, by input */

    VEC(struct task_state) tasks;

    struct map lock_of;    /* (node, object) to locks */
    struct map holding_of; /* (task, lock) to holdings */
    VEC(struct lock_state) locks;
    VEC(struct holding) holdings;

    VEC(uint32_t) message_of; /* by name: MESSAGE_... or an index into messages */
    struct map shape_of;      /* (channel, size): the same, for messages without a name */
    VEC(struct message_state) messages;
    uint32_t message_free;
    struct map stream_of; /* channel to streams */
    VEC(struct stream_state) streams;
    struct map channel_ends; /* channel to enum channel_end */

    uint64_t time_zero_count;
    bool has_real_time;
    struct place time_zero; /* the first */
};

/* The state of a message before, or without, an entry of its own. */
#define MESSAGE_UNSEEN 0
#define MESSAGE_WHOLE 1 /* sent and received, or dropped on purpose */
#define MESSAGE_FIRST 2 /* index 0 */

enum channel_end { END_SENT = 1, END_RECEIVED = 2 };

/* A name cut for a sentence: names may be a mebibyte long. */
struct name_text {
    char text[64];
};
struct name_text check_name_text(const struct check *c, uint32_t name);

/* A task, likewise: name@node. */
struct task_text {
    char text[2 * sizeof(struct name_text)];
};
struct task_text check_task_text(const struct check *c, uint32_t task);

struct check_report {
    enum check_rule rule;
    const struct place *at;
    const struct place *other; /* the event it contradicts, NULL: none */
    uint32_t about_next;       /* the task it is about plus one; 0: the one that acts */
};

/* Counts a finding, and describes it below the limit. */
void check_tell(struct check *c, const struct check_report *report, const char *format, ...)
    PRINTF_LIKE(3, 4);

/* True when the list orders events of these two tasks. */
bool check_is_ordered(const struct check *c, uint32_t task, uint32_t other);

/* The rules of locks and conditions. */
void check_lock_event(struct check *c, const struct event *e, const struct place *at);
void check_lock_overlaps(struct check *c, const struct event *e);
void check_lock_release_all(struct check *c, uint32_t task);

/* The rules of messages and streams. */
void check_message_event(struct check *c, const struct event *e, const struct place *at);
void check_message_end(struct check *c);

#endif
