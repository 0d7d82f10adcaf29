/* The master: who is there, and who runs what. What it must not forget is in the store, which is
 * its disk; which worker runs the program is not, and is asked for after a crash. */
#include "spark.h"

enum { RECOVERY_TIME = 100 };

static void save(const struct master *m)
{
    clew_disk_save(0, &m->store, sizeof m->store);
}

static void launch_program(struct master *m)
{
    m->is_program_waiting = true;
    for (int i = 0; i < worker_count() && m->is_program_waiting; i++) {
        if (m->is_alive[i]) {
            m->program_worker = i;
            m->is_program_waiting = false;
            m->store.has_program = true;
            save(m);
            say(WORKER_FIRST + i, LAUNCH_PROGRAM);
        }
    }
}

static void launch_executor(const struct master *m, int worker)
{
    if (m->store.has_application && m->is_alive[worker]) {
        say(WORKER_FIRST + worker, LAUNCH_EXECUTOR);
    }
}

static void register_worker(struct master *m, int worker)
{
    m->is_alive[worker] = true;
    m->store.has_worker[worker] = true;
    save(m);
    say(WORKER_FIRST + worker, REGISTERED_WORKER);
    launch_executor(m, worker);
    if (m->program_worker == worker || m->is_program_waiting) {
        launch_program(m); /* one that registers anew has lost what it ran */
    }
}

/* A driver asks until it is answered, so that it may ask twice. */
static void register_application(struct master *m)
{
    if (m->store.has_application && bugs.dies_of_repetition) {
        clew_fail("an application registers once");
    }
    m->store.has_application = true;
    save(m);
    say(DRIVER, REGISTERED_APPLICATION);
    for (int i = 0; i < worker_count(); i++) {
        launch_executor(m, i);
    }
}

void master_start(struct master *m, bool is_again)
{
    m->program_worker = NOBODY;
    clew_disk_read(0, &m->store, sizeof m->store);
    if (!is_again) {
        return;
    }
    clew_log_line("recovering");
    for (int i = 0; i < worker_count(); i++) {
        if (m->store.has_worker[i]) {
            say(WORKER_FIRST + i, MASTER_CHANGED);
        }
    }
    clew_timer_set(RECOVERED, RECOVERY_TIME);
}

void master_message(struct master *m, const struct clew_message *message)
{
    const int worker = message->from - WORKER_FIRST;
    switch (message->type) {
    case REGISTER_WORKER: register_worker(m, worker); break;
    case REGISTER_APPLICATION: register_application(m); break;
    case SUBMIT_PROGRAM: launch_program(m); break;
    default: /* WORKER_STATE */
        m->is_alive[worker] = true;
        if (*(const bool *)message->bytes) {
            m->program_worker = worker;
        }
        break;
    }
}

/* Recovery ends: who has not answered is gone, and what ran there is launched anew. */
void master_timer(struct master *m)
{
    for (int i = 0; i < worker_count(); i++) {
        m->store.has_worker[i] = m->is_alive[i];
    }
    save(m);
    if (m->store.has_program && m->program_worker == NOBODY) {
        if (bugs.forgets_lost_program) {
            clew_fail("the program's worker is known");
        }
        launch_program(m);
    }
}
