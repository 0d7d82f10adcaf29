/* A node asks libc for a random number, the time or its process, and shows it as a variable. */
#include <clew/sim.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#ifndef ASK
#define ASK rand()
#endif

static const char *const messages[] = {"hi", NULL};
static const char *const timers[] = {"tick", NULL};

__attribute__((unused)) static long drawn_bytes(void)
{
    long value = 0;
    return getrandom(&value, sizeof value, 0) == sizeof value ? value & 0xffff : -1;
}

__attribute__((unused)) static long now_ms(clockid_t clock)
{
    struct timespec now;
    return clock_gettime(clock, &now) == 0 ? now.tv_sec * 1000 + now.tv_nsec / 1000000 : -1;
}

__attribute__((unused)) static long day_ms(void)
{
    struct timeval now;
    return gettimeofday(&now, NULL) == 0 ? now.tv_sec * 1000 + now.tv_usec / 1000 : -1;
}

static void start(void *state)
{
    (void)state;
    srand(7);
    clew_timer_set(0, 1500);
}

static void message(void *state, const struct clew_message *m)
{
    (void)state;
    (void)m;
}

static void timer(void *state, int number)
{
    (void)state;
    (void)number;
    clew_variable("asked", (int64_t)(ASK));
}

static bool is_even(const struct clew_view *view)
{
    const int64_t *asked = clew_value(view, 0, "asked");
    return asked == NULL || clew_broken(view, "asked is %lld", (long long)*asked);
}

static const struct clew_property properties[] = {{.name = "unasked", .holds = is_even}, {0}};

CLEW_SYSTEM(.name = "draws", .node_count = 1, .messages = messages, .timers = timers,
            .start = start, .message = message, .timer = timer, .properties = properties);
