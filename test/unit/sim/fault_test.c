/* Faults: when they can strike, and what they do. */
#include "base/mem.h"
#include "system.h"
#include "test.h"

enum { VALUE };
static const char *const messages[] = {"value", NULL};
enum { TICK };
static const char *const timers[] = {"tick", NULL};

/* Node 0 saves 3 on its disk, then writes 1 and 2 before it and sends 1 and 2 to node 1. */
struct node {
    int got; /* messages, as a decimal number */
    int written;
    int failed;
    int found; /* on the disk, at a restart */
    int saved;
    uint64_t clock;
};

static void start(void *state)
{
    (void)state;
    clew_timer_set(TICK, 10);
    clew_disk_save(2, &(char){3}, 1);
    for (char i = 1; clew_self() == 0 && i <= 2; i++) {
        (void)clew_disk_write((size_t)(i - 1), &i, 1);
        clew_send(1, VALUE, &i, 1);
    }
}

static void restart(void *state)
{
    struct node *node = state;
    unsigned char disk[3];
    clew_disk_read(0, disk, 3);
    node->found = disk[0] * 10 + disk[1];
    node->saved = disk[2];
}

static void message(void *state, const struct clew_message *m)
{
    struct node *node = state;
    node->got = node->got * 10 + *(const char *)m->bytes;
}

static void written(void *state, uint32_t ticket, bool is_failed)
{
    struct node *node = state;
    node->written = node->written * 10 + (int)ticket;
    node->failed += is_failed;
}

static void timer(void *state, int which)
{
    (void)which;
    ((struct node *)state)->clock = clew_now();
}

static struct node seen[2];
static bool is_up[2];

static bool look(const struct clew_view *view)
{
    for (int i = 0; i < 2; i++) {
        is_up[i] = view->states[i] != NULL;
        if (is_up[i]) {
            seen[i] = *(const struct node *)view->states[i];
        }
    }
    return true;
}

static const struct clew_property looking[] = {{.name = "look", .holds = look}, {0}};

static const struct clew_system faulty = {.version = CLEW_SIM_VERSION,
                                          .size = sizeof(struct clew_system),
                                          .name = "faulty",
                                          .node_count = 2,
                                          .messages = messages,
                                          .timers = timers,
                                          .state_size = sizeof(struct node),
                                          .disk_size = 3,
                                          .start = start,
                                          .restart = restart,
                                          .message = message,
                                          .written = written,
                                          .timer = timer,
                                          .properties = looking};

static struct world *world;
static struct execution x;

/* Does, by hand, the pending operations that schedules write so. */
static void do_all(const char *budget, const char *const *lines)
{
    static struct plan p;
    struct err e;
    p = (struct plan){0};
    CHECK_INT(fault_budget_parse(&p.faults, budget, &e), 0);
    world = system_open(&faulty, "fifo");
    world->ops->begin(world, &p, &x);
    for (; *lines != NULL; lines++) {
        const struct pick_operation *pending = NULL;
        const uint32_t count = world->ops->pending(world, &pending);
        uint32_t found = count;
        for (uint32_t i = 0; i < count && found == count; i++) {
            struct execution one = {0};
            vec_push(&one.steps, (struct step){.operation = pending[i]});
            char *line = system_steps(world, &one);
            found =
                strncmp(line, *lines, strlen(line) - 1) == 0 && strlen(*lines) == strlen(line) - 1
                    ? i
                    : count;
            mem_free(line);
            execution_release(&one);
        }
        if (found == count) {
            fail_msg("\"%s\" is not pending", *lines);
        }
        CHECK(world->ops->step(world, found, &x));
    }
}

static void finish(void)
{
    execution_release(&x);
    x = (struct execution){0};
    world_close(world);
}

static bool is_pending(const char *wanted)
{
    const struct pick_operation *pending = NULL;
    const uint32_t count = world->ops->pending(world, &pending);
    struct execution all = {0};
    for (uint32_t i = 0; i < count; i++) {
        vec_push(&all.steps, (struct step){.operation = pending[i]});
    }
    char *lines = system_steps(world, &all);
    const bool is_there = strstr(lines, wanted) != NULL;
    mem_free(lines);
    execution_release(&all);
    return is_there;
}

