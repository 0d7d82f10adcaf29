#include "atomicity/decide_order.h"

#include <string.h>

/* The search advances a thread by blocks: through steps whose needs are met, up to a point where
 * it holds no lock that it did not hold before. After such a block more is done and not more is
 * held, so whatever could follow before can follow still: no block is ever taken back. Only where
 * no thread has a block left, inside critical sections that wait for each other or that never end,
 * does the search branch by single steps, and remembers the cuts that led nowhere.
 *
 * Threads are first advanced only as far as the question needs, which finds most answers in few
 * steps; only where that fails, each as far as it goes. The first block of a thread, up to the
 * section of its first place in the question, is known beforehand where it needs nobody else, and
 * taken at once.
 *
 * Version checks (version.h) are locks that a thread holds only if it reaches the write that asks
 * for the version. So an execution belongs to limits, one per thread: the first such write that it
 * does not reach. Under given limits the sections that end behind them are none, the others are
 * locks, and the above holds. Limits that are tried first let a thread come no further than the
 * question needs; that is enough unless some thread must leave a critical section to let others go
 * on, and its steps on the way out need others in turn: up to there, each limit is tried.
 *
 * A thread of which the question has only reads gets no limit: if its write were refused, it would
 * begin again, and its reads are lost. A write that follows from these reads, before the
 * check, is a question of its own, about a read and a write. */

enum { STATES_DEFAULT = 20000, LIMITS_MAX = 256 };

/* Where the thread holds nothing, as long as it needs no other: nowhere, if others hold something
 * when it begins. */
static void find_calm(struct decider *d, uint32_t thread)
{
    const struct model_thread *t = &d->m->threads[thread];
    uint32_t *calm = arena_array(&d->arena, uint32_t, (size_t)t->count + 1);
    uint32_t last = 0;
    uint32_t held_count = 0;
    bool is_free = d->m->held_count == 0;
    for (uint32_t i = 0; i < t->count; i++) {
        const struct step *s = &t->steps[i];
        last = is_free && held_count == 0 ? i : last;
        calm[i] = last;
        held_count += s->kind == STEP_LOCK;
        held_count -= s->kind == STEP_UNLOCK;
        is_free &= s->pred_count == 0;
    }
    d->calm[thread] = calm;
}

/* The first write that asks for a version at or behind a step, or the end of the thread. */
static uint32_t next_limit(const struct decider *d, uint32_t thread, uint32_t from)
{
    const struct model_thread *t = &d->m->threads[thread];
    uint32_t limit = t->count;
    for (uint32_t i = 0; i < t->count; i++) {
        const uint32_t asks_at = t->steps[i].asks_at;
        limit = asks_at != 0 && asks_at >= from && asks_at < limit ? asks_at : limit;
    }
    return limit;
}

void decider_init(struct decider *d, const struct model *m, uint32_t state_max)
{
    *d = (struct decider){.m = m, .state_max = state_max != 0 ? state_max : STATES_DEFAULT};
    d->cut = arena_array(&d->arena, uint32_t, (size_t)m->thread_count + 1);
    d->need = arena_array(&d->arena, uint32_t, (size_t)m->thread_count + 1);
    d->reach = arena_array(&d->arena, uint32_t, (size_t)m->thread_count + 1);
    d->limit = arena_array(&d->arena, uint32_t, (size_t)m->thread_count + 1);
    d->held_count = arena_array(&d->arena, uint32_t, (size_t)m->thread_count + 1);
    d->locks = arena_array(&d->arena, struct lock_state, (size_t)m->lock_count + 1);
    d->calm = arena_array(&d->arena, uint32_t *, (size_t)m->thread_count + 1);
    for (uint32_t thread = 0; thread < m->thread_count; thread++) {
        find_calm(d, thread);
        d->has_versions |= next_limit(d, thread, 0) < m->threads[thread].count;
    }
    d->limit[m->thread_count] = UINT32_MAX; /* of a lock that nobody releases */
}

void decider_release(struct decider *d)
{
    names_release(&d->seen);
    vec_release(&d->taken);
    arena_release(&d->arena);
}

/* ---- one step ---- */

/* Whether the step is of a version that the thread does not ask for under its limit. */
static inline bool is_unasked(const struct decider *d, uint32_t thread, const struct step *s)
{
    return s->asks_at >= d->limit[thread];
}

static bool is_lock_free(const struct decider *d, uint32_t thread, const struct step *s)
{
    const struct lock_state *lock = &d->locks[s->lock];
    if (lock->owner != 0) {
        return lock->owner == thread + 1 || is_unasked(d, thread, s);
    }
    return s->is_shared || lock->shared_count == 0;
}

