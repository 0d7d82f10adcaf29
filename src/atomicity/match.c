#include "atomicity/match.h"

#include "base/sort.h"

enum { TRIES_DEFAULT = 2000 };

#define MATCH_FOUND UINT32_MAX

/* A part of a list, of elements of one sort: [first, end). */
struct span {
    size_t first, end;
};

typedef VEC(struct span) span_list;

/* What is being matched. */
struct pass {
    struct matcher *r;
    const struct model *m;
    struct sites sites;
    struct decider decider;
    couple_list *couples;    /* per thread, sorted by sort */
    span_list *couple_spans; /* per thread */
    struct {
        VEC(uint32_t) list;
    } * singles;             /* per thread: sites, sorted by sort */
    span_list *single_spans; /* per thread */
    enum violation (*pattern)(const struct pass *p, const struct couple *c, const struct site *s);
    struct arena arena;
};

void matcher_init(struct matcher *r, const struct match_options *o)
{
    *r = (struct matcher){.options = *o};
    r->options.try_max = o->try_max != 0 ? o->try_max : TRIES_DEFAULT;
    names_init(&r->sorts.names);
}

void matcher_release(struct matcher *r)
{
    names_release(&r->sorts.names);
    map_release(&r->tried);
    map_release(&r->told);
    map_release(&r->paired);
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
    const uint32_t one[] = {a->sort, a->cover, a->guards[0], a->guards[1]};
    const uint32_t other[] = {b->sort, b->cover, b->guards[0], b->guards[1]};
    return compare_words(one, other, 4);
}

