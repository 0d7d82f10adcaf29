#include "order/reads_from.h"

#include "base/mem.h"
#include "race/race.h"
#include "race_slow.h"
#include "random_recording.h"
#include "random_trace.h"
#include "shrink.h"
#include "test.h"
#include "trace/kind_table.h"
#include "trace_text.h"

/* ---- reads-from by its definition ---- */

static bool is_known_before(const struct hb *hb, event_id a, event_id b)
{
    const struct event *x = trace_at(hb->trace, a);
    const struct event *y = trace_at(hb->trace, b);
    const bool are_atomic = event_class(x) == CLASS_ATOMIC && event_class(y) == CLASS_ATOMIC;
    return hb_is_before(hb, a, b) || (are_atomic && a < b);
}

static bool writes_same(const struct trace *t, event_id write, event_id read)
{
    const struct event *w = trace_at(t, write);
    const struct event *r = trace_at(t, read);
    return write != read && rules_event_writes(w) && w->object != 0 &&
           rules_object(t, w, w->object) == rules_object(t, r, r->object);
}

/* The known order, a row per event: direct, or through accesses between. */
static bool *known_of(const struct hb *hb, bool is_closed)
{
    const size_t count = hb->trace->events.count;
    bool *known = mem_zero(count * count + 1, sizeof *known);
    for (event_id a = 0; a < count; a++) {
        for (event_id b = 0; b < count; b++) {
            known[a * count + b] = a != b && is_known_before(hb, a, b);
        }
    }
    for (size_t k = 0; k < count && is_closed; k++) {
        for (size_t a = 0; a < count; a++) {
            for (size_t b = 0; b < count && known[a * count + k]; b++) {
                known[a * count + b] |= known[k * count + b];
            }
        }
    }
    return known;
}

/* Whether every write but this one, or none, is known to come before it or after the read. */
static bool is_only_writer(const struct trace *t, const bool *known, event_id writer, event_id read)
{
    const size_t count = t->events.count;
    if (writer != EVENT_NONE && !known[writer * count + read]) {
        return false;
    }
    for (event_id id = 0; id < count; id++) {
        if (id != writer && writes_same(t, id, read) && !known[read * count + id] &&
            !(writer != EVENT_NONE && known[id * count + writer])) {
            return false;
        }
    }
    return true;
}

/* The write that is the last before the event in every linear extension; false when that depends.
 */
static bool slow_last_write(const struct trace *t, const bool *known, event_id read,
                            event_id *writer)
{
    *writer = EVENT_NONE;
    if (is_only_writer(t, known, EVENT_NONE, read)) {
        return true;
    }
    for (event_id id = 0; id < t->events.count; id++) {
        if (writes_same(t, id, read) && is_only_writer(t, known, id, read)) {
            *writer = id;
            return true;
        }
    }
    return false;
}

/* The last write before the read that is no blind update; false when it, or which updates follow
 * it, depends on the linear extension. */
static bool slow_writer(const struct trace *t, const bool *known, event_id read, event_id *writer)
{
    bool is_one = slow_last_write(t, known, read, writer);
    while (is_one && *writer != EVENT_NONE && rules_event_updates(trace_at(t, *writer))) {
        is_one = slow_last_write(t, known, *writer, writer);
    }
    return is_one;
}

/* Whether the fast answer is between the direct known order and its closure. */
static bool is_defined(const struct reads_from *reads, const struct trace *t, event_id read,
                       const bool *const known[2])
{
    event_id direct = EVENT_NONE;
    event_id closed = EVENT_NONE;
    const bool is_direct = slow_writer(t, known[0], read, &direct);
    const bool is_closed = slow_writer(t, known[1], read, &closed);
    const bool is_certain = reads_from_is_certain(reads, read);
    return (!is_direct || (is_certain && reads->writer[read] == direct)) &&
           (!is_certain || (is_closed && reads->writer[read] == closed));
}

/* ---- one run, exact and recorded ---- */

