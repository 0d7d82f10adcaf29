/* The three objectives of Dara (thesis, section 4.3.1). With B the blocks covered so far, on all
 * nodes in all runs, S(B) sums over the blocks
 *
 *     unique       1
 *     frequency    1 / number of executions of the block
 *     nodefreq     number of nodes / number of executions
 *
 * The history of an action has the blocks that it has covered, with counts. Its gain is the
 * increase of S if it covered the same again. The strategy chooses the largest positive gain; else
 * an action without history; then one with a gain in this run alone that does not continue a known
 * path; then any. The first run fills the history and is not counted: it is the recorded seed run.
 */
#include "pick/operation_name.h"
#include "pick/strategy.h"

enum { POOL_PER_ACTION = 32, PATHS_MAX = 1 << 15, PATH_MARKS_BITS = 19, SETS_SIZE_MAX = 1 << 20 };
_Static_assert((1 << PATH_MARKS_BITS) % 64 == 0, "path marks fill whole words");

void coverage_init(struct pick *p, struct carving *c)
{
    struct coverage *v = &p->coverage;
    const uint32_t action_max = p->limits.action_max;
    v->in_all = carve(c, p->limits.block_count, sizeof *v->in_all);
    v->in_run = carve(c, p->limits.block_count, sizeof *v->in_run);
    table_init(&v->actions, carve(c, table_entries(action_max), sizeof(struct table_entry)),
               action_max);
    for (uint32_t i = 0; i < 2; i++) {
        v->uncovered[i] = carve(c, table_entries(action_max), sizeof **v->uncovered);
    }
    v->pool_size = action_max * POOL_PER_ACTION;
    v->pool = carve(c, v->pool_size, sizeof *v->pool);
    v->set_words = (p->limits.block_count + 63) / 64;
    const uint32_t sets = SETS_SIZE_MAX / (8 * (v->set_words + 1));
    v->set_max = action_max < sets ? action_max : sets;
    v->in_run_set = carve(c, v->set_words, sizeof *v->in_run_set);
    v->history_set = carve(c, (size_t)v->set_max * v->set_words, sizeof *v->history_set);
    v->set_numbers = carve(c, table_entries(action_max), sizeof *v->set_numbers);
    const uint32_t path_max = action_max == 0 ? 0 : PATHS_MAX;
    table_init(&v->paths, carve(c, table_entries(path_max), sizeof(struct table_entry)), path_max);
    v->path_marks = carve(c, (1 << PATH_MARKS_BITS) / 64, sizeof *v->path_marks);
}

static void begin(struct pick *p)
{
    struct coverage *v = &p->coverage;
    v->path = 0;
    v->run++;
    v->covered[true] = 0;
    for (uint32_t i = 0; i < v->set_words; i++) {
        v->in_run_set[i] = 0;
    }
}

/* The key of the operation for the strategies. Dara schedules goroutines: its action is the task
 * that runs. */
static uint64_t key_of(const struct pick *p, const struct pick_operation *o)
{
    return p->limits.is_by_task ? UINT64_C(1) + o->task : o->action;
}

static bool is_seed_run(const struct coverage *v)
{
    return v->run == 1;
}

/* The contribution to S of a block with this number of executions and nodes. */
typedef double block_worth(uint32_t times, uint32_t nodes);

static double worth_unique(uint32_t times, uint32_t nodes)
{
    (void)nodes;
    return times > 0 ? 1 : 0;
}

static double worth_frequency(uint32_t times, uint32_t nodes)
{
    (void)nodes;
    return times > 0 ? 1.0 / times : 0;
}

static double worth_nodefreq(uint32_t times, uint32_t nodes)
{
    return times > 0 ? (double)nodes / times : 0;
}

static uint32_t node_count(uint64_t nodes)
{
    return (uint32_t)__builtin_popcountll(nodes);
}

static uint64_t node_bit(const struct pick_operation *o)
{
    return UINT64_C(1) << (o->node % 64);
}

static bool is_covered(const struct coverage *v, uint32_t block, bool is_local)
{
    return is_local ? v->in_run[block].run == v->run : v->in_all[block].count > 0;
}

/* Which entry of `actions` has this history. */
static size_t entry_of(const struct coverage *v, const uint64_t *history)
{
    const struct table_entry *entry =
        (const void *)((const char *)history - offsetof(struct table_entry, value));
    return (size_t)(entry - v->actions.entries);
}

/* The number of uncovered blocks of a history. It is cached until the history grows or another
 * block is covered; most steps do neither. */
