#include "picking.h"

#include "base/mem.h"
#include "pick/operation_name.h"
#include "wire/must.h"

static const struct pick_limits limits = {.task_max = TOY_TASKS_MAX,
                                          .pending_max = 64,
                                          .object_max = 64,
                                          .constraint_max = 256,
                                          .asleep_max = 64,
                                          .point_max = 64,
                                          .action_max = 64,
                                          .block_count = 64};

static struct picking make(struct pick_limits own)
{
    struct picking p = {.memory = mem_zero(1, pick_size(&own))};
    p.pick = pick_init(p.memory, &own);
    return p;
}

struct picking picking_new(uint32_t block_count)
{
    struct pick_limits own = limits;
    own.block_count = block_count;
    return make(own);
}

struct picking picking_new_by_task(uint32_t block_count)
{
    struct pick_limits own = limits;
    own.block_count = block_count;
    own.is_by_task = true;
    return make(own);
}

void picking_free(struct picking *p)
{
    mem_free(p->memory);
}

uint64_t toy_name(uint32_t task, uint32_t index)
{
    return name_join(task + 1, index + 1);
}

static uint32_t list(const struct toy *toy, const uint32_t *done, struct pick_operation *pending)
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < toy->task_count; t++) {
        if (done[t] < toy->lengths[t]) {
            pending[count++] = (struct pick_operation){
                .name = toy_name(t, done[t]),
                .action = toy_name(t, done[t]),
                .task = t,
                .objects = {toy->object == NULL ? 0 : toy->object(t, done[t])},
                .writes = 1};
        }
    }
    return count;
}

void toy_run(struct toy *toy, struct pick *pick, const struct pick_plan *plan)
{
    uint32_t done[TOY_TASKS_MAX] = {0};
    struct pick_operation pending[TOY_TASKS_MAX];
    toy->step_count = 0;
    pick_begin(pick, plan);
    while (true) {
        const uint32_t count = list(toy, done, pending);
        toy->stop = pick_choose(pick, pending, count);
        if (toy->stop < 0) {
            break;
        }
        must(toy->step_count < TOY_STEPS_MAX);
        const uint32_t task = pending[toy->stop].task;
        done[task]++;
        toy->order[toy->step_count++] = task;
    }
    pick_end(pick);
}
