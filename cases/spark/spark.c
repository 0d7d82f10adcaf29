#include "spark.h"

#include <stdio.h>

struct bugs bugs;
struct choices choices = {.workers = 3, .jobs = 3};

static const char *const nodes[WORKER_FIRST + WORKERS_MAX] = {
    "master", "driver", "w1",  "w2",  "w3",  "w4",  "w5",  "w6",  "w7",  "w8",  "w9",
    "w10",    "w11",    "w12", "w13", "w14", "w15", "w16", "w17", "w18", "w19", "w20"};
static const char *const messages[MESSAGE_TYPES + 1] = {"join",
                                                        "submit-program",
                                                        "submit-job",
                                                        "register-worker",
                                                        "registered-worker",
                                                        "register-application",
                                                        "registered-application",
                                                        "launch-executor",
                                                        "executor-ready",
                                                        "launch-program",
                                                        "master-changed",
                                                        "worker-state",
                                                        "launch-task",
                                                        "task-done"};
static const char *const timers[TIMERS + 1] = {"retry", "recovered", "work", "speculate"};

/* From outside: workers join, a program is submitted, some time. */
static void setup(void)
{
    for (int i = 0; i < worker_count(); i++) {
        clew_request(WORKER_FIRST + i, JOIN, NULL, 0);
    }
    clew_request(MASTER, SUBMIT_PROGRAM, NULL, 0);
}

/* The master fails and recovers, whatever other faults there are. */
static const char config[] = "initial:\n"
                             "  - crash: master\n"
                             "  - restart: master\n";

static void begin(struct node *node, bool is_again)
{
    switch (clew_self()) {
    case MASTER: master_start(&node->master, is_again); break;
    case DRIVER: driver_start(&node->driver); break;
    default: worker_start(&node->worker, is_again); break;
    }
}

static void start(void *state)
{
    begin(state, false);
}

static void restart(void *state)
{
    begin(state, true);
}

static void message(void *state, const struct clew_message *m)
{
    struct node *node = state;
    switch (clew_self()) {
    case MASTER: master_message(&node->master, m); break;
    case DRIVER: driver_message(&node->driver, m); break;
    default: worker_message(&node->worker, m); break;
    }
}

static void timer(void *state, int timer)
{
    struct node *node = state;
    switch (clew_self()) {
    case MASTER: master_timer(&node->master); break;
    case DRIVER: driver_timer(&node->driver, timer); break;
    default: worker_timer(&node->worker, timer); break;
    }
}

static bool locality(const struct clew_view *view)
{
    static const char *const words[] = {"node-local", "no-preference", "any", "speculative", "no"};
    const struct node *node = view->states[DRIVER];
    return node == NULL || node->driver.chosen <= node->driver.best ||
           clew_broken(view, "a %s task is launched while a %s one is pending",
                       words[node->driver.chosen], words[node->driver.best]);
}

static bool results_count_once(const struct clew_view *view)
{
    const struct node *node = view->states[DRIVER];
    int done = 0;
    for (int i = 0; node != NULL && i < job_count() * TASK_MAX; i++) {
        done += node->driver.jobs[i / TASK_MAX].tasks[i % TASK_MAX].state == DONE;
    }
    return node == NULL || node->driver.results == done ||
           clew_broken(view, "%d results of %d tasks", node->driver.results, done);
}

static const struct clew_property properties[] = {
    {.name = "locality", .holds = locality},
    {.name = "results count once", .holds = results_count_once},
    {0},
};

static const struct clew_bug spark_bugs[] = {
    {"spark-2294", "tasks far from their data are launched before near ones of later jobs",
     &bugs.inverts_locality},
    {"spark-3150", "a recovering master dies of a program whose worker is lost",
     &bugs.forgets_lost_program},
    {"spark-9256", "the master dies of an application that registers twice",
     &bugs.dies_of_repetition},
    {0},
};

static const struct clew_setting settings[] = {
    {"workers", "how many there are", &choices.workers, 3, WORKERS_MAX},
    {"jobs", "that the application submits", &choices.jobs, 3, JOBS_MAX},
    {0},
};

static void adjust(struct clew_system *system)
{
    system->node_count = WORKER_FIRST + choices.workers;
}

static void describe(const void *state, char *text, size_t size)
{
    const struct node *node = state;
    (void)snprintf(text, size, "life %u, %d results, program on %d", node->driver.life,
                   node->driver.results, node->master.program_worker);
}

CLEW_SYSTEM(.name = "spark", .node_count = WORKER_FIRST + 3, .nodes = nodes, .messages = messages,
            .timers = timers, .state_size = sizeof(struct node), .disk_size = sizeof(struct store),
            .setup = setup, .start = start, .restart = restart, .message = message, .timer = timer,
            .describe = describe, .properties = properties, .bugs = spark_bugs,
            .settings = settings, .config = config, .faults = "crash=2,restart=2", .depth = 300,
            .adjust = adjust);
