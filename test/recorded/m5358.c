/* MapReduce 5358: two attempts at one task both succeed.
 *
 * The application master gives a slow task to a second node as well, to be safe. When the first
 * node succeeds, the master notes it and orders the second to kill its attempt. But the container
 * on the second node may tell its node that it is done before the order arrives; then this
 * attempt is reported too, and its report meets a task that has already succeeded: an event that
 * the master holds to be impossible.
 *
 * race: stop report */
#include "cluster.h"

static struct mailbox application, first, second, container;
static bool is_stopped;   /* the second node's */
static bool is_succeeded; /* the master's */

static int run_first(void)
{
    (void)mail_receive(&first);
    mail_send(&first, &application, "success", 1);
    return 0;
}

static int run_container(void)
{
    (void)mail_receive(&container);
    step_begin('d');
    mail_send(&container, &second, "done", 0);
    step_end();
    return 0;
}

static void on_stop(void)
{
    is_stopped = true; /* stop */
}

static bool on_done(void)
{
    return !is_stopped; /* report */
}

static int run_second(void)
{
    bool is_success = false;
    (void)mail_receive(&second);
    mail_send(&second, &container, "run", 0);
    for (int i = 0; i < 2; i++) {
        const struct message m = mail_receive(&second);
        clew_handler_begin(m.what);
        if (message_is(&m, "kill")) {
            on_stop();
        } else {
            is_success = on_done();
        }
        clew_handler_end();
    }
    mail_send(&second, &application, is_success ? "success" : "killed", 2);
    return 0;
}

/* False: the event is impossible. */
static bool on_success(void)
{
    if (is_succeeded) {
        return false;
    }
    is_succeeded = true;
    step_begin('k');
    mail_send(&application, &second, "kill", 0);
    step_end();
    return true;
}

static int run_application(void)
{
    bool is_well = true;
    mail_send(&application, &first, "task", 0);
    mail_send(&application, &second, "task", 0);
    for (int i = 0; i < 2; i++) {
        const struct message m = mail_receive(&application);
        clew_handler_begin(m.what);
        is_well = (message_is(&m, "killed") || on_success()) && is_well;
        clew_handler_end();
    }
    return is_well ? 0 : STATUS_BUG;
}

int main(int argc, char **argv)
{
    cluster_begin(argc, argv, "kd", "dk");
    mailbox_open(&application);
    mailbox_open(&first);
    mailbox_open(&second);
    mailbox_open(&container);
    node_begin("application", run_application);
    node_begin("first", run_first);
    node_begin("second", run_second);
    node_begin("container", run_container);
    return cluster_end();
}
