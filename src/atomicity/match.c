#include "atomicity/match.h"

#include <string.h>

/* A question costs as much as so many steps of a loop. */
enum { TRIES_DEFAULT = 2000, ASK_STEPS = 16 };

/* A part of a list: [first, end). */
struct span {
    uint32_t first, end;
};

enum { KINDS = 8 };

/* Couples or single accesses of a thread that only differ in where they stand, as parts of a list.
 * In each, events are in the order of the thread. */
struct groups {
    struct span *list;
    uint32_t kind_first[KINDS + 1]; /* the groups of a kind are list[kind_first[kind] ..) */
};

/* What a thread does that can be interrupted, or interrupt. */
struct cast {
    uint32_t task;
    struct couple *couples; /* group by group, as listed in each; so are the others */
    struct groups couple_groups;
    event_id *firsts, *seconds; /* per couple */
    uint32_t *singles;          /* sites */
    struct groups single_groups;
    event_id *events; /* per single */
};

/* What is being matched. */
struct pass {
    struct matcher *r;
    const struct sketch *sketch;
    struct sites sites;
    struct asker asker;
    const char *purpose;
    bool is_begun;       /* something was asked */
    bool is_known;       /* nothing is to be asked */
    struct cast *casts;  /* per thread of the sketch */
    couple_list couples; /* of a thread, as listed */
    struct map tried;    /* two sorts to how many questions were asked without an answer */
    enum violation (*pattern)(const struct pass *p, const struct couple *c, const struct site *s);
    struct arena arena;
};

void matcher_init(struct matcher *r, const struct match_options *o)
{
    *r = (struct matcher){.options = *o};
    r->options.try_max = o->try_max != 0 ? o->try_max : TRIES_DEFAULT;
    r->sorts.has_classes = o->tells_all;
}

void matcher_release(struct matcher *r)
{
    tuples_release(&r->sorts.tuples);
    vec_release(&r->news);
    vec_release(&r->group_of);
    map_release(&r->found);
}

/* What is known about the couples of this sort. */
static struct couple_news *news_of(struct matcher *r, uint32_t sort)
{
    if (sort >= r->news.count) {
        const size_t count = r->sorts.tuples.list.count + 1;
        vec_reserve(&r->news, count);
        memset(r->news.at + r->news.count, 0, (count - r->news.count) * sizeof *r->news.at);
        r->news.count = count;
    }
    return &r->news.at[sort];
}

/* ---- groups ---- */

/* What of an access a pattern depends on, below KINDS. */
static uint32_t kind_of_single(const struct site *s)
{
    return (uint32_t)s->which | (uint32_t)s->is_write << 1 | (uint32_t)s->is_related << 2;
}

/* What of a couple of two variables a pattern depends on, below KINDS. */
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
static uint32_t number_groups(struct matcher *r, struct grouped *elements, uint32_t count)
{
    uint32_t group_count = 0;
    const size_t sort_count = r->sorts.tuples.list.count + 1;
    vec_reserve(&r->group_of, sort_count);
    memset(r->group_of.at + r->group_of.count, 0,
           (sort_count - r->group_of.count) * sizeof *r->group_of.at);
    r->group_of.count = sort_count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *group = &r->group_of.at[elements[i].sort];
        if (*group == 0) {
            *group = ++group_count;
        }
        elements[i].place = *group - 1;
    }
    for (uint32_t i = 0; i < count; i++) {
        r->group_of.at[elements[i].sort] = 0;
    }
    return group_count;
}

