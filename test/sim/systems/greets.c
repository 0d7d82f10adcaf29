/* A node greets the other, which counts; what they send is described, as WORDS says. */
#include <assert.h>
#include <clew/sim.h>
#include <stdio.h>

static const char *const messages[] = {"go", "hello", NULL};
static const char *const timers[] = {"tick", NULL};

struct greeting {
    int number;
};

struct node {
    int count;
};

static void setup(void)
{
    clew_request(0, 0, NULL, 0);
}

static void start(void *state)
{
    (void)state;
    if (clew_self() == 0) {
        clew_timer_set(0, 10);
    }
}

static void greet(int number)
{
    clew_log_line("greets");
    clew_send(1, 1, &(struct greeting){number}, sizeof(struct greeting));
}

static void count(struct node *node)
{
    node->count++;
    clew_variable("count", node->count);
    assert(node->count < 2);
}

static void message(void *state, const struct clew_message *m)
{
    if (m->type == 0) {
        greet(41);
    } else {
        count(state);
    }
}

static void timer(void *state, int number)
{
    (void)state;
    (void)number;
    greet(42);
}

static void describe(const void *state, char *text, size_t size)
{
    const struct node *node = state;
    snprintf(text, size, "greeted=%d", node->count);
}

static void describe_message(const struct clew_message *m, char *text, size_t size)
{
    const struct greeting *g = m->bytes;
#ifdef CRASHES
    (void)size;
    text[0] = (char)*(const volatile int *)(8 * (size_t)(g == NULL));
#else
    snprintf(text, size, m->type == 0 ? "please greet" : "greeting %d\nand more", g->number);
#endif
}

CLEW_SYSTEM(.name = "greets", .node_count = 2, .messages = messages, .timers = timers,
            .state_size = sizeof(struct node), .setup = setup, .start = start, .message = message,
            .timer = timer, .describe = describe, .describe_message = describe_message);
