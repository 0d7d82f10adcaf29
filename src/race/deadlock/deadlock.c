#include "race/deadlock/deadlock.h"

#include <string.h>

#include "base/names.h"
#include "order/reads_from.h"
#include "race/deadlock/deadlock_prefix.h"

/* Bounds on the cost of slices that cuts did not decide: of one, and of all. */
enum {
    EVENTS_MAX = 4000,
    STEPS_MAX = 200000,
    CLAUSES_MAX = 100000,
    QUESTIONS_MAX = 500,
    STEPS_TOTAL_MAX = 5000000,
    CHOICES_MAX = 16,           /* of events for one cycle, when a finding is graded ... */
    CHOICES_FEASIBLE_MAX = 256, /* ... and when every cycle is to be decided */
};

struct search {
    struct race_groups *y;
    struct hb *hb;
    const char *refusal; /* why nothing can be proved, NULL when something can */
    struct reads_from reads;
    struct lock_graph graph;
    struct lock_cycles cycles;
    uint32_t *deadlock_of; /* per cycle: its place in deadlocks */
    VEC(struct deadlock) deadlocks;
    struct deadlock_prover *prover;
    sound_order order;
    struct arena arena;
};

/* ---- cycles at the same places ---- */

/* How a member of a cycle looks: where it took the lock that it holds, where it asks. Where a place
 * is not known, the lock's name stands for it. */
struct look {
    uint32_t taken_at, asked_at, lock;
};

static struct look look_of(const struct search *s, const struct lock_cycle *cycle, uint32_t index)
{
    const struct trace *t = s->hb->trace;
    const event_id request = lock_cycle_event(&s->cycles, cycle, index);
    const struct section *hold = deadlock_hold(&s->cycles, cycle, index);
    const struct lock_member *m = &s->cycles.members.at[cycle->first + index];
    struct look look = {.taken_at = trace_at(t, hold->begin)->location,
                        .asked_at = trace_at(t, request)->location};
    if (look.taken_at == 0 || look.asked_at == 0 || s->y->o->wants_pairs) {
        look.lock = s->graph.requests.at[m->request].lock + 1;
    }
    return look;
}

static int compare_looks(const struct look *a, const struct look *b, uint32_t count, uint32_t begin)
{
    for (uint32_t i = 0; i < count; i++) {
        const int order = memcmp(&a[i], &b[(begin + i) % count], sizeof *a);
        if (order != 0) {
            return order;
        }
    }
    return 0;
}

/* The looks from the member on with which they are least, and of several rounds of the same looks
 * one: so the same places give the same bytes. Returns how many. */
static uint32_t normalize(struct look *looks, uint32_t count, struct look *turned)
{
    uint32_t least = 0;
    for (uint32_t begin = 1; begin < count; begin++) {
        for (uint32_t i = 0; i < count; i++) {
            turned[i] = looks[(least + i) % count];
        }
        least = compare_looks(turned, looks, count, begin) > 0 ? begin : least;
    }
    for (uint32_t i = 0; i < count; i++) {
        turned[i] = looks[(least + i) % count];
    }
    for (uint32_t period = 1; period < count; period++) {
        if (count % period == 0 && compare_looks(turned, turned, count, period) == 0) {
            return period;
        }
    }
    return count;
}

