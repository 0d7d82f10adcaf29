/* One strategy, a seed for each run. */
#include <stddef.h>

#include "base/mem.h"
#include "explore/search.h"
#include "explore/shared_objects.h"
#include "pick/operation_name.h"

struct sample {
    struct search search;
    enum pick_strategy strategy;
    struct shared shared; /* of a world with tasks */
};

_Static_assert(offsetof(struct sample, search) == 0, "operations cast the search to its struct");

static bool next(struct search *search, uint64_t run_index, struct plan *p)
{
    const struct sample *s = (const struct sample *)search;
    *p = search_plan(&search->options);
    p->pick.strategy = s->strategy;
    p->pick.seed =
        run_index == 0 ? search->options.seed : name_join(search->options.seed, run_index);
    p->is_learning = search_is_learning(&search->options, s->strategy, run_index);
    shared_narrow(&s->shared, search->options.seed | 1, &p->pick);
    shared_deepen(&s->shared, &p->pick);
    if (run_index == 0) {
        search_seed(&search->options, p);
    }
    return true;
}

static void learn(struct search *search, const struct plan *p, struct execution *x)
{
    struct sample *s = (struct sample *)search;
    (void)p;
    if (search->options.has_tasks) {
        (void)shared_learn(&s->shared, x);
    }
}

static bool is_complete(const struct search *search)
{
    (void)search;
    return false;
}

static uint32_t words(const struct search *search)
{
    return ((const struct sample *)search)->shared.word_count;
}

static void free_sample(struct search *search)
{
    shared_release(&((struct sample *)search)->shared);
    mem_free(search);
}

struct search *search_sample(const struct search_options *o, enum pick_strategy strategy)
{
    static const struct search_ops ops = {.next = next,
                                          .learn = learn,
                                          .is_complete = is_complete,
                                          .free = free_sample,
                                          .words = words};
    must(strategy < PICK_STRATEGY_COUNT);
    struct sample *s = mem_zero(1, sizeof *s);
    s->search = (struct search){.ops = &ops, .options = *o};
    s->strategy = strategy;
    return &s->search;
}
