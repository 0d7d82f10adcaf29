#include "runtime/control/sched/cluster_run.h"

#include <string.h>

#include "runtime/control/model/fd_table.h"
#include "runtime/control/sched/run_control.h"
#include "runtime/shared/raw_text.h"
#include "wire/cluster.h"
#include "wire/must.h"

void cluster_begin(void)
{
    memset(&run_state->cluster, 0, sizeof run_state->cluster);
    memset(run_state->node_port, 0, sizeof run_state->node_port);
    control->result.starting[0] = '\0';
}

RT_EXPORT void clew_rt_cluster_fork(const char *path, uint32_t node)
{
    must(node <= CONTROL_NODES_MAX);
    text_copy(run_state->cluster.name, sizeof run_state->cluster.name, path);
    run_state->cluster.node = node;
}

uint32_t cluster_take_node(uint32_t parent)
{
    const uint32_t node = run_state->cluster.name[0] == '\0' ? parent : run_state->cluster.node;
    run_state->cluster.name[0] = '\0';
    return node;
}

/* The launcher is the first task of the first process. */
static void tell(void)
{
    run_state->cluster.has_news = true;
    if (tasks[0].state == TASK_LIVE && tasks[0].act.wait == WAIT_WAKE) {
        tasks[0].is_woken = true;
    }
}

void cluster_written(int fd)
{
    const struct end *e = control->node_count > 0 && control_is_on ? end_of(fd) : NULL;
    if (e != NULL && e->is_log) {
        tell();
    }
}

void cluster_child_ended(const struct process *parent)
{
    if (control->node_count > 0 && parent->number == 0) {
        tell();
    }
}

RT_EXPORT void clew_rt_cluster_log(int fd)
{
    struct end *e = end_of(fd);
    if (e != NULL) {
        e->is_log = true;
    }
}

RT_EXPORT void clew_rt_cluster_await(const char *starting)
{
    text_copy(control->result.starting, sizeof control->result.starting, starting);
    if (!run_state->cluster.has_news) {
        (void)sched_take(&(struct act){.kind = EVENT_WAIT_END,
                                       .object = &run_state->cluster.has_news,
                                       .is_untraced = true,
                                       .wait = WAIT_WAKE,
                                       .place = RT_PLACE});
    }
    run_state->cluster.has_news = false;
}

RT_EXPORT void clew_rt_cluster_ready(void)
{
    control->result.starting[0] = '\0';
}

RT_EXPORT _Noreturn void clew_rt_cluster_end(enum cluster_end end, const char *text)
{
    switch (end) {
    case CLUSTER_PASSED: control_end(&(struct ending){.end = CONTROL_EXITED});
    case CLUSTER_EXITED: control_end(&(struct ending){.end = CONTROL_FAILED, .text = text});
    case CLUSTER_CHECKED:
        control_end(&(struct ending){.end = CONTROL_FAILED, .value = 1, .text = text});
    case CLUSTER_UNABLE: control_end(&(struct ending){.end = CONTROL_REFUSED, .text = text});
    }
    bug("end of a run");
}
