#include "atomicity/match.h"

#include "base/sort.h"

/* A question costs as much as so many steps of a loop. */
enum { TRIES_DEFAULT = 2000, ASK_STEPS = 16 };

/* A part of a list, of elements that only differ in where they stand: [first, end). Their events
 * are in the order of the thread. */
struct span {
    size_t first, end;
    unsigned kind; /* of singles: see kind_of */
};

enum { KINDS = 8 };

/* What of a single access a pattern depends on, below KINDS. */
static unsigned kind_of(const struct site *s)
{
    return (unsigned)s->which | (unsigned)s->is_write << 1 | (unsigned)s->is_related << 2;
}

typedef VEC(struct span) span_list;

/* What a thread does that can be interrupted, or interrupt. */
struct cast {
    uint32_t task;
    couple_list couples; /* sorted by what they are, then as listed */
    span_list couple_spans;
    event_id *firsts, *seconds; /* per couple */
    VEC(uint32_t) singles;      /* sites, sorted likewise */
    span_list single_spans;
    event_id *events; /* per single */
};

/* What is being matched. */
struct pass {
    struct matcher *r;
    const struct model *m; /* the sketch */
    struct sites sites;
    struct asker asker;
    const char *purpose;
    bool is_begun;      /* something was asked */
    bool is_known;      /* nothing is to be asked */
    struct cast *casts; /* per thread of the sketch */
    struct map tried;   /* two sorts to how many questions were asked */
    enum violation (*pattern)(const struct pass *p, const struct couple *c, const struct site *s);
    struct arena arena;
};

void matcher_init(struct matcher *r, const struct match_options *o)
{
    *r = (struct matcher){.options = *o};
    r->options.try_max = o->try_max != 0 ? o->try_max : TRIES_DEFAULT;
    names_init(&r->sorts.names);
    r->sorts.has_classes = o->tells_all;
}

void matcher_release(struct matcher *r)
{
    names_release(&r->sorts.names);
    map_release(&r->found);
    map_release(&r->told);
    map_release(&r->paired);
    map_release(&r->rounds);
}

/* ---- ordering by sort and locks, so that what is refused at once stands together ---- */

static int compare_words(const uint32_t *a, const uint32_t *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (a[i] != b[i]) {
            return a[i] < b[i] ? -1 : 1;
        }
    }
    return 0;
}

static int compare_couples(const void *left, const void *right, const void *context)
{
    (void)context;
    const struct couple *a = left;
    const struct couple *b = right;
    const uint32_t one[] = {a->sort, a->cover, a->locks[0], a->locks[1]};
    const uint32_t other[] = {b->sort, b->cover, b->locks[0], b->locks[1]};
    return compare_words(one, other, 4);
}

static int compare_singles(const void *left, const void *right, const void *context)
{
    const struct sites *s = context;
    const struct site *a = &s->list.at[*(const uint32_t *)left];
    const struct site *b = &s->list.at[*(const uint32_t *)right];
    return compare_words((const uint32_t[]){a->sort, a->locks},
                         (const uint32_t[]){b->sort, b->locks}, 2);
}

enum couple_rule { COUPLES_OF_X, COUPLES_MERGED, COUPLES_OF_BOTH };

/* Two accesses to one variable, and a version check has sent the task back between them. */
static bool is_renewed(const struct sites *s, const struct couple *c)
{
    const struct site *a = &s->list.at[c->first];
    const struct site *b = &s->list.at[c->second];
    const struct frame *f = s->m->frame;
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
    const couple_list *couples = &cast->couples;
    sort_stable(couples->at, couples->count, sizeof *couples->at, compare_couples, NULL);
    cast->firsts = arena_array(&p->arena, event_id, couples->count + 1);
    cast->seconds = arena_array(&p->arena, event_id, couples->count + 1);
    for (size_t i = 0; i < couples->count; i++) {
        if (i == 0 || compare_couples(&couples->at[i - 1], &couples->at[i], NULL) != 0) {
            vec_push(&cast->couple_spans, (struct span){.first = i});
        }
        vec_last(&cast->couple_spans)->end = i + 1;
        cast->firsts[i] = p->sites.list.at[couples->at[i].first].event;
        cast->seconds[i] = p->sites.list.at[couples->at[i].second].event;
    }
}

