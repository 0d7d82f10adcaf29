#include "gen.h"

#include <stdbool.h>

#include "base/mem.h"
#include "wire/prng.h"

enum {
    DEPTH_MAX = 3,          /* locks one thread holds at a time */
    BURST_MAX = 24,         /* events of one thread in a row */
    UNGUARDED_ONE_IN = 500, /* accesses that forget the lock */
    PLACES_PER_VARIABLE = 4,
};

static const uint32_t free_lock = UINT32_MAX;

struct thread {
    uint32_t held[DEPTH_MAX];
    uint32_t depth;
};

struct execution {
    struct out *out;
    const struct gen_std_options *options;
    struct prng prng;
    struct thread *threads;
    uint32_t *owner; /* per lock: the thread that holds it, or free_lock */
    uint64_t written;
    uint64_t held_count;
};

static void put_event(struct execution *x, uint32_t thread, const char *operation, uint64_t operand,
                      uint64_t location)
{
    struct out *o = x->out;
    out_char(o, 'T');
    out_u64(o, thread);
    out_char(o, '|');
    out_text(o, operation);
    out_u64(o, operand);
    out_text(o, ")|");
    out_u64(o, location);
    out_char(o, '\n');
    x->written++;
}

/* Places are numbers: 0 forks, 1 joins, then two for each lock, then those of the variables. */
static uint64_t lock_place(uint32_t lock)
{
    return 2 + 2 * (uint64_t)lock;
}

static bool is_one_in(struct execution *x, uint64_t bound)
{
    return prng_below(&x->prng, bound) == 0;
}

/* The events that must still follow: a release for every lock held, a join for every child. */
static uint64_t reserved(const struct execution *x)
{
    return x->held_count + x->options->thread_count - 1;
}

static void release_last(struct execution *x, uint32_t index)
{
    struct thread *t = &x->threads[index];
    const uint32_t lock = t->held[--t->depth];
    x->owner[lock] = free_lock;
    x->held_count--;
    put_event(x, index, "rel(L", lock, lock_place(lock) + 1);
}

/* A free lock above all that the thread holds: every thread nests in the same order. */
static bool try_acquire(struct execution *x, uint32_t index)
{
    struct thread *t = &x->threads[index];
    if (t->depth == DEPTH_MAX || x->options->lock_count == 0 ||
        x->written + reserved(x) + 2 > x->options->event_count) {
        return false;
    }
    const uint32_t lock = (uint32_t)prng_below(&x->prng, x->options->lock_count);
    const bool is_above = t->depth == 0 || lock > t->held[t->depth - 1];
    if (x->owner[lock] != free_lock || !is_above) {
        return false;
    }
    x->owner[lock] = index;
    t->held[t->depth++] = lock;
    x->held_count++;
    put_event(x, index, "acq(L", lock, lock_place(lock));
    return true;
}

/* Lock l guards the variables whose number leaves l when divided by the number of locks. */
static uint64_t guarded_variable(struct execution *x, const struct thread *t)
{
    const uint64_t variable = prng_below(&x->prng, x->options->variable_count);
    if (t->depth == 0 || is_one_in(x, UNGUARDED_ONE_IN)) {
        return variable;
    }
    const uint64_t lock = t->held[prng_below(&x->prng, t->depth)];
    const uint64_t guarded = variable - variable % x->options->lock_count + lock;
    return guarded < x->options->variable_count ? guarded : lock % x->options->variable_count;
}

/* A thread without a lock keeps to variables of its own, numbered after the shared ones. */
static uint64_t own_variable(struct execution *x, uint32_t index)
{
    enum { OWN_COUNT = 16 };
    return (uint64_t)x->options->variable_count + (uint64_t)index * OWN_COUNT +
           prng_below(&x->prng, OWN_COUNT);
}

static void access_variable(struct execution *x, uint32_t index)
{
    const struct thread *t = &x->threads[index];
    const bool is_shared =
        t->depth > 0 || x->options->lock_count == 0 || is_one_in(x, UNGUARDED_ONE_IN);
    const uint64_t variable = is_shared ? guarded_variable(x, t) : own_variable(x, index);
    const bool is_write = is_one_in(x, 4);
    const uint64_t place = variable * PLACES_PER_VARIABLE + (is_write ? 2 : 0) +
                           prng_below(&x->prng, PLACES_PER_VARIABLE / 2);
    put_event(x, index, is_write ? "w(V" : "r(V", variable,
              lock_place(x->options->lock_count) + place);
}

/* One event of one thread. */
static void step(struct execution *x, uint32_t index)
{
    const uint64_t chance = prng_below(&x->prng, 100);
    if (chance < 10 && try_acquire(x, index)) {
        return;
    }
    if (chance >= 10 && chance < 22 && x->threads[index].depth > 0) {
        release_last(x, index);
        return;
    }
    access_variable(x, index);
}

void gen_std(struct out *o, const struct gen_std_options *options)
{
    must(options->thread_count >= 1);
    must(options->variable_count >= 1);
    must(options->event_count >= 2 * ((uint64_t)options->thread_count - 1));
    struct execution x = {.out = o, .options = options};
    prng_init(&x.prng, options->seed);
    x.threads = mem_zero(options->thread_count, sizeof *x.threads);
    x.owner = mem_zero((size_t)options->lock_count + 1, sizeof *x.owner);
    for (uint32_t lock = 0; lock < options->lock_count; lock++) {
        x.owner[lock] = free_lock;
    }
    for (uint32_t child = 1; child < options->thread_count; child++) {
        put_event(&x, 0, "fork(T", child, 0);
    }
    while (x.written + reserved(&x) < options->event_count) {
        const uint32_t index = (uint32_t)prng_below(&x.prng, options->thread_count);
        const uint64_t burst = 1 + prng_below(&x.prng, BURST_MAX);
        for (uint64_t i = 0; i < burst && x.written + reserved(&x) < options->event_count; i++) {
            step(&x, index);
        }
    }
    for (uint32_t index = 0; index < options->thread_count; index++) {
        while (x.threads[index].depth > 0) {
            release_last(&x, index);
        }
    }
    for (uint32_t child = 1; child < options->thread_count; child++) {
        put_event(&x, 0, "join(T", child, 1);
    }
    must(x.written == options->event_count);
    mem_free(x.owner);
    mem_free(x.threads);
}
