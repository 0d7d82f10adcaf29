/* Clusters as controlled programs. */
#include <string.h>

#include "proc/control/program_state.h"

uint32_t control_steps_max(const struct world *w)
{
    const struct controlled *c = (const struct controlled *)w;
    return c->cluster.steps != 0 ? (uint32_t)c->cluster.steps : CONTROL_STEPS_DEFAULT;
}

/* That nodes are ready is news of the first run that comes so far. Before that, whatever ends a run
 * is a mistake in the cluster file or in how a node is called, and no finding. */
int cluster_judge_start(struct controlled *c, const struct execution *x, struct err *e)
{
    struct control_result *r = &c->page->result;
    if (c->cluster.root == NULL || c->shown->has_started) {
        return 0;
    }
    r->starting[sizeof r->starting - 1] = '\0';
    if (r->starting[0] == '\0' && r->end != CONTROL_UNENDED) {
        c->shown->has_started = true;
        return 0;
    }
    if (outcome_is_violation(x->outcome) && x->outcome != OUTCOME_DEADLOCK &&
        x->outcome != OUTCOME_LIVELOCK && x->outcome != OUTCOME_HANG) {
        return err_set(e, "%s: a node does not start: %s", c->options.cluster, x->what);
    }
    return err_set(e, "%s: no line that says a node is ready (%s) came from %s", c->options.cluster,
                   outcome_name(x->outcome), r->starting);
}
