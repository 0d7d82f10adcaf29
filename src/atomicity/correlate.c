#include "atomicity/correlate.h"

#include <math.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/names.h"
#include "base/sort.h"

/* Distances of one pair are counted in buckets, so that memory does not follow the length of the
 * traces: exactly up to 32, beyond in eight buckets per power of two. The sum in each bucket is
 * exact, so the mean is; only which distances are outliers may be off by an eighth. */
enum { EXACT_MAX = 32, PARTS = 8, PARTS_BITS = 3, EXACT_BITS = 5 };

struct bucket {
    uint32_t number;
    uint32_t count;
    uint64_t sum;
};

struct distances {
    VEC(struct bucket) buckets; /* by number */
};

struct correlation {
    struct names classes;
    struct map number_of; /* two classes to the pair's number */
    VEC(struct distances) pairs;
};

struct correlation *correlation_new(void)
{
    struct correlation *c = mem_zero(1, sizeof *c);
    names_init(&c->classes);
    return c;
}

void correlation_free(struct correlation *c)
{
    if (c == NULL) {
        return;
    }
    vec_each (&c->pairs, pair) {
        vec_release(&pair->buckets);
    }
    vec_release(&c->pairs);
    map_release(&c->number_of);
    names_release(&c->classes);
    mem_free(c);
}

static uint32_t bucket_of(uint32_t distance)
{
    if (distance < EXACT_MAX) {
        return distance;
    }
    const uint32_t bits = 31 - (uint32_t)__builtin_clz(distance);
    const uint32_t part = (distance >> (bits - PARTS_BITS)) & (PARTS - 1);
    return EXACT_MAX + (bits - EXACT_BITS) * PARTS + part;
}

/* Adds a bucket's worth of distances, in its place. */
static void add_bucket(struct distances *d, struct bucket b)
{
    size_t at = d->buckets.count;
    while (at > 0 && d->buckets.at[at - 1].number > b.number) {
        at--;
    }
    if (at > 0 && d->buckets.at[at - 1].number == b.number) {
        d->buckets.at[at - 1].count += b.count;
        d->buckets.at[at - 1].sum += b.sum;
        return;
    }
    vec_push(&d->buckets, b);
    memmove(&d->buckets.at[at + 1], &d->buckets.at[at],
            (d->buckets.count - 1 - at) * sizeof *d->buckets.at);
    d->buckets.at[at] = b;
    must(at == 0 || d->buckets.at[at - 1].number < b.number);
    must(at + 1 == d->buckets.count || b.number < d->buckets.at[at + 1].number);
}

/* Distances being counted: all buckets at once. */
enum { BUCKETS = EXACT_MAX + (32 - EXACT_BITS) * PARTS };

struct tally {
    struct bucket at[BUCKETS];
    uint32_t end; /* beyond the last that is used */
};

static void tally_add(struct tally *t, uint32_t distance)
{
    const uint32_t number = bucket_of(distance);
    must(number < BUCKETS);
    t->at[number].count++;
    t->at[number].sum += distance;
    t->end = t->end <= number ? number + 1 : t->end;
}

/* Hands the counts on, and starts again. */
static void tally_flush(struct tally *t, struct distances *d)
{
    for (uint32_t i = 0; i < t->end; i++) {
        if (t->at[i].count > 0) {
            t->at[i].number = i;
            add_bucket(d, t->at[i]);
            t->at[i] = (struct bucket){0};
        }
    }
    t->end = 0;
}

/* ---- distances of one trace ---- */

/* Where each variable stands in the walk of a task. */
struct stands {
    uint32_t *first; /* per variable, and one more */
    uint32_t *at;
};

static struct stands stands_of(const struct walk *w, size_t variable_count, struct arena *a)
{
    struct stands s = {.first = arena_array(a, uint32_t, variable_count + 2),
                       .at = arena_array(a, uint32_t, (size_t)w->count + 1)};
    for (uint32_t i = 0; i < w->count; i++) {
        s.first[w->variables[i] + 2]++;
    }
    for (size_t i = 1; i <= variable_count + 1; i++) {
        s.first[i] += s.first[i - 1];
    }
    for (uint32_t i = 0; i < w->count; i++) {
        s.at[s.first[w->variables[i] + 1]++] = i;
    }
    return s;
}

/* The accesses of a pair to a task are as many steps, about. */
enum { PAIR_STEPS = 64 };

/* Walks the accesses of both in order; each step from one variable to the other is a distance. The
 * long stretches of a variable that is accessed often are leapt over. */
static void add_merged(struct tally *t, const struct stands *s, uint32_t x, uint32_t y)
{
    uint32_t at[2] = {s->first[x], s->first[y]};
    const uint32_t end[2] = {s->first[x + 1], s->first[y + 1]};
    while (at[0] < end[0] && at[1] < end[1]) {
        const int lead = s->at[at[0]] < s->at[at[1]] ? 0 : 1;
        const uint32_t other = s->at[at[1 - lead]];
        uint32_t leap = 1;
        while (leap < end[lead] - at[lead] && s->at[at[lead] + leap] < other) {
            at[lead] += leap;
            leap *= 2;
        }
        while (leap > 1) {
            leap /= 2;
            if (leap < end[lead] - at[lead] && s->at[at[lead] + leap] < other) {
                at[lead] += leap;
            }
        }
        must(s->at[at[lead]] < other);
        tally_add(t, other - s->at[at[lead]]);
        at[lead]++;
    }
}

