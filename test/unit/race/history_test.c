#include "race/observed/fasttrack.h"

#include "base/mem.h"
#include "test.h"
#include "wire/prng.h"

static void count(void *owner, const struct history_race *race)
{
    (void)race;
    (*(uint64_t *)owner)++;
}

/* A variable, and two tasks that never hear of each other. */
struct fixture {
    struct history history;
    uint64_t told;
    uint32_t variable;
    uint32_t clocks[2]; /* of the tasks, in columns of their own */
    uint64_t index;
};

static void fixture_init(struct fixture *f, bool keeps_every_access)
{
    *f = (struct fixture){.clocks = {1, 1}};
    f->history.options = (struct history_options){
        .found = count, .owner = &f->told, .keeps_every_access = keeps_every_access};
    f->variable = history_variable_new(&f->history, 0);
}

/* The task, which has seen `seen` of the other, accesses the variable. */
static void touch(struct fixture *f, uint32_t task, uint32_t location, bool is_write, uint32_t seen)
{
    const struct history_access access = {
        .index = f->index++,
        .variable = f->variable,
        .task = task,
        .column = task,
        .clock = f->clocks[task],
        .hash = history_hash(f->variable, task,
                             history_place(location, is_write ? HISTORY_WRITE : HISTORY_READ)),
        .place = history_place(location, is_write ? HISTORY_WRITE : HISTORY_READ),
    };
    uint32_t row[2] = {seen, seen};
    row[task] = f->clocks[task];
    if (!history_is_repeat(&f->history, &access)) {
        history_add(&f->history, &access, row);
    }
}

TEST(a_variable_touched_by_one_task_has_no_race)
{
    struct fixture f;
    fixture_init(&f, false);
    for (uint32_t i = 0; i < 100; i++) {
        touch(&f, 0, i % 7, i % 2 == 0, 0);
        f.clocks[0]++;
    }
    CHECK_INT(f.told, 0);
    history_release(&f.history);
}

/* Tasks 0 and 1 write at so many places each, each place twice and in a time of its own. */
static uint64_t told_of_places(uint32_t place_count, bool keeps_every_access)
{
    struct fixture f;
    fixture_init(&f, keeps_every_access);
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < place_count; i++) {
            touch(&f, 0, 1 + i, true, 0);
            f.clocks[0]++;
        }
    }
    for (uint32_t i = 0; i < place_count; i++) {
        touch(&f, 1, 1000 + i, true, 0);
    }
    const uint64_t told = f.told;
    history_release(&f.history);
    return told;
}

TEST(every_pair_of_places_is_told_once_however_many_there_are)
{
    CHECK_INT(told_of_places(3, false), 9);
    CHECK_INT(told_of_places(16, false), 256);
    CHECK_INT(told_of_places(17, false), 289);
    CHECK_INT(told_of_places(100, false), 10000);
}

TEST(every_pair_of_accesses_is_told_where_all_are_kept)
{
    CHECK_INT(told_of_places(3, true), 18);
    CHECK_INT(told_of_places(40, true), 3200);
}

TEST(only_what_was_not_seen_is_told)
{
    struct fixture f;
    fixture_init(&f, false);
    for (uint32_t i = 0; i < 50; i++) {
        touch(&f, 0, 1 + i, true, 0);
        f.clocks[0]++;
    }
    /* Places used again are late, though they came first. */
    touch(&f, 0, 1, true, 0);
    touch(&f, 0, 2, true, 0);
    f.clocks[0]++;
    touch(&f, 1, 1000, true, 49);
    CHECK_INT(f.told, 3);
    history_release(&f.history);
}

TEST(reads_do_not_race_with_reads)
{
    struct fixture f;
    fixture_init(&f, false);
    touch(&f, 0, 1, false, 0);
    touch(&f, 1, 2, false, 0);
    CHECK_INT(f.told, 0);
    touch(&f, 1, 3, true, 0);
    CHECK_INT(f.told, 1);
    history_release(&f.history);
}

TEST(trimming_forgets_what_was_seen_and_what_lies_deep)
{
    struct fixture f;
    fixture_init(&f, false);
    for (uint32_t i = 0; i < 30; i++) {
        touch(&f, 0, 1 + i, true, 0);
        f.clocks[0]++;
    }
    const uint32_t floors[2] = {10, 0};
    history_trim(&f.history, floors, UINT32_MAX);
    CHECK_INT(f.history.record_count, 20);
    history_trim(&f.history, floors, 5);
    CHECK_INT(f.history.record_count, 5);
    touch(&f, 1, 1000, true, 0);
    CHECK_INT(f.told, 5);
    history_release(&f.history);
}

