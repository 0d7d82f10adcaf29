#include "minimize/engine/sleep_sets.h"

#include "pick/operation_name.h"

void sleep_sets_clear(struct sleep_sets *v)
{
    map_clear(&v->number_of);
    vec_clear(&v->list);
    vec_clear(&v->asleep);
}

void sleep_sets_release(struct sleep_sets *v)
{
    map_release(&v->number_of);
    vec_release(&v->list);
    vec_release(&v->asleep);
}

/* Names count occurrences, and so depend on the way to a state. Two messages of one kind may carry
 * equal contents: nothing distinguishes which of them slept. */
void branches_identify(struct branches *b)
{
    vec_each (&b->list, branch) {
        const struct pick_operation *o = &branch->operation;
        branch->id = name_mix(name_mix(o->action, o->content), pick_fault(o));
        for (struct branch *before = b->list.at; before < branch; before++) {
            if (before->id == branch->id) {
                before->is_alike = branch->is_alike = true;
            }
        }
    }
}

static const struct visit *find(const struct sleep_sets *v, uint64_t state, uint32_t left)
{
    const uint32_t *number = map_get(&v->number_of, state);
    must(number == NULL || *number < v->list.count);
    const struct visit *visit = number == NULL ? NULL : &v->list.at[*number];
    return visit != NULL && visit->left >= left ? visit : NULL;
}

bool sleep_sets_has_all(const struct sleep_sets *v, uint64_t state, uint32_t left)
{
    const struct visit *before = find(v, state, left);
    return before != NULL && before->asleep_count == 0;
}

static bool was_asleep(const struct sleep_sets *v, const struct visit *before, uint64_t id)
{
    must(before->asleep_first + before->asleep_count <= v->asleep.count);
    for (uint32_t i = 0; i < before->asleep_count; i++) {
        if (v->asleep.at[before->asleep_first + i] == id) {
            return true;
        }
    }
    return false;
}

static void look_at_rest(const struct sleep_sets *v, const struct visit *before, struct branches *b)
{
    vec_each (&b->list, branch) {
        const bool is_asleep = branch->is == BRANCH_ASLEEP;
        if (is_asleep == was_asleep(v, before, branch->id)) {
            branch->is = is_asleep ? BRANCH_ASLEEP : BRANCH_LEFT_OUT;
        } else if (is_asleep) {
            branch->is = BRANCH_LEFT_OUT;
        }
    }
}

static void put(struct sleep_sets *v, uint64_t state, uint32_t left, const struct branches *b)
{
    struct visit visit = {.left = left, .asleep_first = (uint32_t)v->asleep.count};
    vec_each (&b->list, branch) {
        if (branch->is == BRANCH_ASLEEP) {
            vec_push(&v->asleep, branch->id);
            visit.asleep_count++;
        }
    }
    must(visit.asleep_count <= b->list.count);
    bool is_new = false;
    const uint32_t number = *map_slot(&v->number_of, state, (uint32_t)v->list.count, &is_new);
    if (is_new) {
        vec_push(&v->list, visit);
    } else {
        v->list.at[number] = visit;
    }
    must(v->number_of.entries.count == v->list.count);
}

void sleep_sets_enter(struct sleep_sets *v, uint64_t state, uint32_t left, struct branches *b)
{
    const struct visit *before = find(v, state, left);
    const bool is_known_with_more = before != NULL && before->left > left;
    if (before != NULL) {
        look_at_rest(v, before, b);
    }
    if (!is_known_with_more) {
        put(v, state, left, b);
    }
}