static uint32_t count_uncovered(const struct coverage *v, const uint64_t *history, bool is_local)
{
    struct uncovered *last = &v->uncovered[is_local][entry_of(v, history)];
    const uint32_t run = is_local ? v->run : 0;
    if (last->history != *history || last->run != run || last->covered != v->covered[is_local]) {
        const struct pick_block *blocks = v->pool + (*history >> 32);
        *last =
            (struct uncovered){.history = *history, .run = run, .covered = v->covered[is_local]};
        for (uint32_t i = 0; i < (uint32_t)*history; i++) {
            last->count += !is_covered(v, blocks[i].block, is_local);
        }
    }
    return last->count;
}

/* The gain of the action over all runs, or in this run alone. */
static double gain(const struct pick *p, const struct pick_operation *o, block_worth *worth,
                   bool is_local)
{
    const struct coverage *v = &p->coverage;
    const uint64_t *history = table_get(&v->actions, key_of(p, o));
    if (history == NULL) {
        return 0;
    }
    if (worth == worth_unique) {
        return count_uncovered(v, history, is_local);
    }
    const struct pick_block *blocks = v->pool + (*history >> 32);
    double sum = 0;
    for (uint32_t i = 0; i < (uint32_t)*history; i++) {
        struct block_tally so_far = (is_local ? v->in_run : v->in_all)[blocks[i].block];
        if (is_local && so_far.run != v->run) {
            so_far = (struct block_tally){0};
        }
        sum += worth(so_far.count + blocks[i].count, node_count(so_far.nodes | node_bit(o))) -
               worth(so_far.count, node_count(so_far.nodes));
    }
    return sum;
}

#define NOBODY UINT32_MAX

/* The paths are many, and looking for one that is not among them takes long. */
static uint64_t *mark_of(const struct coverage *v, uint64_t path, uint64_t *bit)
{
    const uint64_t place = path * 0x9e3779b97f4a7c15u >> (64 - PATH_MARKS_BITS);
    *bit = UINT64_C(1) << place % 64;
    return &v->path_marks[place / 64];
}

static bool is_new_path(const struct pick *p, const struct pick_operation *o)
{
    const struct coverage *v = &p->coverage;
    const uint64_t path = name_mix(v->path, key_of(p, o));
    uint64_t bit = 0;
    return (*mark_of(v, path, &bit) & bit) == 0 || table_get(&v->paths, path) == NULL;
}

/* The first operation with the largest gain; NOBODY when no gain is positive. */
static uint32_t choose_best(struct pick *p, const struct offer *offer, block_worth *worth,
                            bool is_local)
{
    uint32_t best = NOBODY;
    double best_gain = 0;
    for (uint32_t i = 0; i < offer->count; i++) {
        const struct pick_operation *o = &offer->pending[offer->among[i]];
        const double own = gain(p, o, worth, is_local);
        if (own > best_gain && (!is_local || is_new_path(p, o))) {
            best = offer->among[i];
            best_gain = own;
        }
    }
    return best;
}

static uint32_t choose_unseen(const struct pick *p, const struct offer *offer)
{
    for (uint32_t i = 0; i < offer->count; i++) {
        const struct pick_operation *o = &offer->pending[offer->among[i]];
        if (table_get(&p->coverage.actions, key_of(p, o)) == NULL) {
            return offer->among[i];
        }
    }
    return NOBODY;
}

static uint32_t choose_by(struct pick *p, const struct offer *offer, block_worth *worth)
{
    uint32_t best = choose_best(p, offer, worth, false);
    best = best != NOBODY ? best : choose_unseen(p, offer);
    best = best != NOBODY ? best : choose_best(p, offer, worth, true);
    return best != NOBODY ? best : offer->among[prng_below(&p->prng, offer->count)];
}

static uint32_t choose_unique(struct pick *p, const struct offer *offer)
{
    return choose_by(p, offer, worth_unique);
}

static uint32_t choose_frequency(struct pick *p, const struct offer *offer)
{
    return choose_by(p, offer, worth_frequency);
}

static uint32_t choose_nodefreq(struct pick *p, const struct offer *offer)
{
    return choose_by(p, offer, worth_nodefreq);
}

static void done(struct pick *p, const struct offer *offer, uint32_t chosen)
{
    struct coverage *v = &p->coverage;
    v->path = name_mix(v->path, key_of(p, &offer->pending[chosen]));
    if (!table_is_full(&v->paths)) {
        (void)table_slot(&v->paths, v->path, 1);
        uint64_t bit = 0;
        uint64_t *mark = mark_of(v, v->path, &bit);
        *mark |= bit;
    }
}

enum { ROOM_LEAST = 8 };

/* The capacity in blocks of a history of this size. */
static uint32_t room_of(uint32_t size)
{
    uint32_t room = ROOM_LEAST;
    while (room < size) {
        room *= 2;
    }
    return size == 0 ? 0 : room;
}

/* The first place in a history, from `at` on where that is before it, whose block is not below. */
static uint32_t find_block(const struct pick_block *blocks, uint32_t size, uint32_t at,
                           uint32_t block)
{
    at = at > 0 && blocks[at - 1].block >= block ? 0 : at;
    while (at < size && blocks[at].block < block) {
        at++;
    }
    return at;
}

