#include "race/deadlock/deadlock_prefix.h"

#include "base/mem.h"
#include "base/sort.h"
#include "race/linearize.h"
#include "race/sound/closure.h"
#include "race/sound/verify.h"
#include "race/witness/witness.h"
#include "wire/must.h"

/* The cost of an event of a cut, and of a gathered cut, for the budget. */
enum { CUT_STEPS = 8, GATHER_STEPS = 64 };

/* How many cuts are gathered for all cycles together. */
enum { GATHERS_MAX = 200000 };

/* A cycle that a cut shows. */
struct shown {
    struct lock_cycle cycle;
    size_t listed; /* the cut holds all events of the list before this one, and not this one */
    size_t cut;    /* where its numbers begin in prover.numbers */
    bool is_checked, holds;
};

struct deadlock_prover {
    const struct hb *hb;
    struct lock_cycles *cycles;
    struct feasible_options options;
    struct arena arena;
    struct line line;
    size_t task_count;
    bool is_fed;
    struct cuts cuts;
    uint32_t *cut;
    uint32_t gather_left;
    VEC(struct shown) shown;
    VEC(uint32_t) numbers; /* task_count for each cut */
    struct map shown_of;   /* first member of a cycle to its place in shown */
    uint32_t *left;        /* per task: events of a cut still to come */
    struct feasible *feasible;
    struct witness_checker *checker;
    sound_order order;
    VEC(event_id) requests;
    VEC(const struct section *) holds;
};

struct deadlock_prover *deadlock_prover_new(const struct hb *hb, struct lock_cycles *c,
                                            const struct feasible_options *o)
{
    struct deadlock_prover *p = mem_zero(1, sizeof *p);
    p->hb = hb;
    p->cycles = c;
    p->options = *o;
    p->task_count = hb->trace->tables.tasks.count;
    p->line = line_build(hb, &p->arena);
    p->cut = arena_array(&p->arena, uint32_t, p->task_count + 1);
    p->left = arena_array(&p->arena, uint32_t, p->task_count + 1);
    p->gather_left = GATHERS_MAX;
    must(p->line.count <= hb->trace->events.count);
    return p;
}

void deadlock_prover_free(struct deadlock_prover *p)
{
    if (p == NULL) {
        return;
    }
    if (p->is_fed) {
        cuts_release(&p->cuts);
    }
    vec_release(&p->shown);
    vec_release(&p->numbers);
    map_release(&p->shown_of);
    feasible_free(p->feasible);
    witness_checker_free(p->checker);
    vec_release(&p->order);
    vec_release(&p->requests);
    vec_release(&p->holds);
    arena_release(&p->arena);
    mem_free(p);
}

/* ---- by cuts ---- */

/* Feeds all events, once; false when there are too many tasks for cuts, or nothing can be proved.
 */
static bool feed(struct deadlock_prover *p)
{
    if (sound_refusal(p->hb) != NULL || p->task_count > SOUND_TASKS_MAX) {
        return false;
    }
    if (!p->is_fed) {
        p->is_fed = true;
        cuts_init(&p->cuts, p->hb);
        for (size_t i = 0; i < p->line.count && !limit_is_over(p->options.watch, CUT_STEPS); i++) {
            cuts_reach(&p->cuts, line_at(&p->line, i));
            cuts_take(&p->cuts, line_at(&p->line, i));
        }
    }
    return true;
}

static struct lock_member *members_of(const struct deadlock_prover *p,
                                      const struct lock_cycle *cycle)
{
    return &p->cycles->members.at[cycle->first];
}

static const struct lock_request *request_of(const struct deadlock_prover *p,
                                             const struct lock_member *m)
{
    return &p->cycles->graph->requests.at[m->request];
}

/* Moves the member on to its first event that the gathered cut does not hold; false when it holds
 * all, or that event was not fed. */
static bool move_on(struct deadlock_prover *p, struct lock_member *m)
{
    const struct lock_graph *g = p->cycles->graph;
    const struct lock_request *r = request_of(p, m);
    const uint32_t held = cuts_gathered(&p->cuts, r->task);
    uint32_t low = m->index;
    uint32_t high = r->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const uint32_t count = p->cuts.count_of[lock_request_event(g, r, middle)];
        if (count != 0 && count <= held) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    m->index = low;
    return low < r->count && p->cuts.count_of[lock_request_event(g, r, low)] != 0;
}

static void gather(struct deadlock_prover *p, const struct lock_member *m)
{
    cuts_gather(&p->cuts, lock_request_event(p->cycles->graph, request_of(p, m), m->index));
}