/* A finding for all cycles at the same places; with wants_pairs one for each. */
static void group_cycles(struct search *s)
{
    struct names keys;
    VEC(struct look) looks = {0};
    VEC(struct look) turned = {0};
    names_init(&keys);
    s->deadlock_of = arena_array(&s->arena, uint32_t, s->cycles.list.count + 1);
    const size_t before = keys.list.count;
    for (uint32_t i = 0; i < s->cycles.list.count; i++) {
        const struct lock_cycle cycle = s->cycles.list.at[i];
        vec_clear(&looks);
        vec_reserve(&turned, cycle.count);
        for (uint32_t k = 0; k < cycle.count; k++) {
            vec_push(&looks, look_of(s, &cycle, k));
        }
        const uint32_t count = normalize(looks.at, cycle.count, turned.at);
        const uint32_t key =
            names_intern(&keys, (const char *)turned.at, count * sizeof *turned.at);
        uint32_t place = (uint32_t)(key - before);
        if (s->y->o->wants_pairs || place == s->deadlocks.count) {
            place = (uint32_t)s->deadlocks.count;
            vec_push(&s->deadlocks, (struct deadlock){.cycle = cycle});
        }
        must(place < s->deadlocks.count);
        s->deadlocks.at[place].cycle_count++;
        s->deadlocks.at[place].open_count++;
        s->deadlock_of[i] = place;
    }
    names_release(&keys);
    vec_release(&looks);
    vec_release(&turned);
}

/* ---- grades ---- */

static void keep_proof(struct search *s, struct deadlock *d, const struct lock_cycle *cycle,
                       const sound_order *order)
{
    d->cycle = *cycle;
    d->grade = GRADE_SOUND;
    if (!s->y->o->wants_witness) {
        return;
    }
    uint64_t *witness = arena_array(&s->arena, uint64_t, order->count);
    for (size_t i = 0; i < order->count; i++) {
        witness[i] = order->at[i];
    }
    d->witness = witness;
    d->witness_count = order->count;
}

/* Shows the findings by cuts: of each, the first cycle for which there is one. */
static void prove_by_cuts(struct search *s)
{
    VEC(uint32_t) shown = {0}; /* cycles */
    bool *is_shown = arena_array(&s->arena, bool, s->deadlocks.count + 1);
    for (uint32_t i = 0; i < s->cycles.list.count; i++) {
        if (!is_shown[s->deadlock_of[i]] && deadlock_show(s->prover, &s->cycles.list.at[i])) {
            is_shown[s->deadlock_of[i]] = true;
            vec_push(&shown, i);
        }
    }
    deadlock_check(s->prover);
    vec_each (&shown, index) {
        const struct lock_cycle *cycle = &s->cycles.list.at[*index];
        if (deadlock_is_proved(s->prover, cycle)) {
            if (s->y->o->wants_witness) {
                deadlock_order(s->prover, cycle, &s->order);
            }
            keep_proof(s, &s->deadlocks.at[s->deadlock_of[*index]], cycle, &s->order);
        }
    }
    vec_release(&shown);
}

/* Asks about the others by slices, while they may cost more. */
static void prove_by_slices(struct search *s)
{
    uint32_t questions = 0;
    for (uint32_t i = 0; i < s->cycles.list.count && questions < QUESTIONS_MAX &&
                         deadlock_stats(s->prover)->steps < STEPS_TOTAL_MAX &&
                         !limit_is_over(&s->y->watch, LIMIT_STEPS);
         i++) {
        struct deadlock *d = &s->deadlocks.at[s->deadlock_of[i]];
        if (d->grade == GRADE_SOUND) {
            continue;
        }
        questions++;
        const struct lock_cycle *cycle = &s->cycles.list.at[i];
        const enum race_verdict verdict = deadlock_decide(s->prover, cycle, CHOICES_MAX, &s->order);
        if (verdict == RACE_YES) {
            keep_proof(s, d, cycle, &s->order);
        }
        d->open_count -= verdict == RACE_NO;
        d->is_infeasible = d->open_count == 0;
    }
}

static void grade(struct search *s, struct notes *n)
{
    vec_each (&s->deadlocks, d) {
        d->grade = GRADE_MAY;
    }
    if (s->refusal != NULL) {
        notes_add(n, "", "%s; no deadlock is graded sound", s->refusal);
        return;
    }
    const struct feasible_options options = {.step_max = STEPS_MAX,
                                             .event_max = EVENTS_MAX,
                                             .clause_max = CLAUSES_MAX,
                                             .watch = &s->y->watch};
    s->prover = deadlock_prover_new(s->hb, &s->cycles, &options);
    prove_by_cuts(s);
    prove_by_slices(s);
}

