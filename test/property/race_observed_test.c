#include "race/observed/observed.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "load.h"
#include "race/access_classes.h"
#include "race_slow.h"
#include "random_trace.h"
#include "shrink.h"
#include "test.h"
#include "trace_text.h"
#include "wire/kind.h"

/* The races found, as a list. */
typedef VEC(struct observed_race) race_list;

static void collect(void *context, const struct observed_race *race)
{
    race_list *list = context;
    vec_push(list, *race);
}

static void observe(const struct trace *t, struct observed_options options, race_list *list)
{
    struct notes notes = {0};
    struct err e = {0};
    options.found = collect;
    options.context = list;
    struct observed *o = observed_new(&t->tables, &notes, &options);
    const struct batch b = {.events = t->events.at, .count = t->events.count};
    CHECK_INT(observed_feed(o, &b, &e), 0);
    CHECK_INT(observed_finish(o, &e), 0);
    observed_free(o);
    notes_release(&notes);
}

static bool is_pair(const struct observed_race *race, const struct rules_pair *pair,
                    bool is_message)
{
    return race->is_message == is_message && race->first.index == pair->a &&
           race->second.index == pair->b;
}

static bool was_found(const race_list *list, const struct rules_pair *pair, bool is_message)
{
    vec_each (list, race) {
        if (is_pair(race, pair, is_message)) {
            return true;
        }
    }
    return false;
}

/* The stream shows a semaphore's initial count only bit by bit; where the whole list shows more
 * than a part of it did, the two are not comparable. */
static bool shows_semaphore_late(const struct trace *t, event_id first)
{
    const struct event *like = trace_at(t, first);
    size_t posts = 0;
    size_t waits = 0;
    size_t initial = 0;
    for (event_id id = first; id < t->events.count; id++) {
        const struct event *e = trace_at(t, id);
        if (e->object != like->object ||
            rules_object(t, e, e->object) != rules_object(t, like, like->object)) {
            continue;
        }
        posts += e->kind == EVENT_SEM_POST;
        waits += e->kind == EVENT_SEM_WAIT;
        if (waits > posts + initial) {
            initial = waits - posts;
            if (waits > initial) {
                return true;
            }
        }
    }
    return false;
}

static bool shows_semaphores_late(const struct trace *t)
{
    for (event_id first = 0; first < t->events.count; first++) {
        if (shows_semaphore_late(t, first)) {
            return true;
        }
    }
    return false;
}

/* A lock that was written and is now only read lets readers in: the rules know one section that
 * they overlap, the stream sees the writer give way. */
static bool has_overlapping_sections(const struct rules *r)
{
    vec_each (&r->sections, s) {
        vec_each (&r->sections, other) {
            if (rules_exclude(s, other) && s->first < other->first && other->first < s->last) {
                return true;
            }
        }
    }
    return false;
}

/* ---- every pair of events ---- */

static const char *pairs_differ(const struct trace *t)
{
    struct arena arena = {0};
    struct rules r;
    rules_read(&r, t);
    if (has_overlapping_sections(&r)) {
        rules_release(&r);
        return NULL;
    }
    struct slow_answer slow = slow_answer_take(&arena, &r);
    struct slow_answer fast = slow_answer_take(&arena, &r);
    slow_observed(&r, &slow);
    race_list found = {0};
    observe(t, (struct observed_options){.every_pair = true}, &found);
    size_t known = 0;
    for (size_t i = 0; i < r.data_candidates.count; i++) {
        fast.data[i] = was_found(&found, &r.data_candidates.at[i], false);
        known += fast.data[i];
    }
    for (size_t i = 0; i < r.message_candidates.count; i++) {
        fast.message[i] = was_found(&found, &r.message_candidates.at[i], true);
        known += fast.message[i];
    }
    const char *difference = slow_difference(&r, &slow, &fast);
    if (difference == NULL && known != found.count) {
        difference = "a race was found that is no candidate, or twice";
    }
    vec_release(&found);
    rules_release(&r);
    arena_release(&arena);
    return difference;
}

