/* Which blocks of its code a controlled program has entered (runtime/cover.c counts them). */
#include "proc/control_state.h"

struct covering {
    struct world_block *account; /* of the blocks entered since it was last asked */
    uint64_t *told;              /* how often each was entered then, by number */
    const char **places;         /* NULL: not looked up */
};

static const struct control_cover *cover_of(const struct controlled *c)
{
    return control_at(c, CONTROL_PLACE(COVER));
}

/* How many blocks there are is not known. */
struct world_coverage covering_sum(const struct world *w)
{
    const struct controlled *c = (const struct controlled *)w;
    return (struct world_coverage){.block_covered = cover_of(c)->block_count};
}

/* The same number in every process: where the block lies in its module. */
static uint32_t index_of(const struct controlled *c, uint64_t place)
{
    const struct control_module *modules = control_at(c, CONTROL_PLACE(MODULES));
    uint64_t bias = 0;
    uint32_t at = 0;
    for (uint32_t i = 0; i < c->page->module_count && i < CONTROL_MODULES_MAX; i++) {
        if (modules[i].bias <= place && modules[i].bias >= bias) {
            bias = modules[i].bias;
            at = i;
        }
    }
    return (uint32_t)(place - bias) + at * UINT32_C(0x9e3779b1);
}

static const char *place_of(struct controlled *c, uint32_t number)
{
    const char **text = &c->covering->places[number];
    if (*text == NULL) {
        c->text.used = 0;
        name_print_place(c, cover_of(c)->blocks[number].place, &c->text);
        *text = arena_text(&c->texts, c->text.buffer, c->text.used);
    }
    return *text;
}

uint32_t covering_tell(struct world *w, const struct world_block **blocks)
{
    struct controlled *c = (struct controlled *)w;
    const struct control_cover *cover = cover_of(c);
    uint32_t count = 0;
    for (uint32_t i = 0; i < cover->block_count && i < CONTROL_BLOCKS_MAX; i++) {
        const uint64_t entered = cover->blocks[i].count;
        if (entered != c->covering->told[i]) {
            c->covering->account[count++] =
                (struct world_block){.index = index_of(c, cover->blocks[i].place),
                                     .count = entered - c->covering->told[i],
                                     .place = place_of(c, i)};
            c->covering->told[i] = entered;
        }
    }
    *blocks = c->covering->account;
    return count;
}

void covering_open(struct controlled *c)
{
    c->covering = arena_new(&c->texts, struct covering);
    c->covering->account = arena_array(&c->texts, struct world_block, CONTROL_BLOCKS_MAX);
    c->covering->told = arena_array(&c->texts, uint64_t, CONTROL_BLOCKS_MAX);
    c->covering->places = arena_array(&c->texts, const char *, CONTROL_BLOCKS_MAX);
}
