#include "race/plain.h"

#include "base/sort.h"
#include "order/saturate.h"
#include "race/pool.h"

bool plain_applies(const struct hb *hb)
{
    if (hb->is_contradictory || hb->dropped > 0 || pool_is_there(hb)) {
        return false;
    }
    for (uint32_t i = 0; i < hb->sections.lock_count; i++) {
        if (hb->sections.locks[i].is_contended) {
            return false;
        }
    }
    for (uint32_t i = 0; i < hb->waits.count; i++) {
        if (wait_is_strict(&hb->waits.list[i])) {
            return false;
        }
    }
    for (uint32_t i = hb->contexts.task_count; i < hb->contexts.count; i++) {
        if (saturate_handler_is_joined(hb, i)) {
            return false;
        }
    }
    return true;
}

struct plain_line plain_line_of(const struct hb *hb, const struct accesses *a,
                                const struct access_class *class, uint32_t other_task,
                                struct arena *arena)
{
    const struct contexts *c = &hb->contexts;
    struct plain_line line = {
        .count = class->count,
        .events = a->events + class->first,
        .at = arena_array(arena, uint32_t, class->count),
        .reaches = arena_array(arena, uint32_t, class->count),
        .is_rising = true,
    };
    const uint32_t length = c->list[other_task].count;
    for (uint32_t i = 0; i < class->count; i++) {
        const event_id id = line.events[i];
        const event_id receive = c->list[c->of[id]].receive;
        line.at[i] = c->position[receive == EVENT_NONE ? id : receive];
        line.reaches[i] = length - reach_count(&hb->after, id, other_task);
        line.is_rising = line.is_rising && (i == 0 || line.reaches[i - 1] <= line.reaches[i]);
    }
    return line;
}

/* The first index at which the rising numbers are at least (more than, with `beyond`) the wanted.
 */
static uint32_t first_at_least(const uint32_t *numbers, uint32_t count, uint64_t wanted)
{
    uint32_t low = 0;
    uint32_t high = count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (numbers[middle] < wanted) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* With b rising, those of b that race with an access of a are neighbours: behind all that come
 * before it, ahead of all that come after. */
static uint64_t count_intervals(const struct plain_line *a, const struct plain_line *b)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        const uint32_t from = first_at_least(b->reaches, b->count, (uint64_t)a->at[i] + 1);
        const uint32_t to = first_at_least(b->at, b->count, a->reaches[i]);
        count += to > from ? to - from : 0;
    }
    return count;
}

static int by_number(const void *left, const void *right, const void *context)
{
    const uint32_t *numbers = context;
    const uint32_t a = numbers[*(const uint32_t *)left];
    const uint32_t b = numbers[*(const uint32_t *)right];
    return (a > b) - (a < b);
}

/* In general: goes along a, whose places rise, and forgets those of b that reach no further; a
 * Fenwick tree counts who is left among the first. */
static uint64_t count_remaining(const struct plain_line *a, const struct plain_line *b,
                                struct arena *scratch)
{
    uint32_t *by_reach = arena_array(scratch, uint32_t, b->count);
    uint32_t *left = arena_array(scratch, uint32_t, (size_t)b->count + 1);
    for (uint32_t k = 0; k < b->count; k++) {
        by_reach[k] = k;
    }
    sort_stable(by_reach, b->count, sizeof *by_reach, by_number, b->reaches);
    for (uint32_t k = 1; k <= b->count; k++) {
        left[k] = k & -k; /* all are there */
    }
    uint64_t count = 0;
    uint32_t forgotten = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        for (; forgotten < b->count && b->reaches[by_reach[forgotten]] <= a->at[i]; forgotten++) {
            for (uint32_t k = by_reach[forgotten] + 1; k <= b->count; k += k & -k) {
                left[k]--;
            }
        }
        for (uint32_t k = first_at_least(b->at, b->count, a->reaches[i]); k > 0; k -= k & -k) {
            count += left[k];
        }
    }
    return count;
}

/* The first access of b that races with one of a listed before it, and the first of those. False
 * when there is none. */
static bool find_completed(const struct plain_line *a, const struct plain_line *b, event_id *first,
                           event_id *second, struct arena *scratch)
{
    uint32_t *furthest = arena_array(scratch, uint32_t, a->count); /* reached so far */
    for (uint32_t i = 0; i < a->count; i++) {
        furthest[i] = i > 0 && furthest[i - 1] > a->reaches[i] ? furthest[i - 1] : a->reaches[i];
    }
    for (uint32_t k = 0; k < b->count; k++) {
        const uint32_t i = first_at_least(furthest, a->count, (uint64_t)b->at[k] + 1);
        if (i < a->count && a->events[i] < b->events[k] && a->at[i] < b->reaches[k]) {
            *first = a->events[i];
            *second = b->events[k];
            return true;
        }
    }
    return false;
}

/* The race whose second access is listed first. */
static void find_first(const struct plain_line *a, const struct plain_line *b, event_id *first,
                       event_id *second, struct arena *scratch)
{
    event_id other_first = EVENT_NONE;
    event_id other_second = EVENT_NONE;
    *first = *second = EVENT_NONE;
    const bool ends_in_b = find_completed(a, b, first, second, scratch);
    const bool ends_in_a = find_completed(b, a, &other_first, &other_second, scratch);
    must(ends_in_a || ends_in_b);
    if (other_second < *second) {
        *first = other_first;
        *second = other_second;
    }
}

uint64_t plain_count(const struct plain_line *a, const struct plain_line *b, event_id *first,
                     event_id *second, struct arena *scratch)
{
    const struct arena_mark mark = arena_mark(scratch);
    const uint64_t count = b->is_rising   ? count_intervals(a, b)
                           : a->is_rising ? count_intervals(b, a)
                                          : count_remaining(a, b, scratch);
    if (count > 0) {
        find_first(a, b, first, second, scratch);
    }
    arena_reset(scratch, mark);
    return count;
}
