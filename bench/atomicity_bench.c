/* Measures the atomicity analysis and prints a table of required and measured figures: one pair of
 * variables beside SPIN on the same model, many pairs of a long trace, marked regions. */
#include <stdio.h>

#include "atomicity/atomicity.h"
#include "atomicity/match.h"
#include "atomicity/region.h"
#include "atomicity/spin.h"
#include "base/limit.h"
#include "base/sort.h"
#include "wire/kind.h"
#include "wire/prng.h"

struct figure_of {
    double number;
    int decimals;
    const char *unit;
};

static void line(const char *what, const char *wanted, struct figure_of got)
{
    char text[64];
    (void)snprintf(text, sizeof text, "%.*f%s", got.decimals, got.number, got.unit);
    printf("%-66s %16s %18s\n", what, wanted, text);
    (void)fflush(stdout);
}

static uint32_t name_of(struct trace *t, const char *stem, uint64_t number)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%s%llu", stem, (unsigned long long)number);
    return names_intern_text(&t->tables.names, text);
}

/* ---- one pair ---- */

/* Two threads that access x and y in critical sections of a few accesses, under one of three locks,
 * at this many places of the source (0: unknown). Traces differ in their places only. */
static void make_pair_trace(struct trace *t, uint32_t access_count, uint32_t place_count)
{
    struct prng prng;
    struct prng places;
    prng_init(&prng, 7);
    prng_init(&places, 8);
    trace_init(t);
    for (uint32_t thread = 0; thread < 2; thread++) {
        const uint32_t task = tables_task_text(&t->tables, thread == 0 ? "A" : "B", 1);
        for (uint32_t done = 0; done < access_count;) {
            const uint32_t lock = name_of(t, "lock", prng_below(&prng, 3));
            trace_append(t, &(struct event){.kind = EVENT_LOCK, .task = task, .object = lock});
            for (uint64_t left = 1 + prng_below(&prng, 4); left > 0 && done < access_count;
                 left--, done++) {
                const uint64_t which = prng_below(&prng, 2);
                const uint64_t place = place_count == 0 ? 0 : prng_below(&places, place_count);
                trace_append(t, &(struct event){
                                    .kind = prng_below(&prng, 2) == 0 ? EVENT_READ : EVENT_WRITE,
                                    .task = task,
                                    .object = name_of(t, "v", which),
                                    .location = place_count == 0 ? 0 : name_of(t, "p", place),
                                });
            }
            trace_append(t, &(struct event){.kind = EVENT_UNLOCK, .task = task, .object = lock});
        }
    }
    trace_seal(t);
}

static void count_match(void *context, const struct match *m)
{
    (void)m;
    ++*(uint64_t *)context;
}

/* All patterns: of x, of y, and of both. */
static void match_all(struct matcher *r, const struct frame *f)
{
    static const uint32_t models[][2] = {{0, VARIABLE_NONE}, {1, VARIABLE_NONE}, {0, 1}};
    for (int i = 0; i < 3; i++) {
        struct sketch s;
        sketch_build(&s, f, models[i][0], models[i][1]);
        if (models[i][1] == VARIABLE_NONE) {
            match_single(r, &s);
        } else {
            match_pair(r, &s);
        }
        sketch_release(&s);
    }
}

