#include "race/strict/pair_count.h"

#include "base/mem.h"
#include "race/triple_map.h"
#include "wire/must.h"

/* Accesses to one variable at one place with one signature. */
struct kind {
    uint32_t place;        /* as in history.h */
    uint32_t place_number; /* among those of the variable */
    uint32_t signature;
    uint32_t first, count; /* its lines */
};

/* Those of one task among them, so far. */
struct line {
    uint32_t kind;
    uint32_t task;
    uint32_t count;
    uint32_t first;    /* its events are counting.events[first ...], as listed */
    uint32_t begin_at; /* position of the first in its task */
    uint32_t end_at;   /* one more than that of the last, 0: there is none */
};

/* Accesses so far: reads, writes, and the same of atomic ones. */
struct totals {
    uint64_t of[4];
};

/* Two racing places of a variable: the number of pairs, and the one that is reported. */
struct met {
    struct race_pair pair;
    uint64_t count;
};

struct counting {
    struct race_groups *y;
    const struct pair_count_input *in;
    const uint32_t *slot_of; /* per task: its place in rows */
    struct arena arena;      /* of all variables */
    uint8_t *relation;       /* per two signatures: enum lock_relation; NULL: they are many */
    uint32_t *line_of;       /* per access, in the order of accesses.events: its line */
    VEC(struct kind) kinds;  /* variable by variable */
    VEC(struct line) lines;  /* kind by kind */
    event_id *events;        /* line by line */
    uint32_t *kind_first;    /* per variable, and one more */
    uint32_t *place_count;   /* per variable */
    uint32_t *listed;        /* variable by variable, as listed: places in accesses.events */
    uint32_t *listed_first;  /* per variable, and one more */

    /* Of the variable at hand. */
    VEC(struct met) met;
    /* By the places of the later access and of the earlier one: their place in `met`, plus one; 0:
     * none. A table where that is small, else the triples (earlier, later, 0). */
    uint32_t *met_table;
    uint32_t met_width; /* of the table, 0: there is none */
    struct triples met_of;
    struct totals total;
    struct totals *total_of_task; /* per task */
};

/* Places of a variable for which there is a table, of 64 MiB at most. */
enum { TABLE_PLACES_MAX = 4096 };

/* Signatures that are all related to each other beforehand. */
enum { SIGNATURES_MAX = 1024 };

/* ---- sorting accesses into kinds and lines ---- */

static uint32_t place_of(const struct access_class *class)
{
    const uint32_t kind =
        (class->is_write ? HISTORY_WRITE : 0) | (class->is_atomic ? HISTORY_ATOMIC_READ : 0);
    return history_place(class->location, (enum history_kind)kind);
}

static uint32_t signature_of(const struct counting *g, event_id id)
{
    return g->in->spans == NULL ? 0 : g->in->spans->signature_of[id];
}

/* Numbers the lines of a variable, and its kinds. Kinds are numbered from `kind_first` on. */
struct numbering {
    struct triples kind_of;  /* (variable, place, signature) */
    struct triples place_of; /* (variable, place, 0) */
    struct triples line_of;  /* (class, signature, 0) */
    VEC(struct line) lines;  /* in the order they were met */
};

static uint32_t number_line(struct counting *g, struct numbering *n, uint32_t class, event_id id)
{
    const struct access_class *c = &g->in->accesses->classes[class];
    const uint32_t signature = signature_of(g, id);
    uint32_t *line = triples_slot(&n->line_of, class, signature, 0);
    if (*line == TRIPLE_ABSENT) {
        *line = (uint32_t)n->lines.count;
        uint32_t *kind = triples_slot(&n->kind_of, c->variable, place_of(c), signature);
        if (*kind == TRIPLE_ABSENT) {
            *kind = (uint32_t)g->kinds.count;
            uint32_t *place = triples_slot(&n->place_of, c->variable, place_of(c), 0);
            if (*place == TRIPLE_ABSENT) {
                *place = g->place_count[c->variable]++;
            }
            const struct kind fresh = {
                .place = place_of(c), .place_number = *place, .signature = signature};
            vec_push(&g->kinds, fresh);
        }
        g->kinds.at[*kind].count++;
        vec_push(&n->lines, (struct line){.kind = *kind, .task = c->task});
    }
    return *line;
}

