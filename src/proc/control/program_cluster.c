/* Clusters as controlled programs. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "proc/cluster/client_history.h"
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

static int read_history(struct controlled *c, struct client_history *h, struct err *e)
{
    char path[PATH_MAX];
    struct in in;
    (void)snprintf(path, sizeof path, "%s/" CLUSTER_DATA "/history", private_files_upper(c->files));
    if (access(path, F_OK) < 0) {
        return err_set(e, "%s: history: no program has written $HISTORY", c->options.cluster);
    }
    if (in_open(&in, path, e) < 0) {
        return -1;
    }
    const int result = client_history_read(h, &in, e);
    in_close(&in);
    return result < 0 ? err_wrap(e, "%s: history", c->options.cluster) : 0;
}

int cluster_judge_history(struct controlled *c, struct execution *x, struct err *e)
{
    struct client_history h;
    struct client_history_fault fault;
    if (!c->cluster.has_history || x->outcome != OUTCOME_PASSED) {
        return 0;
    }
    client_history_init(&h);
    const int result = read_history(c, &h, e);
    if (result == 0 && client_history_check(&h, HISTORY_BUDGET, &fault) == HISTORY_BAD) {
        x->outcome = OUTCOME_PROPERTY;
        (void)snprintf(x->what, sizeof x->what, "%s", fault.what);
        (void)snprintf(x->key, sizeof x->key, "%s: %s", outcome_name(x->outcome), fault.key);
    }
    client_history_release(&h);
    return result;
}
