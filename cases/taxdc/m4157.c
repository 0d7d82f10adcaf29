/* MapReduce 4157. An application master (A) whose job is done unregisters at the resource manager
 * (B), which ends it, while a worker of its own removes its files. Broken, it does not wait for the
 * worker before it unregisters. */
#include "taxdc.h"

static bool is_broken;

static void start(struct node *node)
{
    (void)node;
    if (clew_self() == A) {
        send_word(A, CLEAN);
        if (is_broken) {
            send_word(B, UNREGISTER);
        }
    }
}

/* The worker */

static void begin_cleaning(struct node *node)
{
    clew_writes("isCleaning");
    node->m4157.files = CLEANING;
    send_word(A, CLEANED);
}

static void end_cleaning(struct node *node)
{
    clew_writes("isCleaning");
    node->m4157.files = CLEAN_NOW;
    if (!is_broken) {
        send_word(B, UNREGISTER);
    }
}

static void end(struct node *node)
{
    clew_reads("isCleaning");
    node->m4157.has_left_files = node->m4157.files != CLEAN_NOW;
    node->m4157.is_ended = true;
}

static void message(struct node *node, const struct clew_message *m)
{
    if (m->type == UNREGISTER) {
        send_word(A, KILL_MASTER);
    } else if (m->type == KILL_MASTER) {
        end(node);
    } else if (m->type == CLEAN && !node->m4157.is_ended) {
        begin_cleaning(node);
    } else if (m->type == CLEANED && !node->m4157.is_ended) {
        end_cleaning(node);
    }
}

const struct scenario m4157 = {
    .name = "m4157",
    .about = "an application master is ended while it still removes its files",
    .is_broken = &is_broken,
    .start = start,
    .message = message,
    .messages_first = CLEAN,
    .messages_last = KILL_MASTER,
};