/* Brings the lines of a kind together, and the events of each line. */
static void lay_out(struct counting *g, const struct numbering *n)
{
    struct arena scratch = {0};
    const size_t access_count = g->in->accesses->count;
    uint32_t first = 0;
    vec_each (&g->kinds, kind) {
        kind->first = first;
        first += kind->count;
        kind->count = 0;
    }
    uint32_t *moved = arena_array(&scratch, uint32_t, n->lines.count + 1);
    vec_reserve(&g->lines, n->lines.count + 1);
    g->lines.count = n->lines.count;
    for (size_t i = 0; i < n->lines.count; i++) {
        struct kind *kind = &g->kinds.at[n->lines.at[i].kind];
        must(n->lines.at[i].kind < g->kinds.count);
        moved[i] = kind->first + kind->count++;
        g->lines.at[moved[i]] = n->lines.at[i];
    }
    for (size_t i = 0; i < access_count; i++) {
        g->line_of[i] = moved[g->line_of[i]];
        g->lines.at[g->line_of[i]].count++;
    }
    first = 0;
    vec_each (&g->lines, line) {
        line->first = first;
        first += line->count;
        line->count = 0;
    }
    must(first == access_count);
    g->events = arena_array(&g->arena, event_id, access_count + 1);
    arena_release(&scratch);
}

static void sort_lines(struct counting *g)
{
    const struct accesses *a = g->in->accesses;
    struct numbering n = {0};
    g->line_of = arena_array(&g->arena, uint32_t, a->count + 1);
    g->kind_first = arena_array(&g->arena, uint32_t, (size_t)a->variable_count + 1);
    g->place_count = arena_array(&g->arena, uint32_t, (size_t)a->variable_count + 1);
    for (uint32_t v = 0; v < a->variable_count; v++) {
        g->kind_first[v] = (uint32_t)g->kinds.count;
        for (uint32_t k = 0; k < a->variables[v].count; k++) {
            const uint32_t class = a->variables[v].first + k;
            const struct access_class *c = &a->classes[class];
            for (uint32_t i = c->first; i < c->first + c->count; i++) {
                g->line_of[i] = number_line(g, &n, class, a->events[i]);
            }
        }
    }
    must(g->kinds.count <= n.lines.count);
    g->kind_first[a->variable_count] = (uint32_t)g->kinds.count;
    lay_out(g, &n);
    triples_release(&n.kind_of);
    triples_release(&n.place_of);
    triples_release(&n.line_of);
    vec_release(&n.lines);
}

/* The accesses to each variable as listed: a counting sort by variable. */
static void list_accesses(struct counting *g)
{
    const struct accesses *a = g->in->accesses;
    const size_t event_count = g->in->hb->trace->events.count;
    struct arena scratch = {0};
    uint32_t *access_at = arena_array(&scratch, uint32_t, event_count + 1); /* plus one; 0: none */
    uint32_t *variable_of = arena_array(&scratch, uint32_t, a->count + 1);
    uint32_t *next = arena_array(&scratch, uint32_t, (size_t)a->variable_count + 1);
    g->listed = arena_array(&g->arena, uint32_t, a->count + 1);
    g->listed_first = arena_array(&g->arena, uint32_t, (size_t)a->variable_count + 2);
    for (uint32_t k = 0; k < a->class_count; k++) {
        const struct access_class *c = &a->classes[k];
        g->listed_first[c->variable + 1] += c->count;
        for (uint32_t i = c->first; i < c->first + c->count; i++) {
            access_at[a->events[i]] = i + 1;
            variable_of[i] = c->variable;
        }
    }
    for (uint32_t v = 0; v < a->variable_count; v++) {
        g->listed_first[v + 1] += g->listed_first[v];
        next[v] = g->listed_first[v];
    }
    for (size_t id = 0; id < event_count; id++) {
        if (access_at[id] != 0) {
            g->listed[next[variable_of[access_at[id] - 1]]++] = access_at[id] - 1;
        }
    }
    arena_release(&scratch);
}

/* ---- one access ---- */

/* The access at hand. */
struct later {
    event_id event;
    uint32_t kind, task;
    const uint32_t *row; /* the events that come before it */
};

/* How many of the line's accesses, the last ones, are concurrent with it. */
static uint32_t concurrent_count(const struct counting *g, const struct line *l,
                                 const struct later *b)
{
    must(l->task < g->in->hb->contexts.task_count);
    const uint32_t known = b->row[g->slot_of[l->task]];
    if (l->end_at <= known || l->task == b->task) {
        return 0;
    }
    if (l->begin_at >= known) {
        return l->count;
    }
    const uint32_t *position = g->in->hb->contexts.position;
    uint32_t low = 0;
    uint32_t high = l->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (position[g->events[l->first + middle]] < known) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    must(low <= l->count);
    return l->count - low;
}

