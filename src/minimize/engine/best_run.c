#include "minimize/engine/best_run.h"

#include "minimize/engine/attempt.h"

bool best_is_beaten_by(const struct reducer *r, const struct execution *x)
{
    const int order = minimize_compare(r->world, x, &r->result->best);
    return order < 0 || (order == 0 && r->accepts_equal);
}

static bool is_pair(const struct pick_operation *first, const struct pick_operation *second)
{
    const uint8_t fault = pick_fault(first);
    const uint8_t then = pick_fault(second);
    const bool is_undone = (fault == FAULT_CRASH && then == FAULT_RESTART) ||
                           (fault == FAULT_PARTITION && then == FAULT_HEAL);
    return is_undone && first->node == second->node;
}

/* A crash and the restart that ends it, a partition and its healing, stay or go together. */
static void find_atoms(struct reducer *r)
{
    const struct execution *best = &r->result->best;
    vec_clear(&r->partner_of);
    for (uint32_t i = 0; i < best->steps.count; i++) {
        vec_push(&r->partner_of, i);
    }
    for (uint32_t i = 0; i < best->steps.count; i++) {
        const struct pick_operation *o = &best->steps.at[i].operation;
        for (uint32_t k = i + 1; pick_fault(o) != 0 && k < best->steps.count; k++) {
            if (is_pair(o, &best->steps.at[k].operation)) {
                r->partner_of.at[i] = k;
                r->partner_of.at[k] = i;
                break;
            }
        }
    }
    must(r->partner_of.count == best->steps.count);
}

void best_count_faults(struct reducer *r)
{
    struct fault_budget needed = {0};
    vec_each (&r->result->best.steps, step) {
        must(step->operation.fault < FAULT_LIMIT);
        if (step->operation.fault != 0) {
            needed.most[step->operation.fault]++;
        }
    }
    r->result->plan.faults = needed;
}

/* A walk from a longer execution reaches more others. */
static void keep_start(struct reducer *r)
{
    struct walk_start *start = &r->walk;
    if (reducer_is_trial(r) || start->candidate.wants.count > 0 ||
        reducer_size(r) > WALK_STEPS_MAX) {
        return;
    }
    start->seed = r->result->plan.pick.seed;
    for (uint32_t i = 0; i < reducer_size(r); i++) {
        vec_push(&start->candidate.wants, reducer_want(r, i, PICK_SAME_OR_OLDEST));
    }
    must(start->candidate.wants.count <= WALK_STEPS_MAX);
}

void best_tell(struct reducer *r)
{
    struct minimized *m = r->result;
    m->final_externals = minimize_externals(&m->best);
    m->final_switches = r->world->has_tasks ? minimize_switches(&m->best) : 0;
    r->best_count++;
    m->plan.without = m->best.without.at;
    m->plan.without_count = m->best.without.count;
    best_count_faults(r);
    find_atoms(r);
    keep_start(r);
    if (r->options->better != NULL && !reducer_is_trial(r) &&
        !speculation_is_worker(r->speculation) &&
        r->options->better(r->options->context, &m->plan, &m->best, r->e) < 0) {
        r->is_broken = true;
    }
}

/* The best in the account of the stage whose turn it is: out before there is another, in then. */
static void book(struct reducer *r, int sign)
{
    const struct minimized *m = r->result;
    struct stage_account *account = &r->result->stages[r->stage];
    account->steps += sign * (int64_t)m->best.steps.count;
    account->externals += sign * (int64_t)m->final_externals;
    account->switches += sign * (int64_t)m->final_switches;
    account->bytes += sign * (int64_t)m->final_bytes;
}

void best_replace(struct reducer *r, struct execution *x, uint64_t bytes)
{
    struct minimized *m = r->result;
    must(reducer_is_same(r, x));
    book(r, -1);
    const struct execution before = m->best;
    m->best = *x;
    *x = before;
    m->final_bytes = bytes;
    m->proof = PROOF_NONE; /* what is known of the one before is not of this one */
    best_tell(r);
    must(m->final_externals <= m->best.steps.count);
    must(m->final_switches <= m->best.steps.count);
    book(r, 1);
}

bool best_offer(struct reducer *r)
{
    if (!best_is_beaten_by(r, &r->tried) || !attempt_is_repeatable(r, &r->tried)) {
        return false;
    }
    best_replace(r, &r->again, r->again_bytes);
    return true;
}
