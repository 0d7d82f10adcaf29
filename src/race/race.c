#include "race/race.h"

#include "race/access.h"
#include "race/data.h"
#include "race/inbox.h"
#include "race/prune.h"
#include "race/query.h"
#include "race/spider.h"
#include "race/strict.h"
#include "race/swap.h"
#include "race/tally.h"
#include "race/tell.h"

/* What all ways of finding look at. */
struct candidates {
    struct arena arena;
    struct accesses all;
    struct accesses data; /* what pruning leaves; handlers keep theirs, for the messages */
    struct inboxes inboxes;
    struct swap_input swap;
};

static void candidates_build(struct candidates *c, const struct hb *hb, bool is_plain,
                             struct tally *y)
{
    const struct race_options *o = y->o;
    struct access_filter filter = {
        .variable = o->variable,
        .has_since = o->has_since,
        .has_until = o->has_until,
        .since = o->since,
        .until = o->until,
    };
    *c = (struct candidates){0};
    accesses_build(&c->all, hb->trace, &filter, &c->arena);
    inboxes_build(&c->inboxes, hb, &c->all, &filter, &c->arena);
    c->swap = (struct swap_input){.hb = hb, .accesses = &c->all, .inboxes = &c->inboxes};
    c->data = c->all;
    if (o->prunes) {
        struct pruned pruned;
        prune(&pruned, hb, &c->all, is_plain, &c->arena);
        y->stats->pruned_events = pruned.count;
        filter.dropped = &pruned.events;
        accesses_build(&c->data, hb->trace, &filter, &c->arena);
    }
}

static void candidates_release(struct candidates *c)
{
    inboxes_release(&c->inboxes);
    arena_release(&c->arena);
}

static void judge_candidates(struct tally *y, const struct candidates *c, const struct judge *judge)
{
    if (!y->o->skips_data) {
        data_judge(y, &c->data, judge);
    }
    if (!y->o->skips_messages) {
        swap_judge(y, &c->swap, judge);
    }
}

static void count_candidates(struct tally *y, const struct candidates *c)
{
    if (!y->o->skips_data) {
        data_count(y, &c->data, c->swap.hb);
    }
    if (!y->o->skips_messages) {
        swap_count(y, &c->swap);
    }
}

static int find_by_engine(struct tally *y, struct findings *f, struct notes *n, struct err *e)
{
    struct strict s;
    struct candidates c;
    if (strict_build(&s, y->t, y->o, y->stats, n, e) < 0) {
        return -1;
    }
    candidates_build(&c, &s.hb, s.is_plain, y);
    if (s.is_plain) {
        count_candidates(y, &c);
    } else {
        const struct judge judge = strict_judge(&s);
        judge_candidates(y, &c, &judge);
    }
    tell_findings(y, &s.hb, f);
    candidates_release(&c);
    strict_release(&s);
    return 0;
}

static enum race_verdict know_nothing(void *self, event_id a, event_id b)
{
    (void)self;
    (void)a;
    (void)b;
    return RACE_UNKNOWN;
}

/* Every candidate is a question about the rules as they are, without what the engine knows. */
static int find_by_solver(struct tally *y, struct findings *f, struct notes *n, struct err *e)
{
    struct arena arena = {0};
    struct hb hb;
    struct query q;
    const struct hb_options options = {
        .model = HB_STRICT, .scope = REACH_ALL, .given = y->o->given};
    if (hb_build(&hb, y->t, &options, n, e) < 0) {
        return -1;
    }
    const int result = query_open(&q, &hb, y->o->via, y->o, y->stats, &arena, e);
    if (result == 0) {
        struct candidates c;
        candidates_build(&c, &hb, false, y);
        const bool has_order = !hb.is_contradictory && query_any(&q) != RACE_NO;
        const struct judge judge =
            has_order ? query_judge(&q)
                      : (struct judge){.data = know_nothing, .message = know_nothing};
        judge_candidates(y, &c, &judge);
        tell_findings(y, &hb, f);
        candidates_release(&c);
        query_close(&q);
    }
    hb_release(&hb);
    arena_release(&arena);
    return result;
}

int race_find(const struct trace *t, const struct race_options *o, struct findings *f,
              struct race_stats *stats, struct notes *n, struct err *e)
{
    struct tally y;
    int result = 0;
    tally_init(&y, t, o, stats);
    if (o->compat != RACE_COMPAT_NONE) {
        spider_find(&y, f);
    } else if (o->via == RACE_VIA_ENGINE) {
        result = find_by_engine(&y, f, n, e);
    } else {
        result = find_by_solver(&y, f, n, e);
    }
    tally_release(&y);
    return result;
}
