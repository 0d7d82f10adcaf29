/* The monitor against a walk through all cuts, by the definition: every event counts, messages are
 * matched by name, and formulas are judged by the checker of explored runs. */
#include "monitored.h"

#include <stdlib.h>

#include "monitor/cut_witness.h"
#include "spec/checker.h"
#include "test.h"
#include "trace_of.h"
#include "wire/kind.h"
#include "wire/prng.h"

enum { NODES = 3, EVENTS_MAX = 14, TEXT_MAX = 4000 };

/* ---- random executions ---- */

struct writing {
    char text[TEXT_MAX];
    size_t size;
};

static void put(struct writing *w, const char *format, ...) PRINTF_LIKE(2, 3);
static void put(struct writing *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(w->text + w->size, sizeof w->text - w->size, format, arguments);
    va_end(arguments);
    must(size >= 0);
    w->size += (size_t)size;
    must(w->size < sizeof w->text);
}

struct shape {
    int64_t skew;
    bool is_complete; /* every variable has a value from the start */
    int64_t value_max;
};

static const char *variable_of(struct prng *prng)
{
    return prng_below(prng, 2) == 0 ? "x" : "y";
}

/* Clocks within the skew of each other; messages that arrive, most of them. */
static void write_events(struct writing *w, struct prng *prng, const struct shape *shape)
{
    int64_t offset[NODES];
    int64_t last[NODES] = {0};
    uint32_t sent_to[EVENTS_MAX];
    uint32_t sent_count = 0;
    uint32_t received = 0;
    for (uint32_t n = 0; n < NODES; n++) {
        offset[n] = (int64_t)prng_below(prng, (uint64_t)shape->skew + 1);
    }
    int64_t now = 1;
    for (uint64_t left = 2 + prng_below(prng, EVENTS_MAX - 1); left > 0; left--) {
        now += (int64_t)prng_below(prng, 3);
        const uint32_t n = (uint32_t)prng_below(prng, NODES);
        const int64_t time = now + offset[n] > last[n] ? now + offset[n] : last[n];
        last[n] = time;
        const uint64_t kind = prng_below(prng, 5);
        if (kind == 0 && sent_count < EVENTS_MAX) {
            sent_to[sent_count] = (n + 1 + (uint32_t)prng_below(prng, NODES - 1)) % NODES;
            put(w, "; t@n%u snd c%u msg=m%u mode=udp time=%lld", n, sent_to[sent_count], sent_count,
                (long long)time);
            sent_count++;
        } else if (kind == 1 && received < sent_count) {
            const uint32_t to = sent_to[received];
            const int64_t then = now + offset[to] > last[to] ? now + offset[to] : last[to];
            last[to] = then;
            put(w, "; t@n%u rcv c%u msg=m%u mode=udp time=%lld", to, to, received, (long long)then);
            received++;
        } else {
            put(w, "; t@n%u var %s value=%llu time=%lld", n, variable_of(prng),
                (unsigned long long)prng_below(prng, (uint64_t)shape->value_max + 1),
                (long long)time);
        }
    }
}

static const struct trace *random_run(struct prng *prng, const struct shape *shape)
{
    struct writing w = {.size = 0};
    put(&w, "tick 1");
    for (uint32_t n = 0; n < NODES; n++) {
        if (shape->is_complete || prng_below(prng, 2) == 0) {
            put(&w, "; t@n%u var x value=0 time=0; t@n%u var y value=1 time=0", n, n);
        } else {
            put(&w, "; t@n%u log time=0", n);
        }
    }
    write_events(&w, prng, shape);
    return trace_of(w.text);
}

/* ---- random formulas ---- */

