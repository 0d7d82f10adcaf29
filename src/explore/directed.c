/* Runs that go straight to where tasks meet (docs/theory/explore.md, "directed").
 *
 * The first run is the default. It shows hold points: accesses to words that several tasks
 * use at the same time, and acquisitions of locks that several use. An aim is made of hold points:
 *
 *     hold     every operation at a place, of all tasks, waits until nobody else can go on: with
 *              a hundred tasks, all of them stand there at once
 *     triple   of two hold points that a task passes one after the other, the first comes before
 *              operations that conflict with it, then the second waits: others come between
 *     pair     of a write and a read of one word at two places, both wait: tasks stand at both at
 *              once, and either may come first (Sen, PLDI 2008)
 *     turns    of two such pairs, by which two tasks read the values of each other, the read and
 *              the write of each alternate: each reads all values of the other, and none twice
 *     reads    a read at one place finds the value of a write at another, which no run has shown
 *     predict  an aim that the predictor derives from the trace of a run (search_options.predict)
 *
 * The rest of a run is up to partial order sampling or to the default order; runs without an aim,
 * which sample, are by turns of that and of the selectively uniform random walk. Of each kind, each
 * aim is tried once before any is tried twice; later tries of a hold are of some of the tasks, or
 * begin later. Runs that showed a read from a write as no run before are kept with their wishes,
 * and wishes are added to and taken from them. */
#include "explore/directed.h"

#include <stddef.h>

#include "base/map.h"
#include "base/mem.h"
#include "explore/shared_objects.h"
#include "pick/operation_name.h"
#include "wire/must.h"
#include "wire/prng.h"

enum { HOLDS_FIRST = 10, TRACES_MAX = 4, TRACE_STEPS_MAX = 4000, KEPT_MAX = 64, TOLD_MAX = 256 };

/* A prediction, or a reading that no run has shown, is given up after TRIES_MAX tries. */
enum { TRIES_MAX = 4 };

/* How often something was tried, and how often it can be seen in a run. */
struct trial {
    uint32_t tried;
    uint32_t seen; /* operations there in one run, at most */
};

struct hold {
    struct trial trial;
    uint64_t place;
    uint64_t tasks; /* who was there: bit number % 64 */
};

struct triple {
    struct trial trial;
    struct pick_operation first;
    uint64_t second; /* place */
};

/* The places of a write and of a read of one word. */
struct reading {
    struct trial trial;
    uint64_t write, read;
    uint32_t pair_tried; /* how often both were held */
    uint32_t turn_tried; /* how often they took turns */
    bool is_shown;       /* some run had it */
};

/* A place from where a word is read or written, in a list of those of the word. */
struct user {
    uint64_t place;
    uint32_t next; /* plus one; 0: no more */
};

struct told {
    struct trial trial;
    struct aim aim;
};

struct directed {
    struct search_options options;
    struct shared shared;
    struct prng prng;
    uint64_t run_count;     /* that it planned */
    uint64_t ways_run[8];   /* of them, by enum way */
    VEC(struct hold) holds; /* in the order in which runs showed them, like all below */
    VEC(struct triple) triples;
    VEC(struct reading) readings;
    VEC(struct told) told;
    struct map hold_of;    /* place -> hold */
    struct map triple_of;  /* both places -> triple */
    struct map reading_of; /* both places -> reading */
    struct map told_of;    /* hash of an aim -> its index */
    /* Of the run that is looked at. */
    struct map last;    /* task -> the step of its last hold point */
    struct map times;   /* place or pair -> how often */
    struct map written; /* word -> the place of the last write */
    struct aims predicted;
    struct trace trace;
    uint32_t trace_count;
    bool is_traced; /* the run under way is */
    VEC(struct user) users;
    struct map is_user;    /* (word, place, whether it writes) -> 1 */
    struct map writers_of; /* word -> its first user that writes, plus one; likewise: */
    struct map readers_of;
    struct aim planned; /* of the run under way */
    struct aim kept[KEPT_MAX];
    uint32_t kept_count, kept_next;
};

/* `choose` reads the trial at the begin of each. */
_Static_assert(offsetof(struct hold, trial) == 0, "a trial begins a hold");
_Static_assert(offsetof(struct triple, trial) == 0, "a trial begins a triple");
_Static_assert(offsetof(struct told, trial) == 0, "a trial begins a prediction");