static bool has_preds(const struct decider *d, const struct step *s)
{
    for (uint32_t i = 0; i < s->pred_count; i++) {
        const struct step_pred *p = &d->m->preds[s->pred_first + i];
        if (d->cut[p->thread] < p->count) {
            return false;
        }
    }
    return true;
}

/* The orders that are asked for count as needs too. */
static bool has_asked(const struct decider *d, uint32_t thread, uint32_t step)
{
    for (uint32_t i = 0; i < d->question->order_count; i++) {
        const struct gate *g = &d->gates[i];
        if (g->after.step == step && g->after.thread == thread &&
            d->cut[g->before.thread] <= g->before.step) {
            return false;
        }
    }
    return true;
}

static inline bool is_ready(const struct decider *d, uint32_t thread)
{
    const struct model_thread *t = &d->m->threads[thread];
    const uint32_t at = d->cut[thread];
    if (at == d->limit[thread]) {
        return false;
    }
    const struct step *s = &t->steps[at];
    switch ((enum step_kind)s->kind) {
    case STEP_POINT: return has_preds(d, s);
    case STEP_LOCK: return is_lock_free(d, thread, s);
    case STEP_ACCESS: return has_asked(d, thread, at);
    case STEP_UNLOCK: return true;
    }
    bug("step");
}

static void lock_add(struct decider *d, uint32_t thread, const struct step *s, int change)
{
    struct lock_state *lock = &d->locks[s->lock];
    if (is_unasked(d, thread, s)) {
        return;
    }
    if (s->is_shared) {
        lock->shared_count += (uint32_t)change;
    } else {
        lock->depth += (uint32_t)change;
        lock->owner = lock->depth > 0 ? thread + 1 : 0;
    }
    d->held_count[thread] += (uint32_t)change;
}

/* Notes that the thread has taken its steps from `first` up to where it is. */
static void note(struct decider *d, uint32_t thread, uint32_t first)
{
    const uint32_t end = d->cut[thread];
    if (d->taken.count > 0 && vec_last(&d->taken)->thread == thread) {
        vec_last(&d->taken)->end = end;
    } else {
        vec_push(&d->taken, (struct stretch){.thread = thread, .first = first, .end = end});
    }
    d->taken_count += end - first;
}

/* Goes over a step, forward or back; nothing is noted. */
static inline const struct step *step_forward(struct decider *d, uint32_t thread)
{
    const struct step *s = &d->m->threads[thread].steps[d->cut[thread]++];
    if (s->kind == STEP_LOCK || s->kind == STEP_UNLOCK) {
        lock_add(d, thread, s, s->kind == STEP_LOCK ? 1 : -1);
    }
    return s;
}

static void step_back(struct decider *d, uint32_t thread)
{
    const struct step *s = &d->m->threads[thread].steps[--d->cut[thread]];
    if (s->kind == STEP_LOCK || s->kind == STEP_UNLOCK) {
        lock_add(d, thread, s, s->kind == STEP_LOCK ? -1 : 1);
    }
}

static void take(struct decider *d, uint32_t thread)
{
    const uint32_t first = d->cut[thread];
    (void)step_forward(d, thread);
    note(d, thread, first);
}

/* Takes the latest steps back until only `count` are left. */
static void take_back(struct decider *d, size_t count)
{
    must(count <= d->taken_count);
    for (; d->taken_count > count; d->taken_count--) {
        struct stretch *last = vec_last(&d->taken);
        step_back(d, last->thread);
        last->end--;
        d->taken.count -= last->first == last->end;
    }
}

/* ---- blocks ---- */

/* Whether the thread released as many locks since step `from` as it took: a lock that it held
 * before is not missed, so only those taken since count. */
struct taken_locks {
    uint32_t list[32];
    uint32_t count;
    bool is_overfull; /* deeper than anyone nests: no block ends here */
};

static void taken_locks_pass(struct taken_locks *l, const struct step *s)
{
    if (s->kind == STEP_LOCK) {
        l->is_overfull |= l->count == sizeof l->list / sizeof *l->list;
        if (!l->is_overfull) {
            l->list[l->count++] = s->lock;
        }
    }
    for (uint32_t i = 0; s->kind == STEP_UNLOCK && i < l->count; i++) {
        if (l->list[i] == s->lock) {
            l->list[i] = l->list[--l->count];
            return;
        }
    }
}