/* ---- models ---- */

static void keep_sound(struct search *s)
{
    struct race_stats *stats = s->y->stats;
    size_t kept = 0;
    stats->deadlocks = 0;
    vec_each (&s->deadlocks, d) {
        if (d->grade == GRADE_SOUND) {
            stats->deadlocks += d->cycle_count;
            s->deadlocks.at[kept++] = *d;
        } else if (!d->is_infeasible && (s->y->watch.is_over || sound_refusal(s->hb) != NULL)) {
            stats->unknown += d->cycle_count;
        }
    }
    s->deadlocks.count = kept;
}

/* Drops the cycles that no prefix of this run reaches. */
static void drop_refuted(struct search *s, struct notes *n)
{
    size_t kept = 0;
    uint64_t dropped = 0;
    vec_each (&s->deadlocks, d) {
        if (d->is_infeasible) {
            dropped += d->cycle_count;
        } else {
            s->deadlocks.at[kept++] = *d;
        }
    }
    s->deadlocks.count = kept;
    s->y->stats->deadlocks -= dropped;
    if (dropped > 0) {
        notes_add_many(n, dropped, "",
                       "a cycle in the lock order is left out, for no execution prefix of this run "
                       "reaches it; --all lists it");
    }
}

/* Decides every cycle, and keeps those that a prefix reaches. */
static void keep_feasible(struct search *s)
{
    const struct race_options *o = s->y->o;
    const struct feasible_options options = {.step_max = o->step_max, .watch = &s->y->watch};
    s->prover = deadlock_prover_new(s->hb, &s->cycles, &options);
    size_t kept = 0;
    for (uint32_t i = 0; i < s->cycles.list.count; i++) {
        const struct lock_cycle cycle = s->cycles.list.at[i];
        bool is_reached = false;
        if (deadlock_show(s->prover, &cycle)) {
            deadlock_check(s->prover);
            is_reached = deadlock_is_proved(s->prover, &cycle);
        }
        if (!is_reached) {
            const enum race_verdict verdict =
                deadlock_decide(s->prover, &cycle, CHOICES_FEASIBLE_MAX, &s->order);
            s->y->stats->unknown += verdict == RACE_UNKNOWN;
            is_reached = verdict == RACE_YES;
        }
        if (is_reached) {
            s->cycles.list.at[kept++] = cycle;
        }
    }
    s->cycles.list.count = kept;
    s->y->stats->asked += deadlock_stats(s->prover)->by_solver;
}

/* Every finding is proved. The choice of events that was decided first is the one that showed it.
 */
static void grade_feasible(struct search *s)
{
    vec_each (&s->deadlocks, d) {
        const struct lock_cycle cycle = d->cycle;
        vec_clear(&s->order);
        if (deadlock_is_proved(s->prover, &cycle)) {
            deadlock_order(s->prover, &cycle, &s->order);
        } else if (deadlock_decide(s->prover, &cycle, 1, &s->order) != RACE_YES) {
            d->grade = GRADE_MAY; /* the budget has ended since */
            continue;
        }
        keep_proof(s, d, &cycle, &s->order);
    }
}

/* ---- recordings ---- */

static bool has_accesses(const struct trace *t)
{
    trace_each (t, event) {
        if (access_is_plain(event)) {
            return true;
        }
    }
    return false;
}

/* In a recording the reads-from relation follows from observed order. */
static int read_reads(struct search *s, struct err *e)
{
    struct hb observed;
    struct notes notes = {0}; /* said already */
    const struct hb_options options = {
        .model = HB_OBSERVED, .scope = REACH_ALL, .given = s->y->o->given};
    if (!has_accesses(s->y->t)) {
        s->refusal =
            "the recording has no memory accesses: the values that chose the path are unknown";
        return 0;
    }
    const int result = hb_build(&observed, s->y->t, &options, &notes, e);
    notes_release(&notes);
    if (result < 0) {
        return -1;
    }
    if (reads_from_can_know(&observed)) {
        reads_from_build(&s->reads, &observed, &s->arena);
        s->hb->reads = &s->reads;
    } else {
        s->refusal = "the recording misses releases of locks, or contradicts itself";
    }
    hb_release(&observed);
    return 0;
}

