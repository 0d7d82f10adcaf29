#include "race/use_after_free.h"

#include <string.h>

#include "base/map.h"
#include "order/object_key.h"
#include "order/reads_from.h"
#include "race/allocation_class.h"
#include "race/feasible/feasible.h"
#include "race/grade_places.h"
#include "race/lockset.h"
#include "race/race_grade.h"
#include "race/sound/reordered.h"
#include "race/sound/verify.h"
#include "wire/must.h"

enum {
    TRIES_MAX = 64, /* pairs of two places that are decided by more than a look-up */
    TRIES_FEW = 4,  /* the same where no proof is wanted */
    STEPS_MAX = 200000,
    EVENTS_MAX = 4000,
    CLAUSES_MAX = 100000,
};

/* A block of memory, by the name of its first byte. */
struct block {
    event_id alloc; /* EVENT_NONE: not in the trace */
    event_id free;
    bool is_doubtful; /* freed more than once: a name that lives are not told apart by */
};

/* Accesses at one place to blocks that are freed at one place. */
struct use {
    event_id access, alloc, free; /* the pair that shows it, or the first */
    enum finding_grade grade;     /* GRADE_SOUND, or GRADE_MAY */
    enum race_open open;          /* of GRADE_MAY; RACE_OPEN_NOT: every pair is refuted */
    uint32_t tries;
    bool is_observed; /* in the run itself the access came after the free */
    const uint64_t *witness;
    size_t witness_count;
};

struct search {
    struct race_groups *y;
    const struct use_input *in;
    struct findings *f;
    struct arena arena;
    struct map block_of; /* scoped name to its number in blocks */
    VEC(struct block) blocks;
    struct map use_of; /* two places to their number in uses */
    VEC(struct use) uses;
    enum race_open refusal; /* why nothing can be decided */

    bool is_ready; /* the rest is there */
    bool has_observed;
    struct hb observed;
    struct reads_from reads;
    struct feasible *feasible;
    struct reordered reordered;
    struct bits frees; /* writes that belong to frees */
    struct witness_checker *checker;
    struct held held;
    sound_order order;
};

static bool is_stamped(const struct search *s)
{
    return s->y->t->tables.order == ORDER_STAMPED;
}

/* ---- blocks ---- */

/* The name of the block that a name "pool.c:44#3+16" is a part of; 0: of none that is named. */
static uint32_t block_name(const struct trace *t, uint32_t name)
{
    const char *text = trace_name(t, name);
    const char *plus = strrchr(text, '+');
    const bool is_part =
        plus != NULL && plus[1] != '\0' && strspn(plus + 1, "0123456789") == strlen(plus + 1);
    return is_part ? names_find(&t->tables.names, text, (size_t)(plus - text)) : name;
}

static struct block *block_at(struct search *s, const struct event *e)
{
    bool is_new = false;
    const uint32_t number = *map_slot(&s->block_of, scope_name(s->y->t, e, e->object),
                                      (uint32_t)s->blocks.count, &is_new);
    if (is_new) {
        vec_push(&s->blocks, (struct block){.alloc = EVENT_NONE, .free = EVENT_NONE});
    }
    must(number < s->blocks.count);
    return &s->blocks.at[number];
}

static void find_blocks(struct search *s)
{
    const struct trace *t = s->y->t;
    for (event_id id = 0; id < t->events.count; id++) {
        const struct event *e = trace_at(t, id);
        if (e->kind == EVENT_ALLOC && e->object != 0) {
            block_at(s, e)->alloc = id;
        } else if (e->kind == EVENT_FREE && e->object != 0) {
            struct block *b = block_at(s, e);
            b->is_doubtful = b->free != EVENT_NONE;
            b->free = id;
        }
    }
}

/* The block that the accesses of a class are to, if another task frees it; NULL: none does. */
static const struct block *freed_block(const struct search *s, const struct access_class *class)
{
    const struct trace *t = s->y->t;
    const event_id first = s->in->accesses->events[class->first];
    const struct event *e = trace_at(t, first);
    const uint32_t name = block_name(t, e->object);
    const uint32_t *number = name == 0 ? NULL : map_get(&s->block_of, scope_name(t, e, name));
    const struct block *b = number == NULL ? NULL : &s->blocks.at[*number];
    return b == NULL || b->free == EVENT_NONE || b->is_doubtful ||
                   trace_at(t, b->free)->task == class->task
               ? NULL
               : b;
}

