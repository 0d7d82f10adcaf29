/* Conflict-driven clause learning after Marques-Silva and Sakallah (GRASP, 1996), with the watches
 * of Moskewicz and others (Chaff, 2001), the shape of Eén and Sörensson (MiniSat, 2003) and the
 * measure of Audemard and Simon (Glucose, 2009) for clause deletion. */
#include "solve/cdcl.h"

#include <string.h>

#include "base/arena.h"

void cdcl_release(struct cdcl *c)
{
    vec_each (&c->watches, watches) {
        vec_release(&watches->list);
    }
    vec_release(&c->variables);
    vec_release(&c->watches);
    vec_release(&c->clauses);
    vec_release(&c->pool);
    vec_release(&c->trail);
    vec_release(&c->level_marks);
    vec_release(&c->learnt);
    vec_release(&c->conflict);
    vec_release(&c->level_seen);
    *c = (struct cdcl){0};
}

uint32_t cdcl_variable(struct cdcl *c)
{
    must(c->variables.count < CDCL_NONE / 2);
    vec_push(&c->variables, (struct cdcl_variable){.reason = CDCL_NONE});
    vec_push(&c->watches, (struct cdcl_watches){0});
    vec_push(&c->watches, (struct cdcl_watches){0});
    return (uint32_t)(c->variables.count - 1);
}

void cdcl_assign(struct cdcl *c, uint32_t literal, uint32_t reason)
{
    struct cdcl_variable *variable = &c->variables.at[literal >> 1];
    must(variable->value == CDCL_OPEN);
    variable->value = literal & 1 ? CDCL_FALSE : CDCL_TRUE;
    variable->level = cdcl_level(c);
    variable->reason = reason;
    vec_push(&c->trail, literal);
}

void cdcl_choose(struct cdcl *c)
{
    vec_push(&c->level_marks, (uint32_t)c->trail.count);
}

static void unassign_from(struct cdcl *c, size_t trail_count)
{
    must(trail_count <= c->trail.count);
    while (c->trail.count > trail_count) {
        struct cdcl_variable *variable = &c->variables.at[vec_pop(&c->trail) >> 1];
        variable->value = CDCL_OPEN;
        variable->reason = CDCL_NONE;
    }
}

void cdcl_unassign(struct cdcl *c, size_t trail_count)
{
    must(cdcl_level(c) == 0);
    unassign_from(c, trail_count);
}

void cdcl_backtrack(struct cdcl *c, uint32_t level)
{
    if (cdcl_level(c) > level) {
        unassign_from(c, c->level_marks.at[level]);
        c->level_marks.count = level;
    }
}

static void watch(struct cdcl *c, uint32_t clause_index)
{
    const uint32_t *literals = c->pool.at + c->clauses.at[clause_index].first;
    for (int i = 0; i < 2; i++) {
        vec_push(&c->watches.at[literals[i]].list,
                 (struct cdcl_watch){.clause = clause_index, .blocker = literals[1 - i]});
    }
}

static void unwatch(struct cdcl *c, uint32_t clause_index)
{
    const uint32_t *literals = c->pool.at + c->clauses.at[clause_index].first;
    for (int i = 0; i < 2; i++) {
        struct cdcl_watches *watches = &c->watches.at[literals[i]];
        /* Deleted clauses are mostly young, so the search starts near the end. */
        size_t at = watches->list.count - 1;
        while (watches->list.at[at].clause != clause_index) {
            must(at > 0);
            at--;
        }
        for (watches->list.count--; at < watches->list.count; at++) {
            watches->list.at[at] = watches->list.at[at + 1];
        }
    }
}

static uint32_t keep_clause(struct cdcl *c, const uint32_t *literals, size_t count,
                            uint32_t level_count)
{
    must(count >= 2);
    must(c->clauses.count < CDCL_NONE);
    must(c->pool.count + count < UINT32_MAX);
    const uint32_t index = (uint32_t)c->clauses.count;
    vec_push(&c->clauses, (struct cdcl_clause){.first = (uint32_t)c->pool.count,
                                               .count = (uint32_t)count,
                                               .level_count = level_count});
    for (size_t i = 0; i < count; i++) {
        vec_push(&c->pool, literals[i]);
    }
    watch(c, index);
    c->learnt_count += level_count > 0;
    return index;
}