static void put_atom(struct writing *w, struct prng *prng)
{
    static const char *const relations[] = {"=", "!=", "<", "<=", ">", ">="};
    const char *relation = relations[prng_below(prng, 6)];
    const char *v = variable_of(prng);
    const int number = (int)prng_below(prng, 4);
    const unsigned a = (unsigned)prng_below(prng, NODES);
    const unsigned b = (unsigned)prng_below(prng, NODES);
    switch (prng_below(prng, 12)) {
    case 0: put(w, "count(p: p.%s = 1) %s %d", v, relation, number); break;
    case 1: put(w, "sum(p: p.%s) %s %d", v, relation, number); break;
    case 2: put(w, "n%u.x %s n%u.y", a, relation, b); break;
    case 3: put(w, "n%u.x + 2 * n%u.y %s %d", a, b, relation, number); break;
    case 4: put(w, "(forall p. p.%s %s %d)", v, relation, number); break;
    case 5:
        put(w, "(exists p. exists q. p != q and p.%s = 1 and q.%s %s %d)", v, v, relation, number);
        break;
    case 6: put(w, "min(n%u.x, n%u.y, 3) %s %d", a, b, relation, number); break;
    case 7: put(w, "max(p: p.%s) - n%u.x %s %d", v, a, relation, number); break;
    case 8: put(w, "n%u.x * n%u.y %s %d", a, b, relation, number); break;
    case 9: put(w, "(n%u.x + 1) * max(n%u.y, n%u.x) %s %d", a, b, a, relation, number); break;
    case 10: put(w, "count(p: exists q. q != p and q.%s = p.x) %s %d", v, relation, number); break;
    default: put(w, "n%u.%s %s %d", a, v, relation, number); break;
    }
}

static void put_formula(struct writing *w, struct prng *prng, unsigned depth)
{
    const uint64_t shape = prng_below(prng, depth == 0 ? 1 : 5);
    if (shape <= 1) {
        put_atom(w, prng);
        return;
    }
    put(w, "%s(", shape == 4 ? "not " : "");
    put_formula(w, prng, depth - 1);
    if (shape != 4) {
        put(w, ") %s (", shape == 2 ? "and" : "or");
        put_formula(w, prng, depth - 1);
    }
    put(w, ")");
}

/* ---- the walk ---- */

struct walking {
    const struct trace *t;
    int64_t skew;
    uint32_t events[NODES][EVENTS_MAX + 4];
    uint32_t count[NODES];
    struct checker *checker;
};

/* The rank of a node by its name, n0 n1 n2. */
static uint32_t node_of(const struct trace *t, event_id id)
{
    return (uint32_t)(trace_name(t, trace_node_of(t, trace_at(t, id)))[1] - '0');
}

static bool comes_before(const struct walking *w, event_id a, event_id b)
{
    const struct event *first = trace_at(w->t, a);
    const struct event *second = trace_at(w->t, b);
    return (first->kind == EVENT_SEND && second->kind == EVENT_RECV &&
            first->message == second->message) ||
           second->time - first->time > w->skew;
}

static bool is_cut(const struct walking *w, const uint32_t *taken)
{
    for (uint32_t n = 0; n < NODES; n++) {
        for (uint32_t i = 0; i < taken[n]; i++) {
            for (uint32_t m = 0; m < NODES; m++) {
                for (uint32_t j = taken[m]; j < w->count[m]; j++) {
                    if (comes_before(w, w->events[m][j], w->events[n][i])) {
                        return false;
                    }
                }
            }
        }
    }
    return true;
}

/* The value of the formula in the cut. */
static enum checker_verdict judge(const struct walking *w, const uint32_t *taken)
{
    checker_begin(w->checker);
    for (uint32_t n = 0; n < NODES; n++) {
        for (uint32_t i = 0; i < taken[n]; i++) {
            const struct event *e = trace_at(w->t, w->events[n][i]);
            if (e->kind == EVENT_VARIABLE) {
                checker_set(w->checker, checker_slot(w->checker, n, trace_name(w->t, e->object)),
                            e->value);
            }
        }
    }
    (void)checker_step(w->checker, 0);
    const struct checker_status *status = checker_status(w->checker, 0);
    return status->skips > 0 ? CHECKER_UNKNOWN : status->verdict;
}

struct expected {
    bool is_shown;   /* by some cut */
    bool is_doubted; /* in some cut the formula is not decided */
};

static struct expected walk(struct walking *w)
{
    struct expected x = {0};
    uint32_t taken[NODES] = {0};
    for (;;) {
        if (is_cut(w, taken)) {
            const enum checker_verdict verdict = judge(w, taken);
            x.is_shown = x.is_shown || verdict == CHECKER_VIOLATED;
            x.is_doubted = x.is_doubted || verdict == CHECKER_UNKNOWN;
        }
        uint32_t n = 0;
        while (n < NODES && taken[n] == w->count[n]) {
            taken[n++] = 0;
        }
        if (n == NODES) {
            return x;
        }
        taken[n]++;
    }
}