/* Groups elements by their sorts, which say their kinds too: by kind, then as they appear. */
static void group(struct pass *p, struct groups *g, struct grouped *elements, uint32_t count)
{
    const uint32_t group_count = number_groups(p->r, elements, count);
    uint32_t *size_of = arena_array(&p->arena, uint32_t, (size_t)group_count + 1);
    uint32_t *rank_of = arena_array(&p->arena, uint32_t, (size_t)group_count + 1);
    uint32_t next_of_kind[KINDS + 1] = {0};
    for (uint32_t i = 0; i < count; i++) {
        next_of_kind[elements[i].kind + 1] += size_of[elements[i].place]++ == 0;
    }
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        next_of_kind[kind + 1] += next_of_kind[kind];
        g->kind_first[kind + 1] = next_of_kind[kind + 1];
    }
    g->list = arena_array(&p->arena, struct span, (size_t)group_count + 1);
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

enum couple_rule { COUPLES_OF_X, COUPLES_MERGED, COUPLES_OF_BOTH };

/* Two accesses to one variable, and a version check has sent the task back between them. */
static bool is_renewed(const struct sites *s, const struct couple *c)
{
    const struct site *a = &s->list[c->first];
    const struct site *b = &s->list[c->second];
    const struct frame *f = s->sketch->frame;
    return a->which == b->which &&
           variables_began_anew(&f->variables, f->trace, a->event, b->event);
}

/* Drops what belongs to two attempts. */
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

static void cast_couples(struct pass *p, struct cast *cast)
{
    const couple_list *couples = &p->couples;
    struct grouped *elements = arena_array(&p->arena, struct grouped, couples->count + 1);
    for (size_t i = 0; i < couples->count; i++) {
        const struct couple *c = &couples->at[i];
        elements[i].sort = tuples_intern(
            &p->r->sorts.tuples, (struct tuple){{c->sort, c->cover, c->locks[0], c->locks[1]}});
        elements[i].kind = kind_of_couple(&p->sites, c);
    }
    group(p, &cast->couple_groups, elements, (uint32_t)couples->count);
    cast->couples = arena_array(&p->arena, struct couple, couples->count + 1);
    cast->firsts = arena_array(&p->arena, event_id, couples->count + 1);
    cast->seconds = arena_array(&p->arena, event_id, couples->count + 1);
    for (size_t i = 0; i < couples->count; i++) {
        const uint32_t place = elements[i].place;
        cast->couples[place] = couples->at[i];
        cast->firsts[place] = p->sites.list[couples->at[i].first].event;
        cast->seconds[place] = p->sites.list[couples->at[i].second].event;
    }
}

static void cast_singles(struct pass *p, struct cast *cast, const struct sketch_thread *thread)
{
    const uint32_t count = thread->end - thread->first;
    const struct site *sites = &p->sites.list[thread->first];
    struct grouped *elements = arena_array(&p->arena, struct grouped, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        elements[i].sort =
            tuples_intern(&p->r->sorts.tuples, (struct tuple){{sites[i].sort, sites[i].locks}});
        elements[i].kind = kind_of_single(&sites[i]);
    }
    group(p, &cast->single_groups, elements, count);
    cast->singles = arena_array(&p->arena, uint32_t, (size_t)count + 1);
    cast->events = arena_array(&p->arena, event_id, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        cast->singles[elements[i].place] = thread->first + i;
        cast->events[elements[i].place] = sites[i].event;
    }
}

/* Resources have versions, which windows do not know; what is captured of them is short. */
static bool looks_around(const struct matcher *r, const struct sketch *sketch)
{
    const struct frame *f = sketch->frame;
    const uint32_t name = f->variables.list.at[sketch->variables[0]].name;
    return r->options.looks_around && !variable_is_resource(trace_name(f->trace, name));
}

