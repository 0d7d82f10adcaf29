#include "race/strict.h"

#include "order/saturate.h"
#include "race/plain.h"

/* ---- deciding ---- */

/* Where in the answers a question about these two events is kept. */
static uint32_t *answer_slot(struct strict *s, uint64_t gap_a, uint64_t gap_b, bool *is_new)
{
    const uint32_t a = *map_slot(&s->gap_of, gap_a, (uint32_t)s->gap_of.entries.count, NULL);
    const uint32_t b = *map_slot(&s->gap_of, gap_b, (uint32_t)s->gap_of.entries.count, NULL);
    return map_slot(&s->answers, map_pair(a, b), RACE_UNKNOWN, is_new);
}

static enum race_verdict decide_data(void *self, event_id a, event_id b)
{
    struct strict *s = self;
    if (!s->has_order) {
        return RACE_UNKNOWN;
    }
    if (!hb_is_concurrent(&s->hb, a, b) || held_excludes(&s->held, &s->hb, a, b)) {
        return RACE_NO;
    }
    bool is_new = false;
    uint32_t *answer = answer_slot(s, formula_gap(&s->query.formula, a),
                                   formula_gap(&s->query.formula, b), &is_new);
    if (is_new) {
        *answer = query_adjacent(&s->query, a, b);
    }
    return (enum race_verdict) * answer;
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
    return query_before(&s->query, send, receive);
}

struct judge strict_judge(struct strict *s)
{
    return (struct judge){.data = decide_data, .message = decide_message, .self = s};
}

/* ---- building ---- */

/* Whether the list is an allowed order: it obeys the edges, and no two sections that exclude each
 * other overlap in it. Handlers do not overlap in a list, and waits are served in it by their
 * definition. */
static bool list_is_allowed(const struct hb *hb)
{
    for (uint32_t i = 0; i < hb->sections.lock_count; i++) {
        const uint32_t *numbers = hb->sections.by_lock + hb->sections.locks[i].first;
        const struct section *last = NULL; /* of those so far, the exclusive one that ends last */
        const struct section *last_shared = NULL;
        for (uint32_t k = 0; k < hb->sections.locks[i].count; k++) {
            const struct section *s = &hb->sections.list[numbers[k]];
            if ((last != NULL && last->end > s->begin && last->task != s->task) ||
                (!s->is_shared && last_shared != NULL && last_shared->end > s->begin &&
                 last_shared->task != s->task)) {
                return false;
            }
            const struct section **of_kind = s->is_shared ? &last_shared : &last;
            *of_kind = *of_kind == NULL || (*of_kind)->end < s->end ? s : *of_kind;
        }
    }
    return hb->follows_list;
}

static int build_choices(struct strict *s, struct err *e)
{
    held_build(&s->held, &s->hb, HELD_CONTENDED, &s->arena);
    if (query_open(&s->query, &s->hb, RACE_VIA_ENGINE, s->o, s->stats, &s->arena, e) < 0) {
        return -1;
    }
    s->has_order = list_is_allowed(&s->hb) || query_any(&s->query) == RACE_YES;
    return 0;
}

int strict_build(struct strict *s, const struct trace *t, const struct race_options *o,
                 struct race_stats *stats, struct notes *n, struct err *e)
{
    *s = (struct strict){.o = o, .stats = stats};
    const struct hb_options options = {.model = HB_STRICT, .scope = REACH_NONE, .given = o->given};
    if (hb_build(&s->hb, t, &options, n, e) < 0) {
        return -1;
    }
    s->is_plain = plain_applies(&s->hb);
    hb_rescope(&s->hb, s->is_plain ? REACH_NODE : REACH_ALL, true);
    saturate(&s->hb);
    s->is_plain = s->is_plain && !s->hb.is_contradictory;
    if (!s->is_plain && !s->hb.is_contradictory && build_choices(s, e) < 0) {
        strict_release(s);
        return -1;
    }
    return 0;
}

void strict_release(struct strict *s)
{
    query_close(&s->query);
    map_release(&s->gap_of);
    map_release(&s->answers);
    hb_release(&s->hb);
    arena_release(&s->arena);
}