struct directed *directed_new(const struct search_options *o)
{
    struct directed *d = mem_zero(1, sizeof *d);
    d->options = *o;
    prng_init(&d->prng, name_join(o->seed, o->is_helping));
    trace_init(&d->trace);
    return d;
}

void directed_free(struct directed *d)
{
    shared_release(&d->shared);
    vec_release(&d->holds);
    vec_release(&d->triples);
    vec_release(&d->readings);
    vec_release(&d->told);
    map_release(&d->hold_of);
    map_release(&d->triple_of);
    map_release(&d->reading_of);
    map_release(&d->told_of);
    map_release(&d->last);
    map_release(&d->times);
    map_release(&d->written);
    vec_release(&d->users);
    map_release(&d->is_user);
    map_release(&d->writers_of);
    map_release(&d->readers_of);
    vec_release(&d->predicted.list);
    trace_release(&d->trace);
    mem_free(d);
}

bool directed_has_aims(const struct directed *d)
{
    return d->holds.count > 0;
}

uint32_t directed_word_count(const struct directed *d)
{
    return d->shared.word_count;
}

void directed_narrow(const struct directed *d, struct plan *p)
{
    shared_narrow(&d->shared, d->options.seed | 1, &p->pick);
    shared_deepen(&d->shared, &p->pick);
}

/* Observations of a run */

static void see(struct directed *d, struct trial *t, uint64_t key)
{
    const uint32_t times = ++*map_slot(&d->times, key, 0, NULL);
    t->seen = times > t->seen ? times : t->seen;
}

static void see_hold(struct directed *d, const struct pick_operation *o)
{
    bool is_new = false;
    const uint32_t at = *map_slot(&d->hold_of, o->place, (uint32_t)d->holds.count, &is_new);
    if (is_new) {
        vec_push(&d->holds, (struct hold){.place = o->place});
    }
    vec_at(&d->holds, at)->tasks |= UINT64_C(1) << o->task % 64;
    see(d, &vec_at(&d->holds, at)->trial, o->place);
}

static void see_triple(struct directed *d, const struct pick_operation *first,
                       const struct pick_operation *second)
{
    const uint64_t pair = name_join(first->place, second->place);
    bool is_new = false;
    const uint32_t at = *map_slot(&d->triple_of, pair, (uint32_t)d->triples.count, &is_new);
    if (is_new) {
        vec_push(&d->triples, (struct triple){.first = *first, .second = second->place});
    }
    struct triple *t = vec_at(&d->triples, at);
    see(d, &t->trial, pair);
    /* One of the occurrences is opened, drawn uniformly. */
    if (t->trial.tried > 0 && prng_below(&d->prng, *map_get(&d->times, pair)) == 0) {
        t->first = *first;
    }
}

/* A read at one place of the value of a write at another; true when no run had it before. */
static bool see_reading(struct directed *d, uint64_t write, uint64_t read, bool is_shown)
{
    bool is_new = false;
    const uint64_t pair = name_join(read, write);
    const uint32_t at = *map_slot(&d->reading_of, pair, (uint32_t)d->readings.count, &is_new);
    if (is_new) {
        vec_push(&d->readings, (struct reading){.write = write, .read = read});
    }
    struct reading *r = vec_at(&d->readings, at);
    const bool is_news = is_shown && !r->is_shown;
    r->is_shown = r->is_shown || is_shown;
    return is_news;
}

/* A place from where the word is written, or read: pairs of it with all that read, or write. */
static void see_user(struct directed *d, uint64_t word, uint64_t place, bool writes)
{
    bool is_new = false;
    (void)map_slot(&d->is_user, name_mix(name_mix(word, place), writes), 1, &is_new);
    if (!is_new) {
        return;
    }
    const uint32_t *others = map_get(writes ? &d->readers_of : &d->writers_of, word);
    for (uint32_t i = others == NULL ? 0 : *others; i != 0; i = d->users.at[i - 1].next) {
        const uint64_t other = d->users.at[i - 1].place;
        (void)see_reading(d, writes ? place : other, writes ? other : place, false);
    }
    uint32_t *first = map_slot(writes ? &d->writers_of : &d->readers_of, word, 0, NULL);
    vec_push(&d->users, (struct user){.place = place, .next = *first});
    *first = (uint32_t)d->users.count;
}