static void pass_begin(struct pass *p, struct matcher *r, const struct sketch *sketch,
                       enum couple_rule rule)
{
    static const char *const purposes[] = {
        [COUPLES_OF_X] = "single\n", [COUPLES_MERGED] = "merged\n", [COUPLES_OF_BOTH] = "pair\n"};
    *p = (struct pass){.r = r, .sketch = sketch, .purpose = purposes[rule]};
    sites_build(&p->sites, sketch, &r->sorts);
    asker_init(&p->asker, &(struct asker_options){.sketch = sketch,
                                                  .state_max = r->options.state_max,
                                                  .near = r->options.near,
                                                  .looks_around = looks_around(r, sketch)});
    p->casts = arena_array(&p->arena, struct cast, (size_t)sketch->thread_count + 1);
    for (uint32_t thread = 0; thread < sketch->thread_count; thread++) {
        const struct sketch_thread *of = &sketch->threads[thread];
        struct cast *cast = &p->casts[thread];
        cast->task = of->task;
        vec_clear(&p->couples);
        vec_reserve(&p->couples, 2 * (size_t)(of->end - of->first));
        if (rule == COUPLES_OF_BOTH) {
            sites_pairs(&p->sites, thread, &r->sorts, &p->couples);
        } else {
            sites_couples(&p->sites, thread, rule == COUPLES_MERGED, &r->sorts, &p->couples);
        }
        drop_renewed(&p->sites, &p->couples);
        cast_couples(p, cast);
        cast_singles(p, cast, of);
    }
}

static void pass_end(struct pass *p)
{
    vec_release(&p->couples);
    asker_release(&p->asker);
    map_release(&p->tried);
    sites_release(&p->sites);
    arena_release(&p->arena);
}

/* ---- what stands where ---- */

static bool is_before(const struct pass *p, event_id a, event_id b)
{
    return frame_is_before(p->sketch->frame, a, b);
}

/* The first of a span of a cast's events that need not come before `event`. O(log). */
static uint32_t first_not_before(const struct pass *p, const struct cast *cast,
                                 const event_id *events, struct span s, event_id event)
{
    const struct hb *hb = &p->sketch->frame->hb;
    const uint32_t count = frame_count_before(p->sketch->frame, event, cast->task);
    while (count > 0 && s.first < s.end) {
        const uint32_t middle = s.first + (s.end - s.first) / 2;
        if (hb->contexts.position[events[middle]] < count) {
            s.first = middle + 1;
        } else {
            s.end = middle;
        }
    }
    return s.first;
}

/* The first that must come after `event`. O(log). */
static uint32_t first_after(const struct pass *p, const event_id *events, struct span s,
                            event_id event)
{
    if (p->sketch->frame->point_count == 0) {
        return s.end;
    }
    while (s.first < s.end) {
        const uint32_t middle = s.first + (s.end - s.first) / 2;
        if (is_before(p, event, events[middle])) {
            s.end = middle;
        } else {
            s.first = middle + 1;
        }
    }
    return s.first;
}

/* The first that is listed after `event`. O(log). */
static uint32_t first_listed_after(const event_id *events, struct span s, event_id event)
{
    while (s.first < s.end) {
        const uint32_t middle = s.first + (s.end - s.first) / 2;
        if (events[middle] > event) {
            s.end = middle;
        } else {
            s.first = middle + 1;
        }
    }
    return s.first;
}

/* ---- asking ---- */

/* A couple, what might interrupt it, and the pattern that would be. */
struct candidate {
    const struct couple *couple;
    const struct couple *rounds; /* the one that may belong to two rounds of a loop; NULL: none */
    enum violation pattern;
    struct inquiry inquiry;
};

/* The places in the order in which the execution has them. */
static void order_places(const struct pass *p, struct match *m)
{
    uint32_t used = 0;
    struct place places[QUESTION_PLACES_MAX];
    vec_each (&p->asker.decider->taken, taken) {
        for (uint32_t from = taken->first; from < taken->end;) {
            uint32_t next = taken->end;
            for (uint32_t i = 0; i < m->place_count; i++) {
                const struct place at = m->places[i];
                next = at.thread == taken->thread && at.step >= from && at.step < next ? at.step
                                                                                       : next;
            }
            if (next < taken->end) {
                must(used < m->place_count);
                places[used++] = (struct place){.thread = taken->thread, .step = next};
            }
            from = next + 1;
        }
    }
    must(used == m->place_count);
    for (uint32_t i = 0; i < used; i++) {
        m->places[i] = places[i];
    }
}

