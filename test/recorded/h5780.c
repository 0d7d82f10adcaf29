/* HBase 5780: a region server joins the cluster before it has its security key.
 *
 * The server asks the keeper for the key and lets a thread of its own take the answer. Meanwhile
 * it asks the master to let it in, with whatever key it has by then. The key is nearly always
 * there in time; when it is late, the master turns the server away.
 *
 * race: store ask */
#include "cluster.h"

enum { KEY = 5780 };

static struct mailbox server, server_keys, keeper, master;
static int key; /* the region server's */

static void *take_key(void *unused)
{
    mail_send(&server_keys, &keeper, "key please", 0);
    const struct message m = mail_receive(&server_keys);
    step_begin('k');
    key = m.value; /* store */
    step_end();
    return unused;
}

static int run_server(void)
{
    pthread_t keys;
    CLAIM(pthread_create(&keys, NULL, take_key, NULL) == 0);
    step_begin('j');
    mail_send(&server, &master, "join", key); /* ask */
    step_end();
    const struct message answer = mail_receive(&server);
    CLAIM(pthread_join(keys, NULL) == 0);
    return message_is(&answer, "welcome") ? 0 : STATUS_BUG;
}

static int run_keeper(void)
{
    (void)mail_receive(&keeper);
    mail_send(&keeper, &server_keys, "key", KEY);
    return 0;
}

static int run_master(void)
{
    const struct message m = mail_receive(&master);
    mail_send(&master, &server, m.value == KEY ? "welcome" : "rejected", 0);
    return 0;
}

int main(int argc, char **argv)
{
    cluster_begin(argc, argv, "kj", "jk");
    mailbox_open(&server);
    mailbox_open(&server_keys);
    mailbox_open(&keeper);
    mailbox_open(&master);
    node_begin("server", run_server);
    node_begin("keeper", run_keeper);
    node_begin("master", run_master);
    return cluster_end();
}