/* An access, by the word of its first byte. */
static bool see_access(struct directed *d, const struct pick_operation *o)
{
    const uint64_t word = pick_point_of_word(o->region, o->begin / 8);
    uint32_t *last = map_slot(&d->written, word, 0, NULL);
    bool is_news = false;
    const bool reads = o->kind != EVENT_WRITE && o->kind != EVENT_ATOMIC_STORE;
    if (reads && *last != 0) {
        is_news = see_reading(d, d->holds.at[*last - 1].place, o->place, true);
    }
    if ((o->writes & 1) != 0) {
        *last = *map_get(&d->hold_of, o->place) + 1;
        see_user(d, word, o->place, true);
    }
    if (reads) {
        see_user(d, word, o->place, false);
    }
    return is_news;
}

/* True when the run showed a read from a write that no run before had. */
static bool scan(struct directed *d, const struct execution *x)
{
    bool is_news = false;
    map_clear(&d->last);
    map_clear(&d->times);
    map_clear(&d->written);
    for (uint32_t i = 0; i < x->steps.count; i++) {
        const struct pick_operation *o = &x->steps.at[i].operation;
        if (o->place == 0 || !shared_has(&d->shared, o)) {
            continue;
        }
        see_hold(d, o);
        if (o->is_access && o->region != 0 && o->end != UINT32_MAX) {
            is_news = see_access(d, o) || is_news;
        }
        bool is_first = false;
        uint32_t *last = map_slot(&d->last, o->task, i, &is_first);
        if (!is_first) {
            see_triple(d, &x->steps.at[*last].operation, o);
            *last = i;
        }
    }
    return is_news;
}

static uint64_t aim_hash(const struct aim *a)
{
    uint64_t hash = a->wish_count;
    for (uint32_t i = 0; i < a->wish_count; i++) {
        const struct pick_wish *w = &a->wishes[i];
        hash = name_mix(name_mix(name_mix(hash, w->kind), w->first), w->second);
    }
    return hash;
}

static void ask_predictor(struct directed *d, const struct execution *x)
{
    trace_seal(&d->trace);
    vec_clear(&d->predicted.list);
    d->options.predict(&d->trace, x, &d->predicted);
    vec_each (&d->predicted.list, aim) {
        must(aim->wish_count <= AIM_WISHES_MAX);
        bool is_new = false;
        (void)map_slot(&d->told_of, aim_hash(aim), (uint32_t)d->told.count, &is_new);
        if (is_new && d->told.count < TOLD_MAX) {
            vec_push(&d->told, (struct told){.aim = *aim});
        }
    }
    trace_release(&d->trace);
    trace_init(&d->trace);
}

static void keep(struct directed *d)
{
    d->kept[d->kept_next] = d->planned;
    d->kept_next = (d->kept_next + 1) % KEPT_MAX;
    d->kept_count += d->kept_count < KEPT_MAX;
    must(d->kept_next < KEPT_MAX && d->kept_count <= KEPT_MAX);
}

void directed_learn(struct directed *d, const struct execution *x)
{
    if (shared_learn(&d->shared, x) && scan(d, x) && d->planned.wish_count > 0) {
        keep(d);
    }
    if (d->is_traced && x->event_steps.count > 0) {
        ask_predictor(d, x);
    }
    d->is_traced = false;
    d->planned.wish_count = 0;
}

/* The choice of an aim */

/* The one that was tried least; of these the first, or the one that is seen least often. The trials
 * are the first member of each of the structs, so many bytes apart. */
static uint32_t choose(const void *trials, size_t count, size_t size, bool is_by_rarity)
{
    const char *at = trials;
    uint32_t chosen = 0;
    for (uint32_t i = 1; i < count; i++) {
        const struct trial *own = (const void *)(at + i * size);
        const struct trial *best = (const void *)(at + chosen * size);
        if (own->tried < best->tried ||
            (own->tried == best->tried && is_by_rarity && own->seen < best->seen)) {
            chosen = i;
        }
    }
    return chosen;
}

