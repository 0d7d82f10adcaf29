#include "race/observed/observed_tasks.h"

#include <stdio.h>

#include "race/observed/observed_state.h"
#include "wire/must.h"

/* How many spare columns are looked at for a new task: enough for pools of threads, few enough for
 * thousands of columns that nobody may take. */
enum { SPARES_TRIED_MAX = 64 };

void observed_tasks_grow(struct observed *o, uint32_t id)
{
    must(id < o->tables->tasks.count);
    while (o->tasks.count <= id) {
        const uint32_t node = o->tables->tasks.at[o->tasks.count].node;
        vec_push(&o->tasks, (struct observed_task){.row = OBSERVED_NONE,
                                                   .column = OBSERVED_NONE,
                                                   .node = node,
                                                   .creates = OBSERVED_NONE,
                                                   .ends = OBSERVED_NONE,
                                                   .previous = UINT64_MAX,
                                                   .wait.condition = OBSERVED_NONE});
    }
}

/* A column that the clock may go on in, and the first time there. */
static struct observed_spare column_for(struct observed *o, uint32_t row)
{
    const uint32_t *clock = clocks_row(&o->clocks, row);
    for (size_t i = o->spares.count, tried = 0; i-- > 0 && tried < SPARES_TRIED_MAX; tried++) {
        const struct observed_spare spare = o->spares.at[i];
        if (clock[spare.column] >= spare.last) {
            o->spares.at[i] = *vec_last(&o->spares);
            o->spares.count--;
            return spare;
        }
    }
    return (struct observed_spare){.column = clocks_column_new(&o->clocks)};
}

/* Takes the next creation of the task, if there is one. */
static void take_create(struct observed *o, const struct observed_task *t)
{
    const struct pending_clock *create =
        t->creates == OBSERVED_NONE ? NULL : pending_clocks_first(&o->pending, t->creates);
    if (create != NULL) {
        clocks_join(&o->clocks, t->row, create->row);
        pending_clocks_drop(&o->pending, t->creates, NULL);
    }
}

void observed_task_begin(struct observed *o, struct observed_task *t)
{
    must(t->column == OBSERVED_NONE);
    t->row = clocks_row_new(&o->clocks);
    if (t->ends != OBSERVED_NONE) {
        const struct pending_clock *end = pending_clocks_take(&o->pending, t->ends);
        if (end != NULL) {
            clocks_join(&o->clocks, t->row, end->row);
        }
    }
    if (t->creates == OBSERVED_NONE && o->has_forgotten) {
        notes_add(o->notes, "",
                  "a task that nobody created began after accesses that all others "
                  "had seen were forgotten; its races with them are not reported");
    }
    take_create(o, t);
    const struct observed_spare spare = column_for(o, t->row);
    t->column = spare.column;
    must(t->column < o->clocks.width);
    must(clocks_row(&o->clocks, t->row)[t->column] <= spare.last + 1);
    clocks_row(&o->clocks, t->row)[t->column] = spare.last + 1;
}

struct pending_clock *observed_put(struct observed *o, uint32_t *list,
                                   const struct observed_step *s)
{
    if (*list == OBSERVED_NONE) {
        *list = pending_clocks_list_new(&o->pending);
    }
    must(s->task->row != OBSERVED_NONE);
    struct pending_clock *pending_clock = pending_clocks_put(&o->pending, *list, s->task->row);
    pending_clock->index = s->index;
    pending_clock->task = s->event->task;
    pending_clock->location = s->event->location;
    observed_release(o, s->task);
    return pending_clock;
}

void observed_publish(struct observed *o, uint32_t *row, const struct observed_step *s)
{
    if (*row == OBSERVED_NONE) {
        *row = clocks_row_new(&o->clocks);
    }
    clocks_join(&o->clocks, *row, s->task->row);
    observed_release(o, s->task);
}

void observed_publish_alone(struct observed *o, uint32_t *row, const struct observed_step *s)
{
    if (*row == OBSERVED_NONE) {
        *row = clocks_row_new(&o->clocks);
    }
    clocks_copy(&o->clocks, *row, s->task->row);
    observed_release(o, s->task);
}

void observed_create(struct observed *o, const struct observed_step *s)
{
    if ((s->event->has & HAS_PEER) == 0) {
        return;
    }
    /* Tasks move when the child is new. */
    uint32_t *creates = &observed_task_at(o, s->event->peer)->creates;
    const struct observed_step step = {
        .event = s->event, .task = observed_task_at(o, s->event->task), .index = s->index};
    (void)observed_put(o, creates, &step);
}

void observed_start(struct observed *o, const struct observed_step *s)
{
    /* The first event of a task has taken its creation already. */
    if (s->task->previous != UINT64_MAX) {
        take_create(o, s->task);
    }
}

void observed_end(struct observed *o, const struct observed_step *s)
{
    (void)observed_put(o, &s->task->ends, s);
    s->task->has_ended = true;
}

/* The last time of a task is over: a task that has seen it may reuse the column. The task's clock
 * stays in the pending_clock of its end. */
static void retire(struct observed *o, struct observed_task *t)
{
    must(clocks_row(&o->clocks, t->row)[t->column] > 0);
    const uint32_t last = clocks_row(&o->clocks, t->row)[t->column] - 1;
    vec_push(&o->spares, (struct observed_spare){.column = t->column, .last = last});
    clocks_row_free(&o->clocks, t->row);
    t->row = OBSERVED_NONE;
    t->column = OBSERVED_NONE;
}

void observed_join(struct observed *o, const struct observed_step *s)
{
    if ((s->event->has & HAS_PEER) == 0 || s->event->peer == s->event->task) {
        return;
    }
    struct observed_task *child = observed_task_at(o, s->event->peer);
    const struct observed_task *t = observed_task_at(o, s->event->task);
    if (child->ends != OBSERVED_NONE) {
        const struct pending_clock *end = pending_clocks_take(&o->pending, child->ends);
        if (end == NULL) {
            observed_remark(o, s->index, "a task is joined again long after its end: not ordered");
        } else {
            clocks_join(&o->clocks, t->row, end->row);
        }
        if (child->has_ended && child->column != OBSERVED_NONE) {
            retire(o, child);
        }
        return;
    }
    if (child->column != OBSERVED_NONE) {
        clocks_join(&o->clocks, t->row, child->row);
        observed_release(o, child);
    }
}

void observed_remark(struct observed *o, uint64_t index, const char *text)
{
    char place[48];
    (void)snprintf(place, sizeof place, "event %llu", (unsigned long long)index);
    notes_add(o->notes, place, "%s", text);
}
