/* Rows that grow while they are read. */
#include "proc/record/live.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "fault.h"
#include "rows.h"
#include "scratch.h"
#include "test.h"
#include "wire/kind.h"
#include "wire/prng.h"
#include "wire/recording.h"

/* What the sink was given, a word per event: "lock1" is a lock at epoch 1, "-write0" a late write.
 */
struct told {
    char text[1 << 15];
    size_t used;
};

static const char *kind_word(const struct event *event)
{
    return event->kind == EVENT_LOCK    ? "lock"
           : event->kind == EVENT_WRITE ? "write"
           : event->kind == EVENT_READ  ? "read"
                                        : "other";
}

static void tell(struct told *t, const char *mark, const struct event *event, uint64_t epoch)
{
    const int size = snprintf(t->text + t->used, sizeof t->text - t->used, "%s%s%u", mark,
                              kind_word(event), (unsigned)epoch);
    t->used += (size_t)size;
    t->text[t->used++] = ' ';
    t->text[t->used] = 0;
}

static int take(void *context, const struct event *events, size_t count, uint64_t epoch,
                __attribute__((unused)) struct err *e)
{
    for (size_t i = 0; i < count; i++) {
        tell(context, "", &events[i], epoch);
    }
    return 0;
}

static int take_late(void *context, const struct event *event, uint64_t epoch,
                     __attribute__((unused)) struct err *e)
{
    tell(context, "-", event, epoch);
    return 0;
}

/* A recording whose counter stands at `stamp`. */
static void put_page(const char *folder, uint64_t stamp)
{
    char path[4096];
    char bytes[4096] = {0};
    struct recording page = {.magic = RECORDING_MAGIC, .version = 1};
    atomic_init(&page.stamp, stamp);
    memcpy(bytes, &page, sizeof page);
    (void)snprintf(path, sizeof path, "%s/" RECORDING_FILE, folder);
    FILE *file = fopen(path, "we");
    must(file != NULL);
    must(fwrite(bytes, 1, sizeof bytes, file) == sizeof bytes);
    must(fclose(file) == 0);
}

struct watched {
    const char *folder;
    struct tables tables;
    struct notes notes;
    struct live_sink sink;
    struct told told;
    struct live *live;
};

static void watch_begin(struct watched *w, const char *folder)
{
    struct err e = {0};
    *w = (struct watched){.folder = folder};
    w->sink = (struct live_sink){.context = &w->told, .take = take, .take_late = take_late};
    tables_init(&w->tables);
    w->live = live_open(folder, &w->tables, &w->sink, &w->notes, &e);
    CHECK(w->live != NULL);
}

static const char *step(struct watched *w, bool is_over)
{
    struct err e = {0};
    w->told.used = 0;
    w->told.text[0] = 0;
    CHECK_INT(live_step(w->live, is_over, &e), 0);
    return w->told.text;
}

static void watch_end(struct watched *w)
{
    live_close(w->live);
    tables_release(&w->tables);
    notes_release(&w->notes);
}

/* A row whose task still writes. */
static struct row_file open_row(uint32_t task, const char *path)
{
    struct row_file f = rows_begin(0, task, path);
    struct segment *head = rows_head(&f);
    head->is_closed = 0;
    head->is_last = 0;
    head->floor = SEGMENT_FLOOR_NONE;
    head->pid = (uint32_t)getpid();
    head->tid = (uint32_t)syscall(SYS_gettid);
    return f;
}

static void put(struct row_file *f, uint8_t kind, uint64_t stamp, uint64_t object)
{
    rows_put(f, &(struct rows_record){.kind = kind, .stamp = stamp, .object = object});
}

