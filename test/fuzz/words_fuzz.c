#include <string.h>

#include "base/limit.h"
#include "base/mem.h"
#include "cli/options.h"
#include "fuzz.h"
#include "world/world.h"

static void read_limit(const char *text)
{
    const struct limit before = {.runs = 7};
    struct limit l = before;
    struct err e = {0};
    if (limit_parse(&l, text, &e) < 0) {
        must(e.text[0] != '\0');
        must(memcmp(&l, &before, sizeof l) == 0);
    }
}

static void read_moment(const char *text)
{
    struct moment m = {0};
    struct err e = {0};
    int64_t ticks = 0;
    if (moment_parse(&m, text, &e) < 0 || moment_ticks(&m, 5, 1000, &ticks, &e) < 0) {
        must(e.text[0] != '\0');
    }
}

static void read_faults(const char *text)
{
    struct fault_budget b = {0};
    struct err e = {0};
    if (fault_budget_parse(&b, text, &e) < 0) {
        must(e.text[0] != '\0');
        must(memcmp(&b, &(struct fault_budget){0}, sizeof b) == 0);
    }
}

/* The values of options that have a form: amounts, times, faults. */
FUZZ_ENTRY(words)
{
    char *text = mem_zero(size + 1, 1);
    if (size > 0) {
        memcpy(text, bytes, size);
    }
    read_limit(text);
    read_moment(text);
    read_faults(text);
    mem_free(text);
}
