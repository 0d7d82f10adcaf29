/* Wishes during a run: an operation that a wish holds waits while another can be chosen.
 *
 * A table maps the place of an operation to wishes, so that a plan may hold many places. Wishes
 * about conflicts (EARLY, READS) or two places (TURNS) are few and checked one by one. */
#include "pick/operation_name.h"
#include "pick/strategy.h"

void wish_init(struct pick *p, struct carving *c)
{
    table_init(&p->wishes.by_second,
               carve(c, table_entries(PICK_WISHES_MAX), sizeof(struct table_entry)),
               PICK_WISHES_MAX);
    p->wishes.granted = carve(c, PICK_WISHES_MAX, sizeof *p->wishes.granted);
    p->wishes.next = carve(c, PICK_WISHES_MAX, sizeof *p->wishes.next);
    p->wishes.waiting = carve(c, p->limits.task_max, sizeof *p->wishes.waiting);
}

void wish_begin(struct pick *p)
{
    struct wishes *w = &p->wishes;
    must(p->plan.wish_count <= PICK_WISHES_MAX);
    table_clear(&w->by_second);
    for (uint32_t i = 0; p->plan.wish_count > 0 && i < p->limits.task_max; i++) {
        w->waiting[i] = (struct waiting){0};
    }
    for (uint32_t i = 0; i < p->plan.wish_count; i++) {
        w->granted[i] = (struct granted){0};
        w->next[i] = 0;
        if (p->plan.wishes[i].kind != PICK_EARLY && p->plan.wishes[i].kind != PICK_TURNS) {
            uint64_t *first = table_slot(&w->by_second, p->plan.wishes[i].second, 0);
            must(first != NULL);
            w->next[i] = (uint32_t)*first;
            *first = i + 1;
        }
    }
}

/* Whether the wish with its place holds the operation. */
static bool place_waits(const struct pick_wish *wish, const struct granted *g,
                        const struct pick_operation *o)
{
    switch (wish->kind) {
    case PICK_HOLD:
        return g->skipped >= wish->skip &&
               (wish->tasks_seed == 0 || (name_mix(wish->tasks_seed, o->task) & 1) == 0);
    case PICK_BETWEEN: return g->is_first_done && !g->is_second_done && g->task == o->task;
    case PICK_AFTER:
    case PICK_READS: return !g->is_first_done;
    case PICK_EARLY:
    case PICK_TURNS: return false;
    }
    return false;
}

/* Whether the wish holds the operation because of its objects, or of the last operation. */
static bool other_waits(const struct pick_wish *wish, const struct granted *g,
                        const struct pick_operation *o)
{
    if (wish->kind == PICK_EARLY) {
        return !g->is_first_done && o->task != wish->operation.task &&
               pick_conflicts(o, &wish->operation);
    }
    if (wish->kind == PICK_TURNS) { /* one of the two is done: the last */
        return (o->place == wish->first && g->is_first_done) ||
               (o->place == wish->second && !g->is_first_done);
    }
    return wish->kind == PICK_READS && g->is_first_done && !g->is_second_done &&
           o->place != wish->second && o->writes != 0 && o->task != g->task &&
           pick_conflicts(o, &g->written);
}

static bool is_wished_later(const struct pick *p, const struct pick_operation *o)
{
    const struct wishes *w = &p->wishes;
    const uint64_t *first = o->place == 0 ? NULL : table_get(&w->by_second, o->place);
    for (uint64_t i = first == NULL ? 0 : *first; i != 0; i = w->next[i - 1]) {
        if (place_waits(&p->plan.wishes[i - 1], &w->granted[i - 1], o)) {
            return true;
        }
    }
    for (uint32_t i = 0; i < p->plan.wish_count; i++) {
        if (other_waits(&p->plan.wishes[i], &w->granted[i], o)) {
            return true;
        }
    }
    return false;
}

/* Whether the operation waits now: it has not waited for too long. */
static bool waits(struct pick *p, const struct pick_operation *o)
{
    must(o->task < p->limits.task_max);
    struct waiting *waiting = &p->wishes.waiting[o->task];
    if (!is_wished_later(p, o)) {
        return false;
    }
    if (waiting->since == 0 || waiting->name != o->name) {
        *waiting = (struct waiting){.name = o->name, .since = p->choice_count + 1};
    }
    return p->choice_count + 1 - waiting->since < WISH_STEPS_MAX;
}

void wish_narrow(struct pick *p, struct offer *offer)
{
    must(offer->among == p->allowed);
    uint32_t left = 0;
    bool is_any = false;
    for (uint32_t i = 0; i < offer->count; i++) {
        const struct pick_operation *o = &offer->pending[p->allowed[i]];
        if (!waits(p, o)) {
            const uint32_t own = p->allowed[i];
            for (uint32_t k = i; k > left; k--) { /* waiting ones keep their order behind it */
                p->allowed[k] = p->allowed[k - 1];
            }
            p->allowed[left++] = own;
            is_any = is_any || o->fault == 0;
        }
    }
    offer->count = is_any ? left : offer->count;
}

void wish_done(struct pick *p, const struct pick_operation *o)
{
    struct wishes *w = &p->wishes;
    for (uint32_t i = 0; i < p->plan.wish_count; i++) {
        const struct pick_wish *wish = &p->plan.wishes[i];
        struct granted *g = &w->granted[i];
        const bool is_named = wish->kind == PICK_EARLY || wish->kind == PICK_BETWEEN;
        if (wish->kind == PICK_TURNS) {
            g->is_first_done =
                o->place == wish->first || (o->place != wish->second && g->is_first_done);
            continue;
        }
        if (o->place == wish->second && o->place != 0) {
            g->skipped++;
            g->is_second_done = g->is_second_done || (g->is_first_done && g->task == o->task) ||
                                (g->is_first_done && !is_named);
        }
        if (!g->is_first_done && wish->kind != PICK_HOLD &&
            (is_named ? o->name : o->place) == wish->first) {
            g->is_first_done = true;
            g->task = o->task;
            g->written = *o;
        }
    }
}
