/* A node that adds up the numbers that requests bring, and is broken by a sum of nine. */
#include <clew/sim.h>
#include <stdio.h>
#include <string.h>

enum { ADD };
static const char *const messages[] = {"add", NULL};

struct node {
    int sum;
};

static void setup(void)
{
    clew_request(0, ADD, "\1\2\11", 3);
}

static void message(void *state, const struct clew_message *m)
{
    for (size_t i = 0; i < m->size; i++) {
        ((struct node *)state)->sum += ((const unsigned char *)m->bytes)[i];
    }
}

static bool shrink(const struct clew_message *m, uint32_t index, void *bytes, size_t *size)
{
    if (index >= m->size) {
        return false;
    }
    *size = m->size - 1;
    memcpy(bytes, m->bytes, index);
    memcpy((char *)bytes + index, (const char *)m->bytes + index + 1, m->size - index - 1);
    return true;
}

static void describe(const void *state, char *text, size_t size)
{
    (void)snprintf(text, size, "sum %d", ((const struct node *)state)->sum);
}

static bool is_less(const struct clew_view *view)
{
    return ((const struct node *)view->states[0])->sum < 9;
}

static const struct clew_property properties[] = {{.name = "less than nine", .holds = is_less},
                                                  {0}};

CLEW_SYSTEM(.name = "brought", .node_count = 1, .messages = messages,
            .state_size = sizeof(struct node), .setup = setup, .message = message,
            .describe = describe, .properties = properties, .shrink = shrink);