event_id use_free_of(const struct hb *hb, event_id write)
{
    const struct trace *t = hb->trace;
    const struct contexts *c = &hb->contexts;
    const struct event *e = trace_at(t, write);
    const uint32_t context = c->of[write];
    const uint32_t block = e->kind == EVENT_WRITE ? block_name(t, e->object) : 0;
    for (uint32_t i = c->position[write] + 1; block != 0 && i < c->list[context].count; i++) {
        const event_id id = context_event(c, context, i);
        const struct event *next = trace_at(t, id);
        if (next->kind == EVENT_FREE && next->object == block) {
            return id;
        }
        if (next->kind != EVENT_WRITE || next->location != e->location ||
            block_name(t, next->object) != block) {
            return EVENT_NONE;
        }
    }
    return EVENT_NONE;
}

/* ---- deciding ---- */

/* An access that was left out and now comes behind the write of a free is a use after free itself,
 * so that such writes may pass it. */
static void prepare_recording(struct search *s)
{
    if (!place_grade_fits(s->y->t)) {
        s->refusal = RACE_OPEN_LARGE;
        return;
    }
    struct notes notes = {0}; /* said already */
    struct err e = {0};
    const struct hb_options options = {
        .model = HB_OBSERVED, .scope = REACH_ALL, .given = s->y->o->given};
    s->has_observed = hb_build(&s->observed, s->y->run, &options, &notes, &e) == 0;
    notes_release(&notes);
    must(s->has_observed); /* the strict order was built with the same given orders */
    if (!reads_from_can_know(&s->observed)) {
        s->refusal = RACE_OPEN_TORN;
        return;
    }
    reads_from_build(&s->reads, &s->observed, &s->arena);
    s->in->hb->reads = &s->reads;
    reordered_init(&s->reordered, &s->observed, &s->reads);
    s->frees = bits_take(&s->arena, s->y->t->events.count + 1);
    for (event_id id = 0; id < s->y->t->events.count; id++) {
        if (use_free_of(s->in->hb, id) != EVENT_NONE) {
            bits_add(s->frees, id);
        }
    }
    s->reordered.ignored = &s->frees;
}

static void prepare(struct search *s)
{
    s->is_ready = true;
    if (is_stamped(s)) {
        prepare_recording(s);
    } else if (sound_refusal(s->in->hb) != NULL) {
        s->refusal = RACE_OPEN_TORN;
    }
    if (s->refusal == RACE_OPEN_NOT) {
        const struct race_options *o = s->y->o;
        const uint64_t step_max =
            o->step_max > 0 && o->step_max < STEPS_MAX ? o->step_max : STEPS_MAX;
        s->feasible = feasible_new(s->in->hb, &(struct feasible_options){.step_max = step_max,
                                                                         .event_max = EVENTS_MAX,
                                                                         .clause_max = CLAUSES_MAX,
                                                                         .is_about_many = true,
                                                                         .watch = &s->y->watch});
        s->checker = proof_checker_new(s->in->hb);
    }
}

static enum race_open why_open(const struct search *s)
{
    switch (feasible_why_open(s->feasible)) {
    case FEASIBLE_DECIDED: return RACE_OPEN_LARGE; /* its witness does not hold */
    case FEASIBLE_BUDGET: return s->y->watch.is_over ? RACE_OPEN_BUDGET : RACE_OPEN_LARGE;
    case FEASIBLE_HARD: return s->y->watch.is_over ? RACE_OPEN_BUDGET : RACE_OPEN_HARD;
    case FEASIBLE_TOO_LARGE: return RACE_OPEN_LARGE;
    case FEASIBLE_DOUBT: return RACE_OPEN_DOUBT;
    case FEASIBLE_REORDERED: return RACE_OPEN_REORDER;
    }
    bug("why a question is open");
}

