/* HBase 5780. A region server (B) asks ZooKeeper (A) for the cluster's key, and the master (C) to
 * let it join. Broken, it asks to join after a while, whether the key has come or not. */
#include "taxdc.h"

static bool is_broken;

static void join(struct node *node)
{
    clew_reads("code");
    clew_send(C, JOIN, &node->h5780.code, sizeof node->h5780.code);
}

static void start(struct node *node)
{
    (void)node;
    if (clew_self() == B) {
        send_word(A, KEY_REQUEST);
        if (is_broken) {
            send_word(B, JOIN_NOW);
        }
    }
}

static void message(struct node *node, const struct clew_message *m)
{
    if (m->type == KEY_REQUEST) {
        send_word(B, KEY);
    } else if (m->type == KEY) {
        clew_writes("code");
        node->h5780.code = 42;
        if (!is_broken) {
            join(node);
        }
    } else if (m->type == JOIN_NOW) {
        join(node);
    } else if (*(const int *)m->bytes == 0) {
        node->h5780.has_null_member = true;
    }
}

const struct scenario h5780 = {
    .name = "h5780",
    .about = "a region server asks to join before it has the key",
    .is_broken = &is_broken,
    .start = start,
    .message = message,
    .messages_first = KEY_REQUEST,
    .messages_last = JOIN,
};
