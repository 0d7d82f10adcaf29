/* MapReduce 3274: a task is killed before it was started.
 *
 * The resource manager gives a worker a container to run a task in, and the application master
 * orders the same worker to kill that task. The two messages come from different nodes, in either
 * order. A kill that comes first finds no container and is ignored; the task runs to its end, and
 * the master waits for a confirmation that never comes.
 *
 * race: start kill */
#include "cluster.h"

static struct mailbox application, resources, worker;
static int container; /* the worker's; 0: none */

static void on_container(const struct message *m)
{
    container = m->value; /* start */
}

static bool on_kill(void)
{
    return container != 0; /* kill */
}

static int run_worker(void)
{
    bool is_killed = false;
    for (int i = 0; i < 2; i++) {
        const struct message m = mail_receive(&worker);
        clew_handler_begin(m.what);
        if (message_is(&m, "container")) {
            on_container(&m);
        } else {
            is_killed = on_kill();
        }
        clew_handler_end();
    }
    mail_send(&worker, &application, is_killed ? "killed" : "result", 0);
    return 0;
}

static int run_resources(void)
{
    step_begin('c');
    mail_send(&resources, &worker, "container", 7);
    step_end();
    return 0;
}

static int run_application(void)
{
    step_begin('k');
    mail_send(&application, &worker, "kill", 0);
    step_end();
    const struct message m = mail_receive(&application);
    return message_is(&m, "killed") ? 0 : STATUS_BUG;
}

int main(int argc, char **argv)
{
    cluster_begin(argc, argv, "ck", "kc");
    mailbox_open(&application);
    mailbox_open(&resources);
    mailbox_open(&worker);
    node_begin("worker", run_worker);
    node_begin("resources", run_resources);
    node_begin("application", run_application);
    return cluster_end();
}