struct race_groups {
    enum recording_filter filter;
    uint64_t seed;
    bool has_one_place; /* all accesses of a variable are at one place */
    uint64_t reads, certain, sound, refuted, open;
    char difference[800];
};

struct fixture {
    struct trace exact;
    struct rules rules; /* of the exact trace */
    struct recording recording;
    struct hb observed;
    struct reads_from reads;
    struct arena arena;
    struct notes notes;
    uint32_t *epoch; /* of the exact trace */
};

static void fixture_init(struct fixture *f, const struct trace *t, const struct race_groups *groups)
{
    struct err e = {0};
    struct prng prng;
    *f = (struct fixture){0};
    prng_init(&prng, groups->seed);
    trace_copy_tables(&f->exact, t);
    trace_each (t, event) {
        struct event copy = *event;
        const bool is_moved = groups->has_one_place && event_class(event) == CLASS_ACCESS;
        copy.location = is_moved ? event->object : event->location;
        trace_append(&f->exact, &copy);
    }
    trace_seal(&f->exact);
    rules_read(&f->rules, &f->exact);
    recording_of(&f->recording, &f->exact, &prng, groups->filter);
    f->epoch = recording_epochs(&f->exact);
    const struct hb_options options = {.model = HB_OBSERVED, .scope = REACH_ALL};
    CHECK_INT(hb_build(&f->observed, &f->recording.trace, &options, &f->notes, &e), 0);
    reads_from_build(&f->reads, &f->observed, &f->arena);
}

static void fixture_release(struct fixture *f)
{
    hb_release(&f->observed);
    recording_release(&f->recording);
    rules_release(&f->rules);
    trace_release(&f->exact);
    notes_release(&f->notes);
    arena_release(&f->arena);
    mem_free(f->epoch);
}

static bool is_kept(const struct fixture *f, event_id id)
{
    vec_each (&f->recording.source, kept) {
        if (*kept == id) {
            return true;
        }
    }
    return false;
}

/* Whether the recording may name `writer` where the execution had `real`: the same one; or one that
 * was left out, of the reader itself or of the writer's epoch. */
static bool stands_for(const struct fixture *f, event_id writer, event_id real, event_id read)
{
    if (writer == real) {
        return true;
    }
    if (real == EVENT_NONE) {
        return false;
    }
    if (is_kept(f, real)) {
        return false;
    }
    const uint32_t task = trace_at(&f->exact, real)->task;
    return task == trace_at(&f->exact, read)->task ||
           (writer != EVENT_NONE && task == trace_at(&f->exact, writer)->task &&
            f->epoch[writer] == f->epoch[real] && writer < real);
}

static bool reads_are_wrong(const struct trace *t, void *context)
{
    struct race_groups *groups = context;
    struct fixture f;
    fixture_init(&f, t, groups);
    bool wrong = false;
    bool *const known[2] = {known_of(&f.observed, false), known_of(&f.observed, true)};
    const bool is_known = reads_from_can_know(&f.observed);
    for (event_id id = 0; id < f.recording.trace.events.count && is_known; id++) {
        const struct event *e = trace_at(&f.recording.trace, id);
        if (!rules_event_reads(e) || e->object == 0) {
            continue;
        }
        const bool is_certain = reads_from_is_certain(&f.reads, id);
        groups->reads++;
        groups->certain += is_certain;
        const event_id read = f.recording.source.at[id];
        const event_id writer = f.reads.writer[id] == EVENT_NONE
                                    ? EVENT_NONE
                                    : f.recording.source.at[f.reads.writer[id]];
        if (!is_defined(&f.reads, &f.recording.trace, id,
                        (const bool *const[]){known[0], known[1]})) {
            (void)snprintf(groups->difference, sizeof groups->difference,
                           "recorded read %u: doubt %d, writer %u", id, f.reads.doubt[id],
                           f.reads.writer[id]);
            wrong = true;
        } else if (is_certain && !stands_for(&f, writer, f.rules.writer[read], read)) {
            (void)snprintf(groups->difference, sizeof groups->difference,
                           "exact read %u: recorded writer %u, real writer %u", read, writer,
                           f.rules.writer[read]);
            wrong = true;
        }
    }
    mem_free(known[0]);
    mem_free(known[1]);
    fixture_release(&f);
    return wrong;
}

