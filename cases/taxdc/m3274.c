/* MapReduce 3274. The resource manager (B) gives a node manager (C) a container to work in, and the
 * application master (A) tells it to stop that task. Broken, being told so is forgotten when there
 * is no container yet, and the application master waits for ever. */
#include "taxdc.h"

static bool is_broken;

static void start(struct node *node)
{
    if (clew_self() == A) {
        node->m3274.is_waiting = true;
        send_word(C, PREEMPT);
    } else if (clew_self() == B) {
        send_word(C, CONTAINER);
    }
}

static void get_container(struct node *node)
{
    clew_writes("container");
    node->m3274.has_container = true;
    if (node->m3274.is_told_to_stop) {
        send_word(A, PREEMPTED);
    } else {
        send_word(C, WORKED);
    }
}

static void stop(struct node *node)
{
    clew_reads("container");
    if (node->m3274.has_container) {
        send_word(A, PREEMPTED);
    }
    node->m3274.is_told_to_stop = node->m3274.has_container || !is_broken;
}

static void message(struct node *node, const struct clew_message *m)
{
    if (m->type == CONTAINER) {
        get_container(node);
    } else if (m->type == PREEMPT) {
        stop(node);
    } else if (m->type == WORKED && !node->m3274.is_told_to_stop) {
        send_word(A, COMPLETED);
    } else if (m->type == PREEMPTED) {
        node->m3274.is_waiting = false;
    }
}

const struct scenario m3274 = {
    .name = "m3274",
    .about = "a task is told to stop before its container is there",
    .is_broken = &is_broken,
    .start = start,
    .message = message,
    .messages_first = CONTAINER,
    .messages_last = COMPLETED,
};
