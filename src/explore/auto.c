/* The default. Programs with tasks begin with directed runs (directed.c), and then every second run
 * is one. Of the others: every run with few delays, for many bugs are shallow. One run of a
 * strategy follows each (seven where the search mixes them so, or where runs are too long for that
 * phase to finish). After them, strategies alone. Strategies and balances that show something new
 * come more often. New is a pair of actions that touch one object one right after the other, and
 * that no run before had. A run that showed one is also kept: later runs follow a part of it. Runs
 * without a new pair count by the rarity of the blocks of code that they entered; where no blocks
 * are counted, by their share of new states, but less, for a large system always has more of them.
 */
#include <stddef.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "explore/directed.h"
#include "explore/search.h"
#include "pick/operation_name.h"
#include "wire/prng.h"

enum { DELAYS_FIRST = 2, DELAY_RUNS_MAX = 2000, KEPT_MAX = 64, RUNS_PER_DELAY = 8 };

/* A run of n steps has at least n(n-1)/2 neighbours with two delays: more than DELAY_RUNS_MAX from
 * the next length on. */
enum { DELAY_STEPS_MAX = 63 };

/* Hashing every state of a system with large nodes takes longer than running it: some runs do. */
enum { RUNS_PER_STATES = 4 };

/* The ways to make a run after the first phase; the last follows a run that was kept. */
static const enum pick_strategy ways[] = {PICK_SURW, PICK_POS, PICK_PCT, PICK_UNIQUE, PICK_RANDOM};
enum { WAY_COUNT = sizeof ways / sizeof *ways, WAY_MUTATE = WAY_COUNT, ARM_COUNT, ARM_DIRECTED };

/* So many directed runs come before all others. */
enum { DIRECTED_FIRST = 100 };

/* How often timers come beside the rest. A system whose every timer is a timeout does little else
 * where each operation is as likely as any other: its messages hardly arrive before the next.
 * Requests of clients are as rare as timers: they are pending from the start, and those that all
 * arrive before there is a leader are refused. */
static const struct pick_weights balances[] = {
    {{0}},
    {{[PICK_CLASS_MESSAGE] = 8,
      [PICK_CLASS_TIMER] = 1,
      [PICK_CLASS_WRITE] = 8,
      [PICK_CLASS_HELPER] = 8,
      [PICK_CLASS_REQUEST] = 1}},
    {{[PICK_CLASS_MESSAGE] = 32,
      [PICK_CLASS_TIMER] = 1,
      [PICK_CLASS_WRITE] = 32,
      [PICK_CLASS_HELPER] = 32,
      [PICK_CLASS_REQUEST] = 1}},
};
enum { BALANCE_COUNT = sizeof balances / sizeof *balances };
_Static_assert((int)BALANCE_COUNT <= (int)ARM_COUNT, "choose_among has a weight for each balance");

/* How often a way was gone, and how often it showed something new; both fade. */
struct arm {
    double tried;
    double rewarded;
};

struct kept_run {
    VEC(struct pick_turn) turns;
};

/* States that were seen, a bit for the first bits of each hash: where it is full, nothing is new.
 */
enum { STATE_BITS = 25, STATE_WORDS = 1 << (STATE_BITS - 6) };
_Static_assert(STATE_WORDS * 64 == 1 << STATE_BITS, "a bit for each prefix of a hash");

struct automatic {
    struct search search;
    uint64_t *states;     /* NULL: the world cannot tell them apart */
    struct search *delay; /* NULL once its phase is over */
    uint64_t delay_runs;
    size_t steps_max; /* of the runs so far */
    bool is_complete; /* few delays were all there are */
    struct prng prng;
    struct map pairs; /* that were seen */
    VEC(uint32_t)
    block_runs;         /* by number of the block: the runs that entered it */
    double rarity_mean; /* of runs; fades */
    struct arm balances[BALANCE_COUNT];
    uint32_t balance; /* of the run that is being made */
    bool has_timers;  /* some run had one */
    struct prng balance_prng;
    struct arm arms[ARM_COUNT];
    uint32_t arm; /* of the run that is being made; ARM_COUNT: few delays; ARM_DIRECTED */
    struct directed *directed; /* NULL: the world has no tasks */
    uint64_t directed_runs;    /* since the search began or went on */
    struct kept_run kept[KEPT_MAX];
    uint32_t kept_count;
    uint32_t kept_next; /* to be replaced */
};

