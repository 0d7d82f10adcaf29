#include "race/race.h"

#include "race/access.h"
#include "race/data.h"
#include "race/inbox.h"
#include "race/strict.h"
#include "race/swap.h"
#include "race/tally.h"

int race_find(const struct trace *t, const struct race_options *o, struct findings *f,
              struct race_stats *stats, struct notes *n, struct err *e)
{
    (void)f;
    struct arena arena = {0};
    struct tally y;
    struct strict s;
    tally_init(&y, t, o, stats);
    if (strict_build(&s, t, o, stats, n, e) < 0) {
        return -1;
    }
    const struct access_filter filter = {.variable = o->variable};
    struct accesses a;
    struct inboxes x;
    accesses_build(&a, t, &filter, &arena);
    data_count(&y, &a, &s.hb);
    inboxes_build(&x, &s.hb, &a, &filter, &arena);
    swap_count(&y, &(struct swap_input){.hb = &s.hb, .accesses = &a, .inboxes = &x});
    inboxes_release(&x);
    tally_release(&y);
    strict_release(&s);
    arena_release(&arena);
    return 0;
}
