/* MapReduce 5358. The application master (A) lets two node managers (B and C) do the same task and
 * kills the attempt that is not the first to succeed. Broken, it takes a success that comes before
 * the kill has arrived for a step that cannot be. */
#include "taxdc.h"

static bool is_broken;

static void start(struct node *node)
{
    (void)node;
    if (clew_self() == A) {
        send_word(C, TASK);
        send_word(B, TASK);
    }
}

static void succeed(struct node *node, int by)
{
    clew_reads("tState");
    if (node->m5358.is_task_done) {
        node->m5358.is_confused = is_broken;
    } else {
        send_word(by == B ? C : B, KILL_ATTEMPT);
    }
    clew_writes("tState");
    node->m5358.is_task_done = true;
}

static void report(const struct node *node)
{
    clew_reads("attempt");
    if (!node->m5358.is_killed) {
        send_word(A, SUCCEEDED);
    }
}

static void message(struct node *node, const struct clew_message *m)
{
    if (m->type == TASK) {
        send_word(clew_self(), ATTEMPTED);
    } else if (m->type == SUCCEEDED) {
        succeed(node, m->from);
    } else if (m->type == ATTEMPTED) {
        report(node);
    } else {
        clew_writes("attempt");
        node->m5358.is_killed = true;
    }
}

const struct scenario m5358 = {
    .name = "m5358",
    .about = "a second attempt succeeds before it is killed",
    .is_broken = &is_broken,
    .start = start,
    .message = message,
    .messages_first = TASK,
    .messages_last = KILL_ATTEMPT,
};