/* ---- every pair of places ---- */

struct places {
    bool is_message;
    uint64_t object; /* the variable on its node, or the receiving task */
    uint32_t first, second;
};

static struct places places_of(const struct trace *t, event_id a, event_id b, bool is_message)
{
    const struct event *first = trace_at(t, a);
    const struct event *second = trace_at(t, b);
    struct places p = {.is_message = is_message,
                       .object = is_message ? second->task : rules_object(t, first, first->object),
                       .first = is_message ? first->location : access_place(first),
                       .second = is_message ? second->location : access_place(second)};
    if (!is_message && p.first > p.second) {
        const uint32_t swapped = p.first;
        p.first = p.second;
        p.second = swapped;
    }
    return p;
}

static bool is_among(const race_list *list, const struct trace *t, struct places wanted)
{
    vec_each (list, race) {
        const struct places p = places_of(t, (event_id)race->first.index,
                                          (event_id)race->second.index, race->is_message);
        if (p.is_message == wanted.is_message && p.object == wanted.object &&
            p.first == wanted.first && p.second == wanted.second) {
            return true;
        }
    }
    return false;
}

/* One race per pair of places of the racing pairs of events, and each of those reported. */
static const char *places_differ(const struct trace *t)
{
    race_list pairs = {0};
    race_list places = {0};
    observe(t, (struct observed_options){.every_pair = true}, &pairs);
    observe(t, (struct observed_options){0}, &places);
    const char *difference = NULL;
    vec_each (&pairs, race) {
        if (!is_among(&places, t,
                      places_of(t, (event_id)race->first.index, (event_id)race->second.index,
                                race->is_message))) {
            difference = "a pair of places is missing";
        }
    }
    for (size_t i = 0; i < places.count; i++) {
        const struct observed_race *race = &places.at[i];
        const race_list before = {.at = places.at, .count = i};
        const struct places p = places_of(t, (event_id)race->first.index,
                                          (event_id)race->second.index, race->is_message);
        const struct rules_pair pair = {.a = (event_id)race->first.index,
                                        .b = (event_id)race->second.index};
        if (!was_found(&pairs, &pair, race->is_message)) {
            difference = "a pair of places is told by a pair that does not race";
        } else if (is_among(&before, t, p)) {
            difference = "a pair of places is told twice";
        }
    }
    vec_release(&pairs);
    vec_release(&places);
    return difference;
}

/* ---- the logs of the nodes one behind the other ---- */

/* Fills `apart` with the events of t, node by node; origin says where each was. */
static void take_apart(struct trace *apart, const struct trace *t, event_id *origin)
{
    trace_copy_tables(apart, t);
    apart->tables.order = ORDER_NODE;
    for (uint32_t task = 0; task < t->tables.tasks.count; task++) {
        const uint32_t node = t->tables.tasks.at[task].node;
        uint32_t first = 0;
        while (t->tables.tasks.at[first].node != node) {
            first++;
        }
        for (event_id id = 0; first == task && id < t->events.count; id++) {
            if (trace_node_of(t, trace_at(t, id)) == node) {
                origin[apart->events.count] = id;
                trace_append(apart, trace_at(t, id));
            }
        }
    }
    trace_seal(apart);
}

/* Where nodes share memory, the order of their events to it is not known when their logs follow
 * each other. */
static bool shares_memory(const struct trace *t)
{
    trace_each (t, e) {
        if (strncmp(trace_name(t, e->object), "shm:", 4) == 0) {
            return true;
        }
    }
    return false;
}

