/* Which blocks of the system's code a step has entered: clang's counters, read and cleared after
 * each step, or gcc's calls, which give an address each. Blocks are numbered in the order of the
 * counters; without them, by where they lie in the object, so that a number means the same block in
 * every process. */
#include "sim/block_coverage.h"

#include <string.h>

#include "base/mem.h"
#include "pick/fixed_table.h"
#include "place/place.h"
#include "sim/net.h"
#include "sim/state_hash.h"

enum { CALLED_BLOCKS_MAX = 1 << 14 };

/* How often a block was entered, and by which nodes. */
struct block_account {
    uint64_t count;
    uint64_t nodes;
};

struct cover {
    uint8_t *counters; /* clang's; NULL: there are none */
    uint32_t block_count;
    struct table numbers; /* address to number, of blocks that were called */
    struct table_entry *entries;
    uint32_t called_count;
    struct pick_block *touched; /* in this step */
    uint32_t touched_count;
    uint32_t *counts;            /* in this step, of called blocks */
    uint64_t *addresses;         /* of called blocks, by number */
    const uintptr_t *pcs;        /* of counted blocks, two words each; NULL: not known */
    bool *is_covered;            /* before the last account */
    struct block_account *since; /* the last account, by number */
    uint32_t run;                /* counts the runs */
    uint32_t *run_of;            /* by number: the last run that entered the block */
    uint32_t *entered;           /* in this run, each once */
    uint32_t entered_count;
    struct world_block *account;
    char **places; /* by number, NULL: not looked up */
    struct places *symbols;
    bool is_told; /* an account was given */
};

void cover_open(struct sim *s, const struct clew_counters *counters)
{
    struct cover *c = mem_zero(1, sizeof *c);
    if (counters != NULL && counters->end > counters->begin) {
        c->counters = counters->begin;
        c->pcs = counters->places;
        c->block_count = (uint32_t)(counters->end - counters->begin);
    } else {
        c->block_count = CALLED_BLOCKS_MAX;
        c->entries = mem_zero(table_entries(CALLED_BLOCKS_MAX), sizeof *c->entries);
        table_init(&c->numbers, c->entries, CALLED_BLOCKS_MAX);
        c->counts = mem_zero(CALLED_BLOCKS_MAX, sizeof *c->counts);
        c->addresses = mem_zero(CALLED_BLOCKS_MAX, sizeof *c->addresses);
    }
    c->touched = mem_zero(c->block_count + 1, sizeof *c->touched); /* one more: read_word */
    c->is_covered = mem_zero(c->block_count, sizeof *c->is_covered);
    c->since = mem_zero(c->block_count, sizeof *c->since);
    c->run_of = mem_zero(c->block_count, sizeof *c->run_of);
    c->entered = mem_zero(c->block_count, sizeof *c->entered);
    c->account = mem_zero(c->block_count, sizeof *c->account);
    c->places = mem_zero(c->block_count, sizeof *c->places);
    c->symbols = places_new();
    places_add_module(c->symbols, s->library.path, s->library.bias);
    s->cover = c;
}

void cover_close(struct sim *s)
{
    struct cover *c = s->cover;
    if (c == NULL) {
        return;
    }
    for (uint32_t i = 0; i < c->block_count; i++) {
        mem_free(c->places[i]);
    }
    places_free(c->symbols);
    mem_free(c->places);
    mem_free(c->account);
    mem_free(c->since);
    mem_free(c->run_of);
    mem_free(c->entered);
    mem_free(c->addresses);
    mem_free(c->entries);
    mem_free(c->counts);
    mem_free(c->touched);
    mem_free(c->is_covered);
    mem_free(c);
    s->cover = NULL; /* destructors of the system are still to run */
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
    if (*number == c->called_count) {
        c->addresses[c->called_count++] = address;
    }
    if (c->counts[*number]++ == 0) {
        c->touched[c->touched_count++] = (struct pick_block){.block = (uint32_t)*number};
    }
}

enum { WORD_SIZE = 8, STRIDE = 64 };

_Static_assert(WORD_SIZE == sizeof(uint64_t), "a word is read at once");
_Static_assert(STRIDE % WORD_SIZE == 0, "a stride has whole words");

/* Counters of up to a word: takes those that moved, and clears them. Each is put where the next
 * that moved belongs, without a branch: which ones moved cannot be foretold. */
static void read_word(struct cover *c, uint32_t first, uint32_t size)
{
    uint64_t word = 0;
    memcpy(&word, c->counters + first, size);
    if (word == 0) {
        return;
    }
    memset(c->counters + first, 0, size);
    uint32_t count = c->touched_count;
    for (uint32_t i = 0; i < WORD_SIZE; i++) {
        const uint32_t times = (uint32_t)(word >> 8 * i) & 0xff;
        c->touched[count] = (struct pick_block){.block = first + i, .count = times};
        count += times != 0;
    }
    c->touched_count = count;
}

static bool has_moved(const uint8_t *counters)
{
    uint64_t any = 0;
    for (uint32_t i = 0; i < STRIDE; i += WORD_SIZE) {
        uint64_t word = 0;
        memcpy(&word, counters + i, sizeof word);
        any |= word;
    }
    return any != 0;
}

static void read_stride(struct cover *c, uint32_t first)
{
    for (uint32_t i = 0; i < STRIDE; i += WORD_SIZE) {
        read_word(c, first + i, WORD_SIZE);
    }
}