static struct expected expect(const struct trace *t, const struct spec *s, int64_t skew)
{
    static const char *const names[NODES] = {"n0", "n1", "n2"};
    const struct checker_system system = {names, NODES};
    struct walking w = {.t = t, .skew = skew};
    struct err e;
    for (event_id id = 0; id < t->events.count; id++) {
        const uint32_t n = node_of(t, id);
        w.events[n][w.count[n]++] = id;
    }
    if (checker_new(&w.checker, s, &system, &e) < 0) {
        fail_msg("%s", e.text);
    }
    const struct expected x = walk(&w);
    checker_free(w.checker);
    return x;
}

/* ---- the comparison ---- */

struct race_groups {
    uint64_t by_method[METHOD_SOLVER + 1][CUT_YES + 1];
    uint64_t least_count; /* findings with the least skew that shows them, more than 0 */
};

/* With the least skew some cut shows it, and with a smaller one none does. */
static void compare_least(const struct trace *t, const struct spec *s,
                          const struct finding_moment *moment, struct race_groups *groups)
{
    if (!moment->has_least) {
        return;
    }
    CHECK(moment->skew_needed == moment->skew_least);
    CHECK(expect(t, s, moment->skew_least).is_shown);
    if (moment->skew_least > 0) {
        CHECK(!expect(t, s, moment->skew_least - 1).is_shown);
        groups->least_count++;
    }
}

/* How much of the work libz3 does. */
enum share { SHARE_LEAST, SHARE_WHOLE_FORMULAS, SHARE_ALL };

static void compare(struct prng *prng, const struct shape *shape, enum share share,
                    struct race_groups *groups)
{
    const bool is_by_solver = share == SHARE_ALL;
    const struct trace *t = random_run(prng, shape);
    struct writing w = {.size = 0};
    put(&w, "claim: never ");
    put_formula(&w, prng, share == SHARE_WHOLE_FORMULAS ? 4 : 2);
    struct spec s = spec_of(w.text);
    const struct expected x = expect(t, &s, shape->skew);
    const struct monitor_options o = {.skew = shape->skew,
                                      .decide = {.is_by_solver = is_by_solver,
                                                 .is_packed = is_by_solver && w.size % 2 == 0,
                                                 .literals_max = share == SHARE_LEAST ? 0 : 1,
                                                 .part_reports = 1 + (uint32_t)(w.size % 5)}};
    struct findings f = {0};
    const struct monitor_answer answer = monitored_findings(t, &s, &o, NULL, &f);
    vec_each (&f.list, finding) {
        compare_least(t, &s, finding->moment, groups);
    }
    findings_release(&f);
    /* Exact sums and libz3 leave everything open that depends on a variable that is never reported.
     */
    const bool is_coarse = answer.method == METHOD_STEPS || answer.method == METHOD_SOLVER;
    if ((answer.verdict == CUT_YES) != x.is_shown ||
        (answer.verdict == CUT_UNKNOWN && (shape->is_complete || (!x.is_doubted && !is_coarse)))) {
        fail_msg("%s, skew %lld: monitor says %d by %s (%s), %s by the walk", w.text,
                 (long long)shape->skew, (int)answer.verdict, method_name(answer.method),
                 answer.reason == NULL ? "" : answer.reason, x.is_shown ? "shown" : "not shown");
    }
    groups->by_method[answer.method][answer.verdict]++;
    spec_release(&s);
    trace_of_release();
}

static struct shape random_shape_of(struct prng *prng, bool is_complete)
{
    return (struct shape){.skew = (int64_t)prng_below(prng, 7),
                          .is_complete = is_complete,
                          .value_max = prng_below(prng, 2) == 0 ? 1 : 4};
}