static const char *nodes_differ(const struct trace *t)
{
    struct trace apart;
    event_id *origin = mem_zero(t->events.count + 1, sizeof *origin);
    take_apart(&apart, t, origin);
    race_list whole = {0};
    race_list parts = {0};
    observe(t, (struct observed_options){.every_pair = true}, &whole);
    observe(&apart, (struct observed_options){.every_pair = true}, &parts);
    const char *difference = whole.count == parts.count ? NULL : "not as many";
    vec_each (&parts, race) {
        const struct rules_pair pair = {.a = origin[race->first.index],
                                        .b = origin[race->second.index]};
        if (!was_found(&whole, &pair, race->is_message)) {
            difference = "a race that the whole list does not show";
        }
    }
    vec_release(&whole);
    vec_release(&parts);
    mem_free(origin);
    trace_release(&apart);
    return difference;
}

/* ---- many traces ---- */

struct property {
    const char *(*differ)(const struct trace *t);
    bool (*is_skipped)(const struct trace *t);
};

static bool fails(const struct trace *t, void *context)
{
    const struct property *p = context;
    return (p->is_skipped == NULL || !p->is_skipped(t)) && p->differ(t) != NULL;
}

static void check_property(const struct property *p, uint64_t count, uint32_t event_count)
{
    for (uint64_t seed = 1; seed <= count; seed++) {
        struct prng prng;
        prng_init(&prng, seed);
        struct random_shape shape = random_shape(&prng, event_count);
        struct trace t;
        random_trace(&t, &prng, &shape);
        if (fails(&t, (void *)p)) {
            struct trace small;
            trace_shrink(&small, &t, fails, (void *)p);
            print_message("%s", trace_text(&small));
            fail_msg("seed %llu: %s", (unsigned long long)seed, p->differ(&small));
        }
        trace_release(&t);
    }
}

TEST(observed_is_the_transitive_closure_of_the_observed_order)
{
    const struct property p = {.differ = pairs_differ, .is_skipped = shows_semaphores_late};
    check_property(&p, test_count(1500, 10000), 40);
}

TEST(observed_tells_every_pair_of_places_once)
{
    const struct property p = {.differ = places_differ};
    check_property(&p, test_count(1500, 10000), 60);
}

TEST(observed_says_the_same_when_the_logs_of_the_nodes_follow_each_other)
{
    const struct property p = {.differ = nodes_differ, .is_skipped = shares_memory};
    check_property(&p, test_count(1500, 10000), 40);
}

/* Recordings with events lost, repeated or moved: nothing to compare with, but nothing may break,
 * whatever the bounds. */
TEST(observed_survives_damaged_traces)
{
    for (uint64_t seed = 1; seed <= test_count(2000, 20000); seed++) {
        struct prng prng;
        prng_init(&prng, seed);
        struct random_shape shape = random_shape(&prng, 60);
        struct trace whole;
        struct trace t;
        random_trace(&whole, &prng, &shape);
        random_damage(&t, &whole, &prng);
        t.tables.order = seed % 2 == 0 ? ORDER_NODE : ORDER_STAMPED;
        race_list found = {0};
        observe(&t,
                (struct observed_options){.every_pair = seed % 3 == 0,
                                          .held_count_max = seed % 5,
                                          .record_count_max = seed % 7 * 4,
                                          .pending_clock_bytes_max = seed % 11 * 200},
                &found);
        vec_release(&found);
        trace_release(&whole);
        trace_release(&t);
    }
}

TEST(observed_is_the_closure_on_the_litmus_traces_too)
{
    char path[4096];
    const char *source = getenv("CLEW_SOURCE");
    CHECK(source != NULL);
    (void)snprintf(path, sizeof path, "%s/test/litmus", source);
    DIR *folder = opendir(path);
    CHECK(folder != NULL);
    size_t count = 0;
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        const char *ending = strrchr(entry->d_name, '.');
        if (ending == NULL || strcmp(ending, ".log") != 0) {
            continue;
        }
        struct trace t;
        (void)snprintf(path, sizeof path, "%s/test/litmus/%s", source, entry->d_name);
        load_falcon(&t, path);
        const char *difference = pairs_differ(&t);
        if (difference != NULL) {
            fail_msg("%s: %s", entry->d_name, difference);
        }
        trace_release(&t);
        count++;
    }
    (void)closedir(folder);
    CHECK(count >= 10);
}
