#include "taxdc.h"

static const char *const nodes[] = {"a", "b", "c"};
static const char *const messages[MESSAGE_TYPES + 1] = {
    "key-request",  "key",       "join-now",  "join",       "container",   "worked",
    "preempt",      "preempted", "completed", "task",       "attempted",   "succeeded",
    "kill-attempt", "clean",     "cleaned",   "unregister", "kill-master", "reduced",
    "commit",       "granted",   "done",      "abort",      "kill-reduce"};

static const struct scenario *const scenarios[] = {&h5780, &m3274, &m5358, &m4157, &m5009};
enum { SCENARIO_COUNT = sizeof scenarios / sizeof *scenarios };

static bool some_is_broken(void)
{
    bool is_broken = false;
    for (int i = 0; i < SCENARIO_COUNT; i++) {
        is_broken = is_broken || *scenarios[i]->is_broken;
    }
    return is_broken;
}

static void start(void *state)
{
    for (int i = 0; i < SCENARIO_COUNT; i++) {
        if (!some_is_broken() || *scenarios[i]->is_broken) {
            scenarios[i]->start(state);
        }
    }
}

static void message(void *state, const struct clew_message *m)
{
    for (int i = 0; i < SCENARIO_COUNT; i++) {
        if (m->type >= (int)scenarios[i]->messages_first &&
            m->type <= (int)scenarios[i]->messages_last) {
            scenarios[i]->message(state, m);
        }
    }
}

static const struct node *node_of(const struct clew_view *view, int node)
{
    return view->states[node];
}

static bool key_before_join(const struct clew_view *view)
{
    return !node_of(view, C)->h5780.has_null_member ||
           clew_broken(view, "the master is asked to let in a server without a key");
}

static bool stopping_is_answered(const struct clew_view *view)
{
    return !node_of(view, A)->m3274.is_waiting ||
           clew_broken(view,
                       "the application master waits for a task to stop that was not stopped");
}

static bool one_success(const struct clew_view *view)
{
    return !node_of(view, A)->m5358.is_confused ||
           clew_broken(view, "a task that has succeeded is said to succeed");
}

static bool files_are_removed(const struct clew_view *view)
{
    return !node_of(view, A)->m4157.has_left_files ||
           clew_broken(view, "the application master is ended, and its files are still there");
}

static bool one_commit(const struct clew_view *view)
{
    return !node_of(view, C)->m5009.is_confused ||
           clew_broken(view, "a commit begins while another is under way");
}

static const struct clew_property properties[] = {
    {.name = "key before join", .holds = key_before_join},
    {.name = "stopping is answered", .holds = stopping_is_answered, .is_at_rest = true},
    {.name = "one success", .holds = one_success},
    {.name = "files are removed", .holds = files_are_removed},
    {.name = "one commit", .holds = one_commit},
    {0},
};

/* The switches are the scenarios' own. */
static struct clew_bug bugs[SCENARIO_COUNT + 1];

__attribute__((constructor)) static void list_bugs(void)
{
    for (int i = 0; i < SCENARIO_COUNT; i++) {
        bugs[i] = (struct clew_bug){.name = scenarios[i]->name,
                                    .about = scenarios[i]->about,
                                    .is_on = scenarios[i]->is_broken};
    }
}

CLEW_SYSTEM(.name = "taxdc", .node_count = NODE_COUNT, .nodes = nodes, .messages = messages,
            .state_size = sizeof(struct node), .start = start, .message = message,
            .properties = properties, .bugs = bugs, .depth = 100);
