#include "explore/relation.h"

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
    uint64_t *to = row(r, second);
    const uint64_t *from = row(r, first);
    for (size_t i = 0; i < r->row_words; i++) {
        to[i] |= from[i];
    }
    to[first / 64] |= UINT64_C(1) << (first % 64);
}

void relation_build(struct relation *r, const struct execution *x)
{
    r->step_count = x->steps.count;
    r->row_words = (x->steps.count + 63) / 64;
    vec_clear(&r->words);
    vec_reserve(&r->words, r->step_count * r->row_words);
    for (size_t i = 0; i < r->step_count * r->row_words; i++) {
        r->words.at[i] = 0;
    }
    r->words.count = r->step_count * r->row_words;
    for (size_t second = 0; second < r->step_count; second++) {
        const struct step *s = &x->steps.at[second];
        for (size_t first = second; first-- > 0;) {
            if (!relation_is_before(r, first, second) &&
                (s->cause == first ||
                 pick_conflicts(&x->steps.at[first].operation, &s->operation))) {
                add_before(r, first, second);
            }
        }
    }
}

void relation_release(struct relation *r)
{
    vec_release(&r->words);
}

bool relation_is_race(const struct relation *r, const struct execution *x, size_t first,
                      size_t second)
{
    const struct step *a = &x->steps.at[first];
    const struct step *b = &x->steps.at[second];
    if (b->cause == first || !pick_conflicts(&a->operation, &b->operation)) {
        return false;
    }
    for (size_t between = first + 1; between < second; between++) {
        if (relation_is_before(r, first, between) && relation_is_before(r, between, second)) {
            return false;
        }
    }
    return true;
}

void relation_initials(const struct relation *r, size_t first, size_t second,
                       struct initials *initials)
{
    vec_clear(&initials->steps);
    VEC(uint32_t) others = {0};
    for (size_t step = first + 1; step <= second; step++) {
        if (step != second && relation_is_before(r, first, step)) {
            continue;
        }
        bool is_initial = true;
        vec_each (&others, other) {
            is_initial = is_initial && !relation_is_before(r, *other, step);
        }
        if (is_initial) {
            vec_push(&initials->steps, (uint32_t)step);
        }
        vec_push(&others, (uint32_t)step);
    }
    vec_release(&others);
}