bool cdcl_add(struct cdcl *c, const uint32_t *literals, size_t count)
{
    must(cdcl_level(c) == 0);
    vec_clear(&c->learnt);
    for (size_t i = 0; i < count; i++) {
        bool is_known = cdcl_value(c, literals[i]) == CDCL_FALSE;
        if (cdcl_value(c, literals[i]) == CDCL_TRUE) {
            return true;
        }
        vec_each (&c->learnt, kept) {
            is_known = is_known || *kept == literals[i];
        }
        if (!is_known) {
            vec_push(&c->learnt, literals[i]);
        }
    }
    if (c->learnt.count == 0) {
        return false;
    }
    if (c->learnt.count == 1) {
        cdcl_assign(c, c->learnt.at[0], CDCL_NONE);
    } else {
        (void)keep_clause(c, c->learnt.at, c->learnt.count, 0);
    }
    return true;
}

/* Looks for another literal to watch instead of the false one, which is put second. True when there
 * is one; else the first literal is forced. */
static bool find_watch(struct cdcl *c, uint32_t clause_index, uint32_t false_literal)
{
    const struct cdcl_clause *clause = &c->clauses.at[clause_index];
    uint32_t *literals = c->pool.at + clause->first;
    if (literals[0] == false_literal) {
        literals[0] = literals[1];
        literals[1] = false_literal;
    }
    for (uint32_t i = 2; i < clause->count; i++) {
        if (cdcl_value(c, literals[i]) != CDCL_FALSE) {
            literals[1] = literals[i];
            literals[i] = false_literal;
            vec_push(&c->watches.at[literals[1]].list,
                     (struct cdcl_watch){.clause = clause_index, .blocker = literals[0]});
            return true;
        }
    }
    return false;
}

static void set_conflict(struct cdcl *c, uint32_t clause_index)
{
    const struct cdcl_clause *clause = &c->clauses.at[clause_index];
    vec_clear(&c->conflict);
    for (uint32_t i = 0; i < clause->count; i++) {
        vec_push(&c->conflict, c->pool.at[clause->first + i]);
    }
}

bool cdcl_propagate(struct cdcl *c, uint32_t literal)
{
    const uint32_t false_literal = cdcl_negated(literal);
    struct cdcl_watches *watches = &c->watches.at[false_literal];
    size_t kept = 0;
    bool is_consistent = true;
    for (size_t i = 0; i < watches->list.count; i++) {
        const struct cdcl_watch seen = watches->list.at[i];
        c->step_count++;
        if (!is_consistent || cdcl_value(c, seen.blocker) == CDCL_TRUE) {
            watches->list.at[kept++] = seen;
            continue;
        }
        if (find_watch(c, seen.clause, false_literal)) {
            continue;
        }
        watches->list.at[kept++] = seen;
        const uint32_t forced = c->pool.at[c->clauses.at[seen.clause].first];
        switch (cdcl_value(c, forced)) {
        case CDCL_TRUE: break;
        case CDCL_OPEN: cdcl_assign(c, forced, seen.clause); break;
        case CDCL_FALSE:
            set_conflict(c, seen.clause);
            is_consistent = false;
            break;
        }
    }
    watches->list.count = kept;
    return is_consistent;
}

/* Adds the literal to the conflict: one of an earlier level goes into the learnt clause, one of
 * this level is counted, to be resolved. */
static void blame(struct cdcl *c, uint32_t literal, uint32_t *open_count)
{
    struct cdcl_variable *variable = &c->variables.at[literal >> 1];
    if (variable->is_seen || variable->level == 0) {
        return;
    }
    variable->is_seen = true;
    if (variable->level == cdcl_level(c)) {
        (*open_count)++;
    } else {
        vec_push(&c->learnt, literal);
    }
}