#define LINES(...) ((const char *const[]){__VA_ARGS__, NULL})
#define WRITTEN_1 "task main@n1 file-fsync disk #1"
#define WRITTEN_2 "task main@n1 file-fsync disk #2"

TEST(a_crash_loses_what_was_not_on_the_disk)
{
    do_all("crash=1,restart=1",
           LINES("task main@n1 file-fsync disk #1", "fault crash n1", "fault restart n1"));
    CHECK_INT(seen[0].found, 10);
    CHECK_INT(seen[0].saved, 3);
    CHECK(!is_pending("fault crash"));
    CHECK(!is_pending("file-fsync"));
    finish();
}

TEST(a_crash_may_find_writes_on_the_disk_that_nobody_was_told_of)
{
    do_all("crash=1,restart=1", LINES("fault crash n1+1", "fault restart n1"));
    CHECK_INT(seen[0].found, 10);
    finish();
    do_all("crash=1,restart=1", LINES("fault crash n1+2", "fault restart n1"));
    CHECK_INT(seen[0].found, 12);
    finish();
}

TEST(a_node_that_is_down_does_nothing_and_gets_nothing)
{
    do_all("crash=2,restart=1", LINES("fault crash n2"));
    CHECK(!is_up[1]);
    CHECK(!is_pending("n1>n2"));
    CHECK(!is_pending("timer main@n2"));
    CHECK(is_pending("timer main@n1"));
    CHECK(is_pending("fault restart n2"));
    CHECK(is_pending("fault crash n1"));
    finish();
}

TEST(a_message_is_dropped_repeated_and_overtaken)
{
    do_all("drop=1", LINES("fault drop \"n1>n2/value#1\"", "message n1>n2/value#2"));
    CHECK_INT(seen[1].got, 2);
    CHECK(!is_pending("drop"));
    finish();
    do_all("duplicate=1", LINES("fault duplicate \"n1>n2/value#1\"", "message n1>n2/value#1",
                                "message n1>n2/value#2", "message n1>n2/value#3"));
    CHECK_INT(seen[1].got, 121);
    finish();
    do_all("reorder=1", LINES("fault reorder \"n1>n2/value#2\"", "message n1>n2/value#2",
                              "message n1>n2/value#1"));
    CHECK_INT(seen[1].got, 21);
    finish();
}

TEST(a_partition_holds_messages_until_it_is_healed)
{
    do_all("partition=1,heal=1", LINES("fault partition n1"));
    CHECK(!is_pending("message"));
    CHECK(is_pending("timer main@n1"));
    finish();
    do_all("partition=1,heal=1", LINES("fault partition n2", "fault heal n2",
                                       "message n1>n2/value#1", "message n1>n2/value#2"));
    CHECK_INT(seen[1].got, 12);
    finish();
}

TEST(a_skew_moves_a_clock_on)
{
    do_all("skew=1", LINES("fault skew n2", "timer main@n2 timer-fire tick #1",
                           "timer main@n1 timer-fire tick #1"));
    CHECK_INT(seen[1].clock, 10);
    CHECK_INT(seen[0].clock, 10);
    finish();
}

TEST(a_disk_may_fail_and_may_be_slow)
{
    do_all("disk-error=1", LINES("fault disk-error n1", WRITTEN_1, WRITTEN_2));
    CHECK_INT(seen[0].written, 12);
    CHECK_INT(seen[0].failed, 1);
    finish();
    do_all("slow-disk=1", LINES("fault slow-disk n1", "message n1>n2/value#1",
                                "message n1>n2/value#2", "timer main@n1 timer-fire tick #1"));
    CHECK(!is_pending("file-fsync"));
    finish();
    do_all("slow-disk=1", LINES("fault slow-disk n1", "message n1>n2/value#1",
                                "message n1>n2/value#2", "timer main@n1 timer-fire tick #1",
                                "timer main@n2 timer-fire tick #1", WRITTEN_1, WRITTEN_2));
    CHECK_INT(seen[0].written, 12);
    finish();
}
