/* One node in the place of another. Where nodes are of one kind but not the same (a worker that has
 * the data of a task, a member that others ask first), the violation may show sooner on another
 * than on the one on which it was found. Everything that the two do is exchanged, whatever it
 * brings. */
#include "minimize/stages/stages.h"

struct nodes {
    VEC(uint16_t) list; /* in the order in which they first did something */
};

static void add_node(struct nodes *n, uint16_t node)
{
    vec_each (&n->list, known) {
        if (*known == node) {
            return;
        }
    }
    vec_push(&n->list, node);
}

static void list_nodes(struct nodes *n, const struct past *past)
{
    for (uint32_t i = 0; i < past->count; i++) {
        add_node(n, past->steps[i].operation.node);
    }
}

static bool try_exchanged(struct reducer *r, uint16_t first, uint16_t second)
{
    struct world *w = r->world;
    for (uint32_t way = 0; way < r->ways.count; way++) {
        vec_clear(&r->candidate.wants);
        vec_each (&r->result->best.steps, step) {
            struct pick_want want = reducer_want_of(&step->operation, r->ways.at[way]);
            want.action = w->ops->exchanged(w, &step->operation, first, second);
            vec_push(&r->candidate.wants, want);
        }
        if (reducer_try(r, &r->candidate)) {
            return true;
        }
    }
    return false;
}

/* Ends with the first pair that helps: the stages before this one have more to do then. */
static void exchange_any(struct reducer *r, const struct nodes *ours, const struct nodes *all)
{
    vec_each (&ours->list, first) {
        vec_each (&all->list, second) {
            if (!reducer_goes_on(r) || (*first != *second && try_exchanged(r, *first, *second))) {
                return;
            }
        }
    }
}

void node_renaming_stage(struct reducer *r)
{
    struct nodes ours = {0};
    struct nodes all = {0};
    const struct past best = reducer_past(r);
    const struct past given = reducer_first(r);
    if (r->world->ops->exchanged == NULL) {
        reducer_note(r, "skipped: only for simulated systems");
    } else {
        list_nodes(&ours, &best);
        list_nodes(&all, &given);
        exchange_any(r, &ours, &all);
    }
    vec_release(&ours.list);
    vec_release(&all.list);
}