static bool is_wanted(const struct decider *d, uint32_t thread)
{
    return d->is_full || d->cut[thread] < d->need[thread] || d->held_count[thread] > 0;
}

/* Advances the thread by blocks as far as it goes; returns whether it moved. */
static bool advance(struct decider *d, uint32_t thread)
{
    const uint32_t first = d->cut[thread];
    uint32_t good = first; /* where its last block ends */
    struct taken_locks locks;
    locks.count = 0;
    locks.is_overfull = false;
    while (is_ready(d, thread)) {
        const struct step *s = step_forward(d, thread);
        if (!is_unasked(d, thread, s)) {
            taken_locks_pass(&locks, s);
        }
        if (locks.count == 0 && !locks.is_overfull) {
            good = d->cut[thread];
            if (!is_wanted(d, thread)) {
                break;
            }
        }
    }
    while (d->cut[thread] > good) {
        step_back(d, thread);
    }
    if (good > first) {
        note(d, thread, first);
    }
    return good > first;
}

static bool is_done(const struct decider *d)
{
    for (uint32_t i = 0; i < d->question->place_count; i++) {
        const struct place p = d->question->places[i];
        if (d->cut[p.thread] <= p.step) {
            return false;
        }
    }
    return true;
}

/* Advances all threads until none has a block left; true when the question is answered. */
static bool advance_all(struct decider *d)
{
    for (bool has_moved = true; has_moved;) {
        has_moved = false;
        for (uint32_t thread = 0; thread < d->m->thread_count; thread++) {
            if (!is_wanted(d, thread) || !advance(d, thread)) {
                continue;
            }
            has_moved = true;
            if (is_done(d)) {
                return true;
            }
        }
    }
    return is_done(d);
}

/* ---- branching ---- */

/* A place where the search can go on by a single step of another thread. */
struct branch {
    size_t taken_count;
    uint32_t thread; /* the next to try */
};

/* Whether this state is met for the first time. Most questions are answered without one. */
static bool is_new(struct decider *d, const uint32_t *state, uint32_t size)
{
    if (d->seen.list.count == 0) {
        names_init(&d->seen);
    }
    const size_t before = d->seen.list.count;
    names_intern(&d->seen, (const char *)state, size * sizeof *state);
    return d->seen.list.count > before;
}

/* Whether this cut is met for the first time. The cut determines the locks held. */
static bool remember(struct decider *d)
{
    const bool is_first = is_new(d, d->cut, d->m->thread_count);
    d->state_count += is_first;
    return is_first;
}

static enum decision search(struct decider *d)
{
    VEC(struct branch) branches = {0};
    enum decision decision = DECIDE_NO;
    if (advance_all(d)) {
        return DECIDE_YES;
    }
    remember(d);
    vec_push(&branches, (struct branch){.taken_count = d->taken_count});
    while (branches.count > 0) {
        struct branch *b = vec_last(&branches);
        take_back(d, b->taken_count);
        if (b->thread == d->m->thread_count) {
            branches.count--;
            continue;
        }
        const uint32_t thread = b->thread++;
        must(thread < d->m->thread_count);
        if (!is_wanted(d, thread) || !is_ready(d, thread)) {
            continue;
        }
        take(d, thread);
        if (is_done(d) || advance_all(d)) {
            decision = DECIDE_YES;
            break;
        }
        if (d->state_count >= d->state_max) {
            decision = DECIDE_UNKNOWN;
            break;
        }
        if (remember(d)) {
            vec_push(&branches, (struct branch){.taken_count = d->taken_count});
        }
    }
    vec_release(&branches);
    return decision;
}

/* ---- the question ---- */

/* How many steps of each thread its places need at least: those that must come before them. */
static void set_needs(struct decider *d)
{
    const struct model *m = d->m;
    const struct hb *hb = &m->frame->hb;
    memset(d->need, 0, m->thread_count * sizeof *d->need);
    for (uint32_t i = 0; i < d->question->place_count; i++) {
        const struct place p = d->question->places[i];
        must(p.thread < m->thread_count);
        must(p.step < m->threads[p.thread].count);
        const event_id event = m->threads[p.thread].steps[p.step].event;
        d->need[p.thread] = d->need[p.thread] <= p.step ? p.step + 1 : d->need[p.thread];
        for (uint32_t thread = 0; thread < m->thread_count; thread++) {
            const uint32_t task = m->threads[thread].task;
            const uint32_t before =
                thread == p.thread ? 0 : frame_count_before(m->frame, event, task);
            if (before == 0) {
                continue;
            }
            const uint32_t need = model_steps_before(
                &m->threads[thread], context_event(&hb->contexts, task, before - 1) + 1);
            must(need <= m->threads[thread].count);
            d->need[thread] = d->need[thread] < need ? need : d->need[thread];
        }
    }
}