static int compare_spent(const void *left, const void *right, const void *context)
{
    (void)context;
    const uint64_t a = *(const uint64_t *)left;
    const uint64_t b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* Nanoseconds for all patterns, the median of some rounds. */
static uint64_t time_pair(const struct frame *f, uint64_t *found)
{
    enum { ROUNDS = 101 };
    uint64_t spent[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        *found = 0;
        const uint64_t begin = limit_now_ns();
        struct matcher matcher;
        matcher_init(&matcher, &(struct match_options){.found = count_match, .context = found});
        match_all(&matcher, f);
        matcher_release(&matcher);
        spent[round] = limit_now_ns() - begin;
    }
    sort_stable(spent, ROUNDS, sizeof *spent, compare_spent, NULL);
    return spent[ROUNDS / 2];
}

/* Asks SPIN about all claims; seconds spent on them, 0 when it is not there. */
static double time_spin(const struct frame *f, size_t *asked, size_t *claim_count)
{
    struct sketch sketch;
    struct model m;
    struct spin spin;
    struct err e = {0};
    claim_list claims = {0};
    double seconds = 0;
    *asked = 0;
    sketch_build(&sketch, f, 0, 1);
    model_build(&m, &sketch);
    promela_claims(&m, &claims);
    *claim_count = claims.count;
    if (spin_open(&spin, &m, &claims, SPIN_FAST, &e) == 0) {
        for (size_t i = 0; i < claims.count; i++) {
            enum decision d;
            if (spin_ask(&spin, i, &d, &e) < 0 || d == DECIDE_UNKNOWN) {
                break;
            }
            ++*asked;
        }
        seconds = (double)spin.ask_ns / 1e9;
        spin_close(&spin);
    } else {
        printf("(spin is skipped: %s)\n", e.text);
    }
    vec_release(&claims);
    model_release(&m);
    sketch_release(&sketch);
    return seconds;
}

struct pair_case {
    uint32_t access_count; /* of each thread */
    uint32_t place_count;
    const char *wanted;
    bool with_spin;
};

/* The time that SPIN needs for the pair. Its model has no places: that of the first trace serves
 * for all. */
static double spin_seconds(const struct frame *f)
{
    static double seconds = -1;
    if (seconds < 0) {
        size_t asked = 0;
        size_t claim_count = 0;
        char what[96];
        seconds = time_spin(f, &asked, &claim_count);
        (void)snprintf(what, sizeof what, "  spin, %zu of its %zu claims, without compiling", asked,
                       claim_count);
        line(what, "", (struct figure_of){seconds, 2, " s"});
        seconds = asked == claim_count ? seconds : 0;
    }
    return seconds;
}

static void bench_pair(const struct pair_case *c)
{
    struct trace t;
    struct frame f;
    struct notes n = {0};
    struct err e = {0};
    char what[96];
    uint64_t found = 0;
    make_pair_trace(&t, c->access_count, c->place_count);
    if (frame_build(&f, &t, &n, &e) < 0) {
        return;
    }
    const double seconds = (double)time_pair(&f, &found) / 1e9;
    (void)snprintf(what, sizeof what, "one pair, 2 x %u accesses at %u places, all patterns (%llu)",
                   c->access_count, c->place_count, (unsigned long long)found);
    line(what, c->wanted, (struct figure_of){seconds * 1e3, 3, " ms"});
    if (c->with_spin && spin_seconds(&f) > 0) {
        line("  times faster than spin", ">= 10,000",
             (struct figure_of){spin_seconds(&f) / seconds, 0, ""});
    }
    frame_release(&f);
    notes_release(&n);
    trace_release(&t);
}

/* ---- a long trace ---- */

/* Eight threads that work on clusters of four variables, mostly under the lock of the cluster. */
static void make_long_trace(struct trace *t, uint32_t access_count, uint32_t variable_count)
{
    struct prng prng;
    prng_init(&prng, 11);
    trace_init(t);
    t->tables.order = ORDER_STAMPED;
    uint32_t tasks[8];
    for (uint32_t i = 0; i < 8; i++) {
        const char name[] = {'T', (char)('0' + i)};
        tasks[i] = tables_task_text(&t->tables, name, sizeof name);
    }
    for (uint32_t done = 0; done < access_count;) {
        const uint32_t task = tasks[prng_below(&prng, 8)];
        const uint64_t cluster = prng_below(&prng, variable_count / 4);
        const bool is_locked = prng_below(&prng, 50) != 0;
        const uint32_t lock = name_of(t, "lock", cluster);
        if (is_locked) {
            trace_append(t, &(struct event){.kind = EVENT_LOCK, .task = task, .object = lock});
        }
        for (uint64_t left = 2 + prng_below(&prng, 4); left > 0; left--, done++) {
            const uint64_t variable = cluster * 4 + prng_below(&prng, 4);
            const bool is_write = prng_below(&prng, 3) == 0;
            trace_append(t,
                         &(struct event){.kind = is_write ? EVENT_WRITE : EVENT_READ,
                                         .task = task,
                                         .object = name_of(t, "v", variable),
                                         .location = name_of(t, is_write ? "w" : "r", variable)});
        }
        if (is_locked) {
            trace_append(t, &(struct event){.kind = EVENT_UNLOCK, .task = task, .object = lock});
        }
    }
    trace_seal(t);
}

static void bench_long(void)
{
    struct trace t;
    struct findings f = {0};
    struct notes n = {0};
    struct err e = {0};
    struct atomicity_stats stats = {0};
    make_long_trace(&t, 1000000, 1000);
    const double before = limit_usage().cpu_seconds;
    const struct atomicity_options o = {.skips_single = true, .skips_merged = true};
    if (atomicity_find(&t, &o, &f, &stats, &n, &e) == 0) {
        char what[96];
        (void)snprintf(what, sizeof what,
                       "1,000,000 accesses, 1,000 variables, top pairs: %llu, %llu findings",
                       (unsigned long long)stats.pairs, (unsigned long long)stats.two_variable);
        line(what, "<= 10 s", (struct figure_of){limit_usage().cpu_seconds - before, 2, " s"});
    }
    findings_release(&f);
    notes_release(&n);
    trace_release(&t);
}

/* ---- regions ---- */

static void count_region(void *context, const struct region_found *f)
{
    (void)f;
    ++*(uint64_t *)context;
}

static void bench_regions(void)
{
    enum { EVENTS = 4000000 };
    struct prng prng;
    struct trace t;
    uint64_t found = 0;
    prng_init(&prng, 3);
    trace_init(&t);
    uint32_t tasks[8];
    uint32_t variables[1000];
    for (uint32_t i = 0; i < 8; i++) {
        const char name[] = {'T', (char)('0' + i)};
        tasks[i] = tables_task_text(&t.tables, name, sizeof name);
    }
    for (uint32_t i = 0; i < 1000; i++) {
        variables[i] = name_of(&t, "v", i);
    }
    while (t.events.count < EVENTS) {
        const uint32_t task = tasks[prng_below(&prng, 8)];
        trace_append(&t, &(struct event){.kind = EVENT_ATOMIC_BEGIN, .task = task});
        for (int i = 0; i < 6; i++) {
            trace_append(
                &t, &(struct event){.kind = prng_below(&prng, 3) == 0 ? EVENT_WRITE : EVENT_READ,
                                    .task = task,
                                    .object = variables[prng_below(&prng, 1000)]});
        }
        trace_append(&t, &(struct event){.kind = EVENT_ATOMIC_END, .task = task});
    }
    trace_seal(&t);
    const double before = limit_usage().cpu_seconds;
    struct regions *r =
        regions_new(&t.tables, &(struct region_options){.found = count_region, .context = &found});
    regions_feed(r, t.events.at, t.events.count);
    const double seconds = limit_usage().cpu_seconds - before;
    regions_free(r);
    line("marked regions, 8 tasks, 1,000 variables", ">= 5 M events/s",
         (struct figure_of){(double)t.events.count / seconds / 1e6, 2, " M events/s"});
    trace_release(&t);
}

int main(int argc, char **argv)
{
    (void)argv;
    printf("%-66s %16s %18s\n", "atomicity", "wanted", "got");
    static const struct pair_case cases[] = {
        {100, 0, "<= 1 ms", true},     {100, 8, "<= 1 ms", true},
        {100, 200, "<= 1 ms", true},   {1000, 0, "<= 100 ms", false},
        {1000, 8, "<= 100 ms", false}, {1000, 200, "<= 100 ms", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pair_case c = cases[i];
        c.with_spin &= argc < 2;
        bench_pair(&c);
    }
    bench_long();
    bench_regions();
    return 0;
}