TEST(what_is_taken_was_certain_a_step_ago)
{
    const char *folder = rows_folder("certain");
    struct watched w;
    put_page(folder, 3);
    struct row_file a = open_row(0, "main");
    put(&a, EVENT_LOCK, 1, 0x10);
    put(&a, EVENT_WRITE, 0, 0x20);
    rows_save(&a, folder);
    watch_begin(&w, folder);
    CHECK_TEXT(step(&w, false), "");
    CHECK_TEXT(step(&w, false), "lock1 write1 ");
    CHECK_TEXT(step(&w, false), "");
    watch_end(&w);
}

TEST(a_task_about_to_stamp_holds_up_what_is_later)
{
    const char *folder = rows_folder("floor");
    struct watched w;
    put_page(folder, 9);
    for (int round = 0; round < 2; round++) {
        struct row_file a = open_row(0, "main");
        put(&a, EVENT_LOCK, 1, 0x10);
        put(&a, EVENT_LOCK, 5, 0x10);
        rows_save(&a, folder);
        struct row_file b = open_row(1, "main/1");
        rows_head(&b)->floor = round == 0 ? 3 : SEGMENT_FLOOR_NONE;
        if (round == 1) {
            put(&b, EVENT_READ, 4, 0x10);
        }
        rows_save(&b, folder);
        if (round == 0) {
            watch_begin(&w, folder);
            CHECK_TEXT(step(&w, false), "");
            CHECK_TEXT(step(&w, false), "lock1 ");
            CHECK_TEXT(step(&w, false), "");
        }
    }
    CHECK_TEXT(step(&w, false), "");
    CHECK_TEXT(step(&w, false), "read1 lock2 ");
    watch_end(&w);
}

TEST(a_task_that_died_while_stamping_holds_up_nobody)
{
    const char *folder = rows_folder("died");
    struct watched w;
    put_page(folder, 9);
    struct row_file a = open_row(0, "main");
    put(&a, EVENT_LOCK, 5, 0x10);
    rows_save(&a, folder);
    struct row_file b = open_row(1, "main/1");
    rows_head(&b)->floor = 3;
    rows_head(&b)->pid = UINT32_MAX;
    rows_save(&b, folder);
    watch_begin(&w, folder);
    CHECK_TEXT(step(&w, false), "");
    CHECK_TEXT(step(&w, false), "");
    CHECK_TEXT(step(&w, false), "lock1 ");
    watch_end(&w);
}

TEST(the_end_takes_all_there_is)
{
    const char *folder = rows_folder("end");
    struct watched w;
    put_page(folder, 2);
    struct row_file a = open_row(0, "main");
    put(&a, EVENT_LOCK, 1, 0x10);
    put(&a, EVENT_LOCK, 7, 0x10);
    rows_save(&a, folder);
    watch_begin(&w, folder);
    CHECK_TEXT(step(&w, true), "lock1 lock2 ");
    watch_end(&w);
}

static void put_late(struct row_file *f, uint32_t task, uint32_t epoch)
{
    rows_put(f, &(struct rows_record){.kind = EVENT_WRITE,
                                      .flags = RECORD_LATE,
                                      .object = 0x80,
                                      .late = {.task = task, .epoch = epoch}});
}

TEST(a_late_access_is_told_when_found_or_waits_for_its_epoch)
{
    const char *folder = rows_folder("late");
    struct watched w;
    put_page(folder, 3);
    for (int round = 0; round < 2; round++) {
        struct row_file a = open_row(0, "main");
        put(&a, EVENT_LOCK, 1, 0x10);
        put(&a, EVENT_LOCK, 2, 0x10);
        put(&a, EVENT_LOCK, 6, 0x10);
        rows_save(&a, folder);
        struct row_file b = open_row(1, "main/1");
        if (round == 1) {
            put_late(&b, 0, 3);
            put_late(&b, 0, 1);
        }
        rows_save(&b, folder);
        if (round == 0) {
            watch_begin(&w, folder);
            CHECK_TEXT(step(&w, false), "");
            CHECK_TEXT(step(&w, false), "lock1 lock2 ");
        }
    }
    CHECK_TEXT(step(&w, false), "-write1 ");
    CHECK_TEXT(step(&w, true), "lock3 write3 ");
    watch_end(&w);
}