static struct met *met_at(struct counting *g, uint32_t kind, const struct later *b)
{
    const uint32_t earlier = g->kinds.at[kind].place_number;
    const uint32_t later = g->kinds.at[b->kind].place_number;
    uint32_t *number = NULL;
    if (g->met_width > 0) {
        number = &g->met_table[(size_t)later * g->met_width + earlier];
    } else {
        number = triples_slot(&g->met_of, earlier, later, 0);
        *number = *number == TRIPLE_ABSENT ? 0 : *number;
    }
    if (*number == 0) {
        const struct met fresh = {.pair = {.first = EVENT_NONE,
                                           .second = b->event,
                                           .send = EVENT_NONE,
                                           .receive = EVENT_NONE}};
        vec_push(&g->met, fresh);
        *number = (uint32_t)g->met.count;
    }
    must(*number != 0);
    must(*number <= g->met.count);
    return &g->met.at[*number - 1];
}

/* All accesses of the kind that are concurrent race. */
static void count_kind(struct counting *g, uint32_t kind, const struct later *b)
{
    const struct kind *k = &g->kinds.at[kind];
    uint64_t count = 0;
    for (uint32_t i = k->first; i < k->first + k->count; i++) {
        count += concurrent_count(g, &g->lines.at[i], b);
    }
    if (count == 0) {
        return;
    }
    struct met *met = met_at(g, kind, b);
    met->count += count;
    const bool is_told = met->pair.second == b->event;
    for (uint32_t i = k->first; is_told && i < k->first + k->count; i++) {
        const struct line *l = &g->lines.at[i];
        const uint32_t some = concurrent_count(g, l, b);
        const event_id first = some == 0 ? EVENT_NONE : g->events[l->first + l->count - some];
        met->pair.first = first < met->pair.first ? first : met->pair.first;
    }
}

/* The cost of deciding a candidate, for the budget. */
enum { JUDGE_STEPS = 16 };

/* Each of them is decided by itself. */
static void judge_kind(struct counting *g, uint32_t kind, const struct later *b)
{
    struct race_groups *y = g->y;
    const struct kind *k = &g->kinds.at[kind];
    for (uint32_t i = k->first; i < k->first + k->count; i++) {
        const struct line *l = &g->lines.at[i];
        const uint32_t some = concurrent_count(g, l, b);
        for (uint32_t n = l->count - some; n < l->count; n++) {
            const event_id a = g->events[l->first + n];
            const enum race_verdict verdict =
                limit_is_over(&y->watch, JUDGE_STEPS)
                    ? RACE_UNKNOWN
                    : g->in->judge->data(g->in->judge->self, a, b->event);
            const bool is_left = verdict == RACE_UNKNOWN && race_groups_decides_places(y);
            y->stats->unknown += verdict == RACE_UNKNOWN && !is_left;
            if (verdict == RACE_YES || is_left) {
                struct met *met = met_at(g, kind, b);
                met->count++;
                if (met->pair.second == b->event && a < met->pair.first) {
                    met->pair.first = a;
                }
            }
        }
    }
}

/* Relates all signatures to each other, where they are few. */
static void relate_signatures(struct counting *g)
{
    const struct lock_spans *spans = g->in->spans;
    if (spans == NULL || spans->signature_count > SIGNATURES_MAX) {
        return;
    }
    const uint32_t count = spans->signature_count;
    g->relation = arena_array(&g->arena, uint8_t, (size_t)count * count + 1);
    for (uint32_t a = 0; a < count; a++) {
        for (uint32_t b = 0; b < count; b++) {
            g->relation[(size_t)a * count + b] = (uint8_t)lock_spans_relate(spans, a, b);
        }
    }
}

static enum lock_relation relation_of(const struct counting *g, uint32_t a, uint32_t b)
{
    const struct lock_spans *spans = g->in->spans;
    if (spans == NULL) {
        return LOCKS_ALLOW;
    }
    return g->relation == NULL
               ? lock_spans_relate(spans, a, b)
               : (enum lock_relation)g->relation[(size_t)a * spans->signature_count + b];
}

