#include "race/sound/sync_preserving.h"

#include "base/mem.h"
#include "race/access_classes.h"
#include "race/linearize.h"
#include "race/sound/closure.h"
#include "race/triple_map.h"
#include "race/worker_pool.h"
#include "wire/kind.h"
#include "wire/must.h"

/* How many accesses of a task at one place are remembered: those of one epoch of the task differ in
 * nothing but how late they are, and the last one is best; of different epochs each may be the one
 * that can be met. */
enum { SHOTS_MAX = 4 };

/* The cost of an event, for the budget. */
enum { CUT_STEPS = 8 };

/* An access that a later one may meet. */
struct shot {
    event_id event;
    uint32_t count;             /* its number in its task */
    uint32_t epoch;             /* of its task */
    struct cut_holding holding; /* the sections it was in */
    uint64_t dead_for;          /* tasks, of the first 64, that can never meet it again */
};

/* The accesses of one task at one place of a variable. Visited for every access to the variable, so
 * it is small. */
struct spot {
    uint32_t place;
    uint32_t cell;
    uint32_t next;  /* spot of the same cell */
    uint32_t count; /* number of its latest access in its task */
};

/* The latest accesses at a spot. */
struct shots {
    uint32_t count;
    struct shot list[SHOTS_MAX]; /* the latest first */
};

/* The spots of one task at one variable. */
struct cell {
    uint32_t task;
    uint32_t count; /* number of its latest access in its task */
    uint32_t spot;  /* first */
    uint32_t next;  /* cell of the same variable */
};

/* The latest messages that a task received at one place. */
struct arrival_place {
    uint32_t stream; /* name of the channel, 0 for messages */
    uint32_t next;   /* inbox of the same task */
    uint32_t message_count;
    uint32_t messages[SHOTS_MAX]; /* numbers in hb->messages, the latest first */
};

struct search {
    const struct hb *hb;
    const struct sound_options *options;
    struct cuts cuts;
    uint32_t *cut; /* the cut of the present question */
    bool is_over;  /* nobody wants to know more */
    const struct line *line;
    const uint32_t *rank; /* per event: one more than its place in the line, 0: not in it */
    bool extends_cuts;
    struct line_places places; /* with extends_cuts */
    uint32_t *more;            /* a cut */
    struct arena arena;

    VEC(uint32_t) cell_of; /* by variable: its first cell, CUT_NONE when it has none */
    VEC(struct cell) cells;
    VEC(struct spot) spots;
    VEC(struct shots) shots; /* by spot */
    struct triples spot_of;  /* (variable, task, place) */
    struct triples shown_of; /* (variable, place, place) */

    VEC(uint32_t) inbox_first; /* by task, CUT_NONE when it has none */
    VEC(struct arrival_place) inboxes;
    struct triples inbox_of;         /* (task, place, stream) */
    const uint32_t *address_of;      /* per receive, see pool_addresses */
    struct map worker_of;            /* (task, stream) to number */
    struct map pool_first;           /* address to its first inbox */
    struct triples pool_inbox_of;    /* (address, place, worker) */
    struct triples message_shown_of; /* (earlier receiver, place of send, place of receive) */
};

const char *sound_refusal(const struct hb *hb)
{
    return hb->trace->tables.order == ORDER_STAMPED && hb->reads == NULL
               ? "plain accesses have no stamps: which write a read saw is not known"
               : NULL;
}

/* Whether sections of one lock that exclude each other overlap in the list. */
static bool sections_overlap(const struct hb *hb)
{
    const struct sections *s = &hb->sections;
    for (uint32_t l = 0; l < s->lock_count; l++) {
        const struct lock *lock = &s->locks[l];
        event_id exclusive_end = 0; /* the latest end so far, of those that exclude all */
        event_id any_end = 0;
        for (uint32_t i = 0; i < lock->count && lock->is_contended; i++) {
            const struct section *section = &s->list[s->by_lock[lock->first + i]];
            if (i > 0 && section->begin < (section->is_shared ? exclusive_end : any_end)) {
                return true;
            }
            any_end = section->end > any_end ? section->end : any_end;
            if (!section->is_shared && section->end > exclusive_end) {
                exclusive_end = section->end;
            }
        }
    }
    return false;
}

