/* MapReduce 4157: the order to end arrives while files are being removed.
 *
 * When its job is done, the application master takes its leave from the resource manager, and a
 * thread removes the temporary files. The manager answers by killing the master. If that comes
 * too early the thread is interrupted, and its files stay for ever.
 *
 * race: end kill
 * race: begin kill */
#include "cluster.h"

static struct mailbox application, resources;
static bool is_cleaning; /* the application's */

static void *clean(void *unused)
{
    step_begin('b');
    is_cleaning = true; /* begin */
    step_end();
    step_begin('e');
    is_cleaning = false; /* end */
    step_end();
    return unused;
}

static int on_kill(void)
{
    step_begin('k');
    const bool is_too_early = is_cleaning; /* kill */
    step_end();
    return is_too_early ? STATUS_BUG : 0;
}

static int run_application(void)
{
    pthread_t cleaner;
    CLAIM(pthread_create(&cleaner, NULL, clean, NULL) == 0);
    mail_send(&application, &resources, "farewell", 0);
    const struct message m = mail_receive(&application);
    clew_handler_begin(m.what);
    const int status = on_kill();
    clew_handler_end();
    CLAIM(pthread_join(cleaner, NULL) == 0);
    return status;
}

static int run_resources(void)
{
    (void)mail_receive(&resources);
    mail_send(&resources, &application, "kill", 0);
    return 0;
}

int main(int argc, char **argv)
{
    cluster_begin(argc, argv, "bek", "bke");
    mailbox_open(&application);
    mailbox_open(&resources);
    node_begin("application", run_application);
    node_begin("resources", run_resources);
    return cluster_end();
}
