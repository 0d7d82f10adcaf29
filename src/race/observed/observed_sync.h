/* Synchronization objects of the observed order: locks, conditions, semaphores, barriers, atomics,
 * one-time initializations and annotations. Only for the observed_*.c files. */
#ifndef CLEW_RACE_OBSERVED_OBSERVED_SYNC_H
#define CLEW_RACE_OBSERVED_OBSERVED_SYNC_H

#include "base/vec.h"
#include "race/observed/observed.h"
#include "race/scoped_ids.h"

struct observed_holder {
    uint32_t task, depth;
    bool is_shared;
    bool is_overtaken; /* another took the lock although this one never gave it back */
};

struct observed_lock {
    uint32_t alone_row, shared_row; /* clocks of the ended exclusive and shared sections */
    uint32_t last_task; /* the task that ended the last section; OBSERVED_NONE after shared ones */
    VEC(struct observed_holder) holders;
};

struct observed_condition {
    uint32_t notifies; /* pending */
    uint32_t notify_count;
    uint32_t open_count; /* waits begun and not ended */
};

struct observed_semaphore {
    uint32_t posts; /* pending */
    uint64_t post_count, wait_count;
    uint64_t initial; /* its initial value, as far as the list shows */
};

struct observed_entrant {
    uint32_t task, round;
};

struct observed_barrier {
    uint32_t open_row;   /* of those that entered the round under way */
    uint32_t closed_row; /* of the round before; also for those that still have to leave it */
    uint32_t round;
    VEC(struct observed_entrant) inside;
};

/* Objects that are no more than a clock to join and to publish. */
struct observed_rows {
    struct scoped number_of;
    VEC(uint32_t) rows; /* OBSERVED_NONE until published */
};

struct observed_sync {
    struct scoped lock_of, condition_of, semaphore_of, barrier_of;
    VEC(struct observed_lock) locks;
    VEC(struct observed_condition) conditions;
    VEC(struct observed_semaphore) semaphores;
    VEC(struct observed_barrier) barriers;
    struct observed_rows atomics, onces, annotations;
};

struct observed_step;

void observed_lock_taken(struct observed *o, const struct observed_step *s);
void observed_lock_released(struct observed *o, const struct observed_step *s);
void observed_wait_begin(struct observed *o, const struct observed_step *s);
void observed_wait_end(struct observed *o, const struct observed_step *s);
void observed_notify(struct observed *o, const struct observed_step *s);
void observed_semaphore_init(struct observed *o, const struct observed_step *s);
void observed_semaphore_post(struct observed *o, const struct observed_step *s);
void observed_semaphore_wait(struct observed *o, const struct observed_step *s);
void observed_barrier_enter(struct observed *o, const struct observed_step *s);
void observed_barrier_exit(struct observed *o, const struct observed_step *s);
/* An access that also orders tasks, between its acquire and its release. */
void observed_touch(struct observed *o, const struct observed_step *s);
void observed_atomic(struct observed *o, const struct observed_step *s);
void observed_once(struct observed *o, const struct observed_step *s);
void observed_annotation(struct observed *o, const struct observed_step *s);
void observed_sync_release(struct observed *o);

#endif