/* ---- grades ---- */

static bool is_at(const struct trace *t, event_id id, const struct finding_event *e)
{
    return strcmp(trace_name(t, trace_at(t, id)->location), e->location) == 0 &&
           strcmp(trace_name(t, trace_at(t, id)->object), e->object) == 0 &&
           strcmp(trace_name(t, t->tables.tasks.at[trace_at(t, id)->task].node), e->node) == 0;
}

/* Whether some pair of the exact trace at the places of the finding is feasible. With `strict`, of
 * those that the recording has and strict allows. */
static bool is_feasible(const struct fixture *f, const struct finding *finding,
                        const struct slow_answer *feasible, const struct slow_answer *strict)
{
    const struct finding_event *x = &finding->events[0];
    const struct finding_event *y = &finding->events[1];
    for (size_t i = 0; i < f->rules.data_candidates.count; i++) {
        const struct rules_pair *p = &f->rules.data_candidates.at[i];
        const bool is_there = (is_at(&f->exact, p->a, x) && is_at(&f->exact, p->b, y)) ||
                              (is_at(&f->exact, p->a, y) && is_at(&f->exact, p->b, x));
        const bool counts =
            strict == NULL || (strict->data[i] && is_kept(f, p->a) && is_kept(f, p->b));
        if (is_there && feasible->data[i] && counts) {
            return true;
        }
    }
    return false;
}

static bool is_misjudged(const struct fixture *f, const struct finding *finding,
                         const struct slow_answer *feasible, const struct slow_answer *strict)
{
    if (finding->kind != FINDING_DATA_RACE) {
        return false;
    }
    if (finding->grade == GRADE_SOUND) {
        return !is_feasible(f, finding, feasible, NULL);
    }
    return finding->status == STATUS_REFUTED && is_feasible(f, finding, feasible, strict);
}

static const struct finding *finding_with(const struct findings *findings, const char *key)
{
    vec_each (&findings->list, finding) {
        if (strcmp(finding->key, key) == 0) {
            return finding;
        }
    }
    return NULL;
}

/* Of large classes only one pair is looked for before grading: the same places are graded. */
static bool search_is_wrong(const struct fixture *f, const struct findings *all,
                            const struct slow_answer *feasible, const struct slow_answer *strict)
{
    struct findings found = {0};
    struct race_stats stats;
    struct notes notes = {0};
    struct err e = {0};
    const struct race_options o = {.wants_all = true, .pairs_max = 1};
    CHECK_INT(race_find(&f->recording.trace, &o, &found, &stats, &notes, &e), 0);
    bool wrong = found.list.count != all->list.count;
    vec_each (&found.list, finding) {
        wrong = wrong || is_misjudged(f, finding, feasible, strict) ||
                finding_with(all, finding->key) == NULL;
    }
    notes_release(&notes);
    findings_release(&found);
    return wrong;
}