#define CHOOSE(v, is_by_rarity) \
    vec_at(v, choose((v)->at, (v)->count, sizeof *(v)->at, is_by_rarity))

static void wish(struct directed *d, const struct pick_wish *w)
{
    if (d->planned.wish_count < AIM_WISHES_MAX) {
        d->planned.wishes[d->planned.wish_count++] = *w;
    }
}

static enum pick_strategy aim_hold(struct directed *d, bool is_by_rarity)
{
    struct hold *h = CHOOSE(&d->holds, is_by_rarity);
    must(h->trial.seen > 0);
    struct pick_wish w = {.kind = PICK_HOLD, .second = h->place};
    if (h->trial.tried >= 1) {
        w.tasks_seed = prng_next(&d->prng) | 1;
    }
    if (h->trial.tried >= 2 && prng_below(&d->prng, 2) == 0) {
        w.skip = (uint32_t)prng_below(&d->prng, h->trial.seen);
    }
    wish(d, &w);
    h->trial.tried++;
    return PICK_POS;
}

static enum pick_strategy aim_triple(struct directed *d, bool is_by_rarity)
{
    struct triple *t = CHOOSE(&d->triples, is_by_rarity);
    wish(d, &(struct pick_wish){.kind = PICK_EARLY, .first = t->first.name, .operation = t->first});
    wish(d, &(struct pick_wish){.kind = PICK_BETWEEN, .first = t->first.name, .second = t->second});
    return t->trial.tried++ % 2 == 0 ? PICK_POS : PICK_FIRST;
}

/* The reading that no run has shown, which was tried least; NULL when none was tried fewer than
 * TRIES_MAX times: most of those that are left cannot be. */
static struct reading *find_reading(const struct directed *d)
{
    struct reading *best = NULL;
    vec_each (&d->readings, r) {
        const bool is_better = r->trial.tried < (best == NULL ? TRIES_MAX : best->trial.tried);
        best = !r->is_shown && r->write != r->read && is_better ? r : best;
    }
    return best;
}

static enum pick_strategy aim_reading(struct directed *d)
{
    struct reading *r = find_reading(d);
    r->trial.tried++;
    wish(d, &(struct pick_wish){.kind = PICK_READS, .first = r->write, .second = r->read});
    return PICK_POS;
}

/* The places of a write and of a read that were held together least often; NULL: there are none. */
static struct reading *find_pair(const struct directed *d)
{
    struct reading *best = NULL;
    vec_each (&d->readings, r) {
        const bool is_better = best == NULL || r->pair_tried < best->pair_tried;
        best = r->write != r->read && is_better ? r : best;
    }
    return best;
}

/* A place of a pair; later tries begin to hold it later. */
static void wish_held(struct directed *d, uint64_t place, bool is_first_try)
{
    const struct hold *h = vec_at(&d->holds, *map_get(&d->hold_of, place));
    const uint64_t skip = is_first_try ? 0 : prng_below(&d->prng, h->trial.seen);
    wish(d, &(struct pick_wish){.kind = PICK_HOLD, .second = place, .skip = (uint32_t)skip});
}

static enum pick_strategy aim_pair(struct directed *d)
{
    struct reading *r = find_pair(d);
    wish_held(d, r->write, r->pair_tried == 0);
    wish_held(d, r->read, r->pair_tried == 0);
    r->pair_tried++;
    return PICK_POS;
}

/* A search for turns looks at so many readings: they may be thousands. */
enum { TURNS_LOOKED = 128 };

static uint64_t tasks_at(const struct directed *d, uint64_t place)
{
    return vec_at(&d->holds, *map_get(&d->hold_of, place))->tasks;
}

/* Whether one of two tasks does the write of the first reading and the read of the second, and the
 * other the rest. */
static bool answers(const struct directed *d, const struct reading *a, const struct reading *b)
{
    const uint64_t one = tasks_at(d, a->write) & tasks_at(d, b->read);
    const uint64_t other = tasks_at(d, a->read) & tasks_at(d, b->write);
    const uint64_t both = one | other;
    return a != b && a->write != a->read && b->write != b->read && one != 0 && other != 0 &&
           (both & (both - 1)) != 0;
}

/* Two readings that answer each other, of those that took turns least often. */
struct turns {
    struct reading *first, *second; /* NULL: there are none */
};