bool sound_is_certain(const struct hb *hb)
{
    return hb->follows_list && !hb->has_dropped && !sections_overlap(hb);
}

/* Lets the cut hold all of the line before the pair, if it can. */
static void extend(struct search *s, const struct sound_pair *pair)
{
    const uint32_t earlier = pair->is_message || s->rank[pair->b] < s->rank[pair->a]
                                 ? s->rank[pair->b]
                                 : s->rank[pair->a];
    must(earlier > 0);
    for (uint32_t task = 0; task < s->cuts.tasks.count; task++) {
        s->more[task] = line_places_before(&s->places, task, earlier - 1);
    }
    (void)cuts_extend(&s->cuts, s->more, pair, s->cut);
}

static void report_race(struct search *s, bool is_message, event_id a, event_id b)
{
    if (s->extends_cuts) {
        extend(s, &(struct sound_pair){is_message, a, b});
    }
    const struct sound_race race = {.pair = {is_message, a, b}, .cut = s->cut};
    s->is_over |= !s->options->found(s->options->context, &race);
}

/* ---- accesses ---- */

static bool is_access(const struct event *e)
{
    return (access_is_plain(e) || access_is_atomic(e)) && e->object != 0;
}

/* The mark of a pair of places of a variable: 0 until it is shown. */
static uint32_t *shown(struct search *s, uint32_t variable, uint32_t a, uint32_t b)
{
    uint32_t *mark = triples_slot(&s->shown_of, variable, a < b ? a : b, a < b ? b : a);
    if (*mark == TRIPLE_ABSENT) {
        *mark = 0;
    }
    return mark;
}

/* The access being looked at. */
struct look {
    event_id event;
    uint32_t task, variable, place;
    uint32_t spot; /* its own */
    struct cut_holding holding;
    const uint32_t *known; /* its task's cut */
};

/* Asks whether the access can meet one at this spot; the latest come first. */
static void look_at_spot(struct search *s, const struct look *l, uint32_t id, uint32_t spot_task)
{
    const struct spot *spot = &s->spots.at[id];
    struct shots *shots = &s->shots.at[id];
    const uint64_t bit = l->task < 64 ? UINT64_C(1) << l->task : 0;
    for (uint32_t i = 0; i < shots->count; i++) {
        struct shot *shot = &shots->list[i];
        if (shot->count <= l->known[spot_task]) {
            return;
        }
        if ((shot->dead_for & bit) != 0) {
            continue;
        }
        /* A cut that once held the shot, or the beginning of a section that excludes its own, goes
         * on doing so as the task goes on. */
        if (cuts_holdings_exclude(&s->cuts, shot->holding, l->holding)) {
            shot->dead_for |= bit;
            continue;
        }
        uint32_t *mark = shown(s, l->variable, l->place, spot->place);
        if (*mark != 0) {
            return;
        }
        if (cuts_meet(&s->cuts, shot->event, l->event, s->cut)) {
            *mark = 1;
            report_race(s, false, shot->event, l->event);
            return;
        }
        shot->dead_for |= bit;
    }
}

static void look_around(struct search *s, const struct look *l)
{
    for (uint32_t id = s->cell_of.at[l->variable]; id != CUT_NONE; id = s->cells.at[id].next) {
        const struct cell *cell = &s->cells.at[id];
        if (cell->task == l->task || cell->count <= l->known[cell->task]) {
            continue;
        }
        for (uint32_t k = cell->spot; k != CUT_NONE; k = s->spots.at[k].next) {
            const struct spot *spot = &s->spots.at[k];
            if (spot->count > l->known[cell->task] && history_conflict(l->place, spot->place)) {
                look_at_spot(s, l, k, cell->task);
            }
        }
    }
}

static uint32_t cell_at(struct search *s, uint32_t variable, uint32_t task)
{
    uint32_t *first = &s->cell_of.at[variable];
    for (uint32_t id = *first; id != CUT_NONE; id = s->cells.at[id].next) {
        if (s->cells.at[id].task == task) {
            return id;
        }
    }
    const struct cell fresh = {.task = task, .spot = CUT_NONE, .next = *first};
    vec_push(&s->cells, fresh);
    *first = (uint32_t)(s->cells.count - 1);
    return *first;
}