_Static_assert(offsetof(struct automatic, search) == 0, "operations cast the search to its struct");

/* How many of the runs were not directed; of a search that went on, those before count too. */
static uint64_t other_runs(const struct automatic *a)
{
    must(a->directed_runs <= a->search.tally.runs);
    return a->search.tally.runs - a->directed_runs;
}

static bool next_delay(struct automatic *a, uint64_t run_index, struct plan *p)
{
    const bool is_mixed = a->search.options.is_mixed || a->steps_max > DELAY_STEPS_MAX;
    const bool is_turn = !is_mixed || other_runs(a) % RUNS_PER_DELAY == 0;
    if (a->delay == NULL || !is_turn) {
        return false;
    }
    if (a->delay_runs++ < DELAY_RUNS_MAX && a->delay->ops->next(a->delay, run_index, p)) {
        a->arm = ARM_COUNT;
        return true;
    }
    a->is_complete = !a->search.options.is_drawn && a->delay_runs <= DELAY_RUNS_MAX &&
                     a->delay->ops->is_complete(a->delay);
    a->search.has_data_races = a->delay->has_data_races;
    a->delay->ops->free(a->delay);
    a->delay = NULL;
    return false;
}

/* The rarity of blocks differs little from way to way, and says more than new states do: the sixth
 * power of its mean makes one that is a fifth better three times as likely. */
enum { RARITY_EXPONENT = 6 };

static double power(double base, uint32_t exponent)
{
    double product = 1;
    for (uint32_t i = 0; i < exponent; i++) {
        product *= base;
    }
    return product;
}

/* Each of them by its share of rewards, or a power of it, and a little more. */
static uint32_t choose_among(const struct automatic *a, const struct arm *arms, uint32_t count,
                             struct prng *prng)
{
    const uint32_t exponent = a->block_runs.count > 0 ? RARITY_EXPONENT : 1;
    uint64_t weights[ARM_COUNT] = {0};
    uint64_t total = 0;
    must(count <= ARM_COUNT);
    for (uint32_t i = 0; i < count; i++) {
        const double share = (arms[i].rewarded + 1) / (arms[i].tried + 2);
        weights[i] = 100 + (uint64_t)(10000 * power(share, exponent) / power(0.5, exponent - 1));
        total += weights[i];
    }
    uint64_t left = prng_below(prng, total);
    uint32_t arm = 0;
    for (; arm + 1 < count && left >= weights[arm]; arm++) {
        left -= weights[arm];
    }
    must(arm < count);
    return arm;
}

static uint32_t choose_arm(struct automatic *a)
{
    return choose_among(a, a->arms, a->kept_count > 0 ? ARM_COUNT : WAY_COUNT, &a->prng);
}

/* Weights that the user gave are those of every run. */
static void choose_balance(struct automatic *a, struct plan *p)
{
    a->balance = 0;
    if (a->has_timers && !a->search.options.has_tasks && !pick_weights_are_any(&p->pick.weights)) {
        a->balance = choose_among(a, a->balances, BALANCE_COUNT, &a->balance_prng);
        p->pick.weights = balances[a->balance];
    }
}

static void reward(struct arm *arm, double share)
{
    must(share >= 0 && share <= 1);
    arm->tried = arm->tried * 0.99 + 1;
    arm->rewarded = arm->rewarded * 0.99 + share;
}

/* Follows a kept run up to some step, then goes at random. */
static void mutate(struct automatic *a, struct plan *p)
{
    const struct kept_run *k = &a->kept[prng_below(&a->prng, a->kept_count)];
    p->pick.strategy = prng_below(&a->prng, 2) == 0 ? PICK_POS : PICK_RANDOM;
    const uint32_t least = a->search.options.from == NULL ? 0 : a->search.options.from->steps_max;
    const size_t kept = k->turns.count;
    p->pick.turns = k->turns.at;
    p->pick.turn_count = kept <= least ? kept : least + prng_below(&a->prng, kept - least + 1);
    must(p->pick.turn_count <= kept);
    p->pick.is_lenient = true;
}

static bool is_directed_turn(const struct automatic *a)
{
    if (a->directed == NULL || a->is_complete) {
        return false;
    }
    const bool has_aims = a->directed_runs == 0 || directed_has_aims(a->directed);
    return has_aims && (a->directed_runs < DIRECTED_FIRST ||
                        a->directed_runs <= other_runs(a) + DIRECTED_FIRST);
}

