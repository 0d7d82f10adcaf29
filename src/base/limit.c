#include "base/limit.h"

#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum limit_measure { MEASURE_TIME, MEASURE_RUNS, MEASURE_BYTES };

const struct time_unit limit_time_units[] = {
    {"d", UINT64_C(86400000000000)},
    {"h", UINT64_C(3600000000000)},
    {"m", UINT64_C(60000000000)},
    {"s", UINT64_C(1000000000)},
    {"ms", UINT64_C(1000000)},
    {"us", UINT64_C(1000)},
    {"ns", UINT64_C(1)},
    {NULL, 0},
};

struct unit {
    const char *name;
    enum limit_measure measure;
    uint64_t factor;
};

/* Besides those of time. */
static const struct unit other_units[] = {
    {"runs", MEASURE_RUNS, 1},
    {"run", MEASURE_RUNS, 1},
    {"B", MEASURE_BYTES, 1},
    {"KB", MEASURE_BYTES, 1000},
    {"MB", MEASURE_BYTES, 1000000},
    {"GB", MEASURE_BYTES, 1000000000},
    {"TB", MEASURE_BYTES, UINT64_C(1000000000000)},
    {"KiB", MEASURE_BYTES, UINT64_C(1) << 10},
    {"MiB", MEASURE_BYTES, UINT64_C(1) << 20},
    {"GiB", MEASURE_BYTES, UINT64_C(1) << 30},
    {"TiB", MEASURE_BYTES, UINT64_C(1) << 40},
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_name(const char *name, const char *text, size_t size)
{
    return strlen(name) == size && memcmp(name, text, size) == 0;
}

static bool find_unit(const char *text, size_t size, struct unit *unit)
{
    for (const struct time_unit *known = limit_time_units; known->name != NULL; known++) {
        if (is_name(known->name, text, size)) {
            *unit = (struct unit){known->name, MEASURE_TIME, known->ns};
            return true;
        }
    }
    for (size_t i = 0; i < sizeof other_units / sizeof *other_units; i++) {
        if (is_name(other_units[i].name, text, size)) {
            *unit = other_units[i];
            return true;
        }
    }
    return false;
}

/* Reads "1.5s" of `size` bytes as 1.5 * factor; false when it is not a number with a unit or does
 * not fit. It parses digits itself, so that no locale matters. */
static bool parse_amount(const char *text, size_t size, struct unit *unit, uint64_t *amount)
{
    __extension__ typedef unsigned __int128 wide;
    wide digits = 0;
    wide scale = 1;
    size_t i = 0;
    bool has_point = false;
    for (; i < size && (is_digit(text[i]) || (text[i] == '.' && !has_point && i > 0)); i++) {
        if (text[i] == '.') {
            has_point = true;
            continue;
        }
        digits = digits * 10 + (unsigned)(text[i] - '0');
        scale *= has_point ? 10 : 1;
        if (digits > UINT64_MAX || scale > 1000000000) {
            return false;
        }
    }
    if (i == 0 || text[i - 1] == '.' || !find_unit(text + i, size - i, unit)) {
        return false;
    }
    const wide total = digits * unit->factor / scale;
    *amount = (uint64_t)total;
    return total <= UINT64_MAX;
}

int limit_parse(struct limit *l, const char *text, struct err *e)
{
    struct limit parsed = *l;
    for (const char *at = text;; at++) {
        const size_t size = strcspn(at, ",");
        struct unit unit;
        uint64_t amount = 0;
        if (!parse_amount(at, size, &unit, &amount) || amount == 0) {
            return err_set(e, "\"%.*s\" is not a budget such as 30s, 10000runs or 2GB",
                           size < 40 ? (int)size : 40, at);
        }
        switch (unit.measure) {
        case MEASURE_TIME: parsed.time_ns = amount; break;
        case MEASURE_RUNS: parsed.runs = amount; break;
        case MEASURE_BYTES: parsed.bytes = amount; break;
        }
        at += size;
        if (*at == '\0') {
            *l = parsed;
            return 0;
        }
    }
}

int limit_parse_time(uint64_t *time_ns, const char *text, struct err *e)
{
    struct unit unit;
    uint64_t amount = 0;
    if (!parse_amount(text, strlen(text), &unit, &amount) || unit.measure != MEASURE_TIME) {
        return err_set(
            e, "\"%.40s\" is not a span of time such as 1.5s or 200ms (units: ns us ms s m h d)",
            text);
    }
    *time_ns = amount;
    return 0;
}

static uint64_t read_clock(clockid_t clock)
{
    struct timespec now;
    const int done = clock_gettime(clock, &now);
    must(done == 0);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t limit_now_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

uint64_t limit_processor_ns(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

uint64_t limit_processor_ns_of(pid_t process)
{
    clockid_t clock;
    struct timespec used;
    return clock_getcpuclockid(process, &clock) == 0 && clock_gettime(clock, &used) == 0
               ? (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec
               : 0;
}

void limit_begin(struct limit *l)
{
    l->begin_ns = limit_now_ns();
}

uint64_t limit_time_left_ns(const struct limit *l)
{
    if (l->time_ns == 0) {
        return UINT64_MAX;
    }
    const uint64_t used_ns = limit_now_ns() - l->begin_ns;
    return used_ns < l->time_ns ? l->time_ns - used_ns : 0;
}

enum limit_end limit_end(const struct limit *l, uint64_t runs_done)
{
    if (limit_is_stopped(l)) {
        return LIMIT_STOPPED;
    }
    if (l->runs > 0 && runs_done >= l->runs) {
        return LIMIT_RUNS;
    }
    if (limit_time_left_ns(l) == 0) {
        return LIMIT_TIME;
    }
    return l->bytes > 0 && limit_usage().peak_bytes >= l->bytes ? LIMIT_BYTES : LIMIT_OPEN;
}

bool limit_ask(struct limit_watch *w)
{
    w->steps_left = LIMIT_STEPS;
    w->is_over = w->is_over || limit_is_spent(w->limit, 0);
    return w->is_over;
}

struct usage limit_usage(void)
{
    struct usage usage = {0};
    const int whose[] = {RUSAGE_SELF, RUSAGE_CHILDREN};
    for (size_t i = 0; i < sizeof whose / sizeof *whose; i++) {
        struct rusage used;
        const int done = getrusage(whose[i], &used);
        must(done == 0);
        const double seconds = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec);
        const double micros = (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
        const uint64_t peak = (uint64_t)used.ru_maxrss * 1024;
        usage.cpu_seconds += seconds + micros / 1e6;
        usage.peak_bytes = usage.peak_bytes > peak ? usage.peak_bytes : peak;
    }
    return usage;
}
