/* What requests bring is made smaller as far as a schedule can say it. */
#include <string.h>

#include "base/mem.h"
#include "minimize/minimize.h"
#include "system.h"
#include "test.h"

enum { STEPS = 3 };

static volatile sig_atomic_t never;
static size_t size_brought;

struct node {
    uint32_t got;
};

static void ask(void)
{
    char *bytes = mem_zero(size_brought, 1);
    for (int i = 0; i < STEPS; i++) {
        clew_request(0, 0, bytes, size_brought);
    }
    mem_free(bytes);
}

/* Whatever is smaller counts for all of them. */
static void get(void *state, const struct clew_message *m)
{
    ((struct node *)state)->got += m->size < size_brought ? STEPS : 1;
}

static bool is_less(const struct clew_view *view)
{
    return ((const struct node *)view->states[0])->got < STEPS;
}

static bool leave_last_out(const struct clew_message *m, uint32_t index, void *bytes, size_t *size)
{
    *size = m->size - 1;
    memcpy(bytes, m->bytes, m->size - 1);
    return index == 0 && m->size == size_brought;
}

static const char *const messages[] = {"note", NULL};
static const struct clew_property properties[] = {{.name = "less", .holds = is_less}, {0}};
static const struct clew_system notes = {.version = CLEW_SIM_VERSION,
                                         .size = sizeof(struct clew_system),
                                         .name = "notes",
                                         .node_count = 1,
                                         .messages = messages,
                                         .state_size = sizeof(struct node),
                                         .setup = ask,
                                         .message = get,
                                         .properties = properties,
                                         .shrink = leave_last_out};

/* Minimizes requests of that many bytes. What is left is what its schedule says. */
static void reduce(size_t size, struct minimized *m)
{
    struct err e = {.text = ""};
    struct world *w = system_open(&notes, NULL);
    const struct minimize_options o = {.is_stopped = &never, .stages = 1u << STAGE_CONTENTS};
    size_brought = size;
    if (minimize(w, &(struct plan){0}, &o, m, &e) < 0) {
        fail_msg("%s", e.text);
    }
    struct recipe r = {0};
    struct execution x = {0};
    system_recipe(w, &m->plan, &m->best, &r);
    system_run(w, &r.plan, &x);
    CHECK_INT(x.outcome, OUTCOME_PROPERTY);
    CHECK_INT(x.hash, m->best.hash);
    execution_release(&x);
    recipe_release(&r);
    world_close(w);
}

TEST(what_a_schedule_can_say_is_tried)
{
    static const size_t sizes[] = {2, 70001, SCHEDULE_CONTENT_MAX + 1};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct minimized m;
        reduce(sizes[i], &m);
        CHECK_INT(m.best.steps.count, 1);
        CHECK_INT(m.contents_shrunk, 1);
        minimized_release(&m);
    }
}

TEST(what_no_schedule_can_say_is_not_tried)
{
    struct minimized m;
    reduce(SCHEDULE_CONTENT_MAX + 2, &m);
    CHECK_INT(m.best.steps.count, STEPS);
    CHECK_INT(m.contents_shrunk, 0);
    CHECK_TEXT(m.stages[STAGE_CONTENTS].note,
               "some proposed payloads are too large for a schedule");
    minimized_release(&m);
}
