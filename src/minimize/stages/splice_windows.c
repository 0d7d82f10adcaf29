/* The end of a long run, spliced onto a beginning. Most steps that lead to a violation are among
 * the last, and some at the start or in between; the rest has only made time pass. So the candidate
 * requests a few windows of the run one after another, the last of them the run's end, without some
 * random steps and with others inserted: where most steps are gone, the rest no longer fits
 * together. Such a candidate is short, so very many can be run. */
#include "minimize/stages/stages.h"

enum {
    PAST_MIN = 60, /* of a shorter run, other stages leave out as much */
    WINDOWS_MAX = 3,
    WINDOW_LENGTH_MIN = 16,
    LEFT_OUT_MAX = 24, /* of 64 steps */
    PUT_IN_MAX = 12,   /* in each window */
};

struct window {
    uint32_t first, end;
};

struct echo {
    const struct past *of;
    struct window windows[WINDOWS_MAX]; /* in the order of the run; the last ends with it */
    uint32_t window_count;
    uint32_t left_out; /* of 64 steps */
    uint32_t put_in;   /* in each window */
    enum pick_match match;
};

static uint32_t draw(struct prng *prng, uint32_t below)
{
    return (uint32_t)prng_below(prng, below);
}

/* Short ones are as likely as long ones. */
static uint32_t draw_length(struct prng *prng, uint32_t most)
{
    uint32_t length = WINDOW_LENGTH_MIN;
    while (length < most && draw(prng, 3) != 0) {
        length *= 2;
    }
    length += draw(prng, length);
    return length < most ? length : most;
}

/* From the last to the first, which is at the very start every other time. */
static void draw_windows(struct echo *echo, struct prng *prng)
{
    const uint32_t most = echo->of->count / 2 / WINDOWS_MAX;
    uint32_t end = echo->of->count;
    for (uint32_t i = echo->window_count; i-- > 0;) {
        const uint32_t length = draw_length(prng, end < most ? end : most);
        if (i + 1 < echo->window_count) {
            const bool is_at_start = i == 0 && draw(prng, 2) == 0;
            end = length + (is_at_start ? 0 : draw(prng, end - length + 1));
        }
        must(length <= end);
        must(end <= echo->of->count);
        echo->windows[i] = (struct window){end - length, end};
        end -= length;
    }
}

static const struct pick_operation *operation(const struct echo *echo, uint32_t step)
{
    return &echo->of->steps[step].operation;
}

/* The first of each kind from outside, and faults only with the rest of their atoms. */
static void mark_beginning(const struct echo *echo, bool *is_in)
{
    struct map seen = {0};
    for (uint32_t i = 0; i < echo->windows[0].first; i++) {
        const struct pick_operation *o = operation(echo, i);
        bool is_new = false;
        if (o->is_external && o->fault == 0) {
            (void)map_slot(&seen, o->action, 1, &is_new);
        }
        is_in[i] = is_new;
    }
    map_release(&seen);
}

static void mark(const struct echo *echo, struct prng *prng, bool *is_in)
{
    mark_beginning(echo, is_in);
    for (uint32_t i = 0; i < echo->window_count; i++) {
        for (uint32_t k = echo->windows[i].first; k < echo->windows[i].end; k++) {
            is_in[k] = draw(prng, 64) >= echo->left_out;
        }
    }
    for (uint32_t i = 0; i < echo->of->count; i++) {
        is_in[i] = is_in[i] || operation(echo, i)->is_unignorable;
        if (is_in[i]) {
            is_in[echo->of->partner_of[i]] = true;
        }
    }
}

/* A step to insert: one of the last window, or an external one from anywhere; but no fault. */
static void put_in(const struct echo *echo, struct prng *prng, struct candidate *c)
{
    const struct window *last = &echo->windows[echo->window_count - 1];
    uint32_t step = last->first + draw(prng, last->end - last->first);
    if (draw(prng, 2) == 0) {
        step = draw(prng, echo->of->count);
        for (uint32_t i = 0; i < echo->of->count && !operation(echo, step)->is_external; i++) {
            step = (step + 1) % echo->of->count;
        }
    }
    if (operation(echo, step)->fault == 0) {
        vec_push(&c->wants, reducer_want_of(operation(echo, step), echo->match));
    }
}

void splice_windows_draw(struct reducer *r, const struct past *past, struct prng *prng)
{
    static const enum pick_match matches[] = {PICK_NEWEST, PICK_OLDEST, PICK_SAME_OR_NEWEST,
                                              PICK_SAME_OR_OLDEST};
    struct echo echo = {.of = past};
    echo.window_count = 1 + draw(prng, WINDOWS_MAX); /* one after another, in any compiler */
    echo.left_out = draw(prng, LEFT_OUT_MAX);
    echo.put_in = draw(prng, PUT_IN_MAX + 1);
    echo.match = matches[draw(prng, sizeof matches / sizeof *matches)];
    struct candidate *c = &r->candidate;
    bool *is_in = reducer_marks_of(r, past->count);
    vec_clear(&c->wants);
    draw_windows(&echo, prng);
    mark(&echo, prng, is_in);
    uint32_t window = 0;
    for (uint32_t i = 0; i < past->count; i++) {
        while (i == echo.windows[window].end) {
            window++;
        }
        must(window < echo.window_count);
        const struct window *w = &echo.windows[window];
        if (i >= w->first && draw(prng, w->end - w->first) < echo.put_in) {
            put_in(&echo, prng, c);
        }
        if (is_in[i]) {
            vec_push(&c->wants, reducer_want_of(operation(&echo, i), echo.match));
        }
    }
}

bool splice_windows_are_worth(const struct past *past)
{
    return past->count >= PAST_MIN;
}

void splice_windows_stage(struct reducer *r)
{
    const uint64_t steps_max = chance_steps_max(r);
    uint64_t spent = 0;
    struct prng prng;
    prng_init(&prng, chance_seed(r, 0));
    for (uint32_t i = 0; i < chance_runs_max(r) && spent < steps_max && !reducer_is_bound(r) &&
                         !reducer_is_shorter(r, PAST_MIN) && reducer_goes_on(r);
         i++) {
        const struct past past = reducer_past(r);
        splice_windows_draw(r, &past, &prng);
        spent = reducer_try(r, &r->candidate) ? 0 : spent + r->candidate.wants.count;
    }
}
