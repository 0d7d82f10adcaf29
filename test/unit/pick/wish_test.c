/* Wishes, beside a slow twin that goes over the whole run for each operation; and points. */
#include "base/mem.h"
#include "pick/operation_name.h"
#include "pick/pick.h"
#include "picking.h"
#include "test.h"
#include "wire/kind.h"
#include "wire/prng.h"

enum { TASKS = 4, LENGTH_MAX = 5, PLACES = 4, STEPS_MAX = TASKS * LENGTH_MAX, WISHES = 3 };

/* Tasks that each do a sequence of accesses to one of two words, all of them always enabled. */
struct program {
    struct pick_operation operations[TASKS][LENGTH_MAX];
    uint32_t lengths[TASKS];
};

static uint64_t place_of(uint64_t index)
{
    return name_of_place(100 + index, EVENT_READ);
}

static struct program random_program(struct prng *prng)
{
    struct program p = {0};
    for (uint32_t t = 0; t < TASKS; t++) {
        p.lengths[t] = 1 + (uint32_t)prng_below(prng, LENGTH_MAX);
        for (uint32_t i = 0; i < p.lengths[t]; i++) {
            const uint32_t word = (uint32_t)prng_below(prng, 2);
            p.operations[t][i] =
                (struct pick_operation){.name = toy_name(t, i),
                                        .action = toy_name(t, i),
                                        .place = place_of(prng_below(prng, PLACES)),
                                        .task = t,
                                        .objects = {word + 1},
                                        .region = 1,
                                        .begin = word * 8,
                                        .end = word * 8 + 4,
                                        .is_access = true,
                                        .writes = (uint8_t)prng_below(prng, 2)};
        }
    }
    return p;
}

static struct pick_wish random_wish(const struct program *p, struct prng *prng)
{
    const uint32_t task = (uint32_t)prng_below(prng, TASKS);
    const struct pick_operation *o = &p->operations[task][prng_below(prng, p->lengths[task])];
    const enum pick_wish_kind kind = (enum pick_wish_kind)prng_below(prng, PICK_TURNS + 1);
    const bool is_named = kind == PICK_EARLY || kind == PICK_BETWEEN;
    return (struct pick_wish){.kind = kind,
                              .first = is_named ? o->name : place_of(prng_below(prng, PLACES)),
                              .second = place_of(prng_below(prng, PLACES)),
                              .skip = (uint32_t)prng_below(prng, 3),
                              .tasks_seed = prng_below(prng, 2) * prng_next(prng),
                              .operation = *o};
}

struct history {
    struct pick_operation done[STEPS_MAX];
    uint32_t count;
};

/* The first operation of the run that is `first` of the wish; its count when there is none. */
static uint32_t first_of(const struct history *h, const struct pick_wish *w)
{
    const bool is_named = w->kind == PICK_EARLY || w->kind == PICK_BETWEEN;
    uint32_t i = 0;
    while (i < h->count && (is_named ? h->done[i].name : h->done[i].place) != w->first) {
        i++;
    }
    return i;
}

/* How many of the place `second` came from the step on, of the task or of all. */
static uint32_t count_second(const struct history *h, const struct pick_wish *w, uint32_t from,
                             uint32_t task)
{
    uint32_t count = 0;
    for (uint32_t i = from; i < h->count; i++) {
        count += h->done[i].place == w->second && (task == TASKS || h->done[i].task == task);
    }
    return count;
}

static bool slow_waits(const struct history *h, const struct pick_wish *w,
                       const struct pick_operation *o)
{
    const uint32_t first = first_of(h, w);
    const bool is_first_done = first < h->count;
    switch (w->kind) {
    case PICK_HOLD:
        return o->place == w->second && count_second(h, w, 0, TASKS) >= w->skip &&
               (w->tasks_seed == 0 || name_mix(w->tasks_seed, o->task) % 2 == 0);
    case PICK_EARLY:
        return !is_first_done && o->task != w->operation.task && pick_conflicts(o, &w->operation);
    case PICK_BETWEEN:
        return o->place == w->second && is_first_done && o->task == h->done[first].task &&
               count_second(h, w, first + 1, o->task) == 0;
    case PICK_AFTER: return o->place == w->second && !is_first_done;
    case PICK_READS:
        if (!is_first_done) {
            return o->place == w->second;
        }
        return o->place != w->second && o->writes != 0 && o->task != h->done[first].task &&
               count_second(h, w, first + 1, TASKS) == 0 && pick_conflicts(o, &h->done[first]);
    case PICK_TURNS: {
        uint64_t last = w->second;
        for (uint32_t i = 0; i < h->count; i++) {
            const uint64_t place = h->done[i].place;
            last = place == w->first || place == w->second ? place : last;
        }
        if (w->first == w->second) { /* one place: it stands at both */
            return o->place == w->first;
        }
        return o->place == last;
    }
    }
    return false;
}