static void cast_singles(struct pass *p, struct cast *cast, struct span sites)
{
    vec_reserve(&cast->singles, sites.end - sites.first);
    for (size_t i = sites.first; i < sites.end; i++) {
        vec_push(&cast->singles, (uint32_t)i);
    }
    const uint32_t *singles = cast->singles.at;
    sort_stable(cast->singles.at, cast->singles.count, sizeof *singles, compare_singles, &p->sites);
    cast->events = arena_array(&p->arena, event_id, cast->singles.count + 1);
    for (size_t i = 0; i < cast->singles.count; i++) {
        if (i == 0 || compare_singles(&singles[i - 1], &singles[i], &p->sites) != 0) {
            const struct site *site = &p->sites.list.at[singles[i]];
            vec_push(&cast->single_spans, (struct span){.first = i, .kind = kind_of(site)});
        }
        vec_last(&cast->single_spans)->end = i + 1;
        cast->events[i] = p->sites.list.at[singles[i]].event;
    }
}

/* Resources have versions, which windows do not know; what is captured of them is short. */
static bool looks_around(const struct matcher *r, const struct model *sketch)
{
    const struct frame *f = sketch->frame;
    const uint32_t name = f->variables.list.at[sketch->variables[0]].name;
    return r->options.looks_around && !variable_is_resource(trace_name(f->trace, name));
}

static void pass_begin(struct pass *p, struct matcher *r, const struct model *sketch,
                       enum couple_rule rule)
{
    static const char *const purposes[] = {
        [COUPLES_OF_X] = "single\n", [COUPLES_MERGED] = "merged\n", [COUPLES_OF_BOTH] = "pair\n"};
    *p = (struct pass){.r = r, .m = sketch, .purpose = purposes[rule]};
    sites_build(&p->sites, sketch, &r->sorts);
    asker_init(&p->asker, &(struct asker_options){.frame = sketch->frame,
                                                  .x = sketch->variables[0],
                                                  .y = sketch->variables[1],
                                                  .state_max = r->options.state_max,
                                                  .near = r->options.near,
                                                  .looks_around = looks_around(r, sketch)});
    p->casts = arena_array(&p->arena, struct cast, (size_t)sketch->thread_count + 1);
    for (uint32_t thread = 0; thread < sketch->thread_count; thread++) {
        struct cast *cast = &p->casts[thread];
        cast->task = sketch->threads[thread].task;
        const size_t site_count = p->sites.first.at[thread + 1] - p->sites.first.at[thread];
        vec_reserve(&cast->couples, 2 * site_count);
        if (rule == COUPLES_OF_BOTH) {
            sites_pairs(&p->sites, thread, &r->sorts, &cast->couples);
        } else {
            sites_couples(&p->sites, thread, rule == COUPLES_MERGED, &r->sorts, &cast->couples);
        }
        drop_renewed(&p->sites, &cast->couples);
        cast_couples(p, cast);
        cast_singles(p, cast,
                     (struct span){.first = p->sites.first.at[thread],
                                   .end = p->sites.first.at[thread + 1]});
    }
}

static void pass_end(struct pass *p)
{
    for (uint32_t thread = 0; thread < p->m->thread_count; thread++) {
        struct cast *cast = &p->casts[thread];
        vec_release(&cast->couples);
        vec_release(&cast->couple_spans);
        vec_release(&cast->singles);
        vec_release(&cast->single_spans);
    }
    asker_release(&p->asker);
    map_release(&p->tried);
    sites_release(&p->sites);
    arena_release(&p->arena);
}

/* ---- what stands where ---- */

static bool is_before(const struct pass *p, event_id a, event_id b)
{
    return frame_is_before(p->m->frame, a, b);
}

/* The first of a span of a cast's events that need not come before `event`. O(log). */
static size_t first_not_before(const struct pass *p, const struct cast *cast,
                               const event_id *events, struct span s, event_id event)
{
    const struct hb *hb = &p->m->frame->hb;
    const uint32_t count = frame_count_before(p->m->frame, event, cast->task);
    while (count > 0 && s.first < s.end) {
        const size_t middle = s.first + (s.end - s.first) / 2;
        if (hb->contexts.position[events[middle]] < count) {
            s.first = middle + 1;
        } else {
            s.end = middle;
        }
    }
    return s.first;
}