static bool next(struct search *search, uint64_t run_index, struct plan *p)
{
    struct automatic *a = (struct automatic *)search;
    if (is_directed_turn(a)) {
        a->arm = ARM_DIRECTED;
        a->directed_runs++;
        directed_next(a->directed, name_join(search->options.seed, run_index + 1), p);
        return true;
    }
    if (run_index == 0 && search->options.seeded != NULL) {
        a->arm = 0;
        *p = search_plan(&search->options);
        p->pick.strategy = ways[0];
        search_seed(&search->options, p);
        return true;
    }
    if (other_runs(a) % 2 == 0 && next_delay(a, run_index, p)) {
        return true;
    }
    if (a->is_complete) {
        return false;
    }
    a->arm = choose_arm(a);
    *p = search_plan(&search->options);
    p->pick.seed = name_join(search->options.seed, run_index + 1);
    choose_balance(a, p);
    p->wants_blocks = true;
    p->wants_states =
        a->states != NULL && a->block_runs.count == 0 && run_index % RUNS_PER_STATES == 0;
    if (a->arm == WAY_MUTATE) {
        mutate(a, p);
    } else {
        p->pick.strategy = ways[a->arm];
    }
    p->is_learning = search_is_learning(&search->options, p->pick.strategy, run_index);
    if (a->directed != NULL) {
        directed_narrow(a->directed, p);
    }
    return true;
}

/* How many pairs of the execution no run before had. */
static uint32_t count_new(struct automatic *a, const struct execution *x, struct map *last)
{
    uint32_t count = 0;
    vec_each (&x->steps, s) {
        uint32_t *before = map_slot(last, s->operation.objects[0], 0, NULL);
        bool is_new = false;
        (void)map_slot(&a->pairs, name_mix(*before, s->operation.action), 1, &is_new);
        count += is_new;
        *before = (uint32_t)s->operation.action;
        a->has_timers = a->has_timers || s->operation.kind == EVENT_TIMER_FIRE;
    }
    return count;
}

/* The share of its states, of those that were looked at, that no run before had. */
static double share_of_new_states(struct automatic *a, const struct execution *x)
{
    uint32_t new_count = 0;
    vec_each (&x->steps, s) {
        const uint64_t bit = s->state >> (64 - STATE_BITS);
        uint64_t *word = a->states == NULL || s->state == 0 ? NULL : &a->states[bit / 64];
        if (word != NULL && (*word >> bit % 64 & 1) == 0) {
            *word |= UINT64_C(1) << bit % 64;
            new_count++;
        }
    }
    must(new_count <= x->steps.count);
    return x->steps.count == 0 ? 0 : (double)new_count / (double)x->steps.count;
}

/* The rarity of a run is the sum, over the blocks of code that it entered, of 1 / the runs that
 * entered the block. Returns its share beside the mean: half where the run is as others. */
static double share_of_rare_blocks(struct automatic *a, const struct execution *x)
{
    double rarity = 0;
    vec_each (&x->blocks, block) {
        while (a->block_runs.count <= *block) {
            vec_push(&a->block_runs, 0);
        }
        rarity += 1.0 / ++a->block_runs.at[*block];
    }
    const double share = rarity / (rarity + a->rarity_mean);
    a->rarity_mean = a->rarity_mean * 0.99 + rarity * 0.01;
    must(share > 0);
    return share;
}

static double reward_of(struct automatic *a, const struct execution *x, uint32_t new_count)
{
    const double state_share = share_of_new_states(a, x);
    const double block_share = x->blocks.count == 0 ? 0 : share_of_rare_blocks(a, x);
    return new_count > 0 ? 1 : block_share > 0 ? block_share : state_share / 2;
}

static void keep(struct automatic *a, const struct execution *x)
{
    struct kept_run *k = &a->kept[a->kept_next];
    vec_clear(&k->turns);
    for (uint32_t i = 0; i < x->steps.count; i++) {
        const struct pick_operation *o = &x->steps.at[i].operation;
        vec_push(&k->turns, (struct pick_turn){
                                .name = o->name, .step = i, .is_unignorable = o->is_unignorable});
    }
    a->kept_next = (a->kept_next + 1) % KEPT_MAX;
    a->kept_count += a->kept_count < KEPT_MAX;
}