static uint32_t spot_at(struct search *s, const struct look *l)
{
    uint32_t *id = triples_slot(&s->spot_of, l->variable, l->task, l->place);
    if (*id == TRIPLE_ABSENT) {
        const uint32_t cell = cell_at(s, l->variable, l->task);
        *id = (uint32_t)s->spots.count;
        const struct spot fresh = {.place = l->place, .cell = cell, .next = s->cells.at[cell].spot};
        vec_push(&s->spots, fresh);
        vec_push(&s->shots, (struct shots){0});
        s->cells.at[cell].spot = *id;
    }
    return *id;
}

static void remember(struct search *s, const struct look *l)
{
    const uint32_t count = s->cuts.count_of[l->event];
    s->spots.at[l->spot].count = count;
    s->cells.at[s->spots.at[l->spot].cell].count = count;
    struct shots *shots = &s->shots.at[l->spot];
    const uint32_t epoch = s->cuts.tasks.at[l->task].epoch;
    if (shots->count == 0 || shots->list[0].epoch != epoch) {
        shots->count += shots->count < SHOTS_MAX;
        for (uint32_t i = shots->count - 1; i > 0; i--) {
            shots->list[i] = shots->list[i - 1];
        }
    }
    shots->list[0] =
        (struct shot){.event = l->event, .count = count, .epoch = epoch, .holding = l->holding};
}

/* ---- messages ---- */

/* The message whose first receive this is, CUT_NONE when none's. */
static uint32_t message_of(const struct messages *m, event_id receive)
{
    size_t low = 0;
    size_t high = m->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (m->list[middle].receive < receive) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < m->count && m->list[low].receive == receive ? (uint32_t)low : CUT_NONE;
}

static const struct event *event_at(const struct search *s, event_id id)
{
    return &s->hb->trace->events.at[id];
}

/* Asks whether the later message could have been there when one of this inbox was received. */
static void look_into(struct search *s, const struct message *later,
                      const struct arrival_place *inbox)
{
    for (uint32_t i = 0; i < inbox->message_count; i++) {
        const struct message *earlier = &s->hb->messages.list[inbox->messages[i]];
        const bool is_one_stream = later->stream != 0 && later->stream == earlier->stream;
        if (is_one_stream || earlier->send == later->send) {
            continue;
        }
        uint32_t *mark = triples_slot(&s->message_shown_of, event_at(s, earlier->receive)->task,
                                      event_at(s, later->send)->location,
                                      event_at(s, earlier->receive)->location);
        *mark = *mark == TRIPLE_ABSENT ? 0 : *mark;
        if (*mark == 0 && cuts_follow(&s->cuts, later->send, earlier->receive, s->cut)) {
            *mark = 1;
            report_race(s, true, later->send, earlier->receive);
        }
    }
}

/* Puts the message into the inbox at this place, a new one of the list when there is none yet. */
static void put_into(struct search *s, uint32_t *place, uint32_t *first, uint32_t number)
{
    if (*place == TRIPLE_ABSENT) {
        *place = (uint32_t)s->inboxes.count;
        vec_push(&s->inboxes, (struct arrival_place){.stream = s->hb->messages.list[number].stream,
                                                     .next = *first});
        *first = *place;
    }
    struct arrival_place *inbox = &s->inboxes.at[*place];
    inbox->message_count += inbox->message_count < SHOTS_MAX;
    for (uint32_t i = inbox->message_count - 1; i > 0; i--) {
        inbox->messages[i] = inbox->messages[i - 1];
    }
    inbox->messages[0] = number;
}

