#include "race/history.h"

#include "test.h"

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
