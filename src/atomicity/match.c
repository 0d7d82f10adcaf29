#include "atomicity/match.h"

#include <string.h>

#include "atomicity/candidates.h"
#include "atomicity/separate_operations.h"

/* A question costs as much as this number of steps of a loop. */
enum { TRIES_DEFAULT = 2000, ASK_STEPS = 16 };

/* One pass over a sketch. */
struct pass {
    struct matcher *r;
    const struct sketch *sketch;
    struct sites sites;
    struct asker asker;
    const char *purpose;
    bool is_begun; /* something was asked */
    bool is_known; /* nothing is to be asked */
    struct casts casts;
    struct map tried; /* two sorts to how many questions were asked without an answer */
    enum violation (*pattern)(const struct pass *p, const struct couple *c, const struct site *s);
};

void matcher_init(struct matcher *r, const struct match_options *o)
{
    *r = (struct matcher){.options = *o};
    r->options.try_max = o->try_max != 0 ? o->try_max : TRIES_DEFAULT;
    r->sorts.has_classes = o->reports_all;
}

void matcher_release(struct matcher *r)
{
    sorts_release(&r->sorts);
    vec_release(&r->news);
    map_release(&r->found);
    handover_release(&r->handover);
}

void matcher_forget(struct matcher *r)
{
    handover_release(&r->handover);
    r->handover = (struct handover){0};
}

uint64_t matcher_count_settled(const struct matcher *r, enum settled_by reason)
{
    uint64_t count = 0;
    vec_each (&r->news, news) {
        count += news->reported == 0 && (news->settled >> reason & 1) != 0;
    }
    return count;
}

/* The results so far about the couples of this sort. */
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

/* A window cannot tell which versions are asked for behind it. Captures with versions are short:
 * they are asked as a whole. */
static bool looks_around(const struct matcher *r, const struct sketch *sketch)
{
    const struct frame *f = sketch->frame;
    return r->options.looks_around && f->version_first == f->hb.sections.lock_count;
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
    casts_build(&p->casts, &p->sites, &r->sorts, rule);
}

static void pass_end(struct pass *p)
{
    casts_release(&p->casts);
    asker_release(&p->asker);
    map_release(&p->tried);
    sites_release(&p->sites);
}

/* ---- positions ---- */

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

/* A couple, the accesses that might interrupt it, and the pattern that would result. */
struct candidate {
    const struct couple *couple;
    const struct couple *rounds; /* the one that belongs to two operations; NULL: none */
    enum settled_by settled;
    bool is_apart; /* so are all couples of its sort */
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
    return p->r->options.reports_all ? 0 : news_of(p->r, c->sort)->reported;
}

