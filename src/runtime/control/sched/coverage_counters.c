/* Which code a step has entered, for strategies that look for code that no run has seen: functions,
 * accesses and atomic operations of code built by `clew cc`, and its blocks proper where it was
 * built with -fsanitize-coverage=trace-pc or trace-pc-guard. Each such place counts as a
 * block. Where clang lists the blocks (pc-table), those that no run enters are known too.
 *
 * What is known of blocks lies in the page, so that one has the same number in all runs, however
 * the process comes back to its beginning. What a run has entered is ours and begins anew. */
#include "pick/fixed_table.h"
#include "pick/operation_name.h"
#include "runtime/control/sched/run_control.h"
#include "runtime/instrument/runtime_entry.h"
#include "wire/must.h"

/* The region of the page: what clew reads, and where the numbers are looked up. */
struct known {
    struct control_cover cover;
    struct table numbers; /* place to number */
    struct table_entry entries[];
};

enum { LATELY = 512 };

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
    struct {
        const void *place;
        uint32_t number;
    } lately[LATELY]; /* by place: looking up in a large table takes longer */
} * own;

/* The lists of modules. Part of the memory that is put back: those of libraries that a run loads
 * are gone with the run. */
enum { LISTS_MAX = 64 };
static struct clew_rt_blocks lists[LISTS_MAX];
static uint32_t list_count;

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

/* The number of the block there, a new one if it has none; CONTROL_BLOCKS_MAX: there are too many.
 */
static uint32_t number_of(const void *place)
{
    struct control_cover *cover = &own->known->cover;
    const uint64_t *found =
        table_slot(&own->known->numbers, control_place(place), cover->block_count);
    if (found == NULL || *found >= CONTROL_BLOCKS_MAX) {
        return CONTROL_BLOCKS_MAX;
    }
    if (*found == cover->block_count) {
        cover->blocks[cover->block_count++].place = control_place(place);
    }
    return (uint32_t)*found;
}

/* Blocks of a module whose first one is known are known. */
static void number_all(const struct clew_rt_blocks *list)
{
    struct control_cover *cover = &own->known->cover;
    if (list->count > CONTROL_BLOCKS_MAX / 2 ||
        cover->block_count + list->count > CONTROL_BLOCKS_MAX / 4 * 3) {
        cover->is_cut = 1; /* accesses have to be numbered too */
        return;
    }
    for (size_t i = 0; i < list->count; i++) {
        const uint32_t number = number_of(clew_rt_block_place(list, i));
        if (number == CONTROL_BLOCKS_MAX || (i == 0 && cover->blocks[number].is_listed)) {
            return;
        }
        cover->blocks[number].is_listed = 1;
    }
}

void cover_list(const struct clew_rt_blocks *blocks)
{
    for (uint32_t i = 0; i < list_count; i++) {
        if (lists[i].places == blocks->places) {
            return; /* each file of the module tells it */
        }
    }
    if (list_count == LISTS_MAX || blocks->count == 0) {
        return;
    }
    lists[list_count++] = *blocks;
    if (control_is_on) {
        number_all(blocks);
    }
}

void cover_begin(void)
{
    for (uint32_t i = 0; i < list_count; i++) {
        number_all(&lists[i]);
    }
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

static bool is_counting(void)
{
    return control->plan.is_learning != 0 || control->plan.wants_blocks != 0;
}

static uint32_t number_soon(const void *place)
{
    const uintptr_t address = (uintptr_t)place;
    const uint32_t at = (uint32_t)(address ^ address >> 9) % LATELY;
    if (own->lately[at].place != place) {
        own->lately[at].number = number_of(place);
        own->lately[at].place = place;
    }
    return own->lately[at].number;
}

static void enter(const void *place, bool is_proper)
{
    const uint32_t number = number_soon(place);
    if (number == CONTROL_BLOCKS_MAX) {
        return;
    }
    own->known->cover.blocks[number].count++;
    own->known->cover.blocks[number].is_proper |= is_proper;
    if (own->entered[number] == 0) {
        own->numbers[own->run_count++] = number;
    }
    if (own->counts[number]++ == 0) {
        own->touched[own->touched_count++] = (struct pick_block){.block = number};
    }
    own->state -= part_of_state(number, own->entered[number]);
    own->state += part_of_state(number, ++own->entered[number]);
}

void cover_enter(const void *place)
{
    if (control_is_mine() && is_counting()) {
        enter(place, false);
    }
}

void cover_enter_block(const void *place)
{
    if (control_is_mine() && is_counting()) {
        enter(place, true);
    }
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

void cover_report(const struct pick_block *blocks, uint32_t count)
{
    const struct control_cover *cover = &own->known->cover;
    for (uint32_t i = 0; i < count && control->plan.wants_blocks != 0; i++) {
        if (cover->blocks[blocks[i].block].is_proper) {
            const char *place = NULL;
            place += cover->blocks[blocks[i].block].place;
            control_report(EVENT_COVERAGE, "", blocks[i].count, place);
        }
    }
}

uint64_t cover_state(void)
{
    return control->plan.is_learning != 0 ? own->state : 0;
}