static struct distances *distances_of(struct correlation *c, const struct variables *v,
                                      struct pairing p)
{
    const char *x = names_text(&v->classes, v->list.at[p.x].class);
    const char *y = names_text(&v->classes, v->list.at[p.y].class);
    const bool is_in_order = strcmp(x, y) <= 0;
    const uint32_t first = names_intern_text(&c->classes, is_in_order ? x : y);
    const uint32_t second = names_intern_text(&c->classes, is_in_order ? y : x);
    const uint32_t number =
        *map_slot(&c->number_of, map_pair(first, second), (uint32_t)c->pairs.count, NULL);
    if (number == c->pairs.count) {
        vec_push(&c->pairs, (struct distances){0});
    }
    return &c->pairs.at[number];
}

void correlation_add_pairings(struct correlation *c, const struct variables *v,
                              const struct pairings *p, struct limit_watch *watch)
{
    struct tally tally = {.end = 0};
    for (uint32_t task = 0; task < p->task_count; task++) {
        if (p->walks[task].count == 0 || limit_is_over(watch, 1)) {
            continue;
        }
        struct arena scratch = {0};
        const struct stands s = stands_of(&p->walks[task], v->list.count, &scratch);
        vec_each (&p->list, pair) {
            if (s.first[pair->x] < s.first[pair->x + 1] &&
                s.first[pair->y] < s.first[pair->y + 1] && !limit_is_over(watch, PAIR_STEPS)) {
                add_merged(&tally, &s, pair->x, pair->y);
                tally_flush(&tally, distances_of(c, v, *pair));
            }
        }
        arena_release(&scratch);
    }
}

/* Accesses that were followed before the limit are counted, which takes no longer. */
void correlation_add(struct correlation *c, const struct trace *t, struct limit_watch *watch)
{
    struct variables v = {0};
    struct pairings p;
    variables_build(&v, t);
    pairings_build(&p, t, &v, watch);
    correlation_add_pairings(c, &v, &p, watch != NULL && watch->is_over ? NULL : watch);
    pairings_release(&p);
    variables_release(&v);
}

/* ---- ranking ---- */

/* A value and how often it is there. */
struct weighed {
    double value;
    uint64_t count;
};

static int compare_weighed(const void *left, const void *right, const void *context)
{
    (void)context;
    const double a = ((const struct weighed *)left)->value;
    const double b = ((const struct weighed *)right)->value;
    return (a > b) - (a < b);
}

/* The median of sorted values; the mean of the two in the middle where they are even in number. */
static double median_of(const struct weighed *list, size_t size, uint64_t total)
{
    double low = 0;
    uint64_t before = 0;
    for (size_t i = 0; i < size; i++) {
        if (before <= (total - 1) / 2) {
            low = list[i].value;
        }
        before += list[i].count;
        if (before > total / 2) {
            return (low + list[i].value) / 2;
        }
    }
    return low;
}

/* Leaves out distances that are two or more deviations from the median, where a deviation is the
 * median of all, scaled as for a normal distribution and at least that of 1: many equal distances
 * and one other have none. */
static struct correlated measure(const struct distances *d, struct arena *a)
{
    const double scale = 1.4826;
    const size_t size = d->buckets.count;
    struct weighed *values = arena_array(a, struct weighed, size + 1);
    uint64_t total = 0;
    for (size_t i = 0; i < size; i++) {
        const struct bucket *b = &d->buckets.at[i];
        values[i] = (struct weighed){.value = (double)b->sum / b->count, .count = b->count};
        total += b->count;
    }
    const double median = median_of(values, size, total);
    struct weighed *off = arena_array(a, struct weighed, size + 1);
    for (size_t i = 0; i < size; i++) {
        off[i] =
            (struct weighed){.value = fabs(values[i].value - median), .count = values[i].count};
    }
    sort_stable(off, size, sizeof *off, compare_weighed, NULL);
    const double deviation = scale * fmax(median_of(off, size, total), 1);
    struct correlated result = {0};
    double sum = 0;
    for (size_t i = 0; i < size; i++) {
        if (fabs(values[i].value - median) / deviation < 2) {
            result.support += values[i].count;
            sum += (double)d->buckets.at[i].sum;
        }
    }
    must(result.support <= total);
    result.outliers = total - result.support;
    result.mean = result.support == 0 ? median : sum / (double)result.support;
    return result;
}

static int compare_correlated(const void *left, const void *right, const void *context)
{
    (void)context;
    const struct correlated *a = left;
    const struct correlated *b = right;
    if (a->mean < b->mean || a->mean > b->mean) {
        return a->mean < b->mean ? -1 : 1;
    }
    if (a->support != b->support) {
        return a->support > b->support ? -1 : 1;
    }
    const int by_x = strcmp(a->x, b->x);
    return by_x != 0 ? by_x : strcmp(a->y, b->y);
}

void correlation_rank(const struct correlation *c, struct correlated_list *list)
{
    struct arena scratch = {0};
    vec_each (&c->number_of.entries, entry) {
        const struct distances *d = &c->pairs.at[entry->value];
        const struct arena_mark mark = arena_mark(&scratch);
        if (d->buckets.count > 0) {
            struct correlated pair = measure(d, &scratch);
            pair.x = names_text(&c->classes, (uint32_t)(entry->key >> 32));
            pair.y = names_text(&c->classes, (uint32_t)entry->key);
            vec_push(&list->list, pair);
        }
        arena_reset(&scratch, mark);
    }
    sort_stable(list->list.at, list->list.count, sizeof *list->list.at, compare_correlated, NULL);
    arena_release(&scratch);
}