/* The counters that moved; they are cleared. Most have not, so a stride is compared at once. */
static void read_counters(struct cover *c)
{
    uint32_t i = 0;
    for (; i + STRIDE <= c->block_count; i += STRIDE) {
        if (has_moved(c->counters + i)) {
            read_stride(c, i);
        }
    }
    for (; i < c->block_count; i += WORD_SIZE) {
        const uint32_t left = c->block_count - i;
        read_word(c, i, left < WORD_SIZE ? left : WORD_SIZE);
    }
}

static void read_calls(struct cover *c)
{
    for (uint32_t i = 0; i < c->touched_count; i++) {
        c->touched[i].count = c->counts[c->touched[i].block];
        c->counts[c->touched[i].block] = 0;
    }
}

/* All that was entered since the last time, with how often, is in touched. */
static void read_blocks(struct cover *c)
{
    if (c->counters != NULL) {
        read_counters(c);
    } else {
        read_calls(c);
    }
}

void cover_forget(struct sim *s)
{
    if (s->cover != NULL) {
        read_blocks(s->cover);
        s->cover->touched_count = 0;
        s->cover->entered_count = 0;
        s->cover->run++;
    }
}

uint32_t cover_take(struct sim *s, uint32_t node, const struct pick_block **blocks)
{
    struct cover *c = s->cover;
    if (c == NULL) {
        return 0;
    }
    read_blocks(c);
    const uint64_t nodes = node < SIM_NODES_MAX ? UINT64_C(1) << node : 0;
    for (uint32_t i = 0; i < c->touched_count; i++) {
        const struct pick_block *block = &c->touched[i];
        struct block_account *account = &c->since[block->block];
        must(block->block < c->block_count);
        account->count += block->count;
        account->nodes |= nodes;
        if (c->run_of[block->block] != c->run) {
            c->run_of[block->block] = c->run;
            c->entered[c->entered_count++] = block->block;
        }
    }
    const uint32_t count = c->touched_count;
    c->touched_count = 0;
    must(count <= c->block_count);
    *blocks = c->touched;
    return count;
}

void cover_keep(const struct sim *s, struct execution *x)
{
    const struct cover *c = s->cover;
    for (uint32_t i = 0; c != NULL && i < c->entered_count; i++) {
        vec_push(&x->blocks, c->entered[i]);
    }
}

struct world_coverage cover_total(const struct sim *s)
{
    const struct cover *c = s->cover;
    if (c == NULL) {
        return (struct world_coverage){0};
    }
    uint32_t covered = 0;
    for (uint32_t i = 0; i < c->block_count; i++) {
        covered += c->is_covered[i] || c->since[i].count > 0;
    }
    return (struct world_coverage){.block_total = c->counters != NULL ? c->block_count : 0,
                                   .block_covered = covered};
}

static bool ends_with_line_0(const struct out *place)
{
    return place->used >= 2 && memcmp(place->buffer + place->used - 2, ":0", 2) == 0;
}

/* "bank.c:34 deposit". A block may begin with code that the compiler made, which has no line: then
 * the code behind it has the place. */
static void print_place(struct cover *c, uint64_t address, uint64_t end, struct out *place)
{
    enum { BYTES_MAX = 64 };
    const uint64_t first = address;
    do {
        place->used = 0;
        (void)places_print_line(c->symbols, address, place);
        address += 2;
    } while (ends_with_line_0(place) && address < end && address - first < BYTES_MAX);
    const size_t used = place->used;
    out_char(place, ' ');
    if (!places_print_functions(c->symbols, address - 2, place)) {
        place->used = used;
    }
}

/* Where the block that follows begins. */
static uint64_t end_of(const struct cover *c, uint32_t number)
{
    return number + 1 < c->block_count ? c->pcs[2 * ((size_t)number + 1)] : UINT64_MAX;
}

/* Looked up once. */
static const char *place_of(struct cover *c, uint32_t number)
{
    if (c->places[number] == NULL) {
        struct out place;
        out_open_memory(&place);
        if (c->pcs != NULL) {
            print_place(c, c->pcs[2 * (size_t)number] + 1, end_of(c, number), &place);
        } else if (c->counters == NULL) {
            print_place(c, c->addresses[number], c->addresses[number] + 1, &place);
        }
        c->places[number] = mem_text(place.buffer, place.used);
        out_abandon(&place);
    }
    return c->places[number];
}

/* The key of the block: its counter, or its address. */
static uint32_t index_of(const struct sim *s, uint32_t number)
{
    const struct cover *c = s->cover;
    return c->counters != NULL ? number : (uint32_t)(c->addresses[number] - s->library.bias);
}

uint32_t cover_blocks(struct world *w, const struct world_block **blocks)
{
    struct sim *s = sim_of(w);
    struct cover *c = s->cover;
    if (c == NULL) {
        return 0;
    }
    const uint32_t known = c->counters != NULL ? c->block_count : c->called_count;
    uint32_t count = 0;
    for (uint32_t i = 0; i < known; i++) {
        must(count <= i);
        if (c->since[i].count > 0 || !c->is_told) {
            c->account[count++] = (struct world_block){.index = index_of(s, i),
                                                       .count = c->since[i].count,
                                                       .nodes = c->since[i].nodes,
                                                       .place = place_of(c, i)};
            c->is_covered[i] = c->is_covered[i] || c->since[i].count > 0;
            c->since[i] = (struct block_account){0};
        }
    }
    c->is_told = true;
    *blocks = c->account;
    return count;
}