static struct turns find_turns(const struct directed *d)
{
    struct turns best = {NULL, NULL};
    const size_t count = d->readings.count < TURNS_LOOKED ? d->readings.count : TURNS_LOOKED;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = i + 1; k < count; k++) {
            struct reading *a = &d->readings.at[i];
            struct reading *b = &d->readings.at[k];
            const bool is_better =
                best.first == NULL ||
                a->turn_tried + b->turn_tried < best.first->turn_tried + best.second->turn_tried;
            best = is_better && answers(d, a, b) ? (struct turns){a, b} : best;
        }
    }
    return best;
}

static enum pick_strategy aim_turns(struct directed *d)
{
    const struct turns t = find_turns(d);
    const struct reading *readings[] = {t.first, t.second};
    /* One of the two begins. */
    const uint32_t late = (uint32_t)prng_below(&d->prng, 2);
    for (uint32_t i = 0; i < 2; i++) {
        const struct reading *r = readings[i];
        wish(d, &(struct pick_wish){.kind = PICK_TURNS,
                                    .first = i == late ? r->write : r->read,
                                    .second = i == late ? r->read : r->write});
    }
    t.first->turn_tried++;
    t.second->turn_tried++;
    return PICK_POS;
}

/* The prediction that was tried least; NULL when each was tried TRIES_MAX times. */
static struct told *find_told(const struct directed *d)
{
    struct told *t = d->told.count == 0 ? NULL : CHOOSE(&d->told, false);
    return t != NULL && t->trial.tried < TRIES_MAX ? t : NULL;
}

static enum pick_strategy aim_told(struct directed *d)
{
    struct told *t = find_told(d);
    for (uint32_t i = 0; i < t->aim.wish_count; i++) {
        wish(d, &t->aim.wishes[i]);
    }
    return t->trial.tried++ % 2 == 0 ? PICK_POS : PICK_FIRST;
}

/* A run that was kept, with a wish more or less. */
static enum pick_strategy vary(struct directed *d)
{
    d->planned = d->kept[prng_below(&d->prng, d->kept_count)];
    const uint64_t way = prng_below(&d->prng, 4);
    if (way == 0 && d->planned.wish_count > 1) {
        d->planned.wishes[prng_below(&d->prng, d->planned.wish_count)] =
            d->planned.wishes[d->planned.wish_count - 1];
        d->planned.wish_count--;
    } else if (way == 1 && d->triples.count > 0) {
        (void)aim_triple(d, true);
    } else if (way < 3) {
        (void)aim_hold(d, true);
    }
    return PICK_POS;
}

enum way {
    WAY_TRIPLE,
    WAY_HOLD,
    WAY_SAMPLE,
    WAY_TOLD,
    WAY_READING,
    WAY_PAIR,
    WAY_TURNS,
    WAY_VARY,
    WAY_COUNT
};

_Static_assert(sizeof((struct directed *)NULL)->ways_run /
                       sizeof *((struct directed *)NULL)->ways_run >=
                   WAY_COUNT,
               "a count for each way");

static bool is_possible(const struct directed *d, enum way way)
{
    switch (way) {
    case WAY_TRIPLE: return d->triples.count > 0;
    case WAY_HOLD: return d->holds.count > 0;
    case WAY_TOLD: return find_told(d) != NULL;
    case WAY_READING: return find_reading(d) != NULL;
    case WAY_PAIR: return find_pair(d) != NULL;
    case WAY_TURNS: return find_turns(d).first != NULL;
    case WAY_VARY: return d->kept_count > 0;
    case WAY_SAMPLE:
    case WAY_COUNT: return true;
    }
    return false;
}

static bool has_fresh(const struct directed *d, enum way way)
{
    if (way == WAY_TOLD) {
        vec_each (&d->told, t) {
            if (t->trial.tried == 0 && t->aim.is_deadlock) {
                return true;
            }
        }
        return false;
    }
    vec_each (&d->holds, h) {
        if (h->trial.tried == 0) {
            return true;
        }
    }
    return false;
}