/* The first that must come after `event`. O(log). */
static size_t first_after(const struct pass *p, const event_id *events, struct span s,
                          event_id event)
{
    if (p->m->frame->point_count == 0) {
        return s.end;
    }
    while (s.first < s.end) {
        const size_t middle = s.first + (s.end - s.first) / 2;
        if (is_before(p, event, events[middle])) {
            s.end = middle;
        } else {
            s.first = middle + 1;
        }
    }
    return s.first;
}

/* The first that is listed after `event`. O(log). */
static size_t first_listed_after(const event_id *events, struct span s, event_id event)
{
    while (s.first < s.end) {
        const size_t middle = s.first + (s.end - s.first) / 2;
        if (events[middle] > event) {
            s.end = middle;
        } else {
            s.first = middle + 1;
        }
    }
    return s.first;
}

/* ---- asking ---- */

static struct violation_access access_of(const struct pass *p, struct place place, uint32_t thread)
{
    const struct step *s = &p->asker.model->threads[place.thread].steps[place.step];
    return (struct violation_access){
        .thread = place.thread == thread ? 1 : 2, .which = s->which, .is_write = s->is_write};
}

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
    const uint32_t *told = p->r->options.tells_all ? NULL : map_get(&p->r->told, c->sort);
    return told == NULL ? 0 : *told;
}