/* Patterns, a bit each. */
static unsigned bit(enum violation pattern)
{
    return 1u << pattern;
}

/* The patterns of which there is nothing more to say about this couple. */
static unsigned told_of(const struct pass *p, const struct couple *c)
{
    return p->r->options.tells_all ? 0 : news_of(p->r, c->sort)->told;
}

static void tell(struct pass *p, const struct candidate *c)
{
    const struct question *q = &p->asker.question;
    struct match m = {.pattern = c->pattern,
                      .place_count = q->place_count,
                      .is_rounds = c->rounds != NULL,
                      .model = p->asker.model,
                      .decider = p->asker.decider};
    for (uint32_t i = 0; i < q->place_count; i++) {
        m.places[i] = q->places[i];
    }
    order_places(p, &m);
    struct couple_news *news = news_of(p->r, c->couple->sort);
    news->told = (uint16_t)(news->told | bit(c->pattern));
    p->r->options.found(p->r->options.context, &m);
}

/* Whether the model has been analysed before. */
static bool is_known(struct pass *p)
{
    const struct match_options *o = &p->r->options;
    if (!p->is_begun && o->is_known != NULL && !p->asker.options.looks_around) {
        p->is_known = o->is_known(o->context, asker_whole(&p->asker), p->purpose);
    }
    p->is_begun = true;
    return p->is_known;
}

/* Two sorts of accesses that are tried against each other. */
struct sorted {
    uint32_t sort, other;
    uint32_t tried; /* questions in this model */
    bool is_begun;
    bool is_done; /* there is no more to ask */
    bool is_found;
};

static uint64_t sorted_key(const struct sorted *s)
{
    return map_pair(s->sort, s->other);
}

/* What is known about them before the first question. */
static void sorted_begin(const struct pass *p, struct sorted *s)
{
    const uint32_t *tried = map_get(&p->tried, sorted_key(s));
    s->tried = tried == NULL ? 0 : *tried;
    s->is_done = p->r->options.tells_all && map_get(&p->r->found, sorted_key(s)) != NULL;
    s->is_begun = true;
}

/* Keeps what is known now. */
static void sorted_end(struct pass *p, const struct sorted *s)
{
    if (s->tried > 0 && !s->is_found) {
        map_put(&p->tried, sorted_key(s), s->tried);
    }
    if (s->is_found && p->r->options.tells_all) {
        map_put(&p->r->found, sorted_key(s), 1);
    }
}

/* Asks, and tells what was found. */
static void ask(struct pass *p, const struct candidate *c, struct sorted *s)
{
    struct matcher *r = p->r;
    if (c->rounds != NULL && !r->options.keeps_rounds) {
        struct couple_news *news = news_of(r, c->rounds->sort);
        r->stats.rounds += !news->is_rounds;
        news->is_rounds = true;
        s->is_done = true;
        return;
    }
    if (!s->is_begun) {
        sorted_begin(p, s);
    }
    if (s->is_done || is_known(p) || s->tried == r->options.try_max) {
        r->stats.unknown += !s->is_done && !p->is_known;
        s->is_done = true;
        return;
    }
    s->tried++;
    r->stats.candidates++;
    r->stats.questions++;
    const enum decision decision = asker_ask(&p->asker, &c->inquiry);
    r->stats.unknown += decision == DECIDE_UNKNOWN;
    if (decision == DECIDE_YES) {
        s->is_done = true;
        s->is_found = true;
        tell(p, c);
    }
}

/* Whether there is more to ask. */
static bool is_open(const struct pass *p, const struct sorted *s)
{
    return !s->is_done && !limit_is_over(p->r->options.watch, ASK_STEPS);
}

/* ---- a couple and a single access between ---- */

