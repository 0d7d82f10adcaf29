#include "race/race.h"

#include "race/access.h"
#include "race/data.h"
#include "race/inbox.h"
#include "race/spider.h"
#include "race/strict.h"
#include "race/swap.h"
#include "race/tally.h"
#include "race/tell.h"

static int find_strict(struct tally *y, struct findings *f, struct notes *n, struct err *e)
{
    struct strict s;
    if (strict_build(&s, y->t, y->o, y->stats, n, e) < 0) {
        return -1;
    }
    struct arena arena = {0};
    const struct access_filter filter = {
        .variable = y->o->variable,
        .has_since = y->o->has_since,
        .has_until = y->o->has_until,
        .since = y->o->since,
        .until = y->o->until,
    };
    struct accesses a;
    struct inboxes x;
    const struct judge judge = strict_judge(&s);
    accesses_build(&a, y->t, &filter, &arena);
    inboxes_build(&x, &s.hb, &a, &filter, &arena);
    const struct swap_input swap = {.hb = &s.hb, .accesses = &a, .inboxes = &x};
    if (!y->o->skips_data && s.is_plain) {
        data_count(y, &a, &s.hb);
    } else if (!y->o->skips_data) {
        data_judge(y, &a, &judge);
    }
    if (!y->o->skips_messages && s.is_plain) {
        swap_count(y, &swap);
    } else if (!y->o->skips_messages) {
        swap_judge(y, &swap, &judge);
    }
    tell_findings(y, &s.hb, f);
    inboxes_release(&x);
    strict_release(&s);
    arena_release(&arena);
    return 0;
}

int race_find(const struct trace *t, const struct race_options *o, struct findings *f,
              struct race_stats *stats, struct notes *n, struct err *e)
{
    struct tally y;
    tally_init(&y, t, o, stats);
    int result = 0;
    if (o->compat != RACE_COMPAT_NONE) {
        spider_find(&y, f);
    } else {
        result = find_strict(&y, f, n, e);
    }
    tally_release(&y);
    return result;
}