/* ---- wide variables ---- */

enum { COLUMNS = 192, VARIABLES = 3 };

/* Accesses by tasks that know of each other at random; a column goes over to a new task now and
 * then. */
struct crowd {
    uint32_t (*seen)[COLUMNS]; /* per column, what its task has seen */
    uint32_t task[COLUMNS];
    struct prng prng;
};

static const enum history_kind kinds[] = {HISTORY_READ, HISTORY_READ, HISTORY_WRITE,
                                          HISTORY_ATOMIC_READ, HISTORY_ATOMIC_WRITE};

static void parallel_step(struct crowd *c, struct history *h, uint64_t index)
{
    const uint32_t column = (uint32_t)prng_below(&c->prng, COLUMNS);
    uint32_t *seen = c->seen[column];
    const uint32_t other = (uint32_t)prng_below(&c->prng, COLUMNS);
    const uint32_t known = prng_below(&c->prng, 3) == 0 ? COLUMNS : 0;
    for (uint32_t k = 0; k < known; k++) {
        seen[k] = seen[k] > c->seen[other][k] ? seen[k] : c->seen[other][k];
    }
    seen[column]++;
    c->task[column] += prng_below(&c->prng, 8) == 0 ? COLUMNS : 0;
    const enum history_kind kind = kinds[prng_below(&c->prng, 5)];
    const uint32_t place = history_place((uint32_t)prng_below(&c->prng, 3), kind);
    const uint32_t variable = (uint32_t)prng_below(&c->prng, VARIABLES);
    const struct history_access access = {
        .index = index,
        .variable = variable,
        .task = c->task[column],
        .column = column,
        .clock = seen[column],
        .hash = history_hash(variable, c->task[column], place),
        .place = place,
    };
    history_add(h, &access, seen);
}

/* Runs the crowd over a history whose variables are wide from so many cells on. */
static void run_crowd(struct history *h, uint64_t *told, uint64_t seed, uint32_t wide_from)
{
    struct crowd c = {.seen = mem_zero(COLUMNS, sizeof *c.seen)};
    *h = (struct history){.options = {.found = count, .owner = told, .wide_from = wide_from}};
    prng_init(&c.prng, seed);
    for (uint32_t i = 0; i < VARIABLES; i++) {
        (void)history_variable_new(h, i / 2);
    }
    for (uint32_t i = 0; i < COLUMNS; i++) {
        c.task[i] = i;
        c.seen[i][i] = 1;
    }
    for (uint64_t i = 0; i < 4000; i++) {
        parallel_step(&c, h, i);
        if (i % 1500 == 1499) {
            history_trim(h, c.seen[0], i == 1499 ? UINT32_MAX : 2);
        }
    }
    mem_free(c.seen);
}

TEST(rows_of_wide_variables_say_what_a_walk_over_cells_says)
{
    for (uint64_t seed = 1; seed <= test_count(5, 100); seed++) {
        struct history walked;
        uint64_t walked_told = 0;
        run_crowd(&walked, &walked_told, seed, UINT32_MAX);
        const uint32_t froms[] = {1, 32, 100};
        for (size_t i = 0; i < 3; i++) {
            struct history wide;
            uint64_t told = 0;
            run_crowd(&wide, &told, seed, froms[i]);
            CHECK_INT(told, walked_told);
            CHECK_INT(wide.races.count, walked.races.count);
            for (size_t k = 0; k < wide.races.count; k++) {
                CHECK_INT(wide.races.at[k].pair_count, walked.races.at[k].pair_count);
                CHECK_INT(wide.races.at[k].first.index, walked.races.at[k].first.index);
                CHECK_INT(wide.races.at[k].second.index, walked.races.at[k].second.index);
            }
            for (size_t k = 0; k < VARIABLES; k++) {
                CHECK_INT(wide.variables.at[k].is_chain, walked.variables.at[k].is_chain);
                CHECK_INT(wide.variables.at[k].writes_are_chain,
                          walked.variables.at[k].writes_are_chain);
            }
            history_release(&wide);
        }
        history_release(&walked);
    }
}