static const struct site *site_at(const struct pass *p, uint32_t number)
{
    return &p->sites.list[number];
}

/* What always comes between is left out. */
static void try_between(struct pass *p, const struct couple *c, uint32_t single,
                        struct sorted *sorted)
{
    const struct site *s = site_at(p, single);
    const event_id first = site_at(p, c->first)->event;
    const event_id second = site_at(p, c->second)->event;
    if (!p->r->options.keeps_forced && is_before(p, first, s->event) &&
        is_before(p, s->event, second)) {
        return;
    }
    const struct candidate candidate = {
        .couple = c,
        .rounds = c->is_rounds ? c : NULL,
        .pattern = p->pattern(p, c, s),
        .inquiry = {.accesses = {c->first, single, c->second},
                    .access_count = 3,
                    .orders = {{0, 1}, {1, 2}},
                    .order_count = 2},
    };
    ask(p, &candidate, sorted);
}

/* Tries a couple against the singles of a span: those that need not come before it or after it,
 * which stand together; the nearest in the list first, both ways. */
static void try_couple(struct pass *p, const struct couple *c, const struct cast *other,
                       struct span s, struct sorted *sorted)
{
    const event_id first = site_at(p, c->first)->event;
    const event_id second = site_at(p, c->second)->event;
    s.first = first_not_before(p, other, other->events, s, first);
    s.end = first_after(p, other->events, s, second);
    const uint32_t middle = first_listed_after(other->events, s, first);
    for (uint32_t i = middle; i < s.end && is_open(p, sorted); i++) {
        try_between(p, c, other->singles[i], sorted);
    }
    for (uint32_t i = middle; i-- > s.first && is_open(p, sorted);) {
        try_between(p, c, other->singles[i], sorted);
    }
}

/* Whether the couples of this sort are left out, and have been counted as such. */
static bool is_left_out(const struct pass *p, const struct couple *c)
{
    return c->is_rounds && !p->r->options.keeps_rounds && news_of(p->r, c->sort)->is_rounds;
}

/* Tries couples of a group against singles of a group of another thread. */
static void try_sorts(struct pass *p, const struct couple *couples, struct span c,
                      const struct cast *other, struct span s)
{
    const struct couple *couple = &couples[c.first];
    const struct site *single = site_at(p, other->singles[s.first]);
    if (sites_shut_out(&p->sites, couple, single)) {
        return;
    }
    struct sorted sorted = {.sort = couple->sort, .other = single->sort};
    for (uint32_t i = c.first; i < c.end && is_open(p, &sorted); i++) {
        try_couple(p, &couples[i], other, s, &sorted);
    }
    sorted_end(p, &sorted);
}

/* Tries a group of couples against those singles of another thread that make a pattern with it. */
static void match_couples(struct pass *p, const struct cast *cast, struct span c,
                          const struct cast *against)
{
    const struct couple *couple = &cast->couples[c.first];
    const struct groups *g = &against->single_groups;
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        uint32_t i = g->kind_first[kind];
        const uint32_t end = g->kind_first[kind + 1];
        if (i == end) {
            continue;
        }
        const enum violation pattern =
            p->pattern(p, couple, site_at(p, against->singles[g->list[i].first]));
        if (pattern == VIOLATION_NONE) {
            continue;
        }
        for (; i < end && (told_of(p, couple) & bit(pattern)) == 0 && !is_left_out(p, couple);
             i++) {
            try_sorts(p, cast->couples, c, against, g->list[i]);
        }
    }
}

static void match_between(struct pass *p, uint32_t thread, uint32_t other)
{
    const struct cast *cast = &p->casts[thread];
    for (uint32_t i = 0; i < cast->couple_groups.kind_first[KINDS]; i++) {
        match_couples(p, cast, cast->couple_groups.list[i], &p->casts[other]);
    }
}

