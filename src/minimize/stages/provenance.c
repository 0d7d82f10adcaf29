/* Provenance: a step that is not before the violation cannot have caused it. Which nodes the
 * violation is about is not known, so the smallest set of them that keeps it is looked for: the one
 * where it showed, then another with it, then two others. */
#include "base/mem.h"
#include "minimize/stages/stages.h"

enum { NODES_MAX = 64 };

/* Of each node, the last step that is needed, counted from 1; 0: none. */
struct needs {
    uint32_t last[NODES_MAX];
};

static uint32_t node_of(const struct execution *x, uint32_t step)
{
    must(step < x->steps.count);
    return x->steps.at[step].operation.node % NODES_MAX;
}

static void need(struct needs *n, const struct execution *x, uint32_t step)
{
    uint32_t *last = &n->last[node_of(x, step)];
    *last = step + 1 > *last ? step + 1 : *last;
}

/* The last step of the node, STEP_NONE when it has none. */
static uint32_t last_of(const struct execution *x, uint32_t node)
{
    for (uint32_t i = (uint32_t)x->steps.count; i > 0; i--) {
        if (node_of(x, i - 1) == node) {
            return i - 1;
        }
    }
    return STEP_NONE;
}

/* Marks steps that are not before a needed step: neither at the same node, nor through messages. */
static bool mark(struct needs *n, const struct execution *x, bool *is_out)
{
    bool is_any = false;
    for (uint32_t i = (uint32_t)x->steps.count; i > 0; i--) {
        const struct step *step = &x->steps.at[i - 1];
        if (i > n->last[node_of(x, i - 1)]) {
            is_any = is_out[i - 1] = true;
        } else if (step->cause != STEP_NONE) {
            must(step->cause < i - 1);
            need(n, x, step->cause);
        }
    }
    return is_any;
}

static bool try_slice(struct reducer *r, uint32_t first, uint32_t second)
{
    const struct execution *x = &r->result->best;
    struct needs needs = {0};
    need(&needs, x, reducer_size(r) - 1);
    const uint32_t others[] = {first, second};
    for (size_t i = 0; i < 2; i++) {
        if (others[i] < NODES_MAX && last_of(x, others[i]) != STEP_NONE) {
            need(&needs, x, last_of(x, others[i]));
        }
    }
    bool *is_out = reducer_marks(r);
    return mark(&needs, x, is_out) && reducer_try_without(r, is_out);
}

void provenance_stage(struct reducer *r)
{
    if (reducer_size(r) == 0 || try_slice(r, NODES_MAX, NODES_MAX)) {
        return;
    }
    uint32_t node_count = 0;
    vec_each (&r->result->best.steps, step) {
        const uint32_t node = step->operation.node % NODES_MAX;
        node_count = node >= node_count ? node + 1 : node_count;
    }
    for (uint32_t i = 0; i < node_count; i++) {
        if (try_slice(r, i, NODES_MAX)) {
            return;
        }
    }
    for (uint32_t i = 0; i < node_count; i++) {
        for (uint32_t k = i + 1; k < node_count; k++) {
            if (try_slice(r, i, k)) {
                return;
            }
        }
    }
}