/* False when nobody wants to hear of this execution. */
static bool report(struct pass *p, const struct candidate *c)
{
    const struct question *q = &p->asker.question;
    struct match m = {.pattern = c->pattern,
                      .place_count = q->place_count,
                      .settled = c->settled,
                      .is_rounds = c->rounds != NULL,
                      .model = p->asker.model,
                      .decider = p->asker.decider};
    for (uint32_t i = 0; i < q->place_count; i++) {
        m.places[i] = q->places[i];
    }
    must(q->place_count <= QUESTION_PLACES_MAX);
    order_places(p, &m);
    if (p->r->options.accepts != NULL && !p->r->options.accepts(p->r->options.context, &m)) {
        return false;
    }
    struct couple_news *news = news_of(p->r, c->couple->sort);
    news->reported = (uint16_t)(news->reported | bit(c->pattern));
    p->r->options.found(p->r->options.context, &m);
    return true;
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

/* Looks up earlier results before the first question. */
static void sorted_begin(const struct pass *p, struct sorted *s)
{
    const uint32_t *tried = map_get(&p->tried, sorted_key(s));
    s->tried = tried == NULL ? 0 : *tried;
    s->is_done = p->r->options.reports_all && map_get(&p->r->found, sorted_key(s)) != NULL;
    s->is_begun = true;
}

/* Keeps the results. */
static void sorted_end(struct pass *p, const struct sorted *s)
{
    must(!s->is_found || s->tried > 0);
    if (s->tried > 0 && !s->is_found) {
        map_put(&p->tried, sorted_key(s), s->tried);
    }
    if (s->is_found && p->r->options.reports_all) {
        map_put(&p->r->found, sorted_key(s), 1);
    }
}

/* Asks, and reports the pattern found. */
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
    if (c->settled != SETTLED_NOT && !r->options.keeps_settled) {
        struct couple_news *news = news_of(r, c->couple->sort);
        news->settled = (uint16_t)(news->settled | 1u << c->settled);
        s->is_done |= c->is_apart;
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
    if (decision == DECIDE_YES && report(p, c)) {
        s->is_done = true;
        s->is_found = true;
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

/* A conflict as a pattern has it. */
struct conflict {
    event_id before, after;
};

/* A pattern's two conflicts: whether the order of one of them, as the pattern has it, is settled,
 * or cannot be because the block was not published yet. */
static enum settled_by conflicts_settled(const struct pass *p, const struct conflict conflicts[2])
{
    const struct settled *s = &p->sketch->frame->settled;
    for (int i = 0; i < 2; i++) {
        const enum settled_by order = settled_order(s, conflicts[i].before, conflicts[i].after);
        if (order != SETTLED_NOT) {
            return order;
        }
        if (s->is_private[conflicts[i].after]) {
            return SETTLED_PUBLICATION;
        }
        if (s->is_freeing[conflicts[i].before] || s->is_freeing[conflicts[i].after]) {
            return SETTLED_FREE;
        }
    }
    return SETTLED_NOT;
}

/* The order of handing over, built when it is first asked for. */
static struct handover *handover_of(struct pass *p)
{
    struct handover *h = &p->r->handover;
    if (h->f != p->sketch->frame) {
        handover_release(h);
        handover_build(h, p->sketch->frame);
    }
    return h;
}

/* Whether handing a block over keeps one conflict from going as the pattern has it, or makes both
 * go so. */
static bool are_handed_over(struct pass *p, const struct conflict conflicts[2])
{
    const struct frame *f = p->sketch->frame;
    uint32_t variables[2] = {VARIABLE_NONE, VARIABLE_NONE}; /* those that are handed over */
    for (int i = 0; i < 2; i++) {
        const uint32_t variable = p->sketch->variables[i];
        if (variable != VARIABLE_NONE && handover_concerns(f, variable)) {
            variables[i] = variable;
        }
    }
    if (variables[0] == VARIABLE_NONE && variables[1] == VARIABLE_NONE) {
        return false;
    }
    struct handover *h = handover_of(p);
    bool is_fixed = true;
    for (int i = 0; i < 2; i++) {
        if (handover_is_before(h, conflicts[i].after, conflicts[i].before, variables)) {
            return true;
        }
    }
    for (int i = 0; i < 2 && is_fixed; i++) {
        is_fixed = handover_is_before(h, conflicts[i].before, conflicts[i].after, variables);
    }
    return is_fixed;
}

/* Why a candidate is left out, where the program means its pattern. */
static enum settled_by settled_by(struct pass *p, const struct conflict conflicts[2])
{
    const enum settled_by settled = conflicts_settled(p, conflicts);
    return settled != SETTLED_NOT          ? settled
           : are_handed_over(p, conflicts) ? SETTLED_HANDOVER
                                           : SETTLED_NOT;
}

/* An access that always comes between is left out. Returns the reason why the candidate is left
 * out. */
static enum settled_by try_between(struct pass *p, const struct couple *c, uint32_t single,
                                   struct sorted *sorted)
{
    const struct site *s = site_at(p, single);
    const event_id first = site_at(p, c->first)->event;
    const event_id second = site_at(p, c->second)->event;
    if (!p->r->options.keeps_forced && is_before(p, first, s->event) &&
        is_before(p, s->event, second)) {
        return SETTLED_NOT;
    }
    const struct conflict conflicts[] = {{first, s->event}, {s->event, second}};
    const bool is_apart = c->apart != SETTLED_NOT;
    const enum settled_by settled = is_apart ? c->apart
                                    : apart_are_updates(&p->sites, c, single)
                                        ? SETTLED_ACTIONS
                                        : settled_by(p, conflicts);
    const struct candidate candidate = {
        .couple = c,
        .rounds = c->is_rounds ? c : NULL,
        .settled = settled,
        .is_apart = is_apart,
        .pattern = p->pattern(p, c, s),
        .inquiry = {.accesses = {c->first, single, c->second},
                    .access_count = 3,
                    .orders = {{0, 1}, {1, 2}},
                    .order_count = 2},
    };
    ask(p, &candidate, sorted);
    return settled;
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
        if (try_between(p, c, other->singles[i], sorted) == SETTLED_HANDOVER &&
            other->events[i] > second) {
            break; /* later accesses of that task are handed over as well */
        }
    }
    for (uint32_t i = middle; i-- > s.first && is_open(p, sorted);) {
        if (try_between(p, c, other->singles[i], sorted) == SETTLED_HANDOVER) {
            break; /* and so are earlier ones */
        }
    }
}

/* Whether the couples of this sort are left out, and have been counted as such. */
static bool is_left_out(const struct pass *p, const struct couple *c)
{
    const struct match_options *o = &p->r->options;
    const struct couple_news *news = news_of(p->r, c->sort);
    return (c->is_rounds && !o->keeps_rounds && news->is_rounds) ||
           (c->apart != SETTLED_NOT && !o->keeps_settled && (news->settled >> c->apart & 1) != 0);
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
    for (uint32_t kind = 0; kind < CAST_KINDS; kind++) {
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
    const struct cast *cast = &p->casts.list[thread];
    for (uint32_t i = 0; i < cast->couple_groups.kind_first[CAST_KINDS]; i++) {
        match_couples(p, cast, cast->couple_groups.list[i], &p->casts.list[other]);
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

/* Whether one of a pattern's conflicts is between two updates, which may change places. */
static bool have_updates(const struct pass *p, const struct couple *c, const struct couple *d,
                         bool is_x2_first)
{
    const struct sites *s = &p->sites;
    return (apart_is_update(s, c->first, false) &&
            apart_is_update(s, is_x2_first ? d->first : d->second, !is_x2_first)) ||
           (apart_is_update(s, is_x2_first ? d->second : d->first, is_x2_first) &&
            apart_is_update(s, c->second, true));
}

static enum settled_by try_pair(struct pass *p, const struct couple *c, const struct couple *d,
                                struct sorted *sorted)
{
    const struct four f = four_of(p, c, d);
    if (!p->r->options.keeps_forced && is_before(p, f.x1->event, f.x2->event) &&
        is_before(p, f.y2->event, f.y1->event)) {
        return SETTLED_NOT;
    }
    const struct conflict conflicts[] = {{f.x1->event, f.x2->event}, {f.y2->event, f.y1->event}};
    const uint32_t x2 = f.is_x2_first ? d->first : d->second;
    const uint32_t y2 = f.is_x2_first ? d->second : d->first;
    const enum settled_by apart = c->apart != SETTLED_NOT ? c->apart : d->apart;
    const enum settled_by settled = apart != SETTLED_NOT ? apart
                                    : have_updates(p, c, d, f.is_x2_first)
                                        ? SETTLED_ACTIONS
                                        : settled_by(p, conflicts);
    const struct candidate candidate = {
        .couple = c,
        .is_apart = apart != SETTLED_NOT,
        .rounds = c->is_rounds   ? c
                  : d->is_rounds ? d
                                 : NULL,
        .settled = settled,
        .pattern = pattern_of(&f),
        .inquiry = {.accesses = {c->first, x2, y2, c->second},
                    .access_count = 4,
                    .orders = {{0, f.is_x2_first ? 1 : 2}, {2, 3}},
                    .order_count = 2},
    };
    ask(p, &candidate, sorted);
    return settled;
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
        if (try_pair(p, c, &other->couples[i], sorted) == SETTLED_HANDOVER &&
            other->firsts[i] > f.y1->event) {
            break; /* later accesses of that task are handed over as well */
        }
    }
    for (uint32_t i = middle; i-- > d.first && is_open(p, sorted);) {
        if (try_pair(p, c, &other->couples[i], sorted) == SETTLED_HANDOVER &&
            other->seconds[i] < f.x1->event) {
            break; /* and so are earlier ones */
        }
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
    for (uint32_t kind = 0; kind < CAST_KINDS; kind++) {
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
    const struct cast *cast = &p->casts.list[thread];
    for (uint32_t i = 0; i < cast->couple_groups.kind_first[CAST_KINDS]; i++) {
        match_pair_couples(p, cast, cast->couple_groups.list[i], &p->casts.list[other]);
    }
}

/* Where a cycle of conflicts was found for a couple, its stale read is not reported too. A task
 * that has overwritten the variable goes on from its own value; overwriting another task's value is
 * a pattern of one variable. */
static enum violation pattern_stale(const struct pass *p, const struct couple *c,
                                    const struct site *s)
{
    const struct site *a = site_at(p, c->first);
    const struct site *b = site_at(p, c->second);
    return !a->is_write && s->is_write && b->is_write && a->which == s->which &&
                   !c->is_overwritten && !news_of(p->r, c->sort)->is_paired
               ? VIOLATION_STALE
               : VIOLATION_NONE;
}

void match_pair(struct matcher *r, const struct sketch *sketch)
{
    struct pass p;
    pass_begin(&p, r, sketch, COUPLES_OF_BOTH);
    match_all(&p, match_pairs);
    p.pattern = pattern_stale;
    if (!r->options.skips_stale) {
        match_all(&p, match_between);
    }
    pass_end(&p);
}