static bool any_waits(const struct history *h, const struct pick_plan *plan,
                      const struct pick_operation *o)
{
    for (size_t i = 0; i < plan->wish_count; i++) {
        if (slow_waits(h, &plan->wishes[i], o)) {
            return true;
        }
    }
    return false;
}

/* Runs the program; each choice is one that no wish holds back, if there is such a one. */
static void check_run(const struct program *p, struct pick *pick, const struct pick_plan *plan)
{
    struct history h = {0};
    uint32_t done[TASKS] = {0};
    pick_begin(pick, plan);
    while (true) {
        struct pick_operation pending[TASKS];
        uint32_t count = 0;
        bool is_any_free = false;
        for (uint32_t t = 0; t < TASKS; t++) {
            if (done[t] < p->lengths[t]) {
                pending[count++] = p->operations[t][done[t]];
                is_any_free = is_any_free || !any_waits(&h, plan, &pending[count - 1]);
            }
        }
        const int choice = pick_choose(pick, pending, count);
        if (choice < 0) {
            CHECK_INT(choice, PICK_REST);
            break;
        }
        CHECK(!is_any_free || !any_waits(&h, plan, &pending[choice]));
        h.done[h.count++] = pending[choice];
        done[pending[choice].task]++;
    }
    pick_end(pick);
    for (uint32_t t = 0; t < TASKS; t++) {
        CHECK_INT(done[t], p->lengths[t]); /* a wish never keeps anybody from ending */
    }
}

TEST(wishes_are_kept_as_a_slow_twin_keeps_them)
{
    struct picking picking = picking_new(1);
    struct prng prng;
    prng_init(&prng, 41);
    for (uint32_t i = 0; i < test_count(3000, 100000); i++) {
        const struct program p = random_program(&prng);
        struct pick_wish wishes[WISHES];
        const size_t count = 1 + prng_below(&prng, WISHES);
        for (size_t k = 0; k < count; k++) {
            wishes[k] = random_wish(&p, &prng);
        }
        static const enum pick_strategy tails[] = {PICK_FIRST, PICK_POS, PICK_PCT, PICK_RANDOM,
                                                   PICK_SURW};
        check_run(&p, picking.pick,
                  &(struct pick_plan){.strategy = tails[prng_below(&prng, 5)],
                                      .seed = prng_next(&prng),
                                      .wishes = wishes,
                                      .wish_count = count});
    }
    picking_free(&picking);
}

TEST(a_place_is_held_until_all_tasks_stand_there)
{
    struct picking picking = picking_new(1);
    const struct pick_wish wish = {.kind = PICK_HOLD, .second = place_of(1)};
    struct program p = {.lengths = {2, 2, 2, 2}};
    for (uint32_t t = 0; t < TASKS; t++) {
        for (uint32_t i = 0; i < 2; i++) {
            p.operations[t][i] = (struct pick_operation){
                .name = toy_name(t, i), .place = place_of(i), .task = t, .objects = {1}};
        }
    }
    const struct pick_plan plan = {.wishes = &wish, .wish_count = 1};
    uint32_t done[TASKS] = {0};
    pick_begin(picking.pick, &plan);
    for (uint32_t step = 0; step < 2 * TASKS; step++) {
        struct pick_operation pending[TASKS];
        uint32_t count = 0;
        for (uint32_t t = 0; t < TASKS; t++) {
            if (done[t] < 2) {
                pending[count++] = p.operations[t][done[t]];
            }
        }
        const int choice = pick_choose(picking.pick, pending, count);
        CHECK(choice >= 0);
        CHECK_INT(done[pending[choice].task], step < TASKS ? 0 : 1);
        done[pending[choice].task]++;
    }
    picking_free(&picking);
}