/* ---- finding ---- */

static int drop_ordered(struct search *s, struct err *e)
{
    struct hb hb;
    struct notes notes = {0}; /* said already */
    const struct hb_options options = {
        .model = HB_STRICT, .scope = REACH_ALL, .given = s->y->o->given};
    const int result = hb_build(&hb, s->y->t, &options, &notes, e);
    notes_release(&notes);
    if (result == 0) {
        lock_cycles_drop_ordered(&s->cycles, &hb, &s->y->watch);
        s->y->stats->unknown += s->cycles.undecided;
        hb_release(&hb);
    }
    return result;
}

static int find_cycles(struct search *s, struct notes *n, struct err *e)
{
    const struct race_options *o = s->y->o;
    const struct access_filter span = {
        .has_since = o->has_since, .has_until = o->has_until, .since = o->since, .until = o->until};
    lock_graph_build(&s->graph, s->y->t, &s->hb->sections, &span);
    lock_cycles_find(&s->cycles, &s->graph, &s->y->watch);
    s->y->stats->deadlock_candidates = s->cycles.candidates;
    s->y->stats->unknown += s->cycles.is_incomplete;
    if (s->cycles.is_incomplete && !s->y->watch.is_over) {
        notes_add(n, "",
                  "the lock order has too many cycles to look at each: longer ones were "
                  "left out, and deadlocks may be missing");
    }
    return s->cycles.list.count == 0 ? 0 : drop_ordered(s, e);
}

/* Grades the cycles that are left, and keeps those that the model allows. */
static void decide(struct search *s, struct notes *n)
{
    const struct race_options *o = s->y->o;
    const bool is_of_run = s->y->t->tables.order == ORDER_STAMPED || o->decides_places;
    if (o->model == RACE_FEASIBLE && s->refusal == NULL) {
        keep_feasible(s);
    }
    group_cycles(s);
    s->y->stats->deadlocks = s->cycles.list.count;
    if (o->model == RACE_FEASIBLE && s->refusal == NULL) {
        grade_feasible(s);
    } else if (o->model != RACE_STRICT || (!o->skips_grades && !o->counts_only)) {
        grade(s, n);
    }
    if (o->model == RACE_SOUND || (o->model == RACE_FEASIBLE && s->refusal != NULL)) {
        keep_sound(s);
    } else if (is_of_run && !o->wants_all) {
        drop_refuted(s, n);
    }
    s->y->stats->deadlock_places = s->deadlocks.count;
}

static void report(const struct search *s, struct findings *f)
{
    const struct race_options *o = s->y->o;
    const uint64_t told = f->list.count;
    for (size_t i = 0; i < s->deadlocks.count && !o->counts_only; i++) {
        if (o->find_max == 0 || told + i < o->find_max) {
            deadlock_report(s->y, &s->cycles, &s->deadlocks.at[i], f);
        }
    }
}

int deadlock_find(struct race_groups *y, struct hb *hb, struct findings *f, struct notes *n,
                  struct err *e)
{
    struct search s = {.y = y, .hb = hb};
    int result = find_cycles(&s, n, e);
    if (result == 0 && s.cycles.list.count > 0) {
        result = y->t->tables.order == ORDER_STAMPED ? read_reads(&s, e) : 0;
    }
    if (result == 0 && s.cycles.list.count > 0) {
        decide(&s, n);
        report(&s, f);
    }
    hb->reads = NULL;
    deadlock_prover_free(s.prover);
    vec_release(&s.deadlocks);
    vec_release(&s.order);
    lock_cycles_release(&s.cycles);
    lock_graph_release(&s.graph);
    arena_release(&s.arena);
    return result;
}