/* Chooses events until the cut of all holds none; false when there is no such choice. */
static bool choose_by_cut(struct deadlock_prover *p, struct lock_member *members, uint32_t count)
{
    cuts_gather_begin(&p->cuts);
    for (uint32_t i = 0; i < count; i++) {
        members[i].index = 0;
        if (!move_on(p, &members[i])) {
            return false;
        }
        gather(p, &members[i]);
    }
    bool is_moved = true;
    while (is_moved) {
        if (p->gather_left == 0 || limit_is_over(p->options.watch, GATHER_STEPS)) {
            return false;
        }
        p->gather_left--;
        cuts_gather_close(&p->cuts);
        is_moved = false;
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t before = members[i].index;
            if (!move_on(p, &members[i])) {
                return false;
            }
            if (members[i].index != before) {
                gather(p, &members[i]);
                is_moved = true;
            }
        }
    }
    return cuts_gather_end(&p->cuts, p->cut);
}

/* How many events of the list, from its first, the cut holds without a gap. */
static size_t listed_in(struct deadlock_prover *p, const uint32_t *cut)
{
    if (p->line.events != NULL) {
        return 0; /* the checker knows the list, not the line */
    }
    for (size_t i = 0; i < p->task_count; i++) {
        p->left[i] = cut[i];
    }
    size_t listed = 0;
    while (listed < p->line.count) {
        uint32_t *left = &p->left[p->hb->trace->events.at[listed].task];
        if (*left == 0) {
            break;
        }
        (*left)--;
        listed++;
    }
    return listed;
}

bool deadlock_show(struct deadlock_prover *p, const struct lock_cycle *cycle)
{
    if (!feed(p)) {
        return false;
    }
    VEC(struct lock_member) chosen = {0};
    for (uint32_t i = 0; i < cycle->count; i++) {
        vec_push(&chosen, members_of(p, cycle)[i]);
    }
    const bool shows = choose_by_cut(p, chosen.at, cycle->count);
    if (shows) {
        for (uint32_t i = 0; i < cycle->count; i++) {
            members_of(p, cycle)[i] = chosen.at[i];
        }
        map_put(&p->shown_of, cycle->first, (uint32_t)p->shown.count);
        const struct shown shown = {
            .cycle = *cycle, .listed = listed_in(p, p->cut), .cut = p->numbers.count};
        vec_push(&p->shown, shown);
        for (size_t i = 0; i < p->task_count; i++) {
            vec_push(&p->numbers, p->cut[i]);
        }
    }
    vec_release(&chosen);
    return shows;
}

/* ---- checking ---- */

static void set_requests(struct deadlock_prover *p, const struct lock_cycle *cycle)
{
    vec_clear(&p->requests);
    for (uint32_t i = 0; i < cycle->count; i++) {
        vec_push(&p->requests, lock_cycle_event(p->cycles, cycle, i));
    }
}

/* The events of a cut from this one of the line on, as they were in the execution, and then the
 * requests. */
static void lay_out(struct deadlock_prover *p, const uint32_t *cut, size_t from, sound_order *order)
{
    const struct event *events = p->hb->trace->events.at;
    uint64_t total = 0;
    for (size_t i = 0; i < p->task_count; i++) {
        p->left[i] = cut[i];
        total += cut[i];
    }
    vec_clear(order);
    for (size_t i = 0; i < p->line.count && total > 0; i++) {
        const event_id id = line_at(&p->line, i);
        uint32_t *left = &p->left[events[id].task];
        if (*left > 0) {
            (*left)--;
            total--;
            if (i >= from) {
                vec_push(order, id);
            }
        }
    }
    must(total == 0);
    vec_each (&p->requests, request) {
        vec_push(order, *request);
    }
}

/* `order` follows the first `listed` events of the list. */
static bool holds(struct deadlock_prover *p, size_t listed, const sound_order *order)
{
    if (p->checker == NULL) {
        p->checker = proof_checker_new(p->hb);
    }
    const struct witness w = {.requests = p->requests.at,
                              .request_count = p->requests.count,
                              .listed = listed,
                              .order = order->at,
                              .count = order->count};
    struct err refusal = {0};
    return witness_check(p->checker, &w, &refusal) == 0;
}

static int compare_listed(const void *left, const void *right, const void *context)
{
    const struct shown *shown = context;
    const size_t a = shown[*(const uint32_t *)left].listed;
    const size_t b = shown[*(const uint32_t *)right].listed;
    return (a > b) - (a < b);
}

void deadlock_check(struct deadlock_prover *p)
{
    VEC(uint32_t) by_listed = {0};
    for (uint32_t i = 0; i < p->shown.count; i++) {
        if (!p->shown.at[i].is_checked) {
            vec_push(&by_listed, i);
        }
    }
    /* So that the checker never goes back in the list. */
    sort_stable(by_listed.at, by_listed.count, sizeof *by_listed.at, compare_listed, p->shown.at);
    vec_each (&by_listed, index) {
        struct shown *shown = &p->shown.at[*index];
        if (limit_is_over(p->options.watch, LIMIT_STEPS)) {
            break;
        }
        set_requests(p, &shown->cycle);
        lay_out(p, p->numbers.at + shown->cut, shown->listed, &p->order);
        shown->is_checked = true;
        shown->holds = holds(p, shown->listed, &p->order);
    }
    vec_release(&by_listed);
}