static void reset(struct decider *d)
{
    memset(d->cut, 0, d->m->thread_count * sizeof *d->cut);
    memset(d->held_count, 0, d->m->thread_count * sizeof *d->held_count);
    memset(d->locks, 0, d->m->lock_count * sizeof *d->locks);
    for (uint32_t i = 0; i < d->m->held_count; i++) {
        const struct model_held *held = &d->m->held[i];
        must(held->lock < d->m->lock_count);
        lock_add(d, held->thread, &(struct step){.lock = held->lock, .is_shared = held->is_shared},
                 1);
    }
    vec_clear(&d->taken);
    d->taken_count = 0;
    d->state_count = 0;
    if (d->seen.list.count > 0) {
        names_release(&d->seen);
    }
}

/* Takes the steps that the threads of the question can do by themselves before their first place in
 * it. */
static void start(struct decider *d)
{
    const struct question *q = d->question;
    reset(d);
    for (uint32_t i = 0; i < q->place_count; i++) {
        const uint32_t thread = q->places[i].thread;
        uint32_t step = q->places[i].step;
        for (uint32_t k = 0; k < q->place_count; k++) {
            step = q->places[k].thread == thread && q->places[k].step < step ? q->places[k].step
                                                                             : step;
        }
        if (d->calm[thread][step] > d->cut[thread]) {
            const uint32_t first = d->cut[thread];
            d->cut[thread] = d->calm[thread][step];
            note(d, thread, first);
        }
    }
}

/* ---- limits ---- */

/* Where a thread that has taken this number of steps is out of all critical sections, those of
 * version checks aside. */
static uint32_t way_out(const struct decider *d, uint32_t thread, uint32_t count)
{
    const struct model_thread *t = &d->m->threads[thread];
    uint32_t held_count = 0;
    uint32_t end = 0;
    for (; end < t->count && (end < count || held_count > 0); end++) {
        const struct step *s = &t->steps[end];
        held_count += s->asks_at == 0 && s->kind == STEP_LOCK;
        held_count -= s->asks_at == 0 && s->kind == STEP_UNLOCK && held_count > 0;
    }
    return end;
}

/* Takes the steps of others that a thread needs up to its reach; true when that changes anything.
 */
static bool follow_reach(struct decider *d, uint32_t thread)
{
    const struct model *m = d->m;
    bool is_changed = false;
    for (uint32_t i = d->need[thread]; i < d->reach[thread]; i++) {
        const struct step *s = &m->threads[thread].steps[i];
        for (uint32_t p = 0; p < s->pred_count; p++) {
            const struct step_pred *pred = &m->preds[s->pred_first + p];
            const uint32_t count = m->threads[pred->thread].count;
            const uint32_t wanted = pred->count < count ? pred->count : count;
            if (d->reach[pred->thread] < wanted) {
                d->reach[pred->thread] = wanted;
                is_changed = true;
            }
        }
    }
    return is_changed;
}

/* How far threads may have to come so that all that have begun are out of their critical sections.
 * An execution of the question stays one if it is cut off there: the steps cut off hold no lock. */
static void set_reach(struct decider *d)
{
    memcpy(d->reach, d->need, d->m->thread_count * sizeof *d->reach);
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        for (uint32_t thread = 0; thread < d->m->thread_count; thread++) {
            const uint32_t end = way_out(d, thread, d->reach[thread]);
            is_changed |= end > d->reach[thread];
            d->reach[thread] = end;
            is_changed |= follow_reach(d, thread);
        }
    }
}

/* Whether the question is about the thread, and about reads only. */
static bool only_reads(const struct decider *d, uint32_t thread)
{
    const struct question *q = d->question;
    uint32_t read_count = 0;
    for (uint32_t i = 0; i < q->place_count; i++) {
        const struct place p = q->places[i];
        if (p.thread == thread) {
            if (d->m->threads[thread].steps[p.step].is_write) {
                return false;
            }
            read_count++;
        }
    }
    return read_count > 0;
}

static uint32_t first_limit(const struct decider *d, uint32_t thread)
{
    return !d->has_versions || only_reads(d, thread) ? d->m->threads[thread].count
                                                     : next_limit(d, thread, d->need[thread]);
}

