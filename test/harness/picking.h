/* Toy programs for strategies: threads that each do a fixed sequence of operations, all of them
 * always enabled.
 *
 *     struct toy toy = {.task_count = 2, .lengths = {3, 3}};
 *     toy_run(&toy, picking.pick, &plan);
 *     ... toy.order[0 .. toy.step_count): which task moved ...
 */
#ifndef CLEW_TEST_PICKING_H
#define CLEW_TEST_PICKING_H

#include "pick/pick.h"

enum { TOY_TASKS_MAX = 8, TOY_STEPS_MAX = 64 };

struct toy {
    uint32_t task_count;
    uint32_t lengths[TOY_TASKS_MAX];
    /* The object that the index-th operation of a task touches; NULL: none. 0: none. */
    uint32_t (*object)(uint32_t task, uint32_t index);

    uint32_t order[TOY_STEPS_MAX];
    uint32_t step_count;
    int stop; /* the reason for the end of the run */
};

struct picking {
    struct pick *pick;
    void *memory;
};

struct picking picking_new(uint32_t block_count);
/* The same, for strategies that take an operation for its task's turn. */
struct picking picking_new_by_task(uint32_t block_count);
void picking_free(struct picking *p);

/* The name of the index-th operation of a task. */
uint64_t toy_name(uint32_t task, uint32_t index);

void toy_run(struct toy *toy, struct pick *pick, const struct pick_plan *plan);

#endif
