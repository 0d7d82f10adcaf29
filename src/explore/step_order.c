#include "explore/step_order.h"

#include "wire/kind.h"

static uint64_t *row(struct relation *r, size_t step)
{
    return r->words.at + step * r->row_words;
}

bool relation_is_before(const struct relation *r, size_t first, size_t second)
{
    must(first < r->step_count);
    must(second < r->step_count);
    return (r->words.at[second * r->row_words + first / 64] >> (first % 64) & 1) != 0;
}

static void add_before(struct relation *r, size_t first, size_t second)
{
    must_in_tests(first < second);
    uint64_t *to = row(r, second);
    const uint64_t *from = row(r, first);
    for (size_t i = 0; i < r->row_words; i++) {
        to[i] |= from[i];
    }
    to[first / 64] |= UINT64_C(1) << (first % 64);
}

/* Whether all that the first does to the second is to enable it. */
static bool only_enables(const struct pick_operation *first, const struct pick_operation *second)
{
    return pick_enables(first, second) && !second->has_surplus;
}

/* A row begins with the steps before this one by conflicts: the latest of these that no later one
 * follows are its races. A signal may be taken before the step that its task took last. The steps
 * that enable it come last, because they hide no race: two that take one lock are in a race
 * although the unlock of the first is between them. */
static void build_row(struct relation *r, const struct execution *x, size_t second, bool has_races)
{
    const struct step *s = &x->steps.at[second];
    bool is_enabled = false;
    for (size_t first = second; first-- > 0;) {
        const struct pick_operation *o = &x->steps.at[first].operation;
        if (relation_is_before(r, first, second)) {
            continue;
        }
        if (s->cause == first && s->operation.kind != EVENT_HANDLER_BEGIN) {
            add_before(r, first, second);
        } else if (only_enables(o, &s->operation)) {
            is_enabled = true;
        } else if (pick_conflicts(o, &s->operation)) {
            add_before(r, first, second);
            if (has_races) {
                vec_push(&r->races, (struct step_race){(uint32_t)first, (uint32_t)second});
            }
        }
    }
    for (size_t first = second; is_enabled && first-- > 0;) {
        if (!relation_is_before(r, first, second) &&
            only_enables(&x->steps.at[first].operation, &s->operation)) {
            add_before(r, first, second);
        }
    }
}

void relation_build(struct relation *r, const struct execution *x, size_t race_first)
{
    r->step_count = x->steps.count;
    r->row_words = (x->steps.count + 63) / 64;
    vec_clear(&r->words);
    vec_clear(&r->races);
    vec_reserve(&r->words, r->step_count * r->row_words);
    for (size_t i = 0; i < r->step_count * r->row_words; i++) {
        r->words.at[i] = 0;
    }
    r->words.count = r->step_count * r->row_words;
    for (size_t second = 0; second < r->step_count; second++) {
        build_row(r, x, second, second >= race_first);
    }
}

static bool is_plain_access(const struct pick_operation *o)
{
    return o->kind == EVENT_READ || o->kind == EVENT_WRITE;
}

bool relation_is_data_race(const struct execution *x, const struct step_race *race)
{
    must(race->first < race->second);
    must(race->second < x->steps.count);
    return is_plain_access(&x->steps.at[race->first].operation) &&
           is_plain_access(&x->steps.at[race->second].operation);
}

void relation_release(struct relation *r)
{
    vec_release(&r->words);
    vec_release(&r->races);
}