static int compare_singles(const void *left, const void *right, const void *context)
{
    const struct sites *s = context;
    const struct site *a = &s->list.at[*(const uint32_t *)left];
    const struct site *b = &s->list.at[*(const uint32_t *)right];
    return compare_words((const uint32_t[]){a->sort, a->guard},
                         (const uint32_t[]){b->sort, b->guard}, 2);
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

/* Drops what belongs to two rounds of a loop, or to two attempts. */
static void drop_straddling(const struct sites *s, couple_list *list)
{
    size_t kept = 0;
    vec_each (list, couple) {
        if (!sites_straddle(s, couple) && !is_renewed(s, couple)) {
            list->at[kept++] = *couple;
        }
    }
    list->count = kept;
}

/* Couples and singles that compare as equal, in a row. */
static void find_spans(struct pass *p, uint32_t thread)
{
    const couple_list *couples = &p->couples[thread];
    for (size_t i = 0; i < couples->count; i++) {
        if (i == 0 || compare_couples(&couples->at[i - 1], &couples->at[i], NULL) != 0) {
            vec_push(&p->couple_spans[thread], (struct span){.first = i});
        }
        vec_last(&p->couple_spans[thread])->end = i + 1;
    }
    const uint32_t *singles = p->singles[thread].list.at;
    for (size_t i = 0; i < p->singles[thread].list.count; i++) {
        if (i == 0 || compare_singles(&singles[i - 1], &singles[i], &p->sites) != 0) {
            vec_push(&p->single_spans[thread], (struct span){.first = i});
        }
        vec_last(&p->single_spans[thread])->end = i + 1;
    }
}

static void pass_begin(struct pass *p, struct matcher *r, const struct model *m,
                       enum couple_rule rule)
{
    *p = (struct pass){.r = r, .m = m};
    sites_build(&p->sites, m, &r->sorts);
    decider_init(&p->decider, m, r->options.state_max);
    p->couples = arena_array(&p->arena, couple_list, (size_t)m->thread_count + 1);
    p->singles = arena_take(&p->arena, (m->thread_count + (size_t)1) * sizeof *p->singles,
                            _Alignof(max_align_t));
    p->couple_spans = arena_array(&p->arena, span_list, (size_t)m->thread_count + 1);
    p->single_spans = arena_array(&p->arena, span_list, (size_t)m->thread_count + 1);
    for (uint32_t thread = 0; thread < m->thread_count; thread++) {
        couple_list *list = &p->couples[thread];
        if (rule == COUPLES_OF_BOTH) {
            sites_pairs(&p->sites, thread, &r->sorts, list);
        } else {
            sites_couples(&p->sites, thread, rule == COUPLES_MERGED, &r->sorts, list);
        }
        drop_straddling(&p->sites, list);
        sort_stable(list->at, list->count, sizeof *list->at, compare_couples, NULL);
        for (uint32_t i = p->sites.first.at[thread]; i < p->sites.first.at[thread + 1]; i++) {
            vec_push(&p->singles[thread].list, i);
        }
        sort_stable(p->singles[thread].list.at, p->singles[thread].list.count, sizeof(uint32_t),
                    compare_singles, &p->sites);
        find_spans(p, thread);
    }
}

static void pass_end(struct pass *p)
{
    for (uint32_t thread = 0; thread < p->m->thread_count; thread++) {
        vec_release(&p->couples[thread]);
        vec_release(&p->singles[thread].list);
        vec_release(&p->couple_spans[thread]);
        vec_release(&p->single_spans[thread]);
    }
    decider_release(&p->decider);
    sites_release(&p->sites);
    arena_release(&p->arena);
}

/* ---- asking ---- */

static bool is_before(const struct pass *p, const struct site *a, const struct site *b)
{
    return hb_is_before(&p->m->frame->hb, a->event, b->event);
}

static struct violation_access access_of(const struct pass *p, struct place place, uint32_t thread)
{
    const struct step *s = &p->m->threads[place.thread].steps[place.step];
    return (struct violation_access){
        .thread = place.thread == thread ? 1 : 2, .which = s->which, .is_write = s->is_write};
}

/* A couple, what might interrupt it, and the pattern that would be. */
struct candidate {
    const struct couple *couple;
    enum violation pattern;
    struct question question;
};

/* The places in the order in which the execution has them. */
static void order_places(const struct pass *p, struct match *m)
{
    uint32_t used = 0;
    struct place places[QUESTION_PLACES_MAX];
    vec_each (&p->decider.taken, taken) {
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

/* Whether there is nothing more to say about this couple and pattern. */
static bool is_told(const struct pass *p, const struct couple *c, enum violation pattern)
{
    return !p->r->options.tells_all && map_get(&p->r->told, map_pair(c->sort, pattern)) != NULL;
}

static void tell(struct pass *p, const struct candidate *c)
{
    const struct question *q = &c->question;
    struct match m = {.pattern = c->pattern,
                      .place_count = q->place_count,
                      .model = p->m,
                      .decider = &p->decider};
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
    map_put(&p->r->told, map_pair(c->couple->sort, c->pattern), 1);
    p->r->options.found(p->r->options.context, &m);
}

/* Asks, and tells what was found; true when there is no more to ask about these sorts. */
static bool ask(struct pass *p, const struct candidate *c, uint32_t *tried)
{
    struct matcher *r = p->r;
    if (r->is_sketching) {
        r->would_ask = true;
        return true;
    }
    if (*tried >= r->options.try_max) {
        r->stats.unknown += *tried == r->options.try_max;
        ++*tried;
        return true;
    }
    ++*tried;
    r->stats.questions++;
    const enum decision decision = decider_ask(&p->decider, &c->question);
    r->stats.unknown += decision == DECIDE_UNKNOWN;
    if (decision == DECIDE_YES) {
        *tried = MATCH_FOUND;
        tell(p, c);
    }
    return decision == DECIDE_YES;
}

/* ---- a couple and a single access between ---- */

static const struct site *site_at(const struct pass *p, uint32_t number)
{
    return &p->sites.list.at[number];
}

/* False when nothing can come of it: the single access must come before the couple or after it, or
 * a lock keeps it out; or when it always comes between. */
static bool can_come_between(const struct pass *p, const struct couple *c, const struct site *s)
{
    const struct site *first = site_at(p, c->first);
    const struct site *second = site_at(p, c->second);
    const bool is_forced = is_before(p, first, s) && is_before(p, s, second);
    return !is_before(p, s, first) && !is_before(p, second, s) &&
           !(is_forced && !p->r->options.keeps_forced) && !sites_shut_out(&p->sites, c, s);
}

static bool try_between(struct pass *p, const struct couple *c, uint32_t single, uint32_t *tried)
{
    const struct site *s = site_at(p, single);
    if (!can_come_between(p, c, s)) {
        return false;
    }
    p->r->stats.candidates++;
    const struct candidate candidate = {
        .couple = c,
        .pattern = p->pattern(p, c, s),
        .question = {.places = {site_at(p, c->first)->place, s->place,
                                site_at(p, c->second)->place},
                     .place_count = 3,
                     .orders = {{0, 1}, {1, 2}},
                     .order_count = 2},
    };
    return ask(p, &candidate, tried);
}

/* Tries couples of one sort of a thread against singles of one sort of another. */
static void try_sorts(struct pass *p, const couple_list *couples, struct span c,
                      const uint32_t *singles, struct span s)
{
    const struct couple *couple = &couples->at[c.first];
    const struct site *single = site_at(p, singles[s.first]);
    if (couple->cover != LOCK_NONE && couple->cover == single->guard) {
        return;
    }
    uint32_t *tried = map_slot(&p->r->tried, map_pair(couple->sort, single->sort), 0, NULL);
    for (size_t i = c.first; i < c.end && *tried != MATCH_FOUND && !p->r->would_ask; i++) {
        for (size_t k = s.first; k < s.end; k++) {
            if (try_between(p, &couples->at[i], singles[k], tried)) {
                break;
            }
        }
        if (*tried > p->r->options.try_max) {
            return;
        }
    }
}

/* Patterns, a bit each. */
static unsigned bit(enum violation pattern)
{
    return 1u << pattern;
}

static void match_between(struct pass *p, uint32_t thread, uint32_t other)
{
    const couple_list *couples = &p->couples[thread];
    const uint32_t *singles = p->singles[other].list.at;
    vec_each (&p->couple_spans[thread], c) {
        const struct couple *couple = &couples->at[c->first];
        unsigned done = bit(VIOLATION_NONE);
        vec_each (&p->single_spans[other], s) {
            const enum violation pattern = p->pattern(p, couple, site_at(p, singles[s->first]));
            if ((done & bit(pattern)) != 0 || p->r->would_ask) {
                continue;
            }
            if (!is_told(p, couple, pattern)) {
                try_sorts(p, couples, *c, singles, *s);
            }
            done |= is_told(p, couple, pattern) ? bit(pattern) : 0;
        }
    }
}

static void match_all(struct pass *p, void (*match)(struct pass *p, uint32_t a, uint32_t b))
{
    for (uint32_t thread = 0; thread < p->m->thread_count; thread++) {
        for (uint32_t other = 0; other < p->m->thread_count; other++) {
            if (thread != other && !p->r->would_ask) {
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

void match_single(struct matcher *r, const struct model *m)
{
    struct pass p;
    pass_begin(&p, r, m, COUPLES_OF_X);
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

void match_merged(struct matcher *r, const struct model *m)
{
    struct pass p;
    pass_begin(&p, r, m, COUPLES_MERGED);
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

static bool try_pair(struct pass *p, const struct couple *c, const struct couple *d,
                     uint32_t *tried)
{
    const struct four f = four_of(p, c, d);
    const struct site *first = f.is_x2_first ? f.x2 : f.y2;
    const bool is_forced = is_before(p, f.x1, f.x2) && is_before(p, f.y2, f.y1);
    if ((is_forced && !p->r->options.keeps_forced) || is_before(p, first, f.x1) ||
        is_before(p, f.y1, f.y2) || sites_shut_out(&p->sites, c, f.y2) ||
        (f.is_x2_first && sites_shut_out(&p->sites, c, f.x2))) {
        return false;
    }
    p->r->stats.candidates++;
    const struct candidate candidate = {
        .couple = c,
        .pattern = pattern_of(&f),
        .question = {.places = {f.x1->place, f.x2->place, f.y2->place, f.y1->place},
                     .place_count = 4,
                     .orders = {{0, f.is_x2_first ? 1 : 2}, {2, 3}},
                     .order_count = 2},
    };
    return ask(p, &candidate, tried);
}

static void try_pair_sorts(struct pass *p, const couple_list *couples, struct span c,
                           const couple_list *others, struct span d)
{
    const struct four f = four_of(p, &couples->at[c.first], &others->at[d.first]);
    const uint32_t cover = couples->at[c.first].cover;
    if (pattern_of(&f) == VIOLATION_NONE ||
        (cover != LOCK_NONE && (cover == f.y2->guard || (f.is_x2_first && cover == f.x2->guard)))) {
        return;
    }
    uint32_t *tried = map_slot(
        &p->r->tried, map_pair(couples->at[c.first].sort, others->at[d.first].sort), 0, NULL);
    for (size_t i = c.first; i < c.end && *tried != MATCH_FOUND && !p->r->would_ask; i++) {
        for (size_t k = d.first; k < d.end; k++) {
            if (try_pair(p, &couples->at[i], &others->at[k], tried)) {
                break;
            }
        }
        if (*tried != MATCH_FOUND && *tried > p->r->options.try_max) {
            return;
        }
    }
    if (*tried == MATCH_FOUND) {
        map_put(&p->r->paired, couples->at[c.first].sort, 1);
    }
}

/* The pattern is that of the couple alone: the other decides whether it is one. */
static void match_pairs(struct pass *p, uint32_t thread, uint32_t other)
{
    const couple_list *couples = &p->couples[thread];
    vec_each (&p->couple_spans[thread], c) {
        const struct couple *couple = &couples->at[c->first];
        const enum violation pattern =
            violation_of_four((struct violation_types){.x1 = site_at(p, couple->first)->is_write,
                                                       .x2 = true,
                                                       .y2 = true,
                                                       .y1 = site_at(p, couple->second)->is_write});
        vec_each (&p->couple_spans[other], d) {
            if (is_told(p, couple, pattern) || p->r->would_ask) {
                break;
            }
            try_pair_sorts(p, couples, *c, &p->couples[other], *d);
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

void match_pair(struct matcher *r, const struct model *m)
{
    struct pass p;
    pass_begin(&p, r, m, COUPLES_OF_BOTH);
    match_all(&p, match_pairs);
    p.pattern = pattern_stale;
    match_all(&p, match_between);
    pass_end(&p);
}

bool match_would_ask(struct matcher *r, const struct model *sketch,
                     void (*match)(struct matcher *r, const struct model *m))
{
    const struct match_stats stats = r->stats;
    r->is_sketching = true;
    match(r, sketch);
    const bool would_ask = r->would_ask;
    r->is_sketching = false;
    r->would_ask = false;
    r->stats = stats;
    return would_ask;
}