bool deadlock_is_proved(const struct deadlock_prover *p, const struct lock_cycle *cycle)
{
    const uint32_t *place = map_get(&p->shown_of, cycle->first);
    return place != NULL && p->shown.at[*place].holds;
}

void deadlock_order(struct deadlock_prover *p, const struct lock_cycle *cycle, sound_order *order)
{
    const uint32_t *place = map_get(&p->shown_of, cycle->first);
    must(place != NULL);
    set_requests(p, cycle);
    lay_out(p, p->numbers.at + p->shown.at[*place].cut, 0, order);
}

/* ---- by slices ---- */

const struct section *deadlock_hold(const struct lock_cycles *c, const struct lock_cycle *cycle,
                                    uint32_t index)
{
    const struct lock_graph *g = c->graph;
    const uint32_t asker =
        c->members.at[cycle->first + (index + cycle->count - 1) % cycle->count].request;
    const struct lock *lock = &g->all->locks[g->requests.at[asker].lock];
    const uint32_t task = g->requests.at[c->members.at[cycle->first + index].request].task;
    const event_id request = lock_cycle_event(c, cycle, index);
    uint32_t low = 0;
    uint32_t high = lock->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (g->all->list[g->all->by_lock[lock->first + middle]].begin < request) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    while (low-- > 0) {
        const struct section *s = &g->all->list[g->all->by_lock[lock->first + low]];
        if (s->task == task) {
            must(s->end >= request);
            return s;
        }
    }
    bug("a request holds a lock that it has not taken");
}

static enum race_verdict decide_choice(struct deadlock_prover *p, const struct lock_cycle *cycle,
                                       sound_order *order)
{
    set_requests(p, cycle);
    vec_clear(&p->holds);
    for (uint32_t i = 0; i < cycle->count; i++) {
        vec_push(&p->holds, deadlock_hold(p->cycles, cycle, i));
    }
    const struct deadlock_state state = {
        .requests = p->requests.at, .holds = p->holds.at, .count = cycle->count};
    const enum race_verdict verdict = feasible_decide_deadlock(p->feasible, &state, order);
    return verdict == RACE_YES && !holds(p, 0, order) ? RACE_UNKNOWN : verdict;
}

/* The next choice of events; after the last comes the first. */
static void choose_next(struct deadlock_prover *p, const struct lock_cycle *cycle)
{
    struct lock_member *members = members_of(p, cycle);
    for (uint32_t i = 0; i < cycle->count; i++) {
        if (++members[i].index < request_of(p, &members[i])->count) {
            return;
        }
        members[i].index = 0;
    }
}

static enum race_verdict decide_choices(struct deadlock_prover *p, const struct lock_cycle *cycle,
                                        uint32_t choice_max, sound_order *order)
{
    uint64_t choices = 1;
    for (uint32_t i = 0; i < cycle->count && choices <= choice_max; i++) {
        choices *= request_of(p, &members_of(p, cycle)[i])->count;
    }
    bool is_known = choices <= choice_max;
    for (uint32_t i = 0; i < choice_max && i < choices; i++) {
        const enum race_verdict verdict = decide_choice(p, cycle, order);
        if (verdict == RACE_YES) {
            return RACE_YES;
        }
        is_known = is_known && verdict == RACE_NO;
        choose_next(p, cycle);
    }
    return is_known ? RACE_NO : RACE_UNKNOWN;
}

enum race_verdict deadlock_decide(struct deadlock_prover *p, const struct lock_cycle *cycle,
                                  uint32_t choice_max, sound_order *order)
{
    if (p->feasible == NULL) {
        p->feasible = feasible_new(p->hb, &p->options);
    }
    VEC(struct lock_member) before = {0};
    for (uint32_t i = 0; i < cycle->count; i++) {
        vec_push(&before, members_of(p, cycle)[i]);
    }
    const enum race_verdict verdict = decide_choices(p, cycle, choice_max, order);
    for (uint32_t i = 0; i < cycle->count && verdict != RACE_YES; i++) {
        members_of(p, cycle)[i] = before.at[i];
    }
    vec_release(&before);
    return verdict;
}

const struct feasible_stats *deadlock_stats(const struct deadlock_prover *p)
{
    static const struct feasible_stats none;
    return p->feasible == NULL ? &none : feasible_stats(p->feasible);
}
