/* Which blocks of its code a controlled program has entered
 * (runtime/control/sched/coverage_counters.c counts them). */
#include "proc/control/program_state.h"

/* What is known of a block; all zero: nothing yet. */
struct known_block {
    const char *place; /* NULL: not looked up */
    uint64_t told;     /* how often it was entered when it was last told */
    uint32_t index;    /* the same number in every process: where the block lies in its module */
    uint16_t module;
    bool is_known, is_told;
};

struct covering {
    struct world_block *account;        /* of the blocks entered since it was last asked */
    struct known_block *blocks;         /* by number */
    bool has_list[CONTROL_MODULES_MAX]; /* the compiler lists the module's blocks */
};

static const struct control_cover *cover_of(const struct controlled *c)
{
    return control_at(c, CONTROL_PLACE(COVER));
}

static uint32_t count_of(const struct control_cover *cover)
{
    return cover->block_count < CONTROL_BLOCKS_MAX ? cover->block_count : CONTROL_BLOCKS_MAX;
}

/* How many blocks there are is known where the compiler lists them all. Then these count alone. */
struct world_coverage covering_sum(const struct world *w)
{
    const struct control_cover *cover = cover_of((const struct controlled *)w);
    struct world_coverage listed = {0};
    for (uint32_t i = 0; i < count_of(cover) && cover->is_cut == 0; i++) {
        listed.block_total += cover->blocks[i].is_listed;
        listed.block_covered += cover->blocks[i].is_listed && cover->blocks[i].count > 0;
    }
    return listed.block_total > 0 ? listed
                                  : (struct world_coverage){.block_covered = count_of(cover)};
}

static void know(struct controlled *c, uint32_t number)
{
    struct known_block *block = &c->covering->blocks[number];
    if (block->is_known) {
        return;
    }
    const uint64_t place = cover_of(c)->blocks[number].place;
    const struct control_module *modules = control_at(c, CONTROL_PLACE(MODULES));
    uint64_t bias = 0;
    for (uint32_t i = 0; i < c->page->module_count && i < CONTROL_MODULES_MAX; i++) {
        if (modules[i].bias <= place && modules[i].bias >= bias) {
            bias = modules[i].bias;
            block->module = (uint16_t)i;
        }
    }
    block->index = (uint32_t)(place - bias) + block->module * UINT32_C(0x9e3779b1);
    block->is_known = true;
    if (cover_of(c)->blocks[number].is_listed) {
        c->covering->has_list[block->module] = true;
    }
}

static const char *place_of(struct controlled *c, uint32_t number)
{
    const char **text = &c->covering->blocks[number].place;
    if (*text == NULL) {
        c->text.used = 0;
        name_print_place(c, cover_of(c)->blocks[number].place, &c->text);
        *text = arena_text(&c->texts, c->text.buffer, c->text.used);
    }
    return *text;
}

/* In a module whose blocks are listed, accesses and functions do not count as blocks. */
static bool is_due(const struct controlled *c, uint32_t number)
{
    const struct known_block *block = &c->covering->blocks[number];
    const bool is_listed = cover_of(c)->blocks[number].is_listed;
    return (is_listed && !block->is_told) || (cover_of(c)->blocks[number].count != block->told &&
                                              (is_listed || !c->covering->has_list[block->module]));
}

uint32_t covering_tell(struct world *w, const struct world_block **blocks)
{
    struct controlled *c = (struct controlled *)w;
    const uint32_t known = count_of(cover_of(c));
    for (uint32_t i = 0; i < known; i++) {
        know(c, i);
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < known; i++) {
        struct known_block *block = &c->covering->blocks[i];
        if (is_due(c, i)) {
            const uint64_t entered = cover_of(c)->blocks[i].count;
            c->covering->account[count++] = (struct world_block){
                .index = block->index, .count = entered - block->told, .place = place_of(c, i)};
            block->told = entered;
            block->is_told = true;
        }
    }
    *blocks = c->covering->account;
    return count;
}

void covering_open(struct controlled *c)
{
    c->covering = arena_new(&c->texts, struct covering);
    c->covering->account = arena_array(&c->texts, struct world_block, CONTROL_BLOCKS_MAX);
    c->covering->blocks = arena_array(&c->texts, struct known_block, CONTROL_BLOCKS_MAX);
}
