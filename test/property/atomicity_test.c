/* The decision about atomicity patterns against exhaustive search, on random executions. */
#include "atomicity/atomicity.h"

#include <stdlib.h>

#include "atomicity/execution.h"
#include "atomicity/match.h"
#include "atomicity_slow.h"
#include "base/sort.h"
#include "random_trace.h"
#include "shrink.h"
#include "test.h"
#include "trace/kind_table.h"
#include "trace_text.h"
#include "wire/kind.h"

/* ---- the engine's answers ---- */

/* How the engine is asked. */
struct way {
    bool reports_all;
    bool keeps_rounds;
    bool looks_around; /* first in windows of the trace */
    uint32_t near;
};

struct heard {
    struct out out;
    struct way way;
    const struct frame *frame;
    bool is_wrong; /* an execution did not pass the check */
    uint64_t unknown;
};

static event_id event_of(const struct match *m, uint32_t i)
{
    return m->model->threads[m->places[i].thread].steps[m->places[i].step].event;
}

static void check_execution(struct heard *h, const struct match *m)
{
    struct segments segments = {0};
    event_id places[QUESTION_PLACES_MAX];
    for (uint32_t i = 0; i < m->place_count; i++) {
        places[i] = event_of(m, i);
    }
    segments_add_steps(&segments, m->model, m->decider->taken.at, m->decider->taken.count);
    const struct execution_claim claim = {
        .segments = &segments, .places = places, .place_count = m->place_count};
    struct err e = {0};
    h->is_wrong |= execution_check(h->frame, &claim, &e) < 0;
    segments_release(&segments);
}

static void hear(void *context, const struct match *m)
{
    struct heard *h = context;
    check_execution(h, m);
    event_id one[2] = {0};
    event_id other[2] = {0};
    uint32_t one_count = 0;
    uint32_t other_count = 0;
    for (uint32_t i = 0; i < m->place_count; i++) {
        if (m->places[i].thread == m->places[0].thread) {
            one[one_count++] = event_of(m, i);
        } else {
            other[other_count++] = event_of(m, i);
        }
    }
    CHECK_INT(one_count, 2);
    out_format(&h->out, "%s %u %u |", violation_key(m->pattern), one[0], one[1]);
    for (uint32_t i = 0; h->way.reports_all && i < other_count; i++) {
        out_format(&h->out, " %u", other[i]);
    }
    out_char(&h->out, '\n');
}

static void search_model(struct heard *h, struct matcher *r, const uint32_t *variables)
{
    struct sketch sketch;
    sketch_build(&sketch, h->frame, variables[0], variables[1]);
    if (variables[1] == VARIABLE_NONE) {
        match_single(r, &sketch);
    } else {
        match_pair(r, &sketch);
    }
    sketch_release(&sketch);
}

static void search(struct heard *h, const struct frame *f)
{
    struct matcher matcher;
    matcher_init(&matcher, &(struct match_options){.reports_all = h->way.reports_all,
                                                   .keeps_rounds = h->way.keeps_rounds,
                                                   .looks_around = h->way.looks_around,
                                                   .near = h->way.near,
                                                   .found = hear,
                                                   .context = h});
    const struct variables *v = &f->variables;
    for (uint32_t x = 0; x < v->list.count; x++) {
        search_model(h, &matcher, (const uint32_t[]){x, VARIABLE_NONE});
        for (uint32_t y = x + 1; y < v->list.count; y++) {
            if (v->list.at[x].node == v->list.at[y].node && !v->list.at[x].is_atomic &&
                !v->list.at[y].is_atomic) {
                search_model(h, &matcher, (const uint32_t[]){x, y});
            }
        }
    }
    h->unknown = matcher.stats.unknown;
    matcher_release(&matcher);
}

/* ---- comparing ---- */

