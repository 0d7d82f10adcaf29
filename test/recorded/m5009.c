/* MapReduce 5009: an attempt is killed between the two halves of its commit.
 *
 * An attempt at a task asks the application master whether it may commit and, when it has, says
 * that it is done. If the resource manager has the attempt killed in between, the master never
 * hears the second half: the next attempt finds the task still being committed and is refused,
 * and so is every one after it.
 *
 * race: check finish
 * race: enter finish */
#include "cluster.h"

enum { MESSAGES = 4 };

static struct mailbox application, resources, worker, attempts[2];
static bool is_committing; /* the application's */

static void *attempt(void *box)
{
    const struct mailbox *own = box;
    const bool is_first = own == &attempts[0];
    if (is_first) {
        step_begin('b');
    }
    mail_send(own, &application, "commit", (int)(own - attempts));
    const struct message answer = mail_receive(own);
    if (is_first) {
        step_end();
        step_begin('d');
    }
    mail_send(own, &application, message_is(&answer, "yes") ? "done" : "refused", 0);
    if (is_first) {
        step_end();
    }
    return NULL;
}

static int run_worker(void)
{
    pthread_t thread;
    CLAIM(pthread_create(&thread, NULL, attempt, &attempts[0]) == 0);
    (void)mail_receive(&worker);
    step_begin('k');
    CLAIM(pthread_cancel(thread) == 0);
    CLAIM(pthread_join(thread, NULL) == 0);
    step_end();
    CLAIM(pthread_create(&thread, NULL, attempt, &attempts[1]) == 0);
    CLAIM(pthread_join(thread, NULL) == 0);
    return 0;
}

static int run_resources(void)
{
    mail_send(&resources, &worker, "kill", 0);
    return 0;
}

static void on_commit(const struct message *m)
{
    if (is_committing) { /* check */
        mail_send(&application, &attempts[m->value], "no", 0);
        return;
    }
    is_committing = true; /* enter */
    mail_send(&application, &attempts[m->value], "yes", 0);
}

static void on_done(void)
{
    is_committing = false; /* finish */
}

static int run_application(void)
{
    for (int i = 0; i < MESSAGES; i++) {
        const struct message m = mail_receive(&application);
        clew_handler_begin(m.what);
        if (message_is(&m, "commit")) {
            on_commit(&m);
        } else if (message_is(&m, "done")) {
            on_done();
        }
        clew_handler_end();
        if (message_is(&m, "refused")) {
            return STATUS_BUG;
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    cluster_begin(argc, argv, "bdk", "bkd");
    mailbox_open(&application);
    mailbox_open(&resources);
    mailbox_open(&worker);
    mailbox_open(&attempts[0]);
    mailbox_open(&attempts[1]);
    node_begin("application", run_application);
    node_begin("worker", run_worker);
    node_begin("resources", run_resources);
    return cluster_end();
}