static void count_access(struct counting *g, uint32_t variable, const struct later *b)
{
    const struct kind *own = &g->kinds.at[b->kind];
    for (uint32_t k = g->kind_first[variable]; k < g->kind_first[variable + 1]; k++) {
        const struct kind *kind = &g->kinds.at[k];
        if (!history_conflict(kind->place, own->place)) {
            continue;
        }
        switch (relation_of(g, own->signature, kind->signature)) {
        case LOCKS_EXCLUDE: break;
        case LOCKS_ALLOW: count_kind(g, k, b); break;
        case LOCKS_OPEN: judge_kind(g, k, b); break;
        }
    }
}

/* ---- one variable ---- */

static unsigned category_of(uint32_t place)
{
    return place & (HISTORY_WRITE | HISTORY_ATOMIC_READ);
}

/* How many earlier accesses of other tasks conflict with this one. */
static uint64_t candidate_count(const struct counting *g, const struct later *b)
{
    uint64_t count = 0;
    for (unsigned i = 0; i < 4; i++) {
        if (history_conflict(i, g->kinds.at[b->kind].place)) {
            count += g->total.of[i] - g->total_of_task[b->task].of[i];
        }
    }
    return count;
}

static void line_add(struct counting *g, uint32_t number, event_id id)
{
    struct line *l = &g->lines.at[number];
    const uint32_t position = g->in->hb->contexts.position[id];
    l->begin_at = l->count == 0 ? position : l->begin_at;
    l->end_at = position + 1;
    g->events[l->first + l->count++] = id;
    const unsigned category = category_of(g->kinds.at[l->kind].place);
    g->total.of[category]++;
    g->total_of_task[l->task].of[category]++;
}

/* Reports the pairs of this variable, and prepares for the next one. */
static void end_variable(struct counting *g, uint32_t variable)
{
    vec_each (&g->met, met) {
        g->y->stats->data_races += met->count;
        race_groups_add(g->y, &met->pair, met->count);
    }
    vec_clear(&g->met);
    triples_release(&g->met_of);
    mem_free(g->met_table);
    g->met_table = NULL;
    g->total = (struct totals){0};
    for (uint32_t i = g->listed_first[variable]; i < g->listed_first[variable + 1]; i++) {
        g->total_of_task[g->lines.at[g->line_of[g->listed[i]]].task] = (struct totals){0};
    }
}

static void count_variable(struct counting *g, uint32_t variable)
{
    struct race_groups *y = g->y;
    const uint32_t kind_count = g->kind_first[variable + 1] - g->kind_first[variable];
    const uint32_t place_count = g->place_count[variable];
    g->met_width = place_count <= TABLE_PLACES_MAX ? place_count : 0;
    if (g->met_width > 0) {
        g->met_table = mem_zero((size_t)place_count * place_count, sizeof *g->met_table);
    }
    for (uint32_t i = g->listed_first[variable]; i < g->listed_first[variable + 1]; i++) {
        const uint32_t line = g->line_of[g->listed[i]];
        const event_id id = g->in->accesses->events[g->listed[i]];
        const struct later b = {
            .event = id,
            .kind = g->lines.at[line].kind,
            .task = g->lines.at[line].task,
            .row = reach_row(&g->in->hb->before, id),
        };
        if (race_groups_takes(y)) {
            const uint64_t candidates = candidate_count(g, &b);
            y->stats->data_candidates += candidates;
            if (limit_is_over(&y->watch, kind_count)) {
                y->stats->unknown += candidates;
            } else if (candidates > 0) {
                count_access(g, variable, &b);
            }
        }
        line_add(g, line, b.event);
    }
    end_variable(g, variable);
}

void pair_count(struct race_groups *y, const struct pair_count_input *in)
{
    must(in->hb->follows_list);
    must(in->hb->contexts.count == in->hb->contexts.task_count);
    struct counting g = {.y = y, .in = in, .slot_of = in->hb->before.slot_of};
    g.total_of_task = arena_array(&g.arena, struct totals, (size_t)in->hb->contexts.task_count + 1);
    sort_lines(&g);
    list_accesses(&g);
    relate_signatures(&g);
    for (uint32_t v = 0; v < in->accesses->variable_count; v++) {
        count_variable(&g, v);
    }
    vec_release(&g.kinds);
    vec_release(&g.lines);
    vec_release(&g.met);
    triples_release(&g.met_of);
    arena_release(&g.arena);
}
