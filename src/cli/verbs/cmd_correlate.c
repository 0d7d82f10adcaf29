/* clew correlate: which variables belong together. */
#include <string.h>

#include "atomicity/correlate.h"
#include "cli/input/trace_input.h"
#include "cli/interrupt.h"
#include "cli/text/findings_output.h"
#include "cli/text/verdict.h"

struct correlate_command {
    struct common common;
    uint64_t top;
    bool all_pairs;
};

/* Adds the accesses of a run; 1 when the run is incomplete. */
static int add_run(struct session *s, struct correlation *c, size_t index, uint64_t *event_count,
                   struct err *e)
{
    struct reading reading;
    if ((s->common->one_run ? reading_open(&reading, s, e)
                            : reading_open_one(&reading, s, index, e)) < 0) {
        return -1;
    }
    int result = reading_load(&reading, e);
    if (result == 0) {
        reading_warn(&reading);
        *event_count += reading.event_count;
        struct limit_watch watch = {.limit = &s->budget};
        correlation_add(c, &reading.trace, reading.is_cut ? NULL : &watch);
        if (watch.is_over && !s->common->quiet) {
            session_say("%s: %s before all of its accesses were looked at", reading.name,
                        limit_is_stopped(&s->budget) ? "stopped" : "the budget ended");
        }
        result = reading.is_cut || watch.is_over;
    }
    reading_close(&reading);
    return result;
}

static void print_text(struct session *s, const struct correlated_list *ranked, size_t count)
{
    out_text(&s->out, "# distance\tsupport\tx\ty\n");
    for (size_t i = 0; i < count; i++) {
        const struct correlated *r = &ranked->list.at[i];
        out_format(&s->out, "%.2f\t%llu\t", r->mean, (unsigned long long)r->support);
        session_text(s, r->x);
        out_char(&s->out, '\t');
        session_text(s, r->y);
        out_char(&s->out, '\n');
    }
}

static void print_json(struct session *s, const struct correlated_list *ranked, size_t count,
                       uint64_t event_count)
{
    const struct usage usage = limit_usage();
    struct json j = json_begin(&s->out);
    json_object(&j, NULL);
    json_text(&j, "clew", CLEW_VERSION);
    json_u64(&j, "schema", FINDING_SCHEMA);
    json_text(&j, "verb", s->verb->name);
    json_array(&j, "inputs");
    for (size_t i = 0; i < s->input_count; i++) {
        json_text(&j, NULL, s->inputs[i]);
    }
    json_end(&j);
    json_u64(&j, "events", event_count);
    json_object(&j, "stats");
    json_u64(&j, "pairs", ranked->list.count);
    json_double(&j, "cpu_seconds", usage.cpu_seconds);
    json_u64(&j, "peak_bytes", usage.peak_bytes);
    json_end(&j);
    json_array(&j, "pairs");
    for (size_t i = 0; i < count; i++) {
        const struct correlated *r = &ranked->list.at[i];
        json_object(&j, NULL);
        json_text(&j, "x", r->x);
        json_text(&j, "y", r->y);
        json_double(&j, "distance", r->mean);
        json_u64(&j, "support", r->support);
        json_u64(&j, "outliers", r->outliers);
        json_end(&j);
    }
    json_end(&j);
    json_end(&j);
    out_char(&s->out, '\n');
}

static int run(struct session *s, const void *options, struct err *e)
{
    const struct correlate_command *c = options;
    struct correlation *correlation = correlation_new();
    struct correlated_list ranked = {0};
    uint64_t event_count = 0;
    const size_t runs = s->common->one_run ? 1 : s->input_count;
    int result = 0;
    struct stopping stopping;
    stopping_begin(&stopping);
    s->budget.is_stopped = stopping_wish();
    for (size_t i = 0; i < runs && result == 0; i++) {
        result = add_run(s, correlation, i, &event_count, e);
    }
    stopping_end(&stopping);
    if (result >= 0) {
        correlation_rank(correlation, &ranked);
        const uint64_t max = c->all_pairs ? UINT64_MAX : c->top;
        const size_t count = ranked.list.count < max ? ranked.list.count : (size_t)max;
        if (s->common->json) {
            print_json(s, &ranked, count, event_count);
        } else {
            print_text(s, &ranked, count);
        }
    }
    vec_release(&ranked.list);
    correlation_free(correlation);
    return result < 0 ? -1 : verdict_status(verdict_of(false, result > 0));
}

static const struct option options[] = {
    {.name = "top",
     .type = OPTION_NUMBER,
     .argument = "N",
     .target = offsetof(struct correlate_command, top),
     .help = "print the N closest pairs (default: 200)"},
    {.name = "all-pairs",
     .type = OPTION_FLAG,
     .target = offsetof(struct correlate_command, all_pairs),
     .help = "print all pairs with nearby accesses"},
    COMMON_JSON,
    COMMON_INPUT,
    COMMON_BUDGET,
    COMMON_ALWAYS,
    {0},
};

static const struct correlate_command defaults = {.common = COMMON_DEFAULTS, .top = 200};

static const struct example examples[] = {
    {"clew correlate bank.clew", "Rank the correlated variables of one run."},
    {"clew correlate --top 20 run*.clew > pairs.txt",
     "Write the 20 closest pairs over many runs to a file."},
    {"clew atomicity --pairs pairs.txt bank.clew",
     "Predict the atomicity violations of these pairs."},
    {0},
};

const struct verb verb_correlate = {
    .name = "correlate",
    .summary = "rank pairs of variables that are accessed together",
    .operands = "TRACE...",
    .operand_min = 1,
    .operand_max = SIZE_MAX,
    .is_stopped_softly = true,
    .about =
        "Ranks pairs of shared variables, or of HTTP resource templates, by access distance, then "
        "by the number of observations. The distance of a pair is the mean number of accesses to "
        "shared variables between an access to the one and the next access to the other in the "
        "same task, without outliers. Across several runs, a variable is identified by its symbol, "
        "heap memory by its allocation site. Edit the list and pass it to clew atomicity --pairs. "
        "When the budget ends, or at the first Ctrl-C, ranks the accesses read so far.",
    .exit_statuses = "0 the list was printed\n2 a trace could not be read\n3 the budget or Ctrl-C "
                     "ended the analysis before all accesses were read",
    .options = options,
    .defaults = &defaults,
    .options_size = sizeof(struct correlate_command),
    .examples = examples,
    .run = run,
};