/* Stamps dealt to some rows, of which more and more is there; each row keeps its part below its
 * own progress. */
enum { ROWS = 5, STAMPS = 300 };

static void save_prefix(const char *folder, const uint8_t row_of[static STAMPS], uint64_t stamp)
{
    for (uint32_t row = 0; row < ROWS; row++) {
        char path[16];
        (void)snprintf(path, sizeof path, "main/%u", row);
        struct row_file f = open_row(row, path);
        for (uint64_t i = 0; i < stamp; i++) {
            if (row_of[i] == row) {
                rows_put(&f, &(struct rows_record){
                                 .kind = EVENT_LOCK, .stamp = i + 1, .object = 0x1000 + i * 8});
            }
        }
        rows_save(&f, folder);
    }
    put_page(folder, stamp + 1);
}

struct order {
    uint32_t objects[STAMPS + 1];
    size_t count;
};

static int take_object(void *context, const struct event *events, size_t count,
                       __attribute__((unused)) uint64_t epoch,
                       __attribute__((unused)) struct err *e)
{
    struct order *o = context;
    for (size_t i = 0; i < count; i++) {
        must(o->count < STAMPS);
        o->objects[o->count++] = events[i].object;
    }
    return 0;
}

/* Objects are named in the order of their first use: the stamps' order shows in the names. */
TEST(whatever_the_steps_the_order_is_that_of_the_stamps)
{
    struct prng prng;
    prng_init(&prng, 11);
    const char *folder = rows_folder("steps");
    for (uint64_t round = 0; round < test_count(5, 200); round++) {
        uint8_t row_of[STAMPS];
        for (int i = 0; i < STAMPS; i++) {
            row_of[i] = (uint8_t)prng_below(&prng, ROWS);
        }
        struct order order = {0};
        struct err e = {0};
        struct tables tables;
        struct notes notes = {0};
        const struct live_sink sink = {.context = &order, .take = take_object};
        tables_init(&tables);
        save_prefix(folder, row_of, 0);
        struct live *l = live_open(folder, &tables, &sink, &notes, &e);
        CHECK(l != NULL);
        for (uint64_t stamp = 0; stamp < STAMPS;) {
            stamp += 1 + prng_below(&prng, 60);
            stamp = stamp < STAMPS ? stamp : STAMPS;
            save_prefix(folder, row_of, stamp);
            CHECK_INT(live_step(l, stamp == STAMPS, &e), 0);
        }
        CHECK_INT(order.count, STAMPS);
        for (size_t i = 0; i < STAMPS; i++) {
            char name[32];
            (void)snprintf(name, sizeof name, "object#%zu", i + 1);
            CHECK_TEXT(names_text(&tables.names, order.objects[i]), name);
        }
        live_close(l);
        tables_release(&tables);
        notes_release(&notes);
    }
}

static int watch_once(void *folder)
{
    struct err e = {0};
    struct told told = {0};
    struct tables tables;
    struct notes notes = {0};
    const struct live_sink sink = {.context = &told, .take = take, .take_late = take_late};
    tables_init(&tables);
    struct live *l = live_open(folder, &tables, &sink, &notes, &e);
    const int result = l == NULL || live_step(l, true, &e) < 0 ? -1 : 0;
    live_close(l);
    tables_release(&tables);
    notes_release(&notes);
    return result == 0 ? 0 : fault_told(&e);
}

TEST(every_failure_of_the_system_is_told)
{
    const char *folder = rows_folder("failures");
    put_page(folder, 2);
    struct row_file a = open_row(0, "main");
    put(&a, EVENT_LOCK, 1, 0x10);
    rows_save(&a, folder);
    const struct fault_sweep sweep = {.run = watch_once, .context = (void *)(uintptr_t)folder};
    CHECK(fault_sweep(&sweep) > 5);
}