TEST(verdicts_are_those_of_a_walk_through_all_cuts)
{
    struct prng prng;
    struct race_groups groups = {0};
    prng_init(&prng, 11);
    for (uint64_t i = test_count(250, 40000); i > 0; i--) {
        const struct shape shape = random_shape_of(&prng, true);
        compare(&prng, &shape, SHARE_LEAST, &groups);
    }
    for (int method = METHOD_LEAST; method <= METHOD_SOLVER; method++) {
        print_message("# %s: %llu yes, %llu no\n", method_name((enum method)method),
                      (unsigned long long)groups.by_method[method][CUT_YES],
                      (unsigned long long)groups.by_method[method][CUT_NO]);
        CHECK(groups.by_method[method][CUT_YES] > 0);
    }
    CHECK(groups.least_count > 0);
    CHECK(groups.by_method[METHOD_LEAST][CUT_NO] > 0);
    CHECK(groups.by_method[METHOD_FLOW][CUT_NO] > 0);
    CHECK(groups.by_method[METHOD_SOLVER][CUT_NO] > 0);
}

TEST(what_is_not_reported_yet_is_not_there)
{
    struct prng prng;
    struct race_groups groups = {0};
    prng_init(&prng, 12);
    for (uint64_t i = test_count(80, 20000); i > 0; i--) {
        const struct shape shape = random_shape_of(&prng, false);
        compare(&prng, &shape, SHARE_LEAST, &groups);
    }
    CHECK(groups.by_method[METHOD_LEAST][CUT_UNKNOWN] > 0);
    CHECK(groups.by_method[METHOD_LEAST][CUT_YES] > 0);
}

TEST(formulas_of_any_shape_are_decided_as_they_are)
{
    struct prng prng;
    struct race_groups groups = {0};
    prng_init(&prng, 14);
    for (uint64_t i = test_count(120, 10000); i > 0; i--) {
        const struct shape shape = random_shape_of(&prng, prng_below(&prng, 2) == 0);
        compare(&prng, &shape, SHARE_WHOLE_FORMULAS, &groups);
    }
    CHECK(groups.by_method[METHOD_ORDER][CUT_YES] > 0);
    CHECK(groups.by_method[METHOD_SOLVER][CUT_YES] > 0);
    CHECK(groups.by_method[METHOD_SOLVER][CUT_NO] > 0);
}

TEST(libz3_says_the_same)
{
    struct prng prng;
    struct race_groups groups = {0};
    prng_init(&prng, 13);
    for (uint64_t i = test_count(40, 10000); i > 0; i--) {
        const struct shape shape = random_shape_of(&prng, true);
        compare(&prng, &shape, SHARE_ALL, &groups);
    }
    CHECK(groups.by_method[METHOD_SOLVER][CUT_YES] > 0);
    CHECK(groups.by_method[METHOD_SOLVER][CUT_NO] > 0);
}

/* ---- the published example ---- */

/* Figure 1 of Tekken Valapil et al.: two processes use a shared resource in [45, 50) and [55, 60).
 */
static const char by_time[] =
    "tick 1000000; t@p1 var use value=0 time=0; t@p2 var use value=0 time=0;"
    "t@p1 var use value=1 time=45; t@p1 var use value=0 time=50;"
    "t@p2 var use value=1 time=55; t@p2 var use value=0 time=60";
static const char by_token[] =
    "tick 1000000; t@p1 var use value=0 time=0; t@p2 var use value=0 time=0;"
    "t@p1 var use value=1 time=45; t@p1 var use value=0 time=50;"
    "t@p1 snd c msg=m mode=udp time=51; t@p2 rcv c msg=m mode=udp time=54;"
    "t@p2 var use value=1 time=55; t@p2 var use value=0 time=60";

static struct monitor_answer answer_to(const char *property, const char *run, int64_t skew)
{
    struct spec s = spec_of(property);
    const struct trace *t = trace_of(run);
    const struct monitor_answer answer =
        monitored(t, &s, &(struct monitor_options){.skew = skew}, NULL);
    spec_release(&s);
    trace_of_release();
    return answer;
}

static enum cut_verdict both_use(const char *run, int64_t skew)
{
    return answer_to("both: never p1.use = 1 and p2.use = 1", run, skew).verdict;
}

TEST(slots_of_time_are_safe_only_while_clocks_agree)
{
    CHECK_INT(both_use(by_time, 4), CUT_NO);
    CHECK_INT(both_use(by_time, 6), CUT_YES);
    CHECK_INT(both_use(by_time, INT64_MAX), CUT_YES);
}

