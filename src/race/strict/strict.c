#include "race/strict/strict.h"

#include "order/saturate.h"
#include "race/strict/lock_free.h"

/* Whether another task may run the routine of a one-time initialization. */
enum strict_onces {
    STRICT_MOVABLE,
    STRICT_FIXED,
};

static int build(struct strict *s, struct race_groups *y, enum strict_onces onces, struct notes *n,
                 struct err *e);

/* ---- asking a solver ---- */

/* Opens the solver when it is needed first: few traces need it. */
static bool can_ask(struct strict *s)
{
    struct err ignored;
    s->is_open = s->is_open || query_open(&s->query, &s->hb, s->y, &s->arena, &ignored) == 0;
    return s->is_open;
}

/* Where the answer to a question about these two events is kept: it depends on their gaps only. */
static uint32_t *answer_slot(struct strict *s, event_id a, event_id b, bool *is_new)
{
    const uint64_t gap_a = formula_gap(&s->query.formula, a);
    const uint64_t gap_b = formula_gap(&s->query.formula, b);
    const uint32_t of_a = *map_slot(&s->gap_of, gap_a, (uint32_t)s->gap_of.entries.count, NULL);
    const uint32_t of_b = *map_slot(&s->gap_of, gap_b, (uint32_t)s->gap_of.entries.count, NULL);
    return map_slot(&s->answers, map_pair(of_a, of_b), RACE_UNKNOWN, is_new);
}

static enum race_verdict ask_adjacent(struct strict *s, event_id a, event_id b)
{
    if (!query_can_answer(&s->query)) {
        return RACE_UNKNOWN;
    }
    bool is_new = false;
    uint32_t *answer = answer_slot(s, a, b, &is_new);
    if (is_new) {
        *answer = query_adjacent(&s->query, a, b);
    }
    return (enum race_verdict) * answer;
}

/* ---- deciding ---- */

static enum race_verdict decide_data(void *self, event_id a, event_id b);

static bool is_about_routine(const struct hb *hb, event_id a, event_id b)
{
    return once_around(&hb->onces, a) != NULL || once_around(&hb->onces, b) != NULL;
}

/* An access of a routine is made by the task that ran it: the calls come in the order of the list.
 */
static enum race_verdict decide_fixed(struct strict *s, event_id a, event_id b)
{
    struct err ignored;
    if (s->fixed == NULL) {
        struct notes repeated = {0};
        s->fixed = arena_array(&s->arena, struct strict, 1);
        s->cannot_fix = build(s->fixed, s->y, STRICT_FIXED, &repeated, &ignored) < 0;
        notes_release(&repeated);
    }
    if (s->cannot_fix) {
        return RACE_UNKNOWN;
    }
    strict_serve(s->fixed, s->y);
    return decide_data(s->fixed, a, b);
}

static enum race_verdict decide_data(void *self, event_id a, event_id b)
{
    struct strict *s = self;
    if (!s->has_order) {
        return RACE_UNKNOWN;
    }
    if (is_about_routine(&s->hb, a, b)) {
        return decide_fixed(s, a, b);
    }
    if (!hb_is_concurrent(&s->hb, a, b) || held_excludes(&s->held, &s->hb, a, b)) {
        return RACE_NO;
    }
    const enum reorder_answer answer =
        s->list_is_allowed ? reorder_adjacent(&s->reorder, a, b) : SPLICE_SILENT;
    if (answer != SPLICE_SILENT) {
        return answer == SPLICE_YES ? RACE_YES : RACE_NO;
    }
    s->y->stats->asked++;
    return can_ask(s) ? ask_adjacent(s, a, b) : RACE_UNKNOWN;
}

static enum race_verdict decide_message(void *self, event_id send, event_id receive)
{
    struct strict *s = self;
    if (!s->has_order) {
        return RACE_UNKNOWN;
    }
    if (send == receive || hb_is_before(&s->hb, receive, send)) {
        return RACE_NO;
    }
    const enum reorder_answer answer =
        s->list_is_allowed ? reorder_before(&s->reorder, send, receive) : SPLICE_SILENT;
    if (answer != SPLICE_SILENT) {
        return answer == SPLICE_YES ? RACE_YES : RACE_NO;
    }
    s->y->stats->asked++;
    return can_ask(s) ? query_before(&s->query, send, receive) : RACE_UNKNOWN;
}

static bool excludes(void *self, const struct access_class *first,
                     const struct access_class *second)
{
    const struct strict *s = self;
    return class_locks_exclude(&s->class_locks, first, second);
}

struct judge strict_judge(struct strict *s)
{
    return (struct judge){.data = decide_data,
                          .message = decide_message,
                          .excludes = s->has_class_locks ? excludes : NULL,
                          .order = s->has_class_locks ? &s->hb : NULL,
                          .self = s};
}

/* Accesses of routines are decided by another order. */
void strict_read_classes(struct strict *s, const struct accesses *a)
{
    s->has_class_locks =
        s->has_order && s->hb.onces.count == 0 && s->hb.contexts.count == s->hb.contexts.task_count;
    if (s->has_class_locks) {
        class_locks_build(&s->class_locks, &s->hb, &s->held, a, &s->arena);
    }
}

void strict_serve(struct strict *s, struct race_groups *y)
{
    s->y = y;
    query_serve(&s->query, y);
}

int strict_written(const struct strict *s, struct err *e)
{
    return s->is_open ? query_written(&s->query, e) : 0;
}

/* ---- building ---- */

static void build_choices(struct strict *s)
{
    held_build(&s->held, &s->hb, HELD_CONTENDED, &s->arena);
    s->list_is_allowed = reorder_list_is_allowed(&s->hb);
    if (s->list_is_allowed) {
        reorder_build(&s->reorder, &s->hb, &s->held);
        /* Accesses of a routine that another task could run are decided one by one. */
        s->has_spans = s->hb.onces.count == 0 && lock_spans_apply(&s->hb);
    }
    if (s->has_spans) {
        lock_spans_build(&s->spans, &s->hb, &s->held, &s->arena);
    }
    s->has_order = s->list_is_allowed || (can_ask(s) && query_any(&s->query) == RACE_YES);
}

static int build(struct strict *s, struct race_groups *y, enum strict_onces onces, struct notes *n,
                 struct err *e)
{
    *s = (struct strict){.y = y};
    const struct race_options *o = y->o;
    const struct hb_options options = {.model = HB_STRICT,
                                       .scope = REACH_NONE,
                                       .given = o->given,
                                       .fixes_onces = onces == STRICT_FIXED};
    if (hb_build(&s->hb, y->t, &options, n, e) < 0) {
        return -1;
    }
    bool is_whole = true;
    s->is_plain = onces == STRICT_MOVABLE && plain_applies(&s->hb);
    if (s->is_plain) {
        saturate_handlers(&s->hb);
    } else {
        is_whole = saturate(&s->hb, &y->watch);
    }
    if (!s->is_plain && is_whole && !s->hb.is_contradictory) {
        build_choices(s);
    }
    return 0;
}

int strict_build(struct strict *s, struct race_groups *y, struct notes *n, struct err *e)
{
    return build(s, y, STRICT_MOVABLE, n, e);
}

void strict_release(struct strict *s)
{
    if (s->fixed != NULL && !s->cannot_fix) {
        strict_release(s->fixed);
    }
    if (s->list_is_allowed) {
        reorder_release(&s->reorder);
    }
    if (s->is_open) {
        query_close(&s->query);
    }
    map_release(&s->gap_of);
    map_release(&s->answers);
    hb_release(&s->hb);
    arena_release(&s->arena);
}