static bool holds(const struct search *s, const struct use *u)
{
    const struct witness w = {.is_use = true,
                              .a = u->free,
                              .b = u->access,
                              .order = s->order.at,
                              .count = s->order.count};
    struct err refusal = {0};
    return witness_check(s->checker, &w, &refusal) == 0;
}

static void keep(struct search *s, struct use *u, const struct use *shown)
{
    uint64_t *witness = arena_array(&s->arena, uint64_t, s->order.count);
    for (size_t i = 0; i < s->order.count; i++) {
        witness[i] = s->order.at[i];
    }
    u->access = shown->access;
    u->alloc = shown->alloc;
    u->free = shown->free;
    u->grade = GRADE_SOUND;
    u->open = RACE_OPEN_NOT;
    u->witness = witness;
    u->witness_count = s->order.count;
    u->is_observed =
        is_stamped(s) ? hb_is_before(&s->observed, u->free, u->access) : u->free < u->access;
}

/* Decides one pair. True when a look-up refutes it: the access is needed before the free, and so
 * are all accesses before it in its task. */
static bool decide(struct search *s, struct use *u, const struct use *pair)
{
    const struct sound_pair question = {.is_message = true, .a = pair->free, .b = pair->access};
    const uint64_t refused = feasible_stats(s->feasible)->by_reach;
    vec_clear(&s->order);
    enum race_verdict verdict = feasible_decide(s->feasible, &question, &s->order);
    if (verdict == RACE_NO) {
        const bool is_by_reach = feasible_stats(s->feasible)->by_reach > refused;
        u->tries += !is_by_reach;
        return is_by_reach;
    }
    u->tries++;
    if (feasible_why_open(s->feasible) == FEASIBLE_REORDERED) {
        must(s->order.count >= 1);
        verdict = reordered_is_proof(&s->reordered, s->order.at, s->order.count - 1) ? RACE_YES
                                                                                     : RACE_UNKNOWN;
    }
    if (verdict == RACE_YES && holds(s, pair)) {
        keep(s, u, pair);
    } else if (u->open == RACE_OPEN_NOT) {
        u->open = why_open(s);
    }
    return false;
}

static uint64_t places_of(const struct search *s, const struct use *u)
{
    const struct trace *t = s->y->t;
    return map_pair(trace_at(t, u->access)->location, trace_at(t, u->free)->location);
}

static struct use *use_at(struct search *s, const struct use *pair)
{
    bool is_new = false;
    const uint32_t number =
        *map_slot(&s->use_of, places_of(s, pair), (uint32_t)s->uses.count, &is_new);
    if (is_new) {
        vec_push(&s->uses, *pair);
    }
    return &s->uses.at[number];
}

/* From the last access on, so that a look-up refutes all. */
static void decide_class(struct search *s, const struct access_class *class, const struct block *b)
{
    const event_id *events = s->in->accesses->events + class->first;
    bool is_refuted = false;
    for (uint32_t i = class->count; i-- > 0 && !is_refuted;) {
        const struct use pair = {
            .access = events[i], .alloc = b->alloc, .free = b->free, .grade = GRADE_MAY};
        struct use *u = use_at(s, &pair);
        if (u->grade == GRADE_SOUND) {
            return;
        }
        if (s->refusal != RACE_OPEN_NOT) {
            u->open = s->refusal;
            return;
        }
        if (u->tries >= (s->y->o->skips_grades ? TRIES_FEW : TRIES_MAX) || s->y->watch.is_over) {
            u->open = s->y->watch.is_over ? RACE_OPEN_BUDGET : RACE_OPEN_LARGE;
            return;
        }
        is_refuted = decide(s, u, &pair);
    }
}

/* Drops uses with the same two places as a race, which is reported already. */
static void leave_out_races(struct search *s)
{
    const struct trace *t = s->y->t;
    vec_each (&s->y->groups, group) {
        const struct race_pair *p = &group->pair;
        for (int i = 0; i < 2 && p->send == EVENT_NONE; i++) {
            const event_id write = i == 0 ? p->first : p->second;
            const event_id access = i == 0 ? p->second : p->first;
            const event_id free = use_free_of(s->in->hb, write);
            if (free != EVENT_NONE) {
                use_at(s, &(struct use){.access = access, .free = free})->grade = GRADE_SOUND;
                must(trace_at(t, free)->kind == EVENT_FREE);
            }
        }
    }
}