static int compare_lines(const void *left, const void *right, const void *context)
{
    (void)context;
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* The lines of a text in alphabetical order. Of a couple's interrupting accesses, each line once
 * unless wants_all. */
static const char *sorted(struct arena *a, const struct out *out, bool wants_all)
{
    char *text = arena_text(a, out->buffer, out->used);
    VEC(const char *) lines = {0};
    for (char *line = text; *line != '\0';) {
        char *end = strchr(line, '\n');
        *end = '\0';
        if (!wants_all) {
            *strchr(line, '|') = '\0';
        }
        vec_push(&lines, line);
        line = end + 1;
    }
    sort_stable(lines.at, lines.count, sizeof *lines.at, compare_lines, NULL);
    struct out joined;
    out_open_memory(&joined);
    for (size_t i = 0; i < lines.count; i++) {
        if (wants_all || i == 0 || strcmp(lines.at[i - 1], lines.at[i]) != 0) {
            out_format(&joined, "%s\n", lines.at[i]);
        }
    }
    const char *result = arena_text(a, joined.buffer, joined.used);
    out_abandon(&joined);
    vec_release(&lines);
    return result;
}

struct race_groups {
    uint64_t traces, lines, too_large;
    uint64_t listed;   /* traces whose list is an execution */
    bool keeps_rounds; /* of the last trace */
    bool is_unknown;   /* the last trace was too large */
    bool is_loud;
};

/* Compares the engine's answer with the slow twin's: by interrupting accesses, or by interrupted
 * couples. */
static bool differ_in(struct race_groups *groups, const struct frame *f, const struct out *slow,
                      struct way way)
{
    struct arena scratch = {0};
    struct heard h = {.frame = f, .way = way};
    out_open_memory(&h.out);
    search(&h, f);
    const char *fast_text = sorted(&scratch, &h.out, way.reports_all);
    const char *slow_text = sorted(&scratch, slow, way.reports_all);
    const bool is_different = h.is_wrong || strcmp(fast_text, slow_text) != 0;
    if (groups->is_loud) {
        print_message("%sengine:\n%sslow twin:\n%switness %s\n",
                      way.looks_around ? "in windows, " : "", fast_text, slow_text,
                      h.is_wrong ? "wrong" : "right");
    }
    groups->is_unknown |= h.unknown > 0;
    out_abandon(&h.out);
    arena_release(&scratch);
    return is_different;
}

static bool differ_in_some_way(struct race_groups *groups, const struct frame *f,
                               const struct out *slow)
{
    const bool is_listed = execution_is_listed(f);
    bool is_different = false;
    groups->listed += is_listed;
    for (int i = 0; i < (is_listed ? 6 : 2) && !is_different; i++) {
        is_different = differ_in(groups, f, slow,
                                 (struct way){.reports_all = i % 2 == 0,
                                              .keeps_rounds = groups->keeps_rounds,
                                              .looks_around = i >= 2,
                                              .near = i >= 4 ? 1 : 0});
    }
    return is_different;
}

static bool differ(const struct trace *t, void *context)
{
    struct race_groups *groups = context;
    struct rules r;
    struct frame frame;
    struct notes n = {0};
    struct err e = {0};
    struct out slow;
    out_open_memory(&slow);
    rules_read_fixed(&r, t); /* atomicity keeps who ran a one-time initialization */
    CHECK_INT(frame_build(&frame, t, &n, &e), 0);
    groups->is_unknown = !slow_atomicity(&r, groups->keeps_rounds, &slow);
    const bool is_different = differ_in_some_way(groups, &frame, &slow);
    groups->too_large += groups->is_unknown;
    groups->lines += slow.used > 0;
    const bool counts = is_different && !groups->is_unknown;
    out_abandon(&slow);
    frame_release(&frame);
    rules_release(&r);
    notes_release(&n);
    return counts;
}

/* Now and then the task begins another operation, goes on with an earlier one, enters or leaves a
 * marked region, or calls and rounds of loops. */
static void begin_operation(struct trace *to, uint32_t task, struct prng *prng, bool has_scopes)
{
    struct event e = {.kind = EVENT_OPERATION, .task = task};
    switch (prng_below(prng, 16)) {
    case 0:
    case 1: break;
    case 2:
        e.has = HAS_COUNT;
        e.count = 1 + (uint32_t)prng_below(prng, 3);
        break;
    case 3: e.kind = EVENT_ATOMIC_BEGIN; break;
    case 4: e.kind = EVENT_ATOMIC_END; break;
    case 5:
    case 6:
    case 7:
    case 8:
    case 9:
    case 10:
        if (!has_scopes) {
            return;
        }
        e.kind = EVENT_SCOPE;
        e.has = HAS_COUNT | HAS_SIZE | HAS_VALUE;
        e.size = prng_below(prng, 4);
        e.count = (uint32_t)prng_below(prng, e.size + 1);
        e.value = (int64_t)prng_below(prng, 8);
        break;
    default: return;
    }
    trace_append(to, &e);
}

/* Gives each event a place of its own, so that no two candidates are taken for one; or one of a
 * few, as in loops and functions that are called often. */
static void place_events(struct trace *to, const struct trace *from, struct prng *few,
                         struct prng *operations, bool has_scopes)
{
    struct map read_of = {0}; /* a task's last event, if that is a read */
    trace_copy_tables(to, from);
    trace_each (from, event) {
        if (operations != NULL) {
            begin_operation(to, event->task, operations, has_scopes);
        }
        char place[16];
        const size_t number =
            few != NULL ? (size_t)prng_below(few, 2) : (size_t)(event - from->events.at);
        (void)snprintf(place, sizeof place, "l%zu", number);
        struct event e = *event;
        e.location = names_intern_text(&to->tables.names, place);
        uint32_t *last = map_slot(&read_of, e.task, UINT32_MAX, NULL);
        if (has_scopes && e.kind == EVENT_WRITE && *last != UINT32_MAX &&
            trace_at(to, *last)->object == e.object && prng_below(operations, 4) > 0) {
            e.location = trace_at(to, *last)->location; /* as in count++ */
        }
        *last = e.kind == EVENT_READ ? (uint32_t)to->events.count : UINT32_MAX;
        trace_append(to, &e);
    }
    map_release(&read_of);
    trace_seal(to);
}

/* Makes the variables parts of one block, which some task allocates somewhere before half of the
 * list, and perhaps one frees in the end, with a write of each part. */
static void put_in_block(struct trace *to, const struct trace *from, struct prng *prng)
{
    trace_copy_tables(to, from);
    const uint32_t block = names_intern_text(&to->tables.names, "block.c:1#1");
    const uint32_t place = names_intern_text(&to->tables.names, "block.c:1");
    const uint32_t parts[] = {block, names_intern_text(&to->tables.names, "block.c:1#1+8")};
    const uint64_t alloc = prng_below(prng, from->events.count / 2 + 1);
    struct map number_of = {0}; /* of variables */
    uint32_t task = 0;
    trace_each (from, event) {
        struct event e = *event;
        task = e.task;
        if ((uint64_t)(event - from->events.at) == alloc) {
            trace_append(to, &(struct event){.kind = EVENT_ALLOC, .task = task, .object = block});
        }
        if (e.kind == EVENT_READ || e.kind == EVENT_WRITE) {
            e.object =
                parts[*map_slot(&number_of, e.object, (uint32_t)number_of.entries.count, NULL) % 2];
        }
        trace_append(to, &e);
    }
    if (prng_below(prng, 2) == 0) {
        for (int i = 0; i < 3; i++) {
            trace_append(to, &(struct event){.kind = i < 2 ? EVENT_WRITE : EVENT_FREE,
                                             .task = task,
                                             .object = i < 2 ? parts[i] : block,
                                             .location = place});
        }
    }
    trace_seal(to);
    map_release(&number_of);
}

static void random_execution(struct trace *t, uint64_t seed, bool has_few_places)
{
    static const unsigned features[] = {
        RANDOM_ACCESS | RANDOM_LOCK,
        RANDOM_ACCESS | RANDOM_LOCK | RANDOM_THREAD,
        RANDOM_ACCESS | RANDOM_LOCK | RANDOM_WAIT,
        RANDOM_ACCESS | RANDOM_OTHER | RANDOM_SEMAPHORE,
        RANDOM_ACCESS | RANDOM_LOCK | RANDOM_RWLOCK,
        RANDOM_ACCESS | RANDOM_LOCK | RANDOM_OTHER | RANDOM_SEMAPHORE | RANDOM_THREAD,
        RANDOM_ACCESS | RANDOM_LOCK | RANDOM_ATOMIC,
        RANDOM_LOCK | RANDOM_ATOMIC | RANDOM_THREAD,
    };
    struct prng prng;
    prng_init(&prng, seed);
    const struct random_shape shape = {
        .event_count = 8 + (uint32_t)prng_below(&prng, 16),
        .node_count = 1,
        .root_count = 2 + (uint32_t)prng_below(&prng, 2),
        .task_max = 4,
        .variable_count = 1 + (uint32_t)prng_below(&prng, 2),
        .lock_count = 1 + (uint32_t)prng_below(&prng, 3),
        .features = features[prng_below(&prng, sizeof features / sizeof *features)],
        .is_finished = prng_below(&prng, 2) == 0,
    };
    struct trace plain;
    random_trace(&plain, &prng, &shape);
    struct prng *operations = seed % 4 < 2 ? &prng : NULL;
    const bool has_scopes = operations != NULL && seed % 8 < 4;
    if (seed % 3 == 2) {
        struct trace placed;
        place_events(&placed, &plain, has_few_places ? &prng : NULL, operations, has_scopes);
        put_in_block(t, &placed, &prng);
        trace_release(&placed);
    } else {
        place_events(t, &plain, has_few_places ? &prng : NULL, operations, has_scopes);
    }
    trace_release(&plain);
}

TEST(the_decision_equals_exhaustive_search)
{
    struct race_groups groups = {0};
    const uint64_t count = test_count(400, 12000);
    for (uint64_t seed = 0; seed < count; seed++) {
        struct trace t;
        random_execution(&t, seed, false);
        groups.keeps_rounds = seed % 2 == 1;
        if (differ(&t, &groups)) {
            struct trace small;
            trace_init(&small);
            trace_shrink(&small, &t, differ, &groups);
            groups.is_loud = true;
            (void)differ(&small, &groups);
            fail_msg("seed %llu:\n%s", (unsigned long long)seed, trace_text(&small));
        }
        trace_release(&t);
        groups.traces++;
    }
    print_message("# %llu traces, %llu with findings, %llu too large\n",
                  (unsigned long long)groups.traces, (unsigned long long)groups.lines,
                  (unsigned long long)groups.too_large);
    CHECK(groups.lines > count / 10);
    CHECK(groups.listed > count / 2);
    CHECK(groups.too_large < count / 10);
}

/* ---- longer traces ---- */

/* The engine's answer for these options, as lines in alphabetical order. */
static const char *said(struct arena *a, const struct frame *f, struct way way)
{
    struct heard h = {.frame = f, .way = way};
    out_open_memory(&h.out);
    search(&h, f);
    const char *text = sorted(a, &h.out, way.reports_all);
    CHECK(!h.is_wrong);
    CHECK_INT(h.unknown, 0);
    out_abandon(&h.out);
    return text;
}

static void long_execution(struct trace *t, uint64_t seed)
{
    struct prng prng;
    prng_init(&prng, seed);
    struct random_shape shape = random_shape(&prng, 60 + (uint32_t)prng_below(&prng, 100));
    shape.features &= ~(unsigned)RANDOM_HANDLER;
    shape.features |= RANDOM_ACCESS | RANDOM_LOCK;
    struct trace plain;
    random_trace(&plain, &prng, &shape);
    if (seed % 2 == 0) {
        place_events(t, &plain, NULL, NULL, false);
    } else {
        struct trace damaged;
        random_damage(&damaged, &plain, &prng);
        place_events(t, &damaged, NULL, NULL, false);
        trace_release(&damaged);
    }
    trace_release(&plain);
}

/* Compares windows of a trace whose list is an execution with the whole. */
static void compare_windows(const struct frame *f, uint64_t seed)
{
    struct arena scratch = {0};
    const char *whole = said(&scratch, f, (struct way){.reports_all = true});
    for (uint32_t near = 0; near < 20; near += 10) {
        const struct way way = {.reports_all = true, .looks_around = true, .near = near};
        const char *windows = said(&scratch, f, way);
        if (strcmp(whole, windows) != 0) {
            fail_msg("seed %llu:\n%swhole:\n%swindows:\n%s", (unsigned long long)seed,
                     trace_text(f->trace), whole, windows);
        }
    }
    arena_release(&scratch);
}

TEST(windows_tell_what_the_whole_tells)
{
    const uint64_t count = test_count(60, 3000);
    uint64_t listed_count = 0;
    for (uint64_t seed = 0; seed < count; seed++) {
        struct trace t;
        struct frame f;
        struct notes n = {0};
        struct err e = {0};
        long_execution(&t, seed);
        CHECK_INT(frame_build(&f, &t, &n, &e), 0);
        if (execution_is_listed(&f)) {
            compare_windows(&f, seed);
            listed_count++;
        }
        frame_release(&f);
        notes_release(&n);
        trace_release(&t);
    }
    CHECK(listed_count > count / 2);
}

/* ---- places that many accesses share ---- */

static event_id first_access(const struct trace *t, uint32_t object)
{
    event_id id = 0;
    while (trace_at(t, id)->object != object || (event_class(trace_at(t, id)) != CLASS_ACCESS &&
                                                 event_class(trace_at(t, id)) != CLASS_ATOMIC)) {
        id++;
    }
    return id;
}

/* "RWW l1 l0 =" instead of numbers of events: a couple found once at some places is not searched
 * for again. The last sign tells which of the two variables is accessed first: x and y differ. */
static void name_places(const struct trace *t, const struct out *from, struct out *to)
{
    struct arena scratch = {0};
    char *text = arena_text(&scratch, from->buffer, from->used);
    for (char *line = text; *line != '\0';) {
        char *end = strchr(line, '\n');
        char *rest = strchr(line, ' ');
        *end = '\0';
        out_bytes(to, line, (size_t)(rest - line));
        event_id first[2];
        for (int i = 0; i < 2; i++) {
            const struct event *e = trace_at(t, (event_id)strtoul(rest, &rest, 10));
            out_format(to, " %s", trace_name(t, e->location));
            first[i] = first_access(t, e->object);
        }
        out_format(to, " %s |\n", first[0] == first[1] ? "=" : first[0] < first[1] ? "<" : ">");
        line = end + 1;
    }
    arena_release(&scratch);
}

/* Drops stale reads of couples that pattern 1 (of a read and a write) is found for: the engine
 * knows couples by their places. */
static const char *without_paired(struct arena *a, const char *text)
{
    struct out kept;
    out_open_memory(&kept);
    for (const char *line = text; *line != '\0'; line = strchr(line, '\n') + 1) {
        const size_t size = strcspn(line, "\n");
        bool is_paired = false;
        for (const char *p = text; strncmp(line, "stale", 5) == 0 && *p != '\0';
             p = strchr(p, '\n') + 1) {
            is_paired |= strncmp(p, "P1", 2) == 0 && size - 5 == strcspn(p, "\n") - 2 &&
                         strncmp(p + 2, line + 5, size - 5) == 0;
        }
        if (!is_paired) {
            out_bytes(&kept, line, size + 1);
        }
    }
    const char *result = arena_text(a, kept.buffer, kept.used);
    out_abandon(&kept);
    return result;
}

static bool differ_by_place(const struct trace *t, void *context)
{
    struct race_groups *groups = context;
    struct rules r;
    struct frame frame;
    struct notes n = {0};
    struct err e = {0};
    struct arena scratch = {0};
    struct heard h = {.frame = &frame};
    struct out slow;
    struct out fast_named;
    struct out slow_named;
    out_open_memory(&slow);
    out_open_memory(&h.out);
    out_open_memory(&fast_named);
    out_open_memory(&slow_named);
    rules_read_fixed(&r, t); /* atomicity keeps who ran a one-time initialization */
    CHECK_INT(frame_build(&frame, t, &n, &e), 0);
    groups->is_unknown = !slow_atomicity(&r, false, &slow);
    search(&h, &frame);
    name_places(t, &h.out, &fast_named);
    name_places(t, &slow, &slow_named);
    const char *fast_text = without_paired(&scratch, sorted(&scratch, &fast_named, false));
    const char *slow_text = without_paired(&scratch, sorted(&scratch, &slow_named, false));
    const bool is_different = h.is_wrong || strcmp(fast_text, slow_text) != 0;
    if (groups->is_loud) {
        print_message("engine:\n%sslow twin:\n%s", fast_text, slow_text);
    }
    groups->is_unknown |= h.unknown > 0;
    groups->too_large += groups->is_unknown;
    groups->lines += slow.used > 0;
    out_abandon(&slow);
    out_abandon(&h.out);
    out_abandon(&fast_named);
    out_abandon(&slow_named);
    arena_release(&scratch);
    frame_release(&frame);
    rules_release(&r);
    notes_release(&n);
    return is_different && !groups->is_unknown;
}

/* Left out are couples of two operations, accesses that lie between in every execution, and settled
 * couples; nothing else. */
TEST(what_is_left_out_is_what_is_said_to_be)
{
    struct race_groups groups = {0};
    const uint64_t count = test_count(400, 12000);
    for (uint64_t seed = 0; seed < count; seed++) {
        struct trace t;
        random_execution(&t, seed, true);
        if (differ_by_place(&t, &groups)) {
            groups.is_loud = true;
            (void)differ_by_place(&t, &groups);
            fail_msg("seed %llu:\n%s", (unsigned long long)seed, trace_text(&t));
        }
        trace_release(&t);
        groups.traces++;
    }
    CHECK(groups.lines > count / 10);
    CHECK(groups.too_large < count / 10);
}

/* ---- grades ---- */

/* A line per finding: its key and its grade. */
static void print_grades(const struct trace *t, enum solve_way via, struct out *out,
                         uint64_t *sound_count)
{
    struct findings f = {0};
    struct notes n = {0};
    struct err e = {0};
    struct atomicity_stats stats = {0};
    const struct atomicity_options o = {.via = via, .skips_merged = true, .wants_all_pairs = true};
    CHECK_INT(atomicity_find(t, &o, &f, &stats, &n, &e), 0);
    vec_each (&f.list, finding) {
        out_format(out, "%s: %s\n", finding->key, finding_grade_name(finding->grade));
        *sound_count += finding->grade == GRADE_SOUND;
    }
    findings_release(&f);
    notes_release(&n);
}

TEST(a_grade_is_what_libz3_says)
{
    const uint64_t count = test_count(100, 3000);
    uint64_t sound_count = 0;
    for (uint64_t seed = 0; seed < count; seed++) {
        struct trace t;
        struct out native;
        struct out other;
        out_open_memory(&native);
        out_open_memory(&other);
        random_execution(&t, seed, false);
        print_grades(&t, SOLVE_NATIVE, &native, &sound_count);
        print_grades(&t, SOLVE_LIBZ3, &other, &sound_count);
        out_char(&native, '\0');
        out_char(&other, '\0');
        if (strcmp(native.buffer, other.buffer) != 0) {
            fail_msg("seed %llu:\n%snative:\n%slibz3:\n%s", (unsigned long long)seed,
                     trace_text(&t), native.buffer, other.buffer);
        }
        out_abandon(&native);
        out_abandon(&other);
        trace_release(&t);
    }
    CHECK(sound_count > count);
}
