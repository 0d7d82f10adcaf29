#include "explore/global_states.h"

#include <string.h>

#include "pick/operation_name.h"

enum { PASSED = 1, BROKEN = 2 };

/* Beyond, an execution's moments are not all passed. */
enum { CUTS_MAX = 1 << 18 };

void global_states_release(struct global_states *m)
{
    map_release(&m->seen);
    vec_release(&m->news);
    vec_release(&m->before);
    vec_release(&m->names);
    vec_release(&m->changes);
    vec_release(&m->cuts);
    vec_release(&m->members);
    map_release(&m->numbers);
}

/* How the step changes the view of all nodes. It is the same in whichever order steps come that do
 * not conflict, and views are sums of changes: m->before follows each node along the run. */
static uint64_t change_of(struct global_states *m, const struct step *s)
{
    const size_t node = s->operation.node;
    while (m->before.count <= node) {
        vec_push(&m->before, 0);
    }
    const uint64_t view = name_join(node + 1, s->view);
    const uint64_t change = view ^ m->before.at[node];
    m->before.at[node] = view;
    return change;
}

/* The key of a run that ended within its last step, which then shows no view. The same end has the
 * same key, regardless of the steps of other nodes; 0: the run did not end so. */
static uint64_t crash_of(const struct execution *x)
{
    const struct step *last = x->steps.count == 0 ? NULL : vec_last(&x->steps);
    return last == NULL || last->view != 0
               ? 0
               : name_join(last->operation.name, name_text(x->key, strlen(x->key)));
}

static void note_view(struct global_states *m, uint64_t view, uint32_t value)
{
    must(value == PASSED || value == BROKEN);
    bool is_new = false;
    uint32_t *known = map_slot(&m->seen, view, value, &is_new);
    if (m->is_kept && (is_new || *known < value)) {
        vec_push(&m->news, view);
        vec_push(&m->news, value);
    }
    *known = *known < value ? value : *known;
}

static bool is_looked_at(const struct global_states *m, size_t step_count)
{
    must(m->check_every > 0);
    return step_count % m->check_every == 0;
}

void global_states_note(struct global_states *m, const struct execution *x)
{
    const uint64_t crash = crash_of(x);
    uint64_t view = 0;
    vec_clear(&m->before);
    for (size_t i = 0; i < x->steps.count; i++) {
        const bool is_last = i + 1 == x->steps.count;
        const bool is_broken = is_last && x->is_early;
        view ^= change_of(m, &x->steps.at[i]);
        if (is_last && crash != 0) {
            note_view(m, crash, PASSED);
        } else if (is_looked_at(m, i + 1)) {
            note_view(m, view, is_broken ? BROKEN : PASSED);
        }
    }
}

/* The known value of a view after step_count steps; PASSED where claims are not checked. */
static uint32_t value_of(const struct global_states *m, uint64_t view, size_t step_count)
{
    const uint32_t *value = map_get(&m->seen, view);
    if (view != m->crash && !is_looked_at(m, step_count)) {
        return PASSED;
    }
    return value == NULL ? 0 : *value;
}

void global_states_take(struct global_states *m, const struct execution *x, bool is_seen_to_end)
{
    m->has_steps = x->steps.count > 0;
    m->crash = crash_of(x);
    m->wants_end = !is_seen_to_end && m->crash == 0;
    vec_clear(&m->names);
    vec_clear(&m->changes);
    vec_clear(&m->cuts);
    vec_clear(&m->before);
    vec_each (&x->steps, s) {
        vec_push(&m->names, s->operation.name);
        vec_push(&m->changes, change_of(m, s));
    }
}

/* The lattice of cuts */

static bool is_crash(const struct global_states *m, size_t step)
{
    return m->crash != 0 && step + 1 == m->names.count;
}

static bool has_step(const uint64_t *members, size_t step)
{
    return (members[step / 64] >> step % 64 & 1) != 0;
}

/* The view after a step, given the view before it. */
static uint64_t view_after(const struct global_states *m, uint64_t view, size_t step)
{
    return is_crash(m, step) ? m->crash : view ^ m->changes.at[step];
}

/* Whether the step is not in the set, and all that comes before it is. */
static bool is_next(const struct relation *r, const uint64_t *members, size_t step)
{
    const uint64_t *before = r->words.at + step * r->row_words;
    if (has_step(members, step)) {
        return false;
    }
    for (size_t i = 0; i < r->row_words; i++) {
        if ((before[i] & ~members[i]) != 0) {
            return false;
        }
    }
    return true;
}

static void add_cut(struct global_states *m, const struct relation *r, const struct cut *c)
{
    bool is_new = false;
    (void)map_slot(&m->numbers, c->hash, (uint32_t)m->cuts.count, &is_new);
    if (!is_new) {
        return;
    }
    const size_t first = m->members.count;
    must(first == m->cuts.count * r->row_words);
    for (size_t i = 0; i < r->row_words; i++) {
        const uint64_t bits = m->cuts.count == 0 ? 0 : m->members.at[c->parent * r->row_words + i];
        vec_push(&m->members, bits);
    }
    if (m->cuts.count > 0) {
        m->members.at[first + c->step / 64] |= UINT64_C(1) << c->step % 64;
    }
    vec_push(&m->cuts, *c);
}