/* The first runs try predicted deadlocks, then each place; later ones take turns. */
static enum way choose_way(struct directed *d, uint64_t run)
{
    if (run < HOLDS_FIRST && has_fresh(d, WAY_TOLD)) {
        return WAY_TOLD;
    }
    if (run == 3 || run == 7) {
        return WAY_SAMPLE;
    }
    if (run < HOLDS_FIRST && has_fresh(d, WAY_HOLD)) {
        return WAY_HOLD;
    }
    /* Triples and samples find most of the bugs that the first runs miss, each finds others. */
    static const enum way turns[] = {WAY_TRIPLE, WAY_SAMPLE, WAY_PAIR, WAY_SAMPLE, WAY_TRIPLE,
                                     WAY_SAMPLE, WAY_TOLD,   WAY_HOLD, WAY_SAMPLE, WAY_VARY};
    enum way way = turns[run % (sizeof turns / sizeof *turns)];
    /* Of three pairs, the second takes turns. */
    if (way == WAY_PAIR && run / 10 % 3 == 2 && is_possible(d, WAY_TURNS)) {
        return WAY_TURNS;
    }
    if (way == WAY_TOLD && !is_possible(d, way)) {
        way = WAY_READING;
    }
    return is_possible(d, way) ? way : WAY_SAMPLE;
}

static enum pick_strategy aim(struct directed *d, enum way way, bool is_by_rarity)
{
    switch (way) {
    case WAY_TRIPLE: return aim_triple(d, is_by_rarity);
    case WAY_HOLD: return aim_hold(d, is_by_rarity);
    case WAY_TOLD: return aim_told(d);
    case WAY_VARY: return vary(d);
    case WAY_READING: return aim_reading(d);
    case WAY_PAIR: return aim_pair(d);
    case WAY_TURNS: return aim_turns(d);
    case WAY_SAMPLE: return d->ways_run[WAY_SAMPLE] % 2 == 1 ? PICK_POS : PICK_SURW;
    case WAY_COUNT: return PICK_POS;
    }
    return PICK_POS;
}

void directed_next(struct directed *d, uint64_t seed, struct plan *p)
{
    *p = search_plan(&d->options);
    p->pick.seed = seed;
    d->planned.wish_count = 0;
    const uint64_t run = d->run_count++;
    if (d->options.predict != NULL && d->trace_count < TRACES_MAX) {
        d->trace_count++;
        d->is_traced = true;
        p->trace = &d->trace;
        p->trace_steps_max = TRACE_STEPS_MAX;
        p->skips_scopes = true; /* an aim is cheap: couples of two operations are tried too */
    }
    if (run == 0) {
        search_seed(&d->options, p);
        return;
    }
    directed_narrow(d, p);
    const enum way way = choose_way(d, run);
    const bool is_by_rarity = run >= HOLDS_FIRST && d->ways_run[way] % 2 == 1;
    d->ways_run[way]++;
    p->pick.strategy = aim(d, way, is_by_rarity);
    p->pick.wishes = d->planned.wishes;
    p->pick.wish_count = d->planned.wish_count;
}

/* As a search of its own */

struct directed_search {
    struct search search;
    struct directed *directed;
};

_Static_assert(offsetof(struct directed_search, search) == 0,
               "operations cast the search to its struct");

static bool next(struct search *search, uint64_t run_index, struct plan *p)
{
    struct directed_search *s = (struct directed_search *)search;
    directed_next(s->directed, name_join(search->options.seed, run_index + 1), p);
    return true;
}

static void learn(struct search *search, const struct plan *p, struct execution *x)
{
    (void)p;
    directed_learn(((struct directed_search *)search)->directed, x);
}

static bool is_complete(const struct search *search)
{
    (void)search;
    return false;
}

static uint32_t words(const struct search *search)
{
    return directed_word_count(((const struct directed_search *)search)->directed);
}

static void free_search(struct search *search)
{
    directed_free(((struct directed_search *)search)->directed);
    mem_free(search);
}

struct search *search_directed(const struct search_options *o)
{
    static const struct search_ops ops = {.next = next,
                                          .learn = learn,
                                          .is_complete = is_complete,
                                          .free = free_search,
                                          .words = words};
    struct directed_search *s = mem_zero(1, sizeof *s);
    s->search = (struct search){.ops = &ops, .options = *o};
    s->directed = directed_new(o);
    return &s->search;
}
