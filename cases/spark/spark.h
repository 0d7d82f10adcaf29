/* A cluster after the core of Apache Spark: a master that knows workers, an application and a
 * supervised program; the application's driver, which gives tasks to the executors of workers; the
 * workers. */
#ifndef CASES_SPARK_SPARK_H
#define CASES_SPARK_SPARK_H

#include <clew/sim.h>

enum { MASTER, DRIVER, WORKER_FIRST, WORKERS_MAX = 20, JOBS_MAX = 40, TASK_MAX = 3, NOBODY = -1 };
enum { TRIES_MAX = 3 }; /* of registering */

enum message_type {
    JOIN,           /* from outside: a worker is to join */
    SUBMIT_PROGRAM, /* from outside, too */
    SUBMIT_JOB,
    REGISTER_WORKER,
    REGISTERED_WORKER,
    REGISTER_APPLICATION,
    REGISTERED_APPLICATION,
    LAUNCH_EXECUTOR,
    EXECUTOR_READY,
    LAUNCH_PROGRAM,
    MASTER_CHANGED,
    WORKER_STATE,
    LAUNCH_TASK,
    TASK_DONE,
    MESSAGE_TYPES
};

enum timer_number { RETRY, RECOVERED, WORK, SPECULATE, TIMERS };

/* The mistakes that can be put in. */
struct bugs {
    bool inverts_locality;     /* 2294 */
    bool forgets_lost_program; /* 3150 */
    bool dies_of_repetition;   /* 9256 */
};
extern struct bugs bugs;

/* What is chosen before the first run. */
struct choices {
    uint32_t workers;
    uint32_t jobs;
};
extern struct choices choices;

static inline int worker_count(void)
{
    return (int)choices.workers;
}

static inline int job_count(void)
{
    return (int)choices.jobs;
}

/* What outlives a crash of the master. */
struct store {
    bool has_worker[WORKERS_MAX];
    bool has_application;
    bool has_program; /* it was launched */
};

struct master {
    struct store store;
    bool is_alive[WORKERS_MAX];
    bool is_program_waiting; /* for a worker to run on */
    int program_worker;
};

/* How near a task is to its data where it is offered a place; the lower the better. */
enum level { NODE_LOCAL, NO_PREFERENCE, ANY, SPECULATIVE, LEVELS };

enum task_state { PENDING, RUNNING, DONE };

struct task {
    enum task_state state;
    int prefers; /* a worker, or NOBODY */
    int runs_on;
    bool is_slow; /* a copy of it may be run */
    bool has_copy;
};

struct job {
    bool is_submitted;
    struct task tasks[TASK_MAX];
};

/* The name of a task in messages; which life of the driver it is of. */
struct task_name {
    uint32_t life;
    int job;
    int task;
};

struct driver {
    uint32_t life;
    int tries;
    struct job jobs[JOBS_MAX];
    bool is_free[WORKERS_MAX]; /* there is an executor with nothing to do */
    enum level chosen;         /* at the last decision, and ... */
    enum level best;           /* what could have been chosen */
    int results;
};

struct worker {
    bool is_joining;
    int tries;
    bool runs_program;
    bool is_working;
    struct task_name task;
};

/* A node is one of them. */
struct node {
    struct master master;
    struct driver driver;
    struct worker worker;
};

void master_start(struct master *m, bool is_again);
void master_message(struct master *m, const struct clew_message *message);
void master_timer(struct master *m);

void driver_start(struct driver *d);
void driver_message(struct driver *d, const struct clew_message *message);
void driver_timer(struct driver *d, int timer);

void worker_start(struct worker *w, bool is_again);
void worker_message(struct worker *w, const struct clew_message *message);
void worker_timer(struct worker *w, int timer);

static inline void say(int to, enum message_type type)
{
    clew_send(to, type, NULL, 0);
}

static inline int number_in(const struct clew_message *m)
{
    return *(const int *)m->bytes;
}

#endif