/* ---- words ---- */

static const char *task_name(const struct search *s, event_id id)
{
    const struct trace *t = s->y->t;
    const struct task *task = &t->tables.tasks.at[trace_at(t, id)->task];
    const char *node = trace_name(t, task->node);
    return findings_text(s->f, "%s%s%s", trace_name(t, task->name), node[0] == '\0' ? "" : "@",
                         node);
}

static const char *place_of(const struct search *s, event_id id)
{
    const char *place = trace_name(s->y->t, trace_at(s->y->t, id)->location);
    return place[0] == '\0' ? "?" : place;
}

/* The locks that are held there: "m, n". */
static const char *locks_of(struct search *s, event_id id)
{
    const struct hb *hb = s->in->hb;
    const uint32_t set = s->held.set_of[id];
    const char *text = set == 0 ? "no lock" : "";
    for (uint32_t i = s->held.first[set]; set != 0 && i < s->held.first[set + 1]; i++) {
        const struct section *section = &hb->sections.list[s->held.sections[i]];
        text = findings_text(s->f, "%s%s%s", text, text[0] == '\0' ? "" : ", ",
                             trace_name(s->y->t, hb->sections.locks[section->lock].name));
    }
    return text;
}

static const char *say(const struct search *s, const struct use *u)
{
    const struct trace *t = s->y->t;
    const char *name = trace_name(t, trace_at(t, u->access)->object);
    const char *block = trace_name(t, trace_at(t, u->free)->object);
    return findings_text(
        s->f, "%s, allocated at %.*s, is %s at %s by %s and freed at %s by %s, and the access %s",
        name,
        u->alloc != EVENT_NONE ? (int)strlen(place_of(s, u->alloc))
                               : (int)alike_size(block, strlen(block)),
        u->alloc != EVENT_NONE ? place_of(s, u->alloc) : block,
        access_verb(trace_at(t, u->access)->kind), place_of(s, u->access), task_name(s, u->access),
        place_of(s, u->free), task_name(s, u->free),
        u->is_observed ? "came after the free" : "may come after the free");
}

static const char *argue(struct search *s, const struct use *u)
{
    return findings_text(
        s->f,
        "nothing puts the access before the free: no creation, join, message or "
        "wait, and no value that was read\n%s: the access holds %s; the free holds "
        "%s%s",
        held_excludes(&s->held, s->in->hb, u->access, u->free)
            ? "a lock keeps them apart and does not order them"
            : "no lock keeps them apart",
        locks_of(s, u->access), locks_of(s, u->free),
        u->grade == GRADE_SOUND ? "" : "\nno run that shows this was found");
}

static void tell(struct search *s, const struct use *u)
{
    const struct trace *t = s->y->t;
    const event_id ids[] = {u->access, u->free, u->alloc};
    struct finding_event *events = arena_array(&s->f->arena, struct finding_event, 3);
    struct finding finding = {
        .kind = FINDING_USE_AFTER_FREE,
        .status = u->grade != GRADE_SOUND ? STATUS_UNKNOWN
                  : u->is_observed        ? STATUS_CONFIRMED
                                          : STATUS_PREDICTED,
        .grade = u->grade,
        .severity = SEVERITY_ERROR,
        .pair_count = 1,
        .what = say(s, u),
        .why = argue(s, u),
        .key = findings_text(s->f, "%s|%s|%s", finding_kind_name(FINDING_USE_AFTER_FREE),
                             place_of(s, u->access), place_of(s, u->free)),
        .events = events,
    };
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        if (ids[i] != EVENT_NONE) {
            events[finding.event_count++] = findings_event(s->f, t, ids[i], s->y->o->input);
        }
    }
    if (u->witness != NULL && s->y->o->wants_witness) {
        uint64_t *witness = arena_array(&s->f->arena, uint64_t, u->witness_count);
        memcpy(witness, u->witness, u->witness_count * sizeof *witness);
        finding.witness = witness;
        finding.witness_count = u->witness_count;
    }
    findings_add(s->f, &finding);
}

