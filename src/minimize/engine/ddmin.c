#include "minimize/engine/ddmin.h"

#include <string.h>

#include "base/mem.h"
#include "base/vec.h"

struct search {
    ddmin_test fails;
    void *context;
    uint32_t count;
};

/* Parts, as numbers. */
struct parts {
    const uint32_t *at;
    uint32_t count;
};

/* Whether the parts fail together with those that are kept anyway. */
static bool fail_with(const struct search *s, const struct parts *parts, const bool *kept)
{
    bool *is_in = mem_zero(s->count + 1, sizeof *is_in);
    memcpy(is_in, kept, s->count * sizeof *is_in);
    for (uint32_t i = 0; i < parts->count; i++) {
        is_in[parts->at[i]] = true;
    }
    const bool result = s->fails(s->context, is_in, s->count);
    mem_free(is_in);
    return result;
}

static void reduce(const struct search *s, const struct parts *parts, const bool *kept,
                   bool *needed);

/* Reduces `parts` while all of `others` stays. */
static void reduce_beside(const struct search *s, const struct parts *parts,
                          const struct parts *others, const bool *kept, bool *needed)
{
    bool *with = mem_zero(s->count + 1, sizeof *with);
    memcpy(with, kept, s->count * sizeof *with);
    for (uint32_t i = 0; i < others->count; i++) {
        with[others->at[i]] = true;
    }
    reduce(s, parts, with, needed);
    mem_free(with);
}

/* The parts fail with those kept: marks those of them that are needed for it. */
static void reduce(const struct search *s, const struct parts *parts, const bool *kept,
                   bool *needed)
{
    must(parts->count > 0);
    if (parts->count == 1) {
        needed[parts->at[0]] = true;
        return;
    }
    const struct parts first = {.at = parts->at, .count = parts->count / 2};
    const struct parts second = {.at = parts->at + first.count,
                                 .count = parts->count - first.count};
    must(first.count > 0);
    must(first.count <= second.count);
    if (fail_with(s, &first, kept)) {
        reduce(s, &first, kept, needed);
    } else if (fail_with(s, &second, kept)) {
        reduce(s, &second, kept, needed);
    } else {
        reduce_beside(s, &first, &second, kept, needed);
        reduce_beside(s, &second, &first, kept, needed);
    }
}

void ddmin(bool *is_in, uint32_t count, ddmin_test fails, void *context)
{
    const struct search s = {.fails = fails, .context = context, .count = count};
    VEC(uint32_t) all = {0};
    for (uint32_t i = 0; i < count; i++) {
        if (is_in[i]) {
            vec_push(&all, i);
        }
    }
    bool *none = mem_zero(count + 1, sizeof *none);
    const struct parts parts = {.at = all.at, .count = (uint32_t)all.count};
    memset(is_in, 0, count * sizeof *is_in);
    if (parts.count > 0 && !fails(context, none, count)) {
        reduce(&s, &parts, none, is_in);
    }
    mem_free(none);
    vec_release(&all);
}

/* The selected parts, divided into chunk_count chunks. */
struct division {
    VEC(uint32_t) parts;
    uint32_t chunk_count;
};

static void divide(struct division *d, const bool *is_in, uint32_t count)
{
    vec_clear(&d->parts);
    for (uint32_t i = 0; i < count; i++) {
        if (is_in[i]) {
            vec_push(&d->parts, i);
        }
    }
}

static uint32_t chunk_begin(const struct division *d, uint32_t chunk)
{
    return (uint32_t)((uint64_t)d->parts.count * chunk / d->chunk_count);
}

/* Tests one chunk alone, or all but one. If they fail, they are the new selection. */
static bool keep_chunk(const struct search *s, const struct division *d, uint32_t chunk,
                       bool is_complement, bool *is_in)
{
    bool *kept = mem_zero(s->count + 1, sizeof *kept);
    const uint32_t begin = chunk_begin(d, chunk);
    const uint32_t end = chunk_begin(d, chunk + 1);
    must(begin < end);
    must(end <= d->parts.count);
    for (uint32_t i = 0; i < d->parts.count; i++) {
        kept[d->parts.at[i]] = (i >= begin && i < end) != is_complement;
    }
    const bool result = s->fails(s->context, kept, s->count);
    if (result) {
        memcpy(is_in, kept, s->count * sizeof *is_in);
    }
    mem_free(kept);
    return result;
}

static bool keep_any_chunk(const struct search *s, const struct division *d, bool is_complement,
                           bool *is_in)
{
    for (uint32_t i = 0; i < d->chunk_count; i++) {
        if (keep_chunk(s, d, i, is_complement, is_in)) {
            return true;
        }
    }
    return false;
}

void ddmin_dependent(bool *is_in, uint32_t count, ddmin_test fails, void *context)
{
    const struct search s = {.fails = fails, .context = context, .count = count};
    struct division all = {.chunk_count = 1};
    divide(&all, is_in, count);
    const bool is_any_needed = all.parts.count > 0 && !keep_chunk(&s, &all, 0, true, is_in);
    vec_release(&all.parts);
    struct division d = {.chunk_count = 2};
    divide(&d, is_in, count);
    while (is_any_needed && d.parts.count > 1) {
        must(d.chunk_count >= 2);
        must(d.chunk_count <= d.parts.count);
        if (keep_any_chunk(&s, &d, false, is_in)) {
            d.chunk_count = 2;
        } else if (d.chunk_count > 2 && keep_any_chunk(&s, &d, true, is_in)) {
            d.chunk_count--;
        } else if (d.chunk_count < d.parts.count) {
            d.chunk_count *= 2;
        } else {
            break;
        }
        divide(&d, is_in, count);
        d.chunk_count = d.chunk_count < d.parts.count ? d.chunk_count : (uint32_t)d.parts.count;
    }
    vec_release(&d.parts);
}
