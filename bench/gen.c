#include "gen.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Strict decimal: strtoull alone would take "-1" and "12x". */
static bool parse_number(const char *text, uint64_t *number)
{
    if (text[0] < '0' || text[0] > '9') {
        return false;
    }
    char *end = NULL;
    errno = 0;
    *number = strtoull(text, &end, 10);
    return errno == 0 && *end == '\0';
}

static size_t word_count(const char *usage, char mark)
{
    size_t count = 0;
    for (const char *at = usage; (at = strchr(at, mark)) != NULL; at++) {
        count++;
    }
    return count;
}

static int fail(const char *program, const char *why)
{
    (void)fprintf(stderr, "%s: %s\n", program, why);
    return 2;
}

int gen_main(int argc, char **argv, const char *usage,
             const char *(*run)(struct out *o, const uint64_t *numbers))
{
    const size_t most = word_count(usage, ' ') + 1;
    const size_t least = most - word_count(usage, '[');
    must(most <= GEN_NUMBERS_MAX);
    const size_t given = (size_t)argc - 1;
    uint64_t numbers[GEN_NUMBERS_MAX] = {1, 1, 1, 1, 1, 1, 1};
    bool is_good = given >= least && given <= most;
    for (size_t i = 0; is_good && i < given; i++) {
        is_good = parse_number(argv[i + 1], &numbers[i]);
    }
    if (!is_good) {
        return fail("usage", usage);
    }
    struct out o;
    struct err e;
    out_open_fd(&o, STDOUT_FILENO);
    const char *wrong = run(&o, numbers);
    if (wrong != NULL) {
        out_abandon(&o);
        return fail(argv[0], wrong);
    }
    return out_close(&o, &e) < 0 ? fail(argv[0], e.text) : 0;
}
