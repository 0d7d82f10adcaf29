/* Measures deciding alone, without reading, for races_bench.py. Prints one JSON object.
 *
 *     decide_bench time TRACE           the data races, by the engine and through libz3, in one run
 *     decide_bench constraints TRACE    how many the formula of the trace has */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/limit.h"
#include "import/import.h"
#include "order/hb.h"
#include "race/race.h"
#include "race/strict/strict_smt.h"
#include "trace/trace.h"

/* Of each the best counts: processors change their pace. */
enum { ROUNDS_ENGINE = 200, ROUNDS_Z3 = 3 };

static int load(struct trace *t, const char *path, struct err *e)
{
    struct notes n = {0};
    trace_init(t);
    struct cursor *c = format_open(import_formats, NULL, path, &t->tables, &n, e);
    const int result = c == NULL ? -1 : trace_load(t, c, e);
    cursor_close(c);
    notes_release(&n);
    if (result == 0) {
        trace_seal(t);
    }
    return result;
}

/* Decides every pair of accesses `rounds` times and reports it with the least CPU time. */
static int decide(const struct trace *t, enum race_via via, int rounds, struct json *j,
                  struct err *e)
{
    const struct race_options options = {.via = via, .skips_messages = true, .counts_only = true};
    struct race_stats stats = {0};
    double least = 0;
    for (int i = 0; i < rounds; i++) {
        struct findings f = {0};
        struct notes n = {0};
        const double start = limit_usage().cpu_seconds;
        stats = (struct race_stats){0};
        const int done = race_find(t, &options, &f, &stats, &n, e);
        const double taken = limit_usage().cpu_seconds - start;
        least = i == 0 || taken < least ? taken : least;
        notes_release(&n);
        findings_release(&f);
        if (done < 0) {
            return -1;
        }
    }
    json_object(j, via == RACE_VIA_Z3 ? "z3" : "engine");
    json_double(j, "seconds", least);
    json_u64(j, "candidates", stats.data_candidates);
    json_u64(j, "races", stats.data_races);
    json_u64(j, "unknown", stats.unknown);
    json_end(j);
    return 0;
}

static int measure_time(const struct trace *t, struct json *j, struct err *e)
{
    return decide(t, RACE_VIA_ENGINE, ROUNDS_ENGINE, j, e) < 0
               ? -1
               : decide(t, RACE_VIA_Z3, ROUNDS_Z3, j, e);
}

static int count_constraints(const struct trace *t, struct json *j, struct err *e)
{
    const struct hb_options options = {.model = HB_STRICT, .scope = REACH_ALL};
    struct notes n = {0};
    struct arena arena = {0};
    struct formula f;
    struct hb hb;
    if (hb_build(&hb, t, &options, &n, e) < 0) {
        notes_release(&n);
        return -1;
    }
    const bool is_whole = formula_build(&f, &hb, &(struct formula_bounds){0}, &arena);
    must(is_whole);
    json_u64(j, "constraints", f.p.clauses.count);
    formula_release(&f);
    hb_release(&hb);
    arena_release(&arena);
    notes_release(&n);
    return 0;
}

int main(int argc, char **argv)
{
    struct trace t;
    struct err e;
    const bool is_time = argc == 3 && strcmp(argv[1], "time") == 0;
    if (!is_time && (argc != 3 || strcmp(argv[1], "constraints") != 0)) {
        (void)fprintf(stderr, "usage: decide_bench time|constraints TRACE\n");
        return 2;
    }
    struct out out;
    out_open_fd(&out, 1);
    struct json j = json_begin(&out);
    json_object(&j, NULL);
    int done = load(&t, argv[2], &e);
    if (done == 0) {
        done = is_time ? measure_time(&t, &j, &e) : count_constraints(&t, &j, &e);
    }
    trace_release(&t);
    if (done < 0) {
        out_abandon(&out);
        (void)fprintf(stderr, "decide_bench: %s\n", e.text);
        return 2;
    }
    json_end(&j);
    out_char(&out, '\n');
    return out_close(&out, &e) < 0 ? 2 : 0;
}