/* Adds a block to a history, which moves when it is full. False when the pool is used up. Histories
 * are sorted by block, and so are most steps: `at` is the likely next place. */
static bool remember_block(struct coverage *v, uint64_t *history, const struct pick_block *block,
                           uint32_t *at)
{
    const uint32_t size = (uint32_t)*history;
    uint32_t first = (uint32_t)(*history >> 32);
    const uint32_t found = find_block(v->pool + first, size, *at, block->block);
    *at = found + 1;
    if (found < size && v->pool[first + found].block == block->block) {
        v->pool[first + found].count += block->count;
        return true;
    }
    if (size == room_of(size)) {
        if (v->pool_used + room_of(size + 1) > v->pool_size) {
            return false;
        }
        for (uint32_t i = 0; i < size; i++) {
            v->pool[v->pool_used + i] = v->pool[first + i];
        }
        first = v->pool_used;
        v->pool_used += room_of(size + 1);
        must_in_tests(v->pool_used <= v->pool_size);
    }
    for (uint32_t i = size; i > found; i--) {
        v->pool[first + i] = v->pool[first + i - 1];
    }
    v->pool[first + found] = *block;
    *history = (uint64_t)first << 32 | (size + 1);
    return true;
}

static bool has_block(const uint64_t *set, uint32_t block)
{
    return (set[block / 64] >> block % 64 & 1) != 0;
}

static void add_block(uint64_t *set, uint32_t block)
{
    set[block / 64] |= UINT64_C(1) << block % 64;
}

/* The set of a history; NULL: it has none. */
static uint64_t *set_of(const struct coverage *v, const uint64_t *history)
{
    const uint32_t number = v->set_numbers[entry_of(v, history)];
    return number == 0 ? NULL : v->history_set + (size_t)(number - 1) * v->set_words;
}

static void give_set(struct coverage *v, const uint64_t *history)
{
    uint32_t *number = &v->set_numbers[entry_of(v, history)];
    if (*number == 0 && v->set_count < v->set_max) {
        *number = ++v->set_count;
    }
    must_in_tests(*number <= v->set_count);
}

static void remember(struct coverage *v, uint64_t action, const struct pick_block *blocks,
                     uint32_t count)
{
    uint64_t *history = table_slot(&v->actions, action, 0);
    if (history == NULL) {
        return;
    }
    give_set(v, history);
    uint64_t *set = set_of(v, history);
    uint32_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!remember_block(v, history, &blocks[i], &at)) {
            return;
        }
        if (set != NULL) {
            add_block(set, blocks[i].block);
        }
    }
}

/* Whether all blocks are in the action's history and covered in this run, and so in all runs. */
static bool is_known(const struct coverage *v, uint64_t action, const struct pick_block *blocks,
                     uint32_t count)
{
    const uint64_t *history = table_get(&v->actions, action);
    const uint64_t *set = history == NULL ? NULL : set_of(v, history);
    bool is_all = set != NULL;
    for (uint32_t i = 0; is_all && i < count; i++) {
        is_all = has_block(set, blocks[i].block) && has_block(v->in_run_set, blocks[i].block);
    }
    return is_all;
}

static void tally(struct block_tally *t, const struct pick_operation *o, uint32_t times,
                  uint32_t run)
{
    t->count += times;
    t->nodes |= node_bit(o);
    t->run = run;
}

/* A step mostly does what its action did before. Where only the set of blocks counts, it is known
 * then, and how often they were executed is not asked for. */
static void learn(struct pick *p, const struct pick_operation *o, const struct pick_block *blocks,
                  uint32_t count)
{
    struct coverage *v = &p->coverage;
    const uint64_t key = key_of(p, o);
    if (p->strategy == &strategy_unique && is_known(v, key, blocks, count)) {
        return;
    }
    for (uint32_t i = 0; i < count && !is_seed_run(v); i++) {
        const uint32_t block = blocks[i].block;
        must(block < p->limits.block_count);
        v->covered[false] += v->in_all[block].count == 0;
        if (v->in_run[block].run != v->run) {
            v->in_run[block] = (struct block_tally){0};
            v->covered[true]++;
            add_block(v->in_run_set, block);
        }
        tally(&v->in_all[block], o, blocks[i].count, v->run);
        tally(&v->in_run[block], o, blocks[i].count, v->run);
    }
    remember(v, key, blocks, count);
}

const struct strategy strategy_unique = {
    .begin = begin, .choose = choose_unique, .done = done, .learn = learn};
const struct strategy strategy_frequency = {
    .begin = begin, .choose = choose_frequency, .done = done, .learn = learn};
const struct strategy strategy_nodefreq = {
    .begin = begin, .choose = choose_nodefreq, .done = done, .learn = learn};
