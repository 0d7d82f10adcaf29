#include "race/strict.h"

#include "order/saturate.h"
#include "race/plain.h"

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
    return 0;
}

void strict_release(struct strict *s)
{
    hb_release(&s->hb);
}
