#include "runtime/record/shadow/fork_join_order.h"

#include <stdatomic.h>

#include "runtime/record/log/recorder.h"

enum { TASKS_MAX = 1 << 16, STEPS_MAX = 16 };

/* A moment of a task: task + 1 | phase << 32; 0: none. */
static struct task_links {
    _Atomic uint64_t made_by;   /* the maker's phase that ended with the creation */
    _Atomic uint64_t joined_by; /* the joiner's phase then */
} links[TASKS_MAX];

static uint64_t moment(void)
{
    return ((uint64_t)rt_self.number + 1) | (uint64_t)rt_self.phase << 32;
}

void fork_join_create(uint32_t child)
{
    if (child < TASKS_MAX) {
        atomic_store_explicit(&links[child].made_by, moment(), memory_order_relaxed);
    }
    /* The last phase never ends: nothing done in it is past for anybody. */
    if (rt_self.phase < FORK_JOIN_PHASE_MAX) {
        rt_self.phase++;
    }
    rt_self.own = 0;
}

void fork_join_join(uint32_t child)
{
    if (child < TASKS_MAX) {
        atomic_store_explicit(&links[child].joined_by, moment(), memory_order_relaxed);
    }
}

/* True when the moment lies before the creation of the calling task or of one that it descends
 * from. */
static bool is_before_birth(uint32_t task, uint32_t phase)
{
    uint32_t child = rt_self.number;
    for (int step = 0; step < STEPS_MAX && child < TASKS_MAX; step++) {
        const uint64_t made_by = atomic_load_explicit(&links[child].made_by, memory_order_relaxed);
        if (made_by == 0) {
            return false;
        }
        child = (uint32_t)made_by - 1;
        if (child == task) {
            return phase <= made_by >> 32;
        }
    }
    return false;
}

/* From the moment up: a task that was joined is past where its joiner is. A join that is still
 * going on elsewhere does no harm: its phase is the joiner's, and has ended only if the join came
 * before. */
bool fork_join_is_past(uint32_t task, uint32_t phase)
{
    for (int step = 0; step < STEPS_MAX; step++) {
        if (task == rt_self.number ||
            (phase < FORK_JOIN_PHASE_MAX && is_before_birth(task, phase))) {
            return true;
        }
        const uint64_t joined_by =
            task < TASKS_MAX ? atomic_load_explicit(&links[task].joined_by, memory_order_relaxed)
                             : 0;
        if (joined_by == 0) {
            return false;
        }
        task = (uint32_t)joined_by - 1;
        phase = (uint32_t)(joined_by >> 32);
    }
    return false;
}
