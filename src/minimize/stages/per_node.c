/* Steps that belong together though others lie between: all steps of one node, some of them in a
 * row, and likewise steps of one kind. */
#include "minimize/stages/stages.h"
#include "pick/operation_name.h"

/* Which strand a step is on. */
typedef uint64_t (*strand_fn)(const struct pick_operation *o);

static uint64_t node_of(const struct pick_operation *o)
{
    return o->node;
}

static uint64_t action_of(const struct pick_operation *o)
{
    return name_mix(o->action, o->fault);
}

static const struct pick_operation *operation(const struct reducer *r, uint32_t step)
{
    return &r->result->best.steps.at[step].operation;
}

/* Marks `size` steps of the strand of step `first`, which is the first of them; false when there
 * are fewer. */
static bool mark_row(const struct reducer *r, strand_fn strand_of, uint32_t first, uint32_t size,
                     bool *is_out)
{
    const uint64_t strand = strand_of(operation(r, first));
    uint32_t marked = 0;
    for (uint32_t i = first; i < reducer_size(r) && marked < size; i++) {
        if (strand_of(operation(r, i)) == strand) {
            is_out[i] = true;
            marked++;
        }
    }
    must(marked <= size);
    return marked == size;
}

/* Every row of `size` steps, from the end; true when a step was removed. */
static bool leave_out_rows(struct reducer *r, strand_fn strand_of, uint32_t size)
{
    bool is_any = false;
    uint32_t first = reducer_size(r);
    while (first > 0 && reducer_goes_on(r)) {
        first--;
        bool *is_out = reducer_marks(r);
        if (mark_row(r, strand_of, first, size, is_out) && reducer_try_without(r, is_out)) {
            is_any = true;
            first = first < reducer_size(r) ? first : reducer_size(r);
        }
    }
    return is_any;
}

static void leave_out_nodes(struct reducer *r)
{
    uint32_t node_count = 0;
    vec_each (&r->result->best.steps, step) {
        const uint32_t node = step->operation.node;
        node_count = node >= node_count ? node + 1 : node_count;
    }
    for (uint32_t node = 0; node < node_count && reducer_goes_on(r); node++) {
        bool *is_out = reducer_marks(r);
        for (uint32_t i = 0; i < reducer_size(r); i++) {
            is_out[i] = operation(r, i)->node == node;
        }
        (void)reducer_try_without(r, is_out);
    }
}

enum { ROW_MAX = 64 };

void per_node_stage(struct reducer *r)
{
    leave_out_nodes(r);
    uint32_t size = reducer_size(r) / 4;
    size = size > ROW_MAX ? ROW_MAX : size;
    for (; size > 1 && reducer_goes_on(r); size = size > 8 ? size / 2 : size - 1) {
        (void)leave_out_rows(r, node_of, size);
        (void)leave_out_rows(r, action_of, size);
    }
}