static void match_all(struct pass *p, void (*match)(struct pass *p, uint32_t a, uint32_t b))
{
    for (uint32_t thread = 0; thread < p->sketch->thread_count; thread++) {
        for (uint32_t other = 0; other < p->sketch->thread_count; other++) {
            if (thread != other && !limit_is_over(p->r->options.watch, 1)) {
                match(p, thread, other);
            }
        }
    }
}

/* ---- one variable ---- */

static enum violation pattern_single(const struct pass *p, const struct couple *c,
                                     const struct site *s)
{
    if (s->is_related || s->which != 0 || (c->has_reads_between && s->is_write)) {
        return VIOLATION_NONE;
    }
    return violation_of_three(site_at(p, c->first)->is_write, s->is_write,
                              site_at(p, c->second)->is_write);
}

void match_single(struct matcher *r, const struct sketch *sketch)
{
    struct pass p;
    pass_begin(&p, r, sketch, COUPLES_OF_X);
    p.pattern = pattern_single;
    match_all(&p, match_between);
    pass_end(&p);
}

/* ---- two variables taken as one ---- */

static enum violation pattern_merged(const struct pass *p, const struct couple *c,
                                     const struct site *s)
{
    const struct site *a = site_at(p, c->first);
    const struct site *b = site_at(p, c->second);
    const bool is_of_one = a->which == b->which && a->which == s->which;
    const bool is_stale = !a->is_write && s->is_write && b->is_write && a->which == s->which;
    if (is_of_one || is_stale || (c->has_reads_between && s->is_write)) {
        return VIOLATION_NONE;
    }
    return violation_of_three(a->is_write, s->is_write, b->is_write) == VIOLATION_NONE
               ? VIOLATION_NONE
               : VIOLATION_MERGED;
}

void match_merged(struct matcher *r, const struct sketch *sketch)
{
    struct pass p;
    pass_begin(&p, r, sketch, COUPLES_MERGED);
    p.pattern = pattern_merged;
    match_all(&p, match_between);
    pass_end(&p);
}

/* ---- two variables ---- */

/* The couple of the other thread, its accesses by name. x1 is the first of all, so y2 comes between
 * x1 and y1; x2 does too, when its thread has it before y2, and is free otherwise. */
struct four {
    const struct site *x1, *y1, *x2, *y2;
    bool is_x2_first;
};

static struct four four_of(const struct pass *p, const struct couple *c, const struct couple *d)
{
    const struct site *first = site_at(p, d->first);
    const struct site *second = site_at(p, d->second);
    struct four f = {.x1 = site_at(p, c->first), .y1 = site_at(p, c->second)};
    f.is_x2_first = first->which == f.x1->which;
    f.x2 = f.is_x2_first ? first : second;
    f.y2 = f.is_x2_first ? second : first;
    return f;
}

static enum violation pattern_of(const struct four *f)
{
    return violation_of_four((struct violation_types){.x1 = f->x1->is_write,
                                                      .x2 = f->x2->is_write,
                                                      .y2 = f->y2->is_write,
                                                      .y1 = f->y1->is_write});
}

static void try_pair(struct pass *p, const struct couple *c, const struct couple *d,
                     struct sorted *sorted)
{
    const struct four f = four_of(p, c, d);
    if (!p->r->options.keeps_forced && is_before(p, f.x1->event, f.x2->event) &&
        is_before(p, f.y2->event, f.y1->event)) {
        return;
    }
    const struct candidate candidate = {
        .couple = c,
        .rounds = c->is_rounds   ? c
                  : d->is_rounds ? d
                                 : NULL,
        .pattern = pattern_of(&f),
        .inquiry = {.accesses = {c->first, f.is_x2_first ? d->first : d->second,
                                 f.is_x2_first ? d->second : d->first, c->second},
                    .access_count = 4,
                    .orders = {{0, f.is_x2_first ? 1 : 2}, {2, 3}},
                    .order_count = 2},
    };
    ask(p, &candidate, sorted);
}

