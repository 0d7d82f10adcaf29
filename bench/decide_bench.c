/* Measures deciding alone, without reading: the data races of one trace by the engine and through
 * libz3, in one run. Prints one JSON object, for races_bench.py. */
#include <stdio.h>

#include "base/json.h"
#include "base/limit.h"
#include "import/import.h"
#include "race/race.h"
#include "trace/trace.h"

enum { ROUNDS = 20 };

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

/* Decides every pair of accesses `rounds` times; the least CPU time counts, or -1 when it failed.
 */
static double decide(const struct trace *t, enum race_via via, int rounds, struct race_stats *stats,
                     struct err *e)
{
    const struct race_options options = {.via = via, .skips_messages = true, .counts_only = true};
    double least = 0;
    for (int i = 0; i < rounds; i++) {
        struct findings f = {0};
        struct notes n = {0};
        const double start = limit_usage().cpu_seconds;
        const int done = race_find(t, &options, &f, stats, &n, e);
        const double taken = limit_usage().cpu_seconds - start;
        least = i == 0 || taken < least ? taken : least;
        notes_release(&n);
        findings_release(&f);
        if (done < 0) {
            return -1;
        }
    }
    return least;
}

static void report(const char *via, double seconds, const struct race_stats *s, struct json *j)
{
    json_object(j, via);
    json_double(j, "seconds", seconds);
    json_u64(j, "candidates", s->data_candidates);
    json_u64(j, "races", s->data_races);
    json_u64(j, "unknown", s->unknown);
    json_u64(j, "constraints", s->constraints);
    json_end(j);
}

int main(int argc, char **argv)
{
    struct trace t;
    struct err e;
    struct race_stats by_engine, by_z3;
    if (argc != 2) {
        (void)fprintf(stderr, "usage: decide_bench TRACE\n");
        return 2;
    }
    double engine = -1, z3 = -1;
    if (load(&t, argv[1], &e) == 0) {
        engine = decide(&t, RACE_VIA_ENGINE, ROUNDS, &by_engine, &e);
        z3 = engine < 0 ? -1 : decide(&t, RACE_VIA_Z3, 1, &by_z3, &e);
    }
    trace_release(&t);
    if (z3 < 0) {
        (void)fprintf(stderr, "decide_bench: %s: %s\n", argv[1], e.text);
        return 2;
    }
    struct out out;
    out_open_fd(&out, 1);
    struct json j = json_begin(&out);
    json_object(&j, NULL);
    report("engine", engine, &by_engine, &j);
    report("z3", z3, &by_z3, &j);
    json_end(&j);
    out_char(&out, '\n');
    return out_close(&out, &e) < 0 ? 2 : 0;
}