static void tell(struct pass *p, const struct candidate *c)
{
    const struct question *q = &p->asker.question;
    struct match m = {.pattern = c->pattern,
                      .place_count = q->place_count,
                      .is_rounds = c->rounds != NULL,
                      .model = p->asker.model,
                      .decider = p->asker.decider};
    struct violation_access accesses[QUESTION_PLACES_MAX];
    for (uint32_t i = 0; i < q->place_count; i++) {
        m.places[i] = q->places[i];
    }
    order_places(p, &m);
    for (uint32_t i = 0; i < q->place_count; i++) {
        accesses[i] = access_of(p, m.places[i], m.places[0].thread);
    }
    m.is_view_serializable = c->pattern != VIOLATION_STALE && c->pattern != VIOLATION_MERGED &&
                             violation_is_view_serializable(accesses, m.place_count);
    *map_slot(&p->r->told, c->couple->sort, 0, NULL) |= bit(c->pattern);
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
    if (s->tried > 0) {
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
        map_put(&r->rounds, c->rounds->sort, 1);
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
    return &p->sites.list.at[number];
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
        .inquiry = {.events = {first, s->event, second},
                    .event_count = 3,
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
    const size_t middle = first_listed_after(other->events, s, first);
    for (size_t i = middle; i < s.end && is_open(p, sorted); i++) {
        try_between(p, c, other->singles.at[i], sorted);
    }
    for (size_t i = middle; i-- > s.first && is_open(p, sorted);) {
        try_between(p, c, other->singles.at[i], sorted);
    }
}

/* Tries couples of one span of a thread against singles of one span of another; true when something
 * was found. */
static bool try_sorts(struct pass *p, const couple_list *couples, struct span c,
                      const struct cast *other, struct span s)
{
    const struct couple *couple = &couples->at[c.first];
    const struct site *single = site_at(p, other->singles.at[s.first]);
    if (sites_shut_out(&p->sites, couple, single)) {
        return false;
    }
    struct sorted sorted = {.sort = couple->sort, .other = single->sort};
    for (size_t i = c.first; i < c.end && is_open(p, &sorted); i++) {
        try_couple(p, &couples->at[i], other, s, &sorted);
    }
    sorted_end(p, &sorted);
    return sorted.is_found;
}

static void match_between(struct pass *p, uint32_t thread, uint32_t other)
{
    const struct cast *cast = &p->casts[thread];
    const struct cast *against = &p->casts[other];
    vec_each (&cast->couple_spans, c) {
        const struct couple *couple = &cast->couples.at[c->first];
        unsigned done = told_of(p, couple);
        unsigned bits[KINDS] = {0}; /* the pattern of the couple with each kind; 0: not known yet */
        vec_each (&against->single_spans, s) {
            unsigned *pattern = &bits[s->kind];
            if (*pattern == 0) {
                *pattern = bit(p->pattern(p, couple, site_at(p, against->singles.at[s->first])));
            }
            if ((*pattern & (done | bit(VIOLATION_NONE))) == 0 &&
                try_sorts(p, &cast->couples, *c, against, *s)) {
                done = told_of(p, couple);
            }
        }
    }
}

static void match_all(struct pass *p, void (*match)(struct pass *p, uint32_t a, uint32_t b))
{
    for (uint32_t thread = 0; thread < p->m->thread_count; thread++) {
        for (uint32_t other = 0; other < p->m->thread_count; other++) {
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

void match_single(struct matcher *r, const struct model *sketch)
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

void match_merged(struct matcher *r, const struct model *sketch)
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
        .inquiry = {.events = {f.x1->event, f.x2->event, f.y2->event, f.y1->event},
                    .event_count = 4,
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
    const struct four f = four_of(p, c, &other->couples.at[d.first]);
    d.first = first_not_before(p, other, other->firsts, d, f.x1->event);
    d.end = first_after(p, f.is_x2_first ? other->seconds : other->firsts, d, f.y1->event);
    const size_t middle = first_listed_after(other->firsts, d, f.x1->event);
    for (size_t i = middle; i < d.end && is_open(p, sorted); i++) {
        try_pair(p, c, &other->couples.at[i], sorted);
    }
    for (size_t i = middle; i-- > d.first && is_open(p, sorted);) {
        try_pair(p, c, &other->couples.at[i], sorted);
    }
}

static bool try_pair_sorts(struct pass *p, const couple_list *couples, struct span c,
                           const struct cast *other, struct span d)
{
    const struct couple *couple = &couples->at[c.first];
    const struct four f = four_of(p, couple, &other->couples.at[d.first]);
    if (pattern_of(&f) == VIOLATION_NONE || sites_shut_out(&p->sites, couple, f.y2) ||
        (f.is_x2_first && sites_shut_out(&p->sites, couple, f.x2))) {
        return false;
    }
    struct sorted sorted = {.sort = couple->sort, .other = other->couples.at[d.first].sort};
    for (size_t i = c.first; i < c.end && is_open(p, &sorted); i++) {
        try_couples(p, &couples->at[i], other, d, &sorted);
    }
    sorted_end(p, &sorted);
    if (sorted.is_found) {
        map_put(&p->r->paired, couple->sort, 1);
    }
    return sorted.is_found;
}

/* The pattern is that of the couple alone: the other decides whether it is one. */
static void match_pairs(struct pass *p, uint32_t thread, uint32_t other)
{
    const struct cast *cast = &p->casts[thread];
    vec_each (&cast->couple_spans, c) {
        const struct couple *couple = &cast->couples.at[c->first];
        const enum violation pattern =
            violation_of_four((struct violation_types){.x1 = site_at(p, couple->first)->is_write,
                                                       .x2 = true,
                                                       .y2 = true,
                                                       .y1 = site_at(p, couple->second)->is_write});
        if ((told_of(p, couple) & bit(pattern)) != 0) {
            continue;
        }
        vec_each (&p->casts[other].couple_spans, d) {
            if (try_pair_sorts(p, &cast->couples, *c, &p->casts[other], *d) &&
                !p->r->options.tells_all) {
                break;
            }
        }
    }
}

/* Where a cycle of conflicts was found for a couple, that its read is stale goes without saying. */
static enum violation pattern_stale(const struct pass *p, const struct couple *c,
                                    const struct site *s)
{
    const struct site *a = site_at(p, c->first);
    const struct site *b = site_at(p, c->second);
    return !a->is_write && s->is_write && b->is_write && a->which == s->which &&
                   map_get(&p->r->paired, c->sort) == NULL
               ? VIOLATION_STALE
               : VIOLATION_NONE;
}

void match_pair(struct matcher *r, const struct model *sketch)
{
    struct pass p;
    pass_begin(&p, r, sketch, COUPLES_OF_BOTH);
    match_all(&p, match_pairs);
    p.pattern = pattern_stale;
    match_all(&p, match_between);
    pass_end(&p);
}