TEST(a_token_is_safe_whatever_the_clocks)
{
    CHECK_INT(both_use(by_token, 6), CUT_NO);
    CHECK_INT(both_use(by_token, INT64_MAX), CUT_NO);
}

/* ---- libz3, part by part ---- */

/* Two sums at once, over a run of `turns` turns in which one process after another has x = 1. */
static struct monitor_answer answer_to_sums(const char *property, unsigned turns,
                                            const struct decide_options *decide)
{
    static struct writing w;
    w.size = 0;
    put(&w, "tick 1; t@n0 var x value=0 time=0; t@n1 var x value=0 time=0");
    for (unsigned i = 0; i < turns; i++) {
        put(&w, "; t@n%u var x value=1 time=%u; t@n%u var x value=0 time=%u", i % 2, 10 * i + 5,
            i % 2, 10 * i + 9);
    }
    struct spec s = spec_of(property);
    const struct monitor_options o = {.skew = 2, .decide = *decide};
    const struct monitor_answer answer = monitored(trace_of(w.text), &s, &o, NULL);
    spec_release(&s);
    trace_of_release();
    return answer;
}

TEST(what_the_exact_algorithms_leave_is_decided_part_by_part)
{
    const struct decide_options parts = {.part_reports = 4};
    const char *one = "p: never n0.x + n1.x >= 1 and n0.x + n1.x <= 1 and 3 * n0.x + n1.x >= 3";
    const char *both = "p: never n0.x + n1.x >= 2 and 3 * n0.x + n1.x >= 3";
    CHECK_INT(answer_to_sums(one, 40, &parts).verdict, CUT_YES);
    CHECK_INT(answer_to_sums(one, 40, &parts).method, METHOD_ORDER);
    CHECK_INT(answer_to_sums(both, 40, &parts).verdict, CUT_NO);
}

/* Twelve processes and as many disjunctions of three: half a million clauses when multiplied out.
 */
TEST(a_conjunction_of_disjunctions_is_not_multiplied_out)
{
    static struct writing run;
    static struct writing property;
    run.size = property.size = 0;
    put(&run, "tick 1");
    put(&property, "p: never p0.b + p1.b = 1");
    for (unsigned i = 0; i < 12; i++) {
        put(&run, "; t@p%u var b value=0 time=0; t@p%u var b value=1 time=%u", i, i, 1 + i % 4);
        put(&property, " and (p%u.b = 0 or p%u.b = %u or p%u.b = 1)", i, (i + 5) % 12, i % 2,
            (i + 7) % 12);
    }
    CHECK_INT(answer_to(property.text, run.text, 2).verdict, CUT_YES);
    put(&property, " and p0.b = p1.b");
    CHECK_INT(answer_to(property.text, run.text, 2).verdict, CUT_NO);
}

TEST(a_budget_that_ends_leaves_it_open)
{
    const struct decide_options spent = {.part_reports = 4, .budget = {.time_ns_max = 1}};
    const char *both = "p: never n0.x - n1.x = 0 and n0.x + n1.x >= 1";
    const struct monitor_answer answer = answer_to_sums(both, 40, &spent);
    CHECK_INT(answer.verdict, CUT_UNKNOWN);
    CHECK_TEXT(answer.reason, "libz3's budget ended");
}

TEST(a_report_without_a_time_is_before_those_with_one_for_libz3_too)
{
    const char *run = "tick 1; t@n0 var x value=1; t@n1 var x value=1 time=5;"
                      "t@n1 var x value=2 time=9";
    const struct decide_options solver = {.is_by_solver = true};
    struct spec s = spec_of("p: never n0.x + n1.x >= 3");
    const struct monitor_options o = {.skew = 2, .decide = solver};
    CHECK_INT(monitored(trace_of(run), &s, &o, NULL).verdict, CUT_YES);
    spec_release(&s);
    trace_of_release();
}

/* ---- notes about missing reports ---- */

