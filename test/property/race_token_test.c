/* Streams of tokens: the engine's replacement against the rule, and the resulting races against the
 * walk over states. */
#include "race/token_stream.h"

#include "base/map.h"
#include "race/race.h"
#include "race_slow.h"
#include "random_trace.h"
#include "shrink.h"
#include "test.h"
#include "trace_text.h"
#include "wire/kind.h"

/* ---- the rule, read off the trace ---- */

static bool is_piece(const struct event *e)
{
    return (e->kind == EVENT_SEND || e->kind == EVENT_RECV) && e->object != 0 &&
           (e->mode == TRANSPORT_TCP || e->mode == TRANSPORT_UNIX || e->mode == TRANSPORT_PIPE);
}

static bool begins_handler(const struct trace *t, event_id recv)
{
    for (event_id id = recv + 1; id < t->events.count; id++) {
        if (trace_at(t, id)->task == trace_at(t, recv)->task) {
            return trace_at(t, id)->kind == EVENT_HANDLER_BEGIN;
        }
    }
    return false;
}

/* Every piece of the channel of `like` is the same, and there is a choice who sends or takes it. */
static bool is_token(const struct trace *t, event_id like)
{
    const struct event *first = trace_at(t, like);
    bool has_send = false;
    bool has_recv = false;
    bool has_choice = false;
    for (event_id id = 0; id < t->events.count; id++) {
        const struct event *e = trace_at(t, id);
        if (!is_piece(e) || e->object != first->object) {
            continue;
        }
        if ((e->has & HAS_SIZE) == 0 || (e->has & HAS_VALUE) == 0 || e->size == 0 ||
            e->size != first->size || e->value != first->value ||
            trace_node_of(t, e) != trace_node_of(t, first) ||
            (e->kind == EVENT_RECV && begins_handler(t, id))) {
            return false;
        }
        has_send |= e->kind == EVENT_SEND;
        has_recv |= e->kind == EVENT_RECV;
        for (event_id other = 0; other < id; other++) {
            const struct event *o = trace_at(t, other);
            has_choice |=
                is_piece(o) && o->object == e->object && o->kind == e->kind && o->task != e->task;
        }
    }
    return has_send && has_recv && has_choice;
}

/* The trace with tokens as units of semaphores. */
static const struct trace *with_tokens_as_units(const struct trace *t, struct arena *a)
{
    struct trace *copy = arena_array(a, struct trace, 1);
    *copy = *t;
    copy->events.at = arena_array(a, struct event, t->events.count + 1);
    for (event_id id = 0; id < t->events.count; id++) {
        const struct event *e = trace_at(t, id);
        copy->events.at[id] = *e;
        if (is_piece(e) && is_token(t, id)) {
            copy->events.at[id].kind = e->kind == EVENT_SEND ? EVENT_SEM_POST : EVENT_SEM_WAIT;
            copy->events.at[id].mode = MODE_UNSAID;
        }
    }
    return copy;
}

static bool are_replaced_alike(const struct trace *got, const struct trace *wanted)
{
    for (event_id id = 0; id < wanted->events.count; id++) {
        const struct event *a = trace_at(got, id);
        const struct event *b = trace_at(wanted, id);
        if (a->kind != b->kind || a->mode != b->mode || a->object != b->object) {
            return false;
        }
    }
    return got->events.count == wanted->events.count;
}

/* ---- races ---- */

struct tried {
    enum race_model model;
    uint64_t replaced, races, too_large;
};

/* The data races reported, as pairs of events. */
static void hear(void *context, const struct race_decided *d)
{
    if (!d->is_message) {
        map_put(context, map_pair(d->a, d->b), d->verdict);
    }
}

static bool races_differ(const struct trace *t, const struct rules *r, struct tried *tried,
                         const struct slow_answer *slow)
{
    struct map said = {0};
    struct findings f = {0};
    struct notes n = {0};
    struct err e = {0};
    struct race_stats stats;
    const struct race_options o = {.model = tried->model,
                                   .wants_pairs = true,
                                   .skips_messages = true,
                                   .skips_deadlocks = true,
                                   .skips_grades = true,
                                   .decided = hear,
                                   .context = &said};
    bool differ = race_find(t, &o, &f, &stats, &n, &e) < 0;
    for (size_t i = 0; i < r->data_candidates.count && slow->has_order; i++) {
        const struct rules_pair *p = &r->data_candidates.at[i];
        const uint32_t *verdict = map_get(&said, map_pair(p->a, p->b));
        const bool is_race = verdict != NULL && *verdict == RACE_YES;
        differ |= is_race != slow->data[i];
        tried->races += slow->data[i];
    }
    map_release(&said);
    findings_release(&f);
    notes_release(&n);
    return differ;
}

static bool token_races_differ(const struct trace *t, void *context)
{
    struct tried *tried = context;
    struct arena arena = {0};
    struct trace replaced;
    struct rules r;
    const struct trace *wanted = with_tokens_as_units(t, &arena);
    const struct trace *got = token_streams_replace(t, &replaced);
    bool differ = !are_replaced_alike(got, wanted);
    tried->replaced += got != t;
    rules_read(&r, wanted);
    struct slow_answer slow = slow_answer_take(&arena, &r);
    if (!slow_by_states(&r, tried->model == RACE_STRICT ? SLOW_STRICT : SLOW_FEASIBLE, &slow)) {
        tried->too_large++;
    } else {
        differ = differ || races_differ(t, &r, tried, &slow);
    }
    rules_release(&r);
    token_streams_release(&replaced);
    arena_release(&arena);
    return differ;
}

static void check_many(struct tried *tried)
{
    enum { FEATURES = RANDOM_ACCESS | RANDOM_THREAD | RANDOM_STREAM | RANDOM_TOKEN };
    static const unsigned others[] = {0, RANDOM_LOCK, RANDOM_SEMAPHORE, RANDOM_HANDLER};
    for (uint64_t seed = 1; seed <= test_count(600, 20000); seed++) {
        struct prng prng;
        struct trace t;
        prng_init(&prng, seed);
        struct random_shape shape = random_shape(&prng, 14);
        shape.features = FEATURES | others[seed % 4];
        shape.node_count = seed % 5 == 0 ? 2 : 1;
        random_trace(&t, &prng, &shape);
        if (token_races_differ(&t, tried)) {
            struct trace small;
            trace_shrink(&small, &t, token_races_differ, tried);
            fail_msg("seed %llu:\n%s", (unsigned long long)seed, trace_text(&small));
        }
        trace_release(&t);
    }
    print_message("# %llu traces with tokens, %llu races, %llu too large\n",
                  (unsigned long long)tried->replaced, (unsigned long long)tried->races,
                  (unsigned long long)tried->too_large);
    CHECK(tried->replaced > 0);
}

TEST(strict_races_of_token_streams_are_those_of_semaphores)
{
    check_many(&(struct tried){.model = RACE_STRICT});
}

TEST(feasible_races_of_token_streams_are_those_of_semaphores)
{
    check_many(&(struct tried){.model = RACE_FEASIBLE});
}
