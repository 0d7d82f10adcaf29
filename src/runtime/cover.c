/* Which code a step has entered, for strategies that look for code that no run has seen: functions,
 * accesses and atomic operations of code built by `clew cc`, and its blocks proper where it was
 * built with -fsanitize-coverage=trace-pc. Each such place counts as a block.
 *
 * What is known of blocks lies in the page, so that one has the same number in all runs, however
 * the process comes back to its beginning. What a run has entered is ours and begins anew. */
#include "pick/name.h"
#include "pick/table.h"
#include "runtime/control.h"
#include "wire/must.h"

/* The region of the page: what clew reads, and where the numbers are looked up. */
struct known {
    struct control_cover cover;
    struct table numbers; /* place to number */
    struct table_entry entries[];
};

/* Not put back between runs. */
static struct own {
    struct known *known;
    uint32_t *counts;           /* in this step, by number */
    uint32_t *entered;          /* in this run */
    uint32_t *numbers;          /* of those entered in this run, in that order ... */
    uint32_t run_count;         /* ... so many */
    struct pick_block *touched; /* in this step */
    uint32_t touched_count;
    uint64_t state;
} * own;

void cover_start(void)
{
    own = rewind_exempt(sizeof *own);
    own->known = control_region(CONTROL_PLACE(COVER));
    const uint32_t entries = table_entries(CONTROL_BLOCKS_MAX);
    must(sizeof *own->known + entries * sizeof(struct table_entry) <= CONTROL_COVER_SIZE);
    if (own->known->numbers.entries == NULL) {
        table_init(&own->known->numbers, own->known->entries, CONTROL_BLOCKS_MAX);
    }
    own->counts = rewind_exempt(CONTROL_BLOCKS_MAX * sizeof *own->counts);
    own->entered = rewind_exempt(CONTROL_BLOCKS_MAX * sizeof *own->entered);
    own->numbers = rewind_exempt(CONTROL_BLOCKS_MAX * sizeof *own->numbers);
    own->touched = rewind_exempt(CONTROL_BLOCKS_MAX * sizeof *own->touched);
}

void cover_begin(void)
{
    for (uint32_t i = 0; i < own->run_count; i++) {
        own->entered[own->numbers[i]] = 0;
        own->counts[own->numbers[i]] = 0;
    }
    own->run_count = 0;
    own->touched_count = 0;
    own->state = 0;
}

static uint64_t part_of_state(uint32_t number, uint32_t count)
{
    return count == 0 ? 0 : name_mix((uint64_t)number << 32, count);
}

void cover_enter(const void *place)
{
    if (!control_is_mine() || control->plan.is_learning == 0) {
        return;
    }
    struct control_cover *cover = &own->known->cover;
    const uint64_t *found = table_slot(&own->known->numbers, (uintptr_t)place, cover->block_count);
    if (found == NULL || *found >= CONTROL_BLOCKS_MAX) {
        return;
    }
    const uint32_t number = (uint32_t)*found;
    if (number == cover->block_count) {
        cover->blocks[cover->block_count++].place = (uintptr_t)place;
    }
    cover->blocks[number].count++;
    if (own->entered[number] == 0) {
        own->numbers[own->run_count++] = number;
    }
    if (own->counts[number]++ == 0) {
        own->touched[own->touched_count++] = (struct pick_block){.block = number};
    }
    own->state -= part_of_state(number, own->entered[number]);
    own->state += part_of_state(number, ++own->entered[number]);
}

uint32_t cover_take(const struct pick_block **blocks)
{
    const uint32_t count = own->touched_count;
    for (uint32_t i = 0; i < count; i++) {
        own->touched[i].count = own->counts[own->touched[i].block];
        own->counts[own->touched[i].block] = 0;
    }
    own->touched_count = 0;
    *blocks = own->touched;
    return count;
}

uint64_t cover_state(void)
{
    return own->state;
}
