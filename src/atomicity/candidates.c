#include "atomicity/candidates.h"

#include <string.h>

struct build {
    const struct sites *sites;
    struct sorts *sorts;
    struct arena *arena;
    couple_list couples; /* of a thread, as listed */
};

/* ---- groups ---- */

/* The properties of an access that a pattern depends on, as a number below CAST_KINDS. */
static uint32_t kind_of_single(const struct site *s)
{
    return (uint32_t)s->which | (uint32_t)s->is_write << 1 | (uint32_t)s->is_related << 2;
}

/* The properties of a couple of two variables that a pattern depends on, below CAST_KINDS. */
static uint32_t kind_of_couple(const struct sites *s, const struct couple *c)
{
    const struct site *first = &s->list[c->first];
    return (uint32_t)first->which | (uint32_t)first->is_write << 1 |
           (uint32_t)s->list[c->second].is_write << 2;
}

/* An element on its way into a group. */
struct grouped {
    uint32_t sort; /* of the group */
    uint32_t kind;
    uint32_t place; /* in the list that the groups are parts of */
};

/* Numbers the groups of elements as they appear; in `place`, for now. Returns how many there are.
 */
static uint32_t number_groups(struct sorts *sorts, struct grouped *elements, uint32_t count)
{
    uint32_t group_count = 0;
    const size_t sort_count = sorts->tuples.list.count + 1;
    vec_reserve(&sorts->group_of, sort_count);
    memset(sorts->group_of.at + sorts->group_of.count, 0,
           (sort_count - sorts->group_of.count) * sizeof *sorts->group_of.at);
    sorts->group_of.count = sort_count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *group = &sorts->group_of.at[elements[i].sort];
        if (*group == 0) {
            *group = ++group_count;
        }
        elements[i].place = *group - 1;
    }
    for (uint32_t i = 0; i < count; i++) {
        sorts->group_of.at[elements[i].sort] = 0;
    }
    return group_count;
}

/* Groups elements by their sorts, which say their kinds too: by kind, then as they appear. */
static void group(struct build *b, struct groups *g, struct grouped *elements, uint32_t count)
{
    const uint32_t group_count = number_groups(b->sorts, elements, count);
    uint32_t *size_of = arena_array(b->arena, uint32_t, (size_t)group_count + 1);
    uint32_t *rank_of = arena_array(b->arena, uint32_t, (size_t)group_count + 1);
    uint32_t next_of_kind[CAST_KINDS + 1] = {0};
    for (uint32_t i = 0; i < count; i++) {
        next_of_kind[elements[i].kind + 1] += size_of[elements[i].place]++ == 0;
    }
    for (uint32_t kind = 0; kind < CAST_KINDS; kind++) {
        next_of_kind[kind + 1] += next_of_kind[kind];
        g->kind_first[kind + 1] = next_of_kind[kind + 1];
    }
    g->list = arena_array(b->arena, struct span, (size_t)group_count + 1);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t group = elements[i].place;
        if (size_of[group] > 0) {
            rank_of[group] = next_of_kind[elements[i].kind]++;
            g->list[rank_of[group]].end = size_of[group];
            size_of[group] = 0;
        }
    }
    uint32_t first = 0;
    for (uint32_t i = 0; i < group_count; i++) {
        const uint32_t size = g->list[i].end;
        g->list[i] = (struct span){.first = first, .end = first};
        first += size;
    }
    for (uint32_t i = 0; i < count; i++) {
        elements[i].place = g->list[rank_of[elements[i].place]].end++;
    }
}

/* The places of elements are a permutation. */
static void check_places(const struct grouped *elements, uint32_t count)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        must(elements[i].place < count);
        sum += elements[i].place;
    }
    must(sum == (uint64_t)count * (count == 0 ? 0 : count - 1) / 2);
}

/* ---- casts ---- */

/* Two accesses to one variable, and a version check has sent the task back between them. */
static bool is_renewed(const struct sites *s, const struct couple *c)
{
    const struct site *a = &s->list[c->first];
    const struct site *b = &s->list[c->second];
    const struct frame *f = s->sketch->frame;
    return a->which == b->which &&
           variables_began_anew(&f->variables, f->trace, a->event, b->event);
}

/* Drops couples that belong to two attempts. */
static void drop_renewed(const struct sites *s, couple_list *list)
{
    size_t kept = 0;
    vec_each (list, couple) {
        if (!is_renewed(s, couple)) {
            list->at[kept++] = *couple;
        }
    }
    list->count = kept;
}

static void cast_couples(struct build *b, struct cast *cast)
{
    const couple_list *couples = &b->couples;
    struct grouped *elements = arena_array(b->arena, struct grouped, couples->count + 1);
    for (size_t i = 0; i < couples->count; i++) {
        const struct couple *c = &couples->at[i];
        elements[i].sort = tuples_intern(
            &b->sorts->tuples, (struct tuple){{c->sort, c->cover, c->locks[0], c->locks[1]}});
        elements[i].kind = kind_of_couple(b->sites, c);
    }
    group(b, &cast->couple_groups, elements, (uint32_t)couples->count);
    check_places(elements, (uint32_t)couples->count);
    cast->couples = arena_array(b->arena, struct couple, couples->count + 1);
    cast->firsts = arena_array(b->arena, event_id, couples->count + 1);
    cast->seconds = arena_array(b->arena, event_id, couples->count + 1);
    for (size_t i = 0; i < couples->count; i++) {
        const uint32_t place = elements[i].place;
        cast->couples[place] = couples->at[i];
        cast->firsts[place] = b->sites->list[couples->at[i].first].event;
        cast->seconds[place] = b->sites->list[couples->at[i].second].event;
    }
}

static void cast_singles(struct build *b, struct cast *cast, const struct sketch_thread *thread)
{
    const uint32_t count = thread->end - thread->first;
    const struct site *sites = &b->sites->list[thread->first];
    struct grouped *elements = arena_array(b->arena, struct grouped, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        elements[i].sort =
            tuples_intern(&b->sorts->tuples, (struct tuple){{sites[i].sort, sites[i].locks}});
        elements[i].kind = kind_of_single(&sites[i]);
    }
    group(b, &cast->single_groups, elements, count);
    check_places(elements, count);
    cast->singles = arena_array(b->arena, uint32_t, (size_t)count + 1);
    cast->events = arena_array(b->arena, event_id, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        cast->singles[elements[i].place] = thread->first + i;
        cast->events[elements[i].place] = sites[i].event;
    }
}

void casts_build(struct casts *c, const struct sites *s, struct sorts *sorts, enum couple_rule rule)
{
    *c = (struct casts){0};
    struct build b = {.sites = s, .sorts = sorts, .arena = &c->arena};
    const struct sketch *sketch = s->sketch;
    c->list = arena_array(&c->arena, struct cast, (size_t)sketch->thread_count + 1);
    for (uint32_t thread = 0; thread < sketch->thread_count; thread++) {
        const struct sketch_thread *of = &sketch->threads[thread];
        c->list[thread].task = of->task;
        vec_clear(&b.couples);
        vec_reserve(&b.couples, 2 * (size_t)(of->end - of->first));
        if (rule == COUPLES_OF_BOTH) {
            sites_pairs(s, thread, sorts, &b.couples);
        } else {
            sites_couples(s, thread, rule == COUPLES_MERGED, sorts, &b.couples);
        }
        drop_renewed(s, &b.couples);
        cast_couples(&b, &c->list[thread]);
        cast_singles(&b, &c->list[thread], of);
    }
    vec_release(&b.couples);
}

void casts_release(struct casts *c)
{
    arena_release(&c->arena);
}
