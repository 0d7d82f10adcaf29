/* The tasks of the observed order: their vector clocks, creation, end and join. Only for the
 * observed_*.c files.
 *
 * A task has a row of the clock table and a column in all rows. After its join another task may go
 * on in its column, if it knows the last time there: the two are one chain. */
#ifndef CLEW_RACE_OBSERVED_OBSERVED_TASKS_H
#define CLEW_RACE_OBSERVED_OBSERVED_TASKS_H

#include "race/observed/observed.h"
#include "race/observed/pending_clocks.h"

#define OBSERVED_NONE UINT32_MAX

struct observed_wait {
    uint32_t condition; /* OBSERVED_NONE: not waiting */
    uint32_t lock, depth;
    uint64_t begin; /* index of its WAIT_BEGIN */
};

struct observed_task {
    uint32_t row;    /* OBSERVED_NONE until it begins */
    uint32_t column; /* OBSERVED_NONE before it begins and after it was joined */
    uint32_t node;
    uint32_t creates, ends; /* lists of pending, OBSERVED_NONE until the first */
    bool has_ended;
    uint64_t previous; /* index of its last event, UINT64_MAX before */
    struct observed_wait wait;
};

/* A column whose task was joined, and the last time in it. A task that knows that time may go on in
 * the column: both are then one chain. */
struct observed_spare {
    uint32_t column;
    uint32_t last;
};

struct observed_step;

/* Makes room for tasks up to this one. */
void observed_tasks_grow(struct observed *o, uint32_t id);

/* Gives the task a clock and a column. */
void observed_task_begin(struct observed *o, struct observed_task *t);

void observed_create(struct observed *o, const struct observed_step *s);
void observed_start(struct observed *o, const struct observed_step *s);
void observed_end(struct observed *o, const struct observed_step *s);
void observed_join(struct observed *o, const struct observed_step *s);

/* Puts the task's clock into *list, which is made when it is the first, and releases. */
struct pending_clock *observed_put(struct observed *o, uint32_t *list,
                                   const struct observed_step *s);

/* Joins the task's clock into *row (made when OBSERVED_NONE), or replaces it, and releases. */
void observed_publish(struct observed *o, uint32_t *row, const struct observed_step *s);
void observed_publish_alone(struct observed *o, uint32_t *row, const struct observed_step *s);

/* Notes something about an event: "event 12: ...". */
void observed_remark(struct observed *o, uint64_t index, const char *text);

#endif
