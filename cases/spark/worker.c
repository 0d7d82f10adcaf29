/* A worker: joins when it is told to, runs one executor with one task at a time, and perhaps the
 * program that the master looks after. */
#include "spark.h"

enum { RETRY_TIME = 20, WORK_TIME = 10 };

static void ask(struct worker *w)
{
    if (w->tries++ < TRIES_MAX) {
        say(MASTER, REGISTER_WORKER);
        clew_timer_set(RETRY, RETRY_TIME);
    }
}

/* After a crash it joins again by itself. */
void worker_start(struct worker *w, bool is_again)
{
    w->is_joining = is_again;
    if (is_again) {
        ask(w);
    }
}

void worker_message(struct worker *w, const struct clew_message *message)
{
    switch (message->type) {
    case JOIN:
        if (!w->is_joining) {
            w->is_joining = true;
            ask(w);
        }
        break;
    case REGISTERED_WORKER: clew_timer_cancel(RETRY); break;
    case LAUNCH_EXECUTOR:
        if (!w->is_working) {
            say(DRIVER, EXECUTOR_READY);
        }
        break;
    case LAUNCH_PROGRAM: w->runs_program = true; break;
    case MASTER_CHANGED:
        clew_send(MASTER, WORKER_STATE, &w->runs_program, sizeof w->runs_program);
        break;
    default: /* LAUNCH_TASK */
        w->task = *(const struct task_name *)message->bytes;
        w->is_working = true;
        clew_timer_set(WORK, WORK_TIME);
        break;
    }
}

void worker_timer(struct worker *w, int timer)
{
    if (timer == RETRY) {
        ask(w);
        return;
    }
    w->is_working = false;
    clew_send(DRIVER, TASK_DONE, &w->task, sizeof w->task);
}