static bool grades_are_wrong(const struct trace *t, void *context)
{
    struct race_groups *groups = context;
    struct fixture f;
    fixture_init(&f, t, groups);
    struct slow_answer feasible = slow_answer_take(&f.arena, &f.rules);
    struct slow_answer strict = slow_answer_take(&f.arena, &f.rules);
    struct findings findings = {0};
    struct race_stats stats;
    struct err e = {0};
    bool wrong = false;
    if (slow_by_states(&f.rules, SLOW_FEASIBLE, &feasible) &&
        slow_by_states(&f.rules, SLOW_STRICT, &strict)) {
        const struct race_options o = {.wants_all = true};
        CHECK_INT(race_find(&f.recording.trace, &o, &findings, &stats, &f.notes, &e), 0);
        CHECK(stats.has_decided_places);
        groups->sound += stats.places_sound;
        groups->refuted += stats.places_refuted;
        groups->open += findings.list.count - stats.places_sound - stats.places_refuted;
        if (search_is_wrong(&f, &findings, &feasible, &strict)) {
            (void)snprintf(groups->difference, sizeof groups->difference,
                           "a search gives other places\n%s", trace_text(&f.recording.trace));
            wrong = true;
        }
    }
    vec_each (&findings.list, finding) {
        if (is_misjudged(&f, finding, &feasible, &strict)) {
            (void)snprintf(groups->difference, sizeof groups->difference, "%s: %s\n%s",
                           finding_status_name(finding->status), finding->what,
                           trace_text(&f.recording.trace));
            wrong = true;
        }
    }
    findings_release(&findings);
    fixture_release(&f);
    return wrong;
}

/* ---- many runs ---- */

static struct race_groups check_many(uint64_t count, enum recording_filter filter,
                                     bool (*fails)(const struct trace *t, void *context))
{
    struct race_groups groups = {.filter = filter};
    for (uint64_t seed = test_seed(); seed < test_seed() + count; seed++) {
        struct prng prng;
        struct trace t;
        prng_init(&prng, seed);
        struct random_shape shape =
            random_shape(&prng, 8 + (uint32_t)prng_below(&prng, test_count(14, 30)));
        shape.features |= RANDOM_ACCESS;
        if (seed % 3 == 0) { /* few names and no noise: values are handed on under locks */
            shape.features = RANDOM_ACCESS | RANDOM_LOCK | RANDOM_THREAD | RANDOM_ATOMIC;
            shape.variable_count = 2;
            shape.lock_count = 1;
            shape.node_count = 1;
            shape.root_count = 2;
            shape.is_finished = true;
        }
        groups.seed = seed;
        groups.has_one_place = seed % 2 == 0;
        random_trace(&t, &prng, &shape);
        if (fails(&t, &groups)) {
            struct trace small;
            trace_shrink(&small, &t, fails, &groups);
            (void)fails(&small, &groups);
            fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, groups.difference,
                     trace_text(&small));
        }
        trace_release(&t);
    }
    return groups;
}

static void check_reads(enum recording_filter filter)
{
    const struct race_groups groups = check_many(test_count(2000, 20000), filter, reads_are_wrong);
    print_message("# %llu of %llu reads are certain\n", (unsigned long long)groups.certain,
                  (unsigned long long)groups.reads);
    CHECK(groups.certain > groups.reads / 4);
    CHECK(groups.certain < groups.reads);
}

static void check_grades(enum recording_filter filter)
{
    const struct race_groups groups = check_many(test_count(3000, 20000), filter, grades_are_wrong);
    print_message("# %llu sound, %llu refuted, %llu open\n", (unsigned long long)groups.sound,
                  (unsigned long long)groups.refuted, (unsigned long long)groups.open);
    CHECK(groups.sound > 0);
    CHECK(groups.refuted > 0);
    CHECK(groups.open > 0);
}

TEST(a_certain_read_saw_the_write_of_the_exact_order)
{
    check_reads(RECORDING_ALL);
}

TEST(a_certain_read_saw_the_writers_epoch_when_repetitions_are_left_out)
{
    check_reads(RECORDING_SITES);
}

TEST(a_certain_read_saw_the_writers_epoch_when_owned_accesses_are_left_out)
{
    check_reads(RECORDING_OWNED);
}

TEST(what_is_graded_in_a_recording_holds_in_the_exact_order)
{
    check_grades(RECORDING_ALL);
}

TEST(what_is_graded_in_a_recording_without_repetitions_holds_in_the_exact_order)
{
    check_grades(RECORDING_SITES);
}

TEST(what_is_graded_in_a_recording_without_owned_accesses_holds_in_the_exact_order)
{
    check_grades(RECORDING_OWNED);
}