uint32_t cdcl_analyze(struct cdcl *c)
{
    must(cdcl_level(c) > 0);
    uint32_t open_count = 0;
    vec_clear(&c->learnt);
    vec_push(&c->learnt, 0);
    vec_each (&c->conflict, literal) {
        must(cdcl_value(c, *literal) == CDCL_FALSE);
        blame(c, *literal, &open_count);
    }
    must(open_count > 0);
    size_t at = c->trail.count;
    for (;;) {
        uint32_t literal = 0;
        do {
            literal = c->trail.at[--at];
        } while (!c->variables.at[literal >> 1].is_seen);
        c->variables.at[literal >> 1].is_seen = false;
        if (--open_count == 0) {
            c->learnt.at[0] = cdcl_negated(literal);
            break;
        }
        const struct cdcl_clause *reason = &c->clauses.at[c->variables.at[literal >> 1].reason];
        for (uint32_t i = 1; i < reason->count; i++) {
            blame(c, c->pool.at[reason->first + i], &open_count);
        }
    }
    /* The second literal has the highest level left, so that both watches are unassigned together.
     */
    uint32_t level = 0;
    for (size_t i = 1; i < c->learnt.count; i++) {
        struct cdcl_variable *variable = &c->variables.at[c->learnt.at[i] >> 1];
        variable->is_seen = false;
        if (variable->level > level) {
            level = variable->level;
            const uint32_t moved = c->learnt.at[i];
            c->learnt.at[i] = c->learnt.at[1];
            c->learnt.at[1] = moved;
        }
    }
    return level;
}

static uint32_t count_levels(struct cdcl *c)
{
    uint32_t count = 0;
    vec_each (&c->learnt, literal) {
        const uint32_t level = c->variables.at[*literal >> 1].level;
        while (c->level_seen.count <= level) {
            vec_push(&c->level_seen, 0);
        }
        count += c->level_seen.at[level] == 0;
        c->level_seen.at[level] = 1;
    }
    vec_each (&c->learnt, literal) {
        c->level_seen.at[c->variables.at[*literal >> 1].level] = 0;
    }
    return count;
}

void cdcl_learn(struct cdcl *c, uint32_t level)
{
    const uint32_t level_count = count_levels(c);
    cdcl_backtrack(c, level);
    const uint32_t reason = c->learnt.count == 1
                                ? CDCL_NONE
                                : keep_clause(c, c->learnt.at, c->learnt.count, level_count);
    cdcl_assign(c, c->learnt.at[0], reason);
}

void cdcl_truncate(struct cdcl *c, size_t clause_count)
{
    must(cdcl_level(c) == 0);
    while (c->clauses.count > clause_count) {
        const uint32_t index = (uint32_t)c->clauses.count - 1;
        unwatch(c, index);
        const struct cdcl_clause clause = vec_pop(&c->clauses);
        c->learnt_count -= clause.level_count > 0;
        c->pool.count = clause.first;
    }
}

/* The least span such that it and all larger ones cover at least half of the learnt clauses; *spare
 * is the number of clauses of exactly that span to keep, the oldest. */
static uint32_t span_to_forget(const struct cdcl *c, size_t clause_first, uint32_t *spare)
{
    enum { SPAN_MAX = 64 };
    uint32_t counts[SPAN_MAX + 1] = {0};
    uint32_t total = 0;
    for (size_t i = clause_first; i < c->clauses.count; i++) {
        const uint32_t span = c->clauses.at[i].level_count;
        counts[span < SPAN_MAX ? span : SPAN_MAX]++;
        total += span > 0;
    }
    uint32_t span = SPAN_MAX;
    uint32_t forgotten = counts[span];
    while (span > 1 && forgotten < total / 2) {
        forgotten += counts[--span];
    }
    *spare = forgotten > total / 2 ? forgotten - total / 2 : 0;
    return span;
}

void cdcl_forget(struct cdcl *c, size_t clause_first)
{
    must(cdcl_level(c) == 0);
    uint32_t spare = 0;
    const uint32_t span = span_to_forget(c, clause_first, &spare);
    const size_t count = c->clauses.count - clause_first;
    struct arena scratch = {0};
    struct cdcl_clause *clauses = arena_array(&scratch, struct cdcl_clause, count);
    uint32_t *pool = arena_array(&scratch, uint32_t, c->pool.count);
    memcpy(clauses, &c->clauses.at[clause_first], count * sizeof *clauses);
    memcpy(pool, c->pool.at, c->pool.count * sizeof *pool);
    cdcl_truncate(c, clause_first);
    for (size_t i = 0; i < count; i++) {
        const struct cdcl_clause clause = clauses[i];
        const bool is_spared = clause.level_count == span && spare > 0;
        spare -= is_spared;
        if (is_spared || clause.level_count < span) {
            (void)keep_clause(c, pool + clause.first, clause.count, clause.level_count);
        }
    }
    arena_release(&scratch);
}
