/* Which blocks of the system's code a step has entered: clang's counters, read and cleared after
 * each step, or gcc's calls, which give an address each. Blocks are numbered in the order of the
 * counters, or in the order of first entry. */
#include "base/mem.h"
#include "pick/table.h"
#include "sim/state.h"

enum { CALLED_BLOCKS_MAX = 1 << 14 };

struct cover {
    uint8_t *counters; /* clang's; NULL: there are none */
    uint32_t block_count;
    struct table numbers; /* address to number, of blocks that were called */
    struct table_entry *entries;
    uint32_t called_count;
    struct pick_block *touched; /* in this step */
    uint32_t touched_count;
    uint32_t *counts; /* in this step, of called blocks */
    bool *is_covered; /* ever */
    uint32_t covered_count;
};

void cover_open(struct sim *s, const struct clew_counters *counters)
{
    struct cover *c = mem_zero(1, sizeof *c);
    if (counters != NULL && counters->end > counters->begin) {
        c->counters = counters->begin;
        c->block_count = (uint32_t)(counters->end - counters->begin);
    } else {
        c->block_count = CALLED_BLOCKS_MAX;
        c->entries = mem_zero(table_entries(CALLED_BLOCKS_MAX), sizeof *c->entries);
        table_init(&c->numbers, c->entries, CALLED_BLOCKS_MAX);
        c->counts = mem_zero(CALLED_BLOCKS_MAX, sizeof *c->counts);
    }
    c->touched = mem_zero(c->block_count, sizeof *c->touched);
    c->is_covered = mem_zero(c->block_count, sizeof *c->is_covered);
    s->cover = c;
}

void cover_close(struct sim *s)
{
    if (s->cover != NULL) {
        mem_free(s->cover->entries);
        mem_free(s->cover->counts);
        mem_free(s->cover->touched);
        mem_free(s->cover->is_covered);
        mem_free(s->cover);
    }
}

uint32_t cover_block_max(const struct sim *s)
{
    return s->cover == NULL ? 0 : s->cover->block_count;
}

void cover_call(struct sim *s, uint64_t address)
{
    struct cover *c = s->cover;
    if (c == NULL || c->counters != NULL) {
        return;
    }
    const uint64_t *number = table_slot(&c->numbers, address, c->called_count);
    if (number == NULL || *number >= CALLED_BLOCKS_MAX) {
        return;
    }
    c->called_count += *number == c->called_count;
    if (c->counts[*number]++ == 0) {
        c->touched[c->touched_count++] = (struct pick_block){.block = (uint32_t)*number};
    }
}

/* The counters that moved; they are cleared. */
static void read_counters(struct cover *c)
{
    for (uint32_t i = 0; i < c->block_count; i++) {
        if (c->counters[i] != 0) {
            c->touched[c->touched_count++] =
                (struct pick_block){.block = i, .count = c->counters[i]};
            c->counters[i] = 0;
        }
    }
}

static void read_calls(struct cover *c)
{
    for (uint32_t i = 0; i < c->touched_count; i++) {
        c->touched[i].count = c->counts[c->touched[i].block];
        c->counts[c->touched[i].block] = 0;
    }
}

uint32_t cover_take(struct sim *s, const struct pick_block **blocks)
{
    struct cover *c = s->cover;
    if (c == NULL) {
        return 0;
    }
    if (c->counters != NULL) {
        read_counters(c);
    } else {
        read_calls(c);
    }
    for (uint32_t i = 0; i < c->touched_count; i++) {
        bool *is_covered = &c->is_covered[c->touched[i].block];
        c->covered_count += !*is_covered;
        *is_covered = true;
    }
    const uint32_t count = c->touched_count;
    c->touched_count = 0;
    *blocks = c->touched;
    return count;
}

struct world_coverage cover_total(const struct sim *s)
{
    const struct cover *c = s->cover;
    if (c == NULL) {
        return (struct world_coverage){0};
    }
    return (struct world_coverage){.block_total = c->counters != NULL ? c->block_count : 0,
                                   .block_covered = c->covered_count};
}