/* A cut that breaks a claim or crashes has no successors. */
static void add_successors(struct global_states *m, const struct relation *r, uint32_t number)
{
    const struct cut from = m->cuts.at[number];
    if (from.size > 0 && is_crash(m, from.step)) {
        return;
    }
    for (uint32_t step = 0; step < m->names.count; step++) {
        const uint64_t view = view_after(m, from.view, step);
        if (is_next(r, m->members.at + number * r->row_words, step) &&
            value_of(m, view, from.size + 1) != BROKEN) {
            add_cut(m, r,
                    &(struct cut){.parent = number,
                                  .step = step,
                                  .size = from.size + 1,
                                  .hash = from.hash ^ name_join(step + 1, 1),
                                  .view = view});
        }
    }
}

static void find_cuts(struct global_states *m, const struct relation *r)
{
    must(m->cuts.count == 0);
    must(r->step_count >= m->names.count);
    vec_clear(&m->members);
    map_clear(&m->numbers);
    m->looked = 0;
    add_cut(m, r, &(struct cut){0});
    for (uint32_t i = 0; i < m->cuts.count && m->cuts.count < CUTS_MAX; i++) {
        add_successors(m, r, i);
    }
    m->is_unsure = m->is_unsure || m->cuts.count >= CUTS_MAX;
}

/* A run through a cut */

/* The steps that lead to the cut. */
static void lay_way(struct global_states *m, uint32_t number, struct turns *turns)
{
    vec_clear(&turns->list);
    for (uint32_t at = number; at != 0; at = m->cuts.at[at].parent) {
        vec_push(&turns->list, (struct pick_turn){.name = m->names.at[m->cuts.at[at].step]});
    }
    for (size_t i = 0, k = turns->list.count; i + 1 < k; i++) {
        const struct pick_turn turn = turns->list.at[i];
        turns->list.at[i] = turns->list.at[--k];
        turns->list.at[k] = turn;
    }
    must(turns->list.count == m->cuts.at[number].size);
    for (uint32_t i = 0; i < turns->list.count; i++) {
        turns->list.at[i].step = i;
    }
}

/* Goes on to the end, through moments not seen before where it can. */
static void go_on(struct global_states *m, const struct relation *r, uint32_t number,
                  struct turns *turns)
{
    VEC(uint64_t) members = {0};
    for (size_t i = 0; i < r->row_words; i++) {
        vec_push(&members, m->members.at[number * r->row_words + i]);
    }
    uint64_t view = m->cuts.at[number].view;
    size_t last = m->cuts.at[number].step;
    while (turns->list.count == 0 || !is_crash(m, last)) {
        size_t best = SIZE_MAX;
        uint32_t best_value = BROKEN;
        for (size_t step = 0; step < m->names.count && best_value > 0; step++) {
            const uint32_t value = value_of(m, view_after(m, view, step), turns->list.count + 1);
            if (value < best_value && is_next(r, members.at, step)) {
                best = step;
                best_value = value;
            }
        }
        if (best == SIZE_MAX) {
            break;
        }
        *vec_at(&members, best / 64) |= UINT64_C(1) << best % 64;
        view = view_after(m, view, best);
        last = best;
        const uint32_t at = (uint32_t)turns->list.count;
        vec_push(&turns->list, (struct pick_turn){.name = m->names.at[best], .step = at});
    }
    vec_release(&members);
    must(turns->list.count <= m->names.count);
}

static bool is_wanted(const struct global_states *m, const struct cut *c)
{
    return (c->size > 0 && value_of(m, c->view, c->size) == 0) ||
           (m->wants_end && c->size == m->names.count);
}

bool global_states_next(struct global_states *m, const struct relation *r, struct turns *turns)
{
    if (m->has_steps && m->cuts.count == 0) {
        find_cuts(m, r);
    }
    for (; m->has_steps && m->looked < m->cuts.count; m->looked++) {
        const struct cut *c = &m->cuts.at[m->looked];
        if (is_wanted(m, c)) {
            m->target = c->view;
            m->target_size = c->size;
            lay_way(m, (uint32_t)m->looked, turns);
            go_on(m, r, (uint32_t)m->looked, turns);
            m->is_to_end = turns->list.count == m->names.count;
            return true;
        }
    }
    m->has_steps = false;
    return false;
}

void global_states_learn(struct global_states *m, const struct execution *x)
{
    global_states_note(m, x);
    if (x->is_early) {
        vec_clear(&m->cuts); /* to be found again, around it */
        return;
    }
    if (value_of(m, m->target, m->target_size) == 0 ||
        (m->is_to_end && x->steps.count < m->names.count)) {
        m->is_unsure = true; /* the nodes are not as independent as their memories */
        note_view(m, m->target, PASSED);
    }
    m->wants_end = m->wants_end && !m->is_to_end;
}

void global_states_save(struct global_states *m, struct out *more)
{
    vec_each (&m->news, number) {
        saved_put(more, *number);
    }
    vec_clear(&m->news);
}

void global_states_resume(struct global_states *m, struct saved *more)
{
    while (more->left > 0 && !more->is_short) {
        const uint64_t view = saved_take(more);
        map_put(&m->seen, view, saved_take(more) == BROKEN ? BROKEN : PASSED);
    }
}
