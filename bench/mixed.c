#include "gen.h"

#include <stdbool.h>

#include "base/mem.h"
#include "wire/prng.h"

enum {
    SECTION_MAX = 7, /* accesses of one section */
    WRITE_PERCENT = 30,
    PLACE_FIRST = 3, /* 0 forks, 1 takes, 2 releases and joins */
};

static const uint32_t none = UINT32_MAX;

struct thread {
    uint32_t lock; /* held, or none */
    uint32_t left; /* accesses until it is released */
};

struct mixed {
    struct out *out;
    const struct gen_mixed_options *options;
    struct prng prng;
    struct thread *threads;
    uint32_t *owner; /* per lock: the thread that holds it, or none */
    uint64_t written, held_count;
};

static void put_event(struct mixed *x, uint32_t thread, const char *operation, uint64_t operand,
                      uint64_t place)
{
    struct out *o = x->out;
    out_char(o, 'T');
    out_u64(o, thread);
    out_char(o, '|');
    out_text(o, operation);
    out_u64(o, operand);
    out_text(o, ")|");
    out_u64(o, place);
    out_char(o, '\n');
    x->written++;
}

static void release(struct mixed *x, uint32_t index)
{
    struct thread *t = &x->threads[index];
    put_event(x, index, "rel(L", t->lock, 2);
    x->owner[t->lock] = none;
    x->held_count--;
    t->lock = none;
}

/* Takes a lock at random; false when another thread holds it. */
static bool try_acquire(struct mixed *x, uint32_t index)
{
    const uint32_t lock = (uint32_t)prng_below(&x->prng, x->options->lock_count);
    if (x->owner[lock] != none) {
        return false;
    }
    x->owner[lock] = index;
    x->held_count++;
    x->threads[index] =
        (struct thread){.lock = lock, .left = 1 + (uint32_t)prng_below(&x->prng, SECTION_MAX)};
    put_event(x, index, "acq(L", lock, 1);
    return true;
}

static void access_variable(struct mixed *x, uint32_t index)
{
    const uint64_t variable = prng_below(&x->prng, x->options->variable_count);
    const bool is_write = prng_below(&x->prng, 100) < WRITE_PERCENT;
    const uint64_t place =
        x->options->place_count == 0 ? x->written : prng_below(&x->prng, x->options->place_count);
    put_event(x, index, is_write ? "w(V" : "r(V", variable, PLACE_FIRST + place);
}

static void step(struct mixed *x, uint32_t index)
{
    struct thread *t = &x->threads[index];
    if (t->lock != none && t->left == 0) {
        release(x, index);
        return;
    }
    const bool is_locked = t->lock != none || x->options->lock_count == 0 ||
                           prng_below(&x->prng, 100) < x->options->unlocked_percent;
    if (is_locked) {
        t->left -= t->lock != none;
        access_variable(x, index);
    } else {
        (void)try_acquire(x, index);
    }
}

void gen_mixed(struct out *o, const struct gen_mixed_options *options)
{
    must(options->thread_count >= 1);
    must(options->variable_count >= 1);
    must(options->event_count >= 3 * (uint64_t)options->thread_count);
    struct mixed x = {.out = o, .options = options};
    prng_init(&x.prng, options->seed);
    x.threads = mem_zero(options->thread_count, sizeof *x.threads);
    x.owner = mem_zero((size_t)options->lock_count + 1, sizeof *x.owner);
    for (uint32_t lock = 0; lock < options->lock_count; lock++) {
        x.owner[lock] = none;
    }
    for (uint32_t i = 0; i < options->thread_count; i++) {
        x.threads[i].lock = none;
    }
    for (uint32_t child = 1; child < options->thread_count; child++) {
        put_event(&x, 0, "fork(T", child, 0);
    }
    /* A step writes one event at most, and a lock that it takes one more at the end. */
    while (x.written + x.held_count + options->thread_count < options->event_count) {
        step(&x, (uint32_t)prng_below(&x.prng, options->thread_count));
    }
    for (uint32_t i = 0; i < options->thread_count; i++) {
        if (x.threads[i].lock != none) {
            release(&x, i);
        }
    }
    for (uint32_t child = 1; child < options->thread_count; child++) {
        put_event(&x, 0, "join(T", child, 2);
    }
    mem_free(x.owner);
    mem_free(x.threads);
}
