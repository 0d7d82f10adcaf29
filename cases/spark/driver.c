/* The driver of the application: registers until it is answered, and gives each free executor the
 * task that is nearest to its data; of those equally near, that of the earlier job. */
#include "spark.h"

enum { RETRY_TIME = 20, PATIENCE = 15 };

static void ask(struct driver *d)
{
    if (d->tries++ < TRIES_MAX) {
        say(MASTER, REGISTER_APPLICATION);
        clew_timer_set(RETRY, RETRY_TIME);
    }
}

void driver_start(struct driver *d)
{
    clew_disk_read(0, &d->life, sizeof d->life);
    d->life++;
    clew_disk_save(0, &d->life, sizeof d->life);
    ask(d);
    for (int i = 0; i < job_count(); i++) {
        clew_send(DRIVER, SUBMIT_JOB, &i, sizeof i); /* a thread of the application, some time */
    }
}

/* How near the task is when it is offered this worker; LEVELS: it is not for offer. */
static enum level level_of(const struct task *t, int worker)
{
    if (t->state == PENDING) {
        return t->prefers == worker ? NODE_LOCAL : t->prefers == NOBODY ? NO_PREFERENCE : ANY;
    }
    const bool may_be_copied = t->state == RUNNING && t->is_slow && !t->has_copy;
    return may_be_copied && t->runs_on != worker ? SPECULATIVE : LEVELS;
}

/* The nearest of the tasks from one job on to another. */
static struct task_name find_nearest(const struct driver *d, int worker, int first, int last)
{
    struct task_name best = {.life = d->life, .job = NOBODY};
    enum level best_level = LEVELS;
    for (int j = first; j <= last; j++) {
        for (int t = 0; d->jobs[j].is_submitted && t < TASK_MAX; t++) {
            const enum level level = level_of(&d->jobs[j].tasks[t], worker);
            if (level < best_level) {
                best = (struct task_name){.life = d->life, .job = j, .task = t};
                best_level = level;
            }
        }
    }
    return best;
}

/* Of all jobs together. Broken, of the first job that has any. */
static struct task_name choose(const struct driver *d, int worker)
{
    if (!bugs.inverts_locality) {
        return find_nearest(d, worker, 0, job_count() - 1);
    }
    struct task_name found = {.job = NOBODY};
    for (int j = 0; j < job_count() && found.job == NOBODY; j++) {
        found = find_nearest(d, worker, j, j);
    }
    return found;
}

static void launch(struct driver *d, struct task_name name, int worker)
{
    struct task *t = &d->jobs[name.job].tasks[name.task];
    d->chosen = level_of(t, worker);
    d->is_free[worker] = false;
    if (t->state == PENDING) {
        t->state = RUNNING;
        t->runs_on = worker;
        clew_timer_set(SPECULATE, PATIENCE);
    } else {
        t->has_copy = true;
    }
    clew_send(WORKER_FIRST + worker, LAUNCH_TASK, &name, sizeof name);
}

static void offer_all(struct driver *d)
{
    for (int w = 0; w < worker_count(); w++) {
        const struct task_name name = choose(d, w);
        const struct task_name nearest = find_nearest(d, w, 0, job_count() - 1);
        if (d->is_free[w] && name.job != NOBODY && d->chosen <= d->best) {
            d->best = level_of(&d->jobs[nearest.job].tasks[nearest.task], w);
            launch(d, name, w);
        }
    }
}

/* An executor with nothing to do: what its worker ran before is lost. */
static void get_executor(struct driver *d, int worker)
{
    for (int j = 0; j < job_count(); j++) {
        for (int i = 0; i < TASK_MAX; i++) {
            struct task *t = &d->jobs[j].tasks[i];
            if (t->state == RUNNING && t->runs_on == worker) {
                *t = (struct task){.prefers = t->prefers};
            }
        }
    }
    d->is_free[worker] = true;
}

static void get_job(struct driver *d, int number)
{
    /* The first wants a place, the second any, the third one of each; and so on. */
    static const int preferences[][TASK_MAX] = {
        {NOBODY, NOBODY, 0}, {1, NOBODY, 2}, {0, 1, NOBODY}};
    const bool is_known = d->jobs[number].is_submitted;
    d->jobs[number].is_submitted = true;
    for (int i = 0; !is_known && i < TASK_MAX; i++) {
        d->jobs[number].tasks[i] = (struct task){.prefers = preferences[number % 3][i]};
    }
}

static void get_result(struct driver *d, struct task_name name, int worker)
{
    struct task *t = &d->jobs[name.job].tasks[name.task];
    d->is_free[worker] = true;
    if (name.life == d->life && t->state != DONE) {
        t->state = DONE;
        d->results++;
        clew_log_line("done");
    }
}

void driver_message(struct driver *d, const struct clew_message *message)
{
    const int worker = message->from - WORKER_FIRST;
    switch (message->type) {
    case SUBMIT_JOB: get_job(d, number_in(message)); break;
    case EXECUTOR_READY: get_executor(d, worker); break;
    case TASK_DONE: get_result(d, *(const struct task_name *)message->bytes, worker); break;
    default: clew_timer_cancel(RETRY); break; /* REGISTERED_APPLICATION */
    }
    offer_all(d);
}

/* Whoever runs now is slow. */
static void speculate(struct driver *d)
{
    for (int j = 0; j < job_count(); j++) {
        for (int i = 0; i < TASK_MAX; i++) {
            struct task *t = &d->jobs[j].tasks[i];
            t->is_slow = t->is_slow || (d->jobs[j].is_submitted && t->state == RUNNING);
        }
    }
}

void driver_timer(struct driver *d, int timer)
{
    if (timer == RETRY) {
        ask(d);
        return;
    }
    speculate(d);
    offer_all(d);
}
