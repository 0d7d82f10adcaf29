#include "runtime/control/sched/outside.h"

#include <errno.h>
#include <poll.h>

#include "runtime/control/sched/run_control.h"
#include "runtime/shared/raw_syscall.h"

static bool is_awaiting_outside;

bool sched_awaits_outside(void)
{
    return is_awaiting_outside;
}

/* Collects what the caller's process waits for outside. True when another process does so too. */
static bool list_outside(struct pollfd *awaited, uint32_t most, uint32_t *count, bool *awaits_child)
{
    bool is_elsewhere = false;
    for (uint32_t i = 0; i < task_live_count; i++) {
        const struct task *t = task_live[i];
        const struct act *a = &t->act;
        const bool is_own = t->process == process_self->number;
        const bool is_outer = a->is_outer && a->wait == WAIT_READY;
        *awaits_child = *awaits_child || (a->wait == WAIT_SIGNAL && process_has_children());
        is_elsewhere = is_elsewhere || (is_outer && !is_own);
        for (uint32_t k = 0; is_outer && is_own && k < a->descriptor_count && *count < most; k++) {
            awaited[(*count)++] = a->descriptors[k];
        }
    }
    return is_elsewhere;
}

bool outside_await(void)
{
    enum { OUTSIDE_MAX = 64, LOOK_MS = 20 };
    struct pollfd awaited[OUTSIDE_MAX];
    uint32_t count = 0;
    bool awaits_child = false;
    const bool is_elsewhere = list_outside(awaited, OUTSIDE_MAX, &count, &awaits_child);
    if (awaits_child || is_elsewhere) {
        is_awaiting_outside = is_elsewhere;
        (void)sys_poll(awaited, count, LOOK_MS); /* its signal may have come just before */
        is_awaiting_outside = false;
        run_state->io_stamp++;
        return true;
    }
    is_awaiting_outside = count > 0;
    const bool is_over = count == 0 || (sys_poll(awaited, count, -1) < 0 && errno != EINTR);
    is_awaiting_outside = false;
    return !is_over;
}

/* The first process has ended, and those that it left behind wait for somebody to need them:
 * daemons that nobody is going to talk to any more. */
bool outside_is_pointless(void)
{
    for (uint32_t i = 0; run_state->is_main_over && i < task_live_count; i++) {
        const enum wait wait = task_live[i]->act.wait;
        if (wait != WAIT_READY && wait != WAIT_SIGNAL && wait != WAIT_CHILD && wait != WAIT_TASK &&
            wait != WAIT_CONDITION && wait != WAIT_WAKE) {
            return false;
        }
    }
    return run_state->is_main_over;
}
