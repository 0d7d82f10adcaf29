/* A node that does what C leaves undefined, as WHAT says: the finding names it. */
#include <clew/sim.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
    NULL_POINTER,
    NULL_FIELD,
    DIVIDES,
    SUM,
    SHIFT,
    INDEX,
    BAD_BOOL,
    WILD,
    MISALIGNED,
    PLAIN_NULL
};

static const char *const messages[] = {"go", NULL};

struct pair {
    int first;
    int second;
};

static struct pair *volatile nobody;
static volatile int zero;
static volatile int large = INT_MAX;
static volatile int nine = 9;
static int table[4];

static int inner(void)
{
    switch (WHAT) {
    case NULL_POINTER: return *&nobody->first;
    case NULL_FIELD: return nobody->second;
    case DIVIDES: return large / zero;
    case SUM: return large + large;
    case SHIFT: return 1 << (nine * nine);
    case INDEX: return table[nine];
    case BAD_BOOL: {
        bool is_odd;
        const unsigned char byte = 7;
        memcpy(&is_odd, &byte, 1);
        return is_odd ? 1 : 2;
    }
    case WILD: return *(volatile int *)0x12345678;
    case MISALIGNED: return *(int *)((char *)table + zero + 1);
    default: return (int)strlen((const char *)nobody);
    }
}

static void message(void *state, const struct clew_message *m)
{
    (void)m;
    *(int *)state = inner();
}

static void setup(void)
{
    clew_request(0, 0, NULL, 0);
}

CLEW_SYSTEM(.name = "undefined", .node_count = 1, .messages = messages, .state_size = sizeof(int),
            .setup = setup, .message = message);
