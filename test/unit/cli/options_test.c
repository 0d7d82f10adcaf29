#include "cli/options.h"

#include "fuzz.h"
#include "mutate.h"
#include "test.h"

struct sample {
    struct common common;
    bool prune;
    const char *node;
    uint64_t event;
    struct texts handlers;
    uint32_t colors;
};

static const char *paint_word(size_t index)
{
    static const char *const words[] = {"red", "green", "blue", NULL};
    return words[index];
}

static const struct option table[] = {
    COMMON_JSON,
    COMMON_OUTPUT,
    COMMON_LIMIT,
    COMMON_JOBS,
    COMMON_BUDGET,
    {.name = "prune",
     .type = OPTION_SWITCH,
     .target = offsetof(struct sample, prune),
     .help = "leave out what repeats"},
    {.name = "node",
     .letter = 'n',
     .type = OPTION_TEXT,
     .argument = "GLOB",
     .target = offsetof(struct sample, node),
     .help = "only these nodes"},
    {.name = "event",
     .type = OPTION_NUMBER,
     .argument = "N",
     .target = offsetof(struct sample, event),
     .help = "this event"},
    {.name = "handler",
     .type = OPTION_TEXTS,
     .argument = "NAME",
     .target = offsetof(struct sample, handlers),
     .help = "these, each given by itself"},
    {.name = "paint",
     .type = OPTION_CHOICES,
     .argument = "COLOR",
     .word = paint_word,
     .target = offsetof(struct sample, colors),
     .help = "with these"},
    COMMON_ALWAYS,
    {0},
};

static struct sample got;
static struct operands operands;
static struct err e;

/* Parses words separated by spaces. */
static int parse(const char *line)
{
    static char copy[256];
    static const char *words[32];
    size_t count = 0;
    (void)snprintf(copy, sizeof copy, "%s", line);
    char *rest = copy;
    for (char *word = NULL; (word = strsep(&rest, " ")) != NULL;) {
        if (word[0] != '\0') {
            words[count++] = word;
        }
    }
    got = (struct sample){.common = COMMON_DEFAULTS, .prune = true};
    vec_clear(&operands.list);
    e.text[0] = '\0';
    return options_parse(table, &got, words, count, &operands, &e);
}

static void check_error(const char *line, const char *text)
{
    CHECK_INT(parse(line), -1);
    CHECK_TEXT(e.text, text);
    vec_release(&operands.list);
}

TEST(values_come_after_a_space_or_an_equals_sign)
{
    CHECK_INT(parse("--node a* --event=7 -o x --limit 0"), 0);
    CHECK_TEXT(got.node, "a*");
    CHECK_INT(got.event, 7);
    CHECK_TEXT(got.common.output, "x");
    CHECK_INT(got.common.limit, 0);
    CHECK_INT(operands.list.count, 0);
    CHECK_INT(parse("--node=a=b"), 0);
    CHECK_TEXT(got.node, "a=b");
    CHECK_INT(parse("--node="), 0);
    CHECK_TEXT(got.node, "");
    CHECK_INT(parse("--node --json"), 0);
    CHECK_TEXT(got.node, "--json");
}

TEST(what_is_not_said_keeps_its_default)
{
    CHECK_INT(parse(""), 0);
    CHECK(got.prune);
    CHECK(!got.common.json);
    CHECK(got.node == NULL);
    CHECK(got.common.limit == UINT64_MAX);
    CHECK_INT(got.common.jobs, 1);
}

TEST(short_flags_join_and_the_last_takes_the_rest_as_its_value)
{
    CHECK_INT(parse("-qj4"), 0);
    CHECK(got.common.quiet);
    CHECK_INT(got.common.jobs, 4);
    CHECK_INT(parse("-qo out -nb"), 0);
    CHECK_TEXT(got.common.output, "out");
    CHECK_TEXT(got.node, "b");
}

TEST(a_switch_turns_on_and_off)
{
    CHECK_INT(parse("--no-prune"), 0);
    CHECK(!got.prune);
    CHECK_INT(parse("--no-prune --prune"), 0);
    CHECK(got.prune);
}

TEST(operands_mix_with_options_and_follow_two_dashes)
{
    CHECK_INT(parse("a.log --json - -- --json -q"), 0);
    CHECK(got.common.json);
    CHECK_INT(operands.list.count, 4);
    CHECK_TEXT(operands.list.at[0], "a.log");
    CHECK_TEXT(operands.list.at[1], "-");
    CHECK_TEXT(operands.list.at[2], "--json");
    CHECK_TEXT(operands.list.at[3], "-q");
    vec_release(&operands.list);
}

TEST(several_choices_are_a_bit_each)
{
    CHECK_INT(parse("--limit 1"), 0);
    CHECK_INT(got.colors, 0);
    CHECK_INT(parse("--paint blue --paint=red --paint blue"), 0);
    CHECK_INT(got.colors, 5);
    check_error("--paint purple", "--paint: unknown COLOR \"purple\"; there is red, green, blue");
}