TEST(a_variable_that_nobody_reports_leaves_it_open)
{
    const char *run = "t@a var x value=1 time=1; t@b var x value=1 time=1";
    CHECK_INT(answer_to("p: never a.x = 1 and b.y = 1", run, 1).verdict, CUT_UNKNOWN);
    CHECK_INT(answer_to("p: never a.x = 2 and b.y = 1", run, 1).verdict, CUT_NO);
    CHECK_INT(answer_to("p: never a.x = 1 or b.y = 1", run, 1).verdict, CUT_YES);
    CHECK_INT(answer_to("p: never a.x + b.y >= 2", run, 1).verdict, CUT_UNKNOWN);
    CHECK_INT(answer_to("p: never count(q: q.y = 1) >= 3", run, 1).verdict, CUT_NO);
}

TEST(a_clock_that_goes_back_leaves_it_open)
{
    const char *run =
        "t@a var x value=1 time=9; t@a var x value=0 time=3; t@b var x value=1 time=9";
    CHECK_INT(answer_to("p: never a.x = 2", run, 1).verdict, CUT_UNKNOWN);
    CHECK_INT(answer_to("p: never a.x = 1", run, 1).verdict, CUT_UNKNOWN);
    CHECK_INT(answer_to("p: never b.x = 1", run, 1).verdict, CUT_YES);
    CHECK_INT(answer_to("p: never b.x = 2", run, 1).verdict, CUT_NO);
}

TEST(without_times_only_messages_order)
{
    const char *run = "t@a var x value=1; t@a var x value=0; t@b var x value=1";
    CHECK_INT(answer_to("p: never a.x = 1 and b.x = 1", run, 0).verdict, CUT_YES);
    CHECK_INT(answer_to("p: never a.x = 2", run, 0).verdict, CUT_NO);
}

TEST(messages_on_their_way_are_counted)
{
    CHECK_INT(answer_to("p: never messages(p1, p2) >= 1", by_token, 6).verdict, CUT_YES);
    CHECK_INT(answer_to("p: never messages(p1, p2) >= 2", by_token, 6).verdict, CUT_NO);
    CHECK_INT(answer_to("p: never messages(p2, p1) >= 1", by_token, 6).verdict, CUT_NO);
    CHECK_INT(
        answer_to("p: never messages(p1, p2) = 1 and p1.use = 0", by_token, INT64_MAX).verdict,
        CUT_YES);
    CHECK_INT(
        answer_to("p: never messages(p1, p2) >= 1 and p2.use = 1", by_token, INT64_MAX).verdict,
        CUT_NO);
    const char *lost = "t@p1 snd c msg=m mode=udp time=1; t@p2 log time=1";
    CHECK_INT(answer_to("p: never messages(p1, p2) >= 1", lost, 6).verdict, CUT_UNKNOWN);
}

TEST(a_message_in_pieces_is_one_and_a_connection_none)
{
    const char *run = "t@a connect 1:1>2:2 mode=tcp time=1; t@b accept 1:1>2:2 mode=tcp time=5;"
                      "t@a snd 1:1>2:2 mode=tcp size=10 time=6;"
                      "t@b rcv 1:1>2:2 mode=tcp size=4 time=8;"
                      "t@b rcv 1:1>2:2 mode=tcp size=6 time=9; t@b var x value=1 time=9";
    CHECK_INT(answer_to("p: never messages(a, b) >= 2", run, 1).verdict, CUT_NO);
    CHECK_INT(answer_to("p: never messages(a, b) >= 1", run, 1).verdict, CUT_YES);
    CHECK_INT(answer_to("p: never messages(a, b) >= 1 and b.x = 1", run, 1).verdict, CUT_NO);
}

TEST(temporal_formulas_are_left_open)
{
    const char *run = "t@a var x value=1 time=1";
    const struct monitor_answer answer = answer_to("p: always eventually a.x = 0", run, 0);
    CHECK_INT(answer.verdict, CUT_UNKNOWN);
    CHECK(strstr(answer.reason, "moments follow") != NULL);
}

TEST(always_is_broken_where_its_formula_fails)
{
    const char *run = "t@a var x value=1 time=1; t@a var x value=5 time=2";
    CHECK_INT(answer_to("p: always a.x <= 4", run, 0).verdict, CUT_YES);
    CHECK(answer_to("p: always a.x <= 4", run, 0).is_violation);
    CHECK_INT(answer_to("p: always a.x <= 5", run, 0).verdict, CUT_NO);
    CHECK(!answer_to("p: possibly a.x = 5", run, 0).is_violation);
}