/* Tries a couple against those of a span whose first need not come before its first, nor their y2
 * after its second; the nearest first, as above. */
static void try_couples(struct pass *p, const struct couple *c, const struct cast *other,
                        struct span d, struct sorted *sorted)
{
    const struct four f = four_of(p, c, &other->couples[d.first]);
    d.first = first_not_before(p, other, other->firsts, d, f.x1->event);
    d.end = first_after(p, f.is_x2_first ? other->seconds : other->firsts, d, f.y1->event);
    const uint32_t middle = first_listed_after(other->firsts, d, f.x1->event);
    for (uint32_t i = middle; i < d.end && is_open(p, sorted); i++) {
        try_pair(p, c, &other->couples[i], sorted);
    }
    for (uint32_t i = middle; i-- > d.first && is_open(p, sorted);) {
        try_pair(p, c, &other->couples[i], sorted);
    }
}

/* Tries couples of a group against those of a group of another thread. */
static void try_pair_sorts(struct pass *p, const struct couple *couples, struct span c,
                           const struct cast *other, struct span d)
{
    const struct couple *couple = &couples[c.first];
    const struct four f = four_of(p, couple, &other->couples[d.first]);
    if (sites_shut_out(&p->sites, couple, f.y2) ||
        (f.is_x2_first && sites_shut_out(&p->sites, couple, f.x2))) {
        return;
    }
    struct sorted sorted = {.sort = couple->sort, .other = other->couples[d.first].sort};
    for (uint32_t i = c.first; i < c.end && is_open(p, &sorted); i++) {
        try_couples(p, &couples[i], other, d, &sorted);
    }
    sorted_end(p, &sorted);
    if (sorted.is_found) {
        news_of(p->r, couple->sort)->is_paired = true;
    }
}

/* Tries a group of couples against those of another thread that make a pattern with it. The pattern
 * is that of the couple alone: the other decides whether it is one. */
static void match_pair_couples(struct pass *p, const struct cast *cast, struct span c,
                               const struct cast *against)
{
    const struct couple *couple = &cast->couples[c.first];
    const struct groups *g = &against->couple_groups;
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        uint32_t i = g->kind_first[kind];
        const uint32_t end = g->kind_first[kind + 1];
        if (i == end) {
            continue;
        }
        const struct four f = four_of(p, couple, &against->couples[g->list[i].first]);
        const enum violation pattern = pattern_of(&f);
        if (pattern == VIOLATION_NONE) {
            continue;
        }
        for (; i < end && (told_of(p, couple) & bit(pattern)) == 0 && !is_left_out(p, couple);
             i++) {
            if (!is_left_out(p, &against->couples[g->list[i].first])) {
                try_pair_sorts(p, cast->couples, c, against, g->list[i]);
            }
        }
    }
}

static void match_pairs(struct pass *p, uint32_t thread, uint32_t other)
{
    const struct cast *cast = &p->casts[thread];
    for (uint32_t i = 0; i < cast->couple_groups.kind_first[KINDS]; i++) {
        match_pair_couples(p, cast, cast->couple_groups.list[i], &p->casts[other]);
    }
}

/* Where a cycle of conflicts was found for a couple, that its read is stale goes without saying. */
static enum violation pattern_stale(const struct pass *p, const struct couple *c,
                                    const struct site *s)
{
    const struct site *a = site_at(p, c->first);
    const struct site *b = site_at(p, c->second);
    return !a->is_write && s->is_write && b->is_write && a->which == s->which &&
                   !news_of(p->r, c->sort)->is_paired
               ? VIOLATION_STALE
               : VIOLATION_NONE;
}

void match_pair(struct matcher *r, const struct sketch *sketch)
{
    struct pass p;
    pass_begin(&p, r, sketch, COUPLES_OF_BOTH);
    match_all(&p, match_pairs);
    p.pattern = pattern_stale;
    match_all(&p, match_between);
    pass_end(&p);
}