/* The message against those that other tasks handled for the same address. */
static void receive_in_pool(struct search *s, event_id id, uint32_t number)
{
    const struct message *list = s->hb->messages.list;
    const uint32_t task = event_at(s, id)->task;
    const uint32_t address = s->address_of[id];
    uint32_t *first = map_slot(&s->pool_first, address, CUT_NONE, NULL);
    for (uint32_t k = *first; k != CUT_NONE; k = s->inboxes.at[k].next) {
        const struct arrival_place *inbox = &s->inboxes.at[k];
        if (event_at(s, list[inbox->messages[0]].receive)->task != task) {
            look_into(s, &list[number], inbox);
        }
    }
    const uint32_t worker = *map_slot(&s->worker_of, map_pair(task, list[number].stream),
                                      (uint32_t)s->worker_of.entries.count, NULL);
    put_into(s, triples_slot(&s->pool_inbox_of, address, event_at(s, id)->location, worker), first,
             number);
}

static void receive(struct search *s, event_id id)
{
    const uint32_t number = message_of(&s->hb->messages, id);
    if (number == CUT_NONE) {
        return;
    }
    const struct message *m = &s->hb->messages.list[number];
    const uint32_t task = event_at(s, id)->task;
    for (uint32_t k = s->inbox_first.at[task]; k != CUT_NONE; k = s->inboxes.at[k].next) {
        look_into(s, m, &s->inboxes.at[k]);
    }
    uint32_t *place = triples_slot(&s->inbox_of, task, event_at(s, id)->location, m->stream);
    put_into(s, place, &s->inbox_first.at[task], number);
    if (s->address_of != NULL && s->address_of[id] != 0) {
        receive_in_pool(s, id, number);
    }
}

/* ---- finding ---- */

static bool is_searchable(const struct hb *hb)
{
    return sound_refusal(hb) == NULL && hb->trace->tables.tasks.count <= SOUND_TASKS_MAX;
}

static const uint32_t *ranks_of(const struct line *line, size_t event_count, struct arena *a)
{
    uint32_t *rank = arena_array(a, uint32_t, event_count + 1);
    for (size_t i = 0; i < line->count; i++) {
        rank[line_at(line, i)] = (uint32_t)i + 1;
    }
    return rank;
}

static void search_init(struct search *s, const struct hb *hb, const struct line *line,
                        const struct sound_options *o)
{
    *s = (struct search){.hb = hb, .options = o, .line = line};
    s->rank = ranks_of(line, hb->trace->events.count, &s->arena);
    /* The list of a recording is no exact order: a read may stand before its write. */
    s->extends_cuts = o->extends_cuts && hb->reads == NULL;
    if (s->extends_cuts) {
        s->places = line_places_build(line, hb->trace, &s->arena);
        s->more = arena_array(&s->arena, uint32_t, hb->trace->tables.tasks.count + 1);
    }
    cuts_init(&s->cuts, hb);
    if (o->past_max != 0) {
        s->cuts.past_max = o->past_max;
    }
    s->cut = mem_zero(hb->trace->tables.tasks.count + 1, sizeof *s->cut);
    for (size_t i = 0; i < hb->trace->tables.tasks.count; i++) {
        vec_push(&s->inbox_first, CUT_NONE);
    }
}

static void search_release(struct search *s)
{
    vec_release(&s->cell_of);
    vec_release(&s->cells);
    vec_release(&s->spots);
    vec_release(&s->shots);
    triples_release(&s->spot_of);
    triples_release(&s->shown_of);
    vec_release(&s->inbox_first);
    vec_release(&s->inboxes);
    triples_release(&s->inbox_of);
    triples_release(&s->pool_inbox_of);
    map_release(&s->worker_of);
    map_release(&s->pool_first);
    triples_release(&s->message_shown_of);
    mem_free(s->cut);
    cuts_release(&s->cuts);
    arena_release(&s->arena);
}

static bool has_ended(struct search *s)
{
    return s->is_over || limit_is_over(s->options->watch, CUT_STEPS);
}