static void set_first_limits(struct decider *d)
{
    for (uint32_t thread = 0; thread < d->m->thread_count; thread++) {
        d->limit[thread] = first_limit(d, thread);
    }
}

/* Goes on to the next limits; false when all have been. */
static bool set_next_limits(struct decider *d)
{
    for (uint32_t thread = 0; thread < d->m->thread_count; thread++) {
        if (d->limit[thread] < d->reach[thread]) {
            d->limit[thread] = next_limit(d, thread, d->limit[thread] + 1);
            return true;
        }
        d->limit[thread] = first_limit(d, thread);
    }
    return false;
}

/* Searches under the limits as they are. */
static enum decision search_limited(struct decider *d)
{
    start(d);
    d->is_full = false;
    const enum decision decision = search(d);
    if (decision == DECIDE_YES) {
        return decision;
    }
    start(d);
    d->is_full = true;
    return search(d);
}

enum decision decider_ask(struct decider *d, const struct question *q)
{
    d->question = q;
    for (uint32_t i = 0; i < q->order_count; i++) {
        d->gates[i] = (struct gate){.before = q->places[q->orders[i].before],
                                    .after = q->places[q->orders[i].after]};
    }
    set_needs(d);
    if (d->has_versions) {
        set_reach(d);
    } else {
        memset(d->reach, 0, d->m->thread_count * sizeof *d->reach);
    }
    set_first_limits(d);
    enum decision decision = search_limited(d);
    for (uint32_t i = 1; decision != DECIDE_YES && set_next_limits(d); i++) {
        const enum decision next = i < LIMITS_MAX ? search_limited(d) : DECIDE_UNKNOWN;
        decision = next == DECIDE_NO ? decision : next;
        if (i == LIMITS_MAX) {
            break;
        }
    }
    return decision;
}

/* ---- any accesses of some kinds ---- */

/* How much of the sequence has come once the thread takes its next step. */
static uint32_t progress_after(const struct decider *d, const struct sequence *q, uint32_t thread,
                               uint32_t progress)
{
    const struct step *s = &d->m->threads[thread].steps[d->cut[thread]];
    const bool is_next = progress < q->count && s->kind == STEP_ACCESS &&
                         q->threads[progress] == thread &&
                         q->kinds[progress] == s->which * 2 + s->is_write;
    return progress + is_next;
}

struct walk_branch {
    size_t taken_count;
    uint32_t thread;
    uint32_t progress;
};

static bool remember_progress(struct decider *d, uint32_t *state, uint32_t progress)
{
    const uint32_t count = d->m->thread_count;
    memcpy(state, d->cut, count * sizeof *state);
    state[count] = progress;
    return is_new(d, state, count + 1);
}

/* Walks under the limits as they are. */
static enum decision walk_limited(struct decider *d, const struct sequence *q)
{
    VEC(struct walk_branch) branches = {0};
    struct arena scratch = {0};
    uint32_t *state = arena_array(&scratch, uint32_t, (size_t)d->m->thread_count + 1);
    enum decision decision = DECIDE_NO;
    reset(d);
    vec_push(&branches, (struct walk_branch){0});
    while (branches.count > 0 && decision == DECIDE_NO) {
        struct walk_branch *b = vec_last(&branches);
        take_back(d, b->taken_count);
        if (b->thread == d->m->thread_count) {
            branches.count--;
            continue;
        }
        const uint32_t thread = b->thread++;
        if (!is_ready(d, thread)) {
            continue;
        }
        const uint32_t progress = progress_after(d, q, thread, b->progress);
        take(d, thread);
        if (progress == q->count) {
            decision = DECIDE_YES;
        } else if (d->seen.list.count > d->state_max) {
            decision = DECIDE_UNKNOWN;
        } else if (remember_progress(d, state, progress)) {
            vec_push(&branches,
                     (struct walk_branch){.taken_count = d->taken_count, .progress = progress});
        }
    }
    vec_release(&branches);
    arena_release(&scratch);
    return decision;
}

enum decision decider_occurs(struct decider *d, const struct sequence *q)
{
    static const struct question none = {.place_count = 0};
    enum decision decision = DECIDE_NO;
    d->question = &none;
    for (uint32_t thread = 0; thread < d->m->thread_count; thread++) {
        d->need[thread] = 0;
        d->reach[thread] = d->m->threads[thread].count;
    }
    set_first_limits(d);
    do {
        const enum decision next = walk_limited(d, q);
        decision = next == DECIDE_NO ? decision : next;
    } while (decision != DECIDE_YES && set_next_limits(d));
    return decision;
}
