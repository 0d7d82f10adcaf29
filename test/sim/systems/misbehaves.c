/* A system whose functions beside its handlers misbehave, one for each macro. */
#include <clew/sim.h>
#include <stdint.h>

static const char *const messages[] = {"ping", NULL};

#ifdef SETUP_LOOPS
static void go_on_for_ever(void)
{
    volatile unsigned count = 0;
    while (true) {
        count++;
    }
}
#else
static void crash(void)
{
    volatile int *nothing = (volatile int *)(uintptr_t)64;
    *nothing = 1;
}
#endif

static void setup(void)
{
#ifdef SETUP_LOOPS
    go_on_for_ever();
#elif defined(SETUP_CRASHES)
    crash();
#endif
    clew_request(0, 0, NULL, 0);
}

static void message(void *state, const struct clew_message *m)
{
    (void)state;
    (void)m;
#ifdef SHRINK_CRASHES
    clew_fail("nobody asks");
#endif
}

static bool holds(const struct clew_view *view)
{
    (void)view;
#ifdef PROPERTY_CRASHES
    crash();
#elif defined(PROPERTY_SENDS)
    clew_send(0, 0, NULL, 0);
#endif
    return true;
}

static uint64_t fingerprint(const struct clew_message *m)
{
    (void)m;
#ifdef FINGERPRINT_CRASHES
    crash();
#endif
    return 1;
}

static void describe(const void *state, char *text, size_t size)
{
    (void)state;
    text[size - 1] = '\0';
#ifdef DESCRIBE_CRASHES
    crash();
#endif
}

static void adjust(struct clew_system *system)
{
    (void)system;
#ifdef ADJUST_CRASHES
    crash();
#endif
}

static bool shrink(const struct clew_message *m, uint32_t index, void *bytes, size_t *size)
{
    (void)m;
    (void)bytes;
    *size = 0;
#ifdef SHRINK_CRASHES
    crash();
#endif
    return index == 0;
}

static const struct clew_property properties[] = {{.name = "holds", .holds = holds}, {0}};

CLEW_SYSTEM(.name = "misbehaves", .node_count = 1, .messages = messages, .setup = setup,
            .message = message, .fingerprint = fingerprint, .describe = describe,
            .properties = properties, .adjust = adjust, .shrink = shrink);