static void step(struct search *s, event_id id)
{
    const struct event *e = event_at(s, id);
    const bool is_looked_at = is_access(e) && !s->options->skips_data;
    cuts_reach(&s->cuts, id);
    struct look l = {.event = id, .task = e->task};
    if (is_looked_at) {
        l.variable = cuts_variable(&s->cuts, e);
        while (s->cell_of.count <= l.variable) {
            vec_push(&s->cell_of, CUT_NONE);
        }
        l.place = access_place(e);
        l.spot = spot_at(s, &l);
        __builtin_prefetch(&s->shots.at[l.spot]); /* wanted last */
        l.holding = cuts_holding(&s->cuts, e->task);
        l.known = cuts_of_task(&s->cuts, e->task);
        look_around(s, &l);
    }
    cuts_take(&s->cuts, id);
    if (is_looked_at) {
        remember(s, &l);
    } else if (e->kind == EVENT_RECV && !s->options->skips_messages) {
        receive(s, id);
    }
}

void sound_find(const struct hb *hb, const struct sound_options *o)
{
    if (!is_searchable(hb)) {
        return;
    }
    struct arena arena = {0};
    const struct line line = line_build(hb, &arena);
    struct search s;
    search_init(&s, hb, &line, o);
    s.address_of = o->skips_messages ? NULL : pool_addresses(hb, &arena);
    for (size_t i = 0; i < line.count && !has_ended(&s); i++) {
        step(&s, line_at(&line, i));
    }
    search_release(&s);
    arena_release(&arena);
}

/* ---- asking ---- */

void sound_ask(const struct hb *hb, const struct sound_pair *pairs, size_t count,
               const struct sound_options *o)
{
    if (!is_searchable(hb)) {
        return;
    }
    struct arena arena = {0};
    const struct line line = line_build(hb, &arena);
    struct search s;
    search_init(&s, hb, &line, o);
    /* A pair is asked about at its later event: a list of pairs for each event. */
    const size_t event_count = hb->trace->events.count;
    uint32_t *first = arena_array(&arena, uint32_t, event_count + 1);
    uint32_t *next = arena_array(&arena, uint32_t, count + 1);
    const uint32_t *rank = s.rank;
    size_t end = 0; /* the end of the part of the line that the pairs depend on */
    for (size_t i = count; i-- > 0;) {
        if (rank[pairs[i].a] != 0 && rank[pairs[i].b] != 0) {
            const event_id later = rank[pairs[i].a] > rank[pairs[i].b] ? pairs[i].a : pairs[i].b;
            next[i] = first[later];
            first[later] = (uint32_t)i + 1;
            end = rank[later] > end ? rank[later] : end;
        }
    }
    for (size_t i = 0; i < end && !has_ended(&s); i++) {
        const event_id id = line_at(&line, i);
        cuts_reach(&s.cuts, id);
        for (uint32_t k = first[id]; k != 0; k = next[k - 1]) {
            const struct sound_pair *p = &pairs[k - 1];
            const event_id other = p->a == id ? p->b : p->a;
            if (!p->is_message && cuts_meet(&s.cuts, other, id, s.cut)) {
                report_race(&s, false, p->a, p->b);
            }
        }
        cuts_take(&s.cuts, id);
        for (uint32_t k = first[id]; k != 0; k = next[k - 1]) {
            const struct sound_pair *p = &pairs[k - 1];
            if (p->is_message && cuts_follow(&s.cuts, p->a, p->b, s.cut)) {
                report_race(&s, true, p->a, p->b);
            }
        }
    }
    search_release(&s);
    arena_release(&arena);
}

void sound_order_of(const struct hb *hb, const struct sound_race *race, sound_order *order)
{
    const struct trace *t = hb->trace;
    struct arena arena = {0};
    const struct line line = line_build(hb, &arena);
    uint32_t *left = arena_array(&arena, uint32_t, t->tables.tasks.count + 1);
    uint64_t total = 0;
    for (size_t i = 0; i < t->tables.tasks.count; i++) {
        left[i] = race->cut[i];
        total += left[i];
    }
    vec_clear(order);
    for (size_t i = 0; i < line.count && order->count < total; i++) {
        const event_id id = line_at(&line, i);
        if (left[t->events.at[id].task] > 0) {
            left[t->events.at[id].task]--;
            vec_push(order, id);
        }
    }
    must(order->count == total);
    if (!race->pair.is_message) {
        vec_push(order, race->pair.a);
    }
    vec_push(order, race->pair.b);
    arena_release(&arena);
}
