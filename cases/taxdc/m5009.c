/* MapReduce 5009. A node manager (B) commits the result of a reduce task at the application master
 * (C): it asks, is granted it, and says when it is done. The resource manager (A) kills the task,
 * which then runs again. Broken, a task that is killed while it commits leaves the application
 * master thinking that it still does. */
#include "taxdc.h"

static bool is_broken;

/* The node manager: what it says carries the number of the attempt. */

static void say(const struct node *node, int to, enum message_type type)
{
    clew_send(to, type, &node->m5009.attempt, sizeof node->m5009.attempt);
}

static void begin_commit(struct node *node, int attempt)
{
    if (attempt == node->m5009.attempt) {
        clew_writes("phase");
        node->m5009.phase = COMMITTING;
        say(node, C, COMMIT);
    }
}

static void start(struct node *node)
{
    if (clew_self() == A) {
        send_word(B, KILL_REDUCE);
    } else if (clew_self() == B) {
        say(node, B, REDUCED);
    }
}

static void finish(struct node *node, int attempt)
{
    if (attempt == node->m5009.attempt) {
        clew_writes("phase");
        node->m5009.phase = COMMITTED;
        say(node, C, DONE);
    }
}

static void run_again(struct node *node)
{
    clew_reads("phase");
    if (node->m5009.phase == COMMITTED) {
        return;
    }
    if (node->m5009.phase == COMMITTING && !is_broken) {
        say(node, C, ABORT);
    }
    node->m5009.phase = REDUCING;
    node->m5009.attempt++;
    say(node, B, REDUCED);
}

/* The application master */

static void commit(struct node *node, int from, int attempt)
{
    clew_reads("commit");
    node->m5009.is_confused = node->m5009.is_committing;
    clew_writes("commit");
    node->m5009.is_committing = true;
    clew_send(from, GRANTED, &attempt, sizeof attempt);
}

static void message(struct node *node, const struct clew_message *m)
{
    switch (m->type) {
    case REDUCED: begin_commit(node, *(const int *)m->bytes); break;
    case COMMIT: commit(node, m->from, *(const int *)m->bytes); break;
    case GRANTED: finish(node, *(const int *)m->bytes); break;
    case KILL_REDUCE: run_again(node); break;
    default:
        clew_writes("commit");
        node->m5009.is_committing = false;
        break;
    }
}

const struct scenario m5009 = {
    .name = "m5009",
    .about = "a task that was killed while it committed commits again",
    .is_broken = &is_broken,
    .start = start,
    .message = message,
    .messages_first = REDUCED,
    .messages_last = KILL_REDUCE,
};