TEST(choices_and_budgets_are_read_where_they_stand)
{
    CHECK_INT(parse("--color=always --budget 30s,5runs"), 0);
    CHECK_INT(got.common.color, COLOR_ALWAYS);
    CHECK_INT(got.common.budget.runs, 5);
    CHECK(got.common.budget.time_ns == UINT64_C(30000000000));
}

TEST(a_moment_is_as_the_trace_has_it_or_counts_from_its_beginning)
{
    struct moment m = {0};
    int64_t ticks = 0;
    CHECK_INT(moment_parse(&m, "1700000000042", &e), 0);
    CHECK_INT(moment_ticks(&m, 5, 0, &ticks, &e), 0);
    CHECK(ticks == INT64_C(1700000000042));
    CHECK_INT(moment_parse(&m, "-3", &e), 0);
    CHECK_INT(moment_ticks(&m, 5, 1000, &ticks, &e), 0);
    CHECK(ticks == -3);
    CHECK_INT(moment_parse(&m, "1.5s", &e), 0);
    CHECK_INT(moment_ticks(&m, 100, 1000000, &ticks, &e), 0);
    CHECK(ticks == 1600);
    CHECK_INT(moment_ticks(&m, INT64_MAX - 1, 1000000, &ticks, &e), 0);
    CHECK(ticks == INT64_MAX);
    CHECK_INT(moment_ticks(&m, 100, 0, &ticks, &e), -1);
}

TEST(how_long_something_takes_is_rounded_up_to_ticks)
{
    struct moment m = {0};
    int64_t ticks = 0;
    CHECK_INT(moment_parse(&m, "1500us", &e), 0);
    CHECK_INT(moment_span(&m, 1000000, &ticks, &e), 0);
    CHECK_INT(ticks, 2);
    CHECK_INT(moment_span(&m, 500, &ticks, &e), 0);
    CHECK_INT(ticks, 3000);
    CHECK_INT(moment_parse(&m, "10ns", &e), 0);
    CHECK_INT(moment_span(&m, 1000, &ticks, &e), 0);
    CHECK_INT(ticks, 1);
    CHECK_INT(moment_span(&m, 0, &ticks, &e), -1);
    CHECK_INT(moment_parse(&m, "7", &e), 0);
    CHECK_INT(moment_span(&m, 0, &ticks, &e), 0);
    CHECK_INT(ticks, 7);
}

TEST(what_is_no_moment_is_refused)
{
    static const char *const wrong[] = {"",    "-",      "noon", "1s2", "5runs",
                                        "2GB", "1s,2s,", "1.5",  "--1", "9223372036854775808"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct moment m = {0};
        CHECK_INT(moment_parse(&m, wrong[i], &e), -1);
        CHECK(strstr(e.text, "is no time of a trace") != NULL);
        CHECK(!m.is_given);
    }
}

TEST(what_may_be_said_several_times_is_kept_in_its_order)
{
    CHECK_INT(parse("--handler a b --handler=c"), 0);
    CHECK_INT(got.handlers.count, 2);
    CHECK_TEXT(got.handlers.at[0], "a");
    CHECK_TEXT(got.handlers.at[1], "c");
    check_error(
        "--handler=1 --handler=2 --handler=3 --handler=4 --handler=5 --handler=6 --handler=7 "
        "--handler=8 --handler=9 --handler=a --handler=b --handler=c --handler=d --handler=e "
        "--handler=f --handler=g --handler=h",
        "--handler: it may be given 16 times at most");
}

TEST(mistakes_are_named_with_what_was_meant)
{
    check_error("--jsn", "unknown option --jsn, did you mean --json?");
    check_error("--frobnicate", "unknown option --frobnicate");
    check_error("--frob=1", "unknown option --frob");
    check_error("-x", "unknown option -x");
    check_error("-q\xc3\xa9", "unknown option -\xc3\xa9");
    check_error("--json=yes", "--json takes no value");
    check_error("--no-json", "unknown option --no-json, did you mean --json?");
    check_error("--node", "--node needs a value: GLOB");
    check_error("-q -o", "--output needs a value: FILE");
    check_error("--event ten", "--event: \"ten\" is not a whole number");
    check_error("--event -1", "--event: \"-1\" is not a whole number");
    check_error("--event=", "--event: \"\" is not a whole number");
    check_error("--event 18446744073709551616",
                "--event: 18446744073709551616 is more than 18446744073709551615");
    check_error("--color alwais", "--color: unknown WHEN \"alwais\", did you mean always?");
    check_error("--color purple", "--color: unknown WHEN \"purple\"; there is auto, always, never");
    check_error("--budget soon",
                "--budget: \"soon\" is not a budget such as 30s, 10000runs or 2GB");
}

FUZZ_DECLARE(words);

TEST(damaged_words_are_survived)
{
    mutate_entry("words", fuzz_words);
}