static void learn(struct search *search, const struct plan *p, struct execution *x)
{
    struct automatic *a = (struct automatic *)search;
    struct map last = {0};
    a->steps_max = x->steps.count > a->steps_max ? x->steps.count : a->steps_max;
    const uint32_t new_count = count_new(a, x, &last);
    map_release(&last);
    if (a->directed != NULL) {
        directed_learn(a->directed, x);
    }
    if (a->arm == ARM_COUNT) {
        a->delay->ops->learn(a->delay, p, x);
        return;
    }
    /* Meanwhile the first phase makes it, too: it is no execution more. */
    search->tally.redundant_runs += a->delay != NULL && x->outcome != OUTCOME_REDUNDANT;
    if (a->arm == ARM_DIRECTED) {
        return;
    }
    must(a->arm < ARM_COUNT);
    must(a->balance < BALANCE_COUNT);
    const double share = reward_of(a, x, new_count);
    reward(&a->arms[a->arm], share);
    reward(&a->balances[a->balance], share);
    if (new_count > 0) {
        keep(a, x);
    }
}

static uint64_t number_of(double share)
{
    uint64_t number = 0;
    memcpy(&number, &share, sizeof number);
    return number;
}

static double share_of(uint64_t number)
{
    double share = 0;
    memcpy(&share, &number, sizeof share);
    return share >= 0 && share < 1e6 ? share : 0;
}

/* Saved: how far the first phase is, and the rewards of the ways. Pairs and runs that were kept
 * are met again soon. */
static void save(struct search *search, struct out *whole, struct out *more)
{
    struct automatic *a = (struct automatic *)search;
    saved_put(whole, a->delay_runs);
    saved_put(whole, a->is_complete);
    for (uint32_t i = 0; i < ARM_COUNT; i++) {
        saved_put(whole, number_of(a->arms[i].tried));
        saved_put(whole, number_of(a->arms[i].rewarded));
    }
    saved_put(whole, a->delay != NULL);
    if (a->delay != NULL) {
        a->delay->ops->save(a->delay, whole, more);
    }
}

static int resume(struct search *search, struct world *w, struct saved *whole, struct saved *more,
                  struct err *e)
{
    struct automatic *a = (struct automatic *)search;
    a->delay_runs = saved_take(whole);
    a->is_complete = saved_take(whole) != 0;
    for (uint32_t i = 0; i < ARM_COUNT; i++) {
        a->arms[i].tried = share_of(saved_take(whole));
        a->arms[i].rewarded = share_of(saved_take(whole));
    }
    prng_init(&a->prng, name_join(search->options.seed, search->tally.runs));
    a->balance_prng = a->prng;
    if (saved_take(whole) != 0) {
        return a->delay->ops->resume(a->delay, w, whole, more, e);
    }
    more->left = 0; /* the states that the first phase has seen */
    a->delay->ops->free(a->delay);
    a->delay = NULL;
    return 0;
}

static bool is_complete(const struct search *search)
{
    return ((const struct automatic *)search)->is_complete;
}

static uint32_t words(const struct search *search)
{
    const struct automatic *a = (const struct automatic *)search;
    return a->directed == NULL ? 0 : directed_word_count(a->directed);
}

static void free_auto(struct search *search)
{
    struct automatic *a = (struct automatic *)search;
    if (a->delay != NULL) {
        a->delay->ops->free(a->delay);
    }
    if (a->directed != NULL) {
        directed_free(a->directed);
    }
    for (uint32_t i = 0; i < KEPT_MAX; i++) {
        vec_release(&a->kept[i].turns);
    }
    map_release(&a->pairs);
    vec_release(&a->block_runs);
    mem_free(a->states);
    mem_free(a);
}

struct search *search_auto(const struct search_options *o)
{
    static const struct search_ops ops = {.next = next,
                                          .learn = learn,
                                          .is_complete = is_complete,
                                          .free = free_auto,
                                          .words = words,
                                          .save = save,
                                          .resume = resume};
    struct automatic *a = mem_zero(1, sizeof *a);
    a->search = (struct search){.ops = &ops, .options = *o};
    struct search_options few = *o;
    few.delays_max = DELAYS_FIRST;
    a->delay = o->is_helping || o->from != NULL ? NULL : search_delay(&few);
    a->directed = o->has_tasks && o->from == NULL ? directed_new(o) : NULL;
    a->states = o->has_states ? mem_zero(STATE_WORDS, sizeof *a->states) : NULL;
    prng_init(&a->prng, o->seed);
    prng_init(&a->balance_prng, o->seed);
    return &a->search;
}