/* A use that only a relaxed trace allows is open; one that it refutes, or that the run has
 * decided, is done. */
static void judge_relaxed(struct search *s, struct use *u)
{
    bool is_new = false;
    if (u->grade == GRADE_SOUND || u->open != RACE_OPEN_NOT) {
        (void)map_slot(&s->y->before->judged_uses, places_of(s, u), 1, &is_new);
    }
    u->grade = GRADE_MAY;
    u->open = is_new ? s->y->relaxed : RACE_OPEN_NOT;
}

static void judge(struct search *s, struct use *u)
{
    if (s->y->before != NULL) {
        judge_relaxed(s, u);
    } else if (u->grade == GRADE_SOUND || u->open != RACE_OPEN_NOT) {
        map_put(&s->y->judged_uses, places_of(s, u), 1);
    }
}

static void tell_all(struct search *s, size_t from)
{
    const struct race_options *o = s->y->o;
    struct race_stats *stats = s->y->stats;
    if (s->uses.count > from) {
        held_build(&s->held, s->in->hb, HELD_ALL, &s->arena);
    }
    for (size_t i = from; i < s->uses.count; i++) {
        struct use *u = &s->uses.at[i];
        judge(s, u);
        const bool is_open = u->grade != GRADE_SOUND && u->open != RACE_OPEN_NOT;
        stats->use_places += u->grade == GRADE_SOUND;
        if (is_open && stats->has_decided_places) {
            stats->places_open[u->open]++;
        } else {
            stats->unknown += is_open;
        }
        const bool is_told = u->grade == GRADE_SOUND || (is_open && o->wants_all);
        if (is_told && !o->counts_only && (o->find_max == 0 || s->f->list.count < o->find_max)) {
            tell(s, u);
        }
    }
}

/* ---- finding ---- */

void use_count_races(struct race_groups *y, const struct hb *hb)
{
    struct race_stats *stats = y->stats;
    vec_each (&y->groups, group) {
        const struct race_pair *p = &group->pair;
        group->is_use = p->send == EVENT_NONE && (use_free_of(hb, p->first) != EVENT_NONE ||
                                                  use_free_of(hb, p->second) != EVENT_NONE);
        const bool is_listed = group->grade != GRADE_MAY || !stats->has_decided_places;
        if (group->is_use && is_listed) {
            stats->use_places++;
            stats->location_pairs--;
            stats->places_sound -= stats->has_decided_places && group->grade == GRADE_SOUND;
            stats->places_observed -= stats->has_decided_places && group->grade == GRADE_OBSERVED;
        }
    }
}

int use_find(struct race_groups *y, const struct use_input *in, struct findings *f, struct err *e)
{
    struct search s = {.y = y, .in = in, .f = f};
    (void)e;
    find_blocks(&s);
    if (s.blocks.count > 0) {
        leave_out_races(&s);
    }
    const size_t from = s.uses.count;
    for (uint32_t i = 0; i < in->accesses->class_count && s.blocks.count > 0; i++) {
        const struct access_class *class = &in->accesses->classes[i];
        const struct block *b = freed_block(&s, class);
        if (b != NULL && !s.is_ready) {
            prepare(&s);
        }
        if (b != NULL) {
            decide_class(&s, class, b);
        }
    }
    tell_all(&s, from);
    in->hb->reads = NULL;
    if (s.feasible != NULL && is_stamped(&s)) {
        reordered_release(&s.reordered);
    }
    feasible_free(s.feasible);
    if (s.checker != NULL) {
        witness_checker_free(s.checker);
    }
    if (s.has_observed) {
        hb_release(&s.observed);
    }
    vec_release(&s.order);
    vec_release(&s.uses);
    vec_release(&s.blocks);
    map_release(&s.use_of);
    map_release(&s.block_of);
    arena_release(&s.arena);
    return 0;
}