/* One task goes round for ever; the other is held at its only operation. */
TEST(a_hold_expires_while_others_go_round)
{
    struct picking picking = picking_new(1);
    const struct pick_wish wish = {.kind = PICK_HOLD, .second = place_of(0)};
    uint32_t step = 0;
    int choice = 1;
    pick_begin(picking.pick, &(struct pick_plan){.wishes = &wish, .wish_count = 1});
    for (; choice == 1 && step < 10 * WISH_STEPS_MAX; step++) {
        const struct pick_operation held = {.name = 1, .place = place_of(0), .task = 0};
        const struct pick_operation other = {.name = 2 + step, .place = place_of(1), .task = 1};
        /* The held one is the default, so that it comes as soon as nothing holds it. */
        const struct pick_operation pending[] = {held, other};
        choice = pick_choose(picking.pick, pending, 2);
    }
    CHECK_INT(step, WISH_STEPS_MAX + 1); /* it waited for so many, and then it came */
    picking_free(&picking);
}

TEST(points_are_words_and_places_where_the_region_is_not_listed)
{
    struct picking picking = picking_new(1);
    const uint64_t points[] = {pick_point_of_word(1, 2), pick_point_of_place(place_of(3)),
                               pick_point_of_region(1)};
    pick_begin(picking.pick,
               &(struct pick_plan){.points = points, .point_count = 3, .points_number = 1});
    struct pick_operation o = {
        .name = 1, .place = place_of(3), .region = 1, .begin = 16, .end = 20, .is_access = true};
    CHECK(pick_is_point(picking.pick, &o));
    o.begin = 12; /* of the word before, and of this one */
    CHECK(pick_is_point(picking.pick, &o));
    o.end = 16;
    CHECK(!pick_is_point(picking.pick, &o)); /* the region is listed: its other words are none */
    o.region = 2;
    CHECK(pick_is_point(picking.pick, &o)); /* from a place where tasks met elsewhere */
    o.place = place_of(2);
    CHECK(!pick_is_point(picking.pick, &o));
    CHECK(pick_pass(picking.pick, &o));
    o.is_access = false;
    CHECK(pick_is_point(picking.pick, &o));
    CHECK(!pick_pass(picking.pick, &o));
    picking_free(&picking);
}

TEST(a_list_of_points_grows_and_another_takes_its_place)
{
    struct picking picking = picking_new(1);
    const uint64_t points[] = {pick_point_of_word(1, 0), pick_point_of_word(1, 1)};
    const struct pick_operation o = {
        .name = 1, .region = 1, .begin = 8, .end = 9, .is_access = true};
    struct pick_plan plan = {.points = points, .point_count = 1, .points_number = 1};
    pick_begin(picking.pick, &plan);
    CHECK(!pick_is_point(picking.pick, &o));
    plan.point_count = 2;
    pick_begin(picking.pick, &plan);
    CHECK(pick_is_point(picking.pick, &o));
    plan.points_number = 2;
    plan.point_count = 1;
    pick_begin(picking.pick, &plan);
    CHECK(!pick_is_point(picking.pick, &o));
    pick_begin(picking.pick, &(struct pick_plan){0});
    CHECK(pick_is_point(picking.pick, &o)); /* without a list each access is one */
    picking_free(&picking);
}

/* More than the table of objects takes: pbzip2, xz and zstd change thousands of words that only one
 * task uses. */
TEST(any_number_of_objects_changes_between_two_choices)
{
    struct picking picking = picking_new(1);
    const uint64_t points[] = {pick_point_of_word(1, 0)};
    const struct pick_constraint constraint = {.first = 1, .second = 2};
    for (size_t constraint_count = 0; constraint_count < 2; constraint_count++) {
        pick_begin(picking.pick, &(struct pick_plan){.points = points,
                                                     .point_count = 1,
                                                     .points_number = 1,
                                                     .constraints = &constraint,
                                                     .constraint_count = constraint_count});
        for (uint32_t object = 1; object < 1000; object++) {
            const struct pick_operation o = {.name = 10 + object,
                                             .objects = {object},
                                             .region = 1,
                                             .begin = 8,
                                             .end = 9,
                                             .writes = 1,
                                             .is_access = true};
            CHECK(pick_pass(picking.pick, &o));
        }
    }
    picking_free(&picking);
}
