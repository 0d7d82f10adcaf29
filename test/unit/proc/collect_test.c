/* Rows made by hand, merged and named; torn, foreign and spoilt ones. */
#include "proc/record/collect.h"

#include "base/mem.h"
#include "fault.h"
#include "fuzz.h"
#include "mutate.h"
#include "rows.h"
#include "scratch.h"
#include "test.h"
#include "wire/event.h"
#include "wire/kind.h"
#include "wire/prng.h"
#include "wire/recording.h"

/* The trace of a folder as text, without its first line and its quotes; in *stats what was counted.
 */
static const char *text_of(const char *folder, struct collect_stats *stats, struct notes *notes)
{
    struct tables tables;
    struct out out;
    struct err e = {0};
    tables_init(&tables);
    const char *path = scratch_path("collected.txt");
    CHECK_INT(out_open(&out, path, &e), 0);
    struct writer *w = format_text.create(&out, &tables, notes);
    CHECK_INT(collect(folder, &tables, w, stats, notes, &e), 0);
    CHECK_INT(writer_close(w, &e), 0);
    tables_release(&tables);
    static char text[1 << 16];
    char *read = scratch_read(path, NULL);
    CHECK(read != NULL);
    size_t used = 0;
    for (const char *at = strchr(read, '\n') + 1; *at != 0 && used + 1 < sizeof text; at++) {
        if (*at != '"') {
            text[used++] = *at;
        }
    }
    text[used] = 0;
    mem_free(read);
    return text;
}

static const char *merged(const char *folder)
{
    struct collect_stats stats;
    struct notes notes = {0};
    const char *text = text_of(folder, &stats, &notes);
    CHECK_INT(notes.list.count, 0);
    notes_release(&notes);
    return text;
}

static void put(struct row_file *f, uint8_t kind, uint64_t stamp, uint64_t object)
{
    rows_put(f, &(struct rows_record){.kind = kind, .stamp = stamp, .object = object});
}

TEST(rows_are_merged_by_their_stamps)
{
    const char *folder = rows_folder("merge");
    struct row_file a = rows_begin(0, 0, "main");
    put(&a, EVENT_LOCK, 1, 0x10);
    put(&a, EVENT_UNLOCK, 4, 0x10);
    rows_save(&a, folder);
    struct row_file b = rows_begin(0, 1, "main/1");
    put(&b, EVENT_LOCK, 2, 0x20);
    put(&b, EVENT_UNLOCK, 3, 0x20);
    rows_save(&b, folder);
    CHECK_TEXT(merged(folder), "main@n lock object#1\n"
                               "main/1@n lock object#2\n"
                               "main/1@n unlock object#2\n"
                               "main@n unlock object#1\n");
}

TEST(plain_accesses_follow_what_they_followed_in_their_task)
{
    const char *folder = rows_folder("plain");
    struct row_file a = rows_begin(0, 0, "main");
    put(&a, EVENT_LOCK, 1, 0x10);
    put(&a, EVENT_WRITE, 0, 0x30);
    put(&a, EVENT_UNLOCK, 3, 0x10);
    rows_save(&a, folder);
    struct row_file b = rows_begin(0, 1, "main/1");
    put(&b, EVENT_ONCE, 2, 0x20);
    rows_save(&b, folder);
    CHECK_TEXT(merged(folder), "main@n lock object#1\n"
                               "main@n write object#2\n"
                               "main/1@n once object#3\n"
                               "main@n unlock object#1\n");
}

TEST(a_late_access_comes_in_its_owners_epoch)
{
    const char *folder = rows_folder("late");
    struct row_file a = rows_begin(0, 0, "main");
    put(&a, EVENT_LOCK, 1, 0x10);
    put(&a, EVENT_UNLOCK, 2, 0x10);
    rows_save(&a, folder);
    struct row_file b = rows_begin(0, 1, "main/1");
    put(&b, EVENT_LOCK, 3, 0x10);
    rows_put(&b, &(struct rows_record){.kind = EVENT_WRITE,
                                       .flags = RECORD_HAS_SIZE | RECORD_LATE,
                                       .size = 8,
                                       .late = {.task = 0, .epoch = 1},
                                       .object = 0x30});
    put(&b, EVENT_READ, 0, 0x30);
    rows_save(&b, folder);
    CHECK_TEXT(merged(folder), "main@n lock object#1\n"
                               "main@n write object#2 size=8\n"
                               "main@n unlock object#1\n"
                               "main/1@n lock object#1\n"
                               "main/1@n read object#2\n");
}

TEST(an_access_in_one_word_says_what_its_site_says)
{
    const char *folder = rows_folder("word");
    const uint64_t entries[] = {site_entry(0x5000, 8, true), site_entry(0x6000, 4, false)};
    rows_save_sites(folder, 0, entries, 2);
    struct row_file a = rows_begin(0, 0, "main");
    rows_put_access(&a, 1, 0x7fffffffff30);
    put(&a, EVENT_LOCK, 1, 0x10);
    rows_put_access(&a, 2, 0x30);
    rows_put_access(&a, 3, 0x38); /* nothing is known of it */
    put(&a, EVENT_UNLOCK, 2, 0x10);
    rows_save(&a, folder);
    CHECK_TEXT(merged(folder), "main@n write object#1 size=8\n"
                               "main@n lock object#2\n"
                               "main@n read object#3 size=4\n"
                               "main@n read object#4\n"
                               "main@n unlock object#2\n");
}

TEST(without_the_table_of_sites_an_access_says_only_where_it_was)
{
    const char *folder = rows_folder("siteless");
    struct row_file a = rows_begin(0, 0, "main");
    put(&a, EVENT_LOCK, 1, 0x10);
    rows_put_access(&a, 7, 0x30);
    rows_save(&a, folder);
    CHECK_TEXT(merged(folder), "main@n lock object#1\n"
                               "main@n read object#2\n");
}

TEST(a_late_record_stands_for_neighbouring_words)
{
    const char *folder = rows_folder("run");
    struct row_file a = rows_begin(0, 0, "main");
    put(&a, EVENT_LOCK, 1, 0x10);
    rows_save(&a, folder);
    struct row_file b = rows_begin(0, 1, "main/1");
    put(&b, EVENT_ONCE, 2, 0x20);
    rows_put(&b, &(struct rows_record){.kind = EVENT_WRITE,
                                       .flags = RECORD_HAS_SIZE | RECORD_LATE,
                                       .size = 20,
                                       .late = {.task = 0, .epoch = 1},
                                       .object = 0x34});
    rows_save(&b, folder);
    CHECK_TEXT(merged(folder), "main@n lock object#1\n"
                               "main@n write object#2 size=4\n"
                               "main@n write object#3 size=8\n"
                               "main@n write object#4 size=8\n"
                               "main/1@n once object#5\n");
}

static void put_block(struct row_file *f, uint64_t stamp, uint64_t base, uint32_t size)
{
    rows_put(f, &(struct rows_record){.kind = EVENT_ALLOC,
                                      .flags = RECORD_HAS_SIZE,
                                      .size = size,
                                      .stamp = stamp,
                                      .object = base});
}

TEST(what_was_named_before_memory_was_allocated_again_is_named_anew)
{
    enum { SMALL = 64, LARGE = 1 << 17 };
    const char *folder = rows_folder("again");
    struct row_file a = rows_begin(0, 0, "main");
    put(&a, EVENT_WRITE, 0, 0x10008); /* before any block is there */
    put_block(&a, 1, 0x10000, SMALL);
    put(&a, EVENT_WRITE, 0, 0x10008);
    put(&a, EVENT_READ, 0, 0x10008);
    put_block(&a, 2, 0x10000, LARGE);
    put(&a, EVENT_WRITE, 0, 0x10008);
    put_block(&a, 3, 0x10000, SMALL);
    put(&a, EVENT_WRITE, 0, 0x10008);
    put(&a, EVENT_WRITE, 0, 0x20008); /* was in the large one, which is gone */
    rows_save(&a, folder);
    CHECK_TEXT(merged(folder), "main@n write object#1\n"
                               "main@n alloc object#2 size=64\n"
                               "main@n write object#2+8\n"
                               "main@n read object#2+8\n"
                               "main@n alloc object#3 size=131072\n"
                               "main@n write object#3+8\n"
                               "main@n alloc object#4 size=64\n"
                               "main@n write object#4+8\n"
                               "main@n write object#5\n");
}

TEST(what_was_announced_and_did_not_happen_is_left_out)
{
    const char *folder = rows_folder("void");
    struct row_file a = rows_begin(0, 0, "main");
    rows_put(&a, &(struct rows_record){
                     .kind = EVENT_UNLOCK, .flags = RECORD_VOID, .stamp = 1, .object = 0x10});
    put(&a, EVENT_LOCK, 2, 0x10);
    rows_save(&a, folder);
    CHECK_TEXT(merged(folder), "main@n lock object#1\n");
}

TEST(joins_and_forks_name_their_tasks)
{
    const char *folder = rows_folder("tasks");
    struct row_file a = rows_begin(0, 0, "main");
    rows_put(&a, &(struct rows_record){
                     .kind = EVENT_THREAD_CREATE, .stamp = 1, .more = "main/1", .more_size = 6});
    rows_put(&a, &(struct rows_record){
                     .kind = EVENT_THREAD_JOIN, .stamp = 4, .flags = RECORD_HAS_VALUE, .value = 7});
    rows_put(&a,
             &(struct rows_record){
                 .kind = EVENT_PROCESS_FORK, .stamp = 5, .flags = RECORD_HAS_VALUE, .value = 1});
    rows_save(&a, folder);
    struct row_file b = rows_begin(0, 7, "main/1");
    put(&b, EVENT_THREAD_START, 2, 0);
    put(&b, EVENT_THREAD_END, 3, 0);
    rows_save(&b, folder);
    struct row_file c = rows_begin(1, 0, "main");
    (void)snprintf(rows_head(&c)->node, sizeof rows_head(&c)->node, "n/1");
    put(&c, EVENT_PROCESS_EXIT, 6, 0);
    rows_save(&c, folder);
    CHECK_TEXT(merged(folder), "main@n thread-create main/1@n\n"
                               "main/1@n thread-start\n"
                               "main/1@n thread-end\n"
                               "main@n thread-join main/1@n\n"
                               "main@n process-fork main@n/1\n"
                               "main@n/1 process-exit\n");
}

TEST(what_is_reported_has_the_latest_time_that_anybody_saw_before)
{
    const char *folder = rows_folder("times");
    struct row_file a = rows_begin(0, 0, "main");
    struct row_file b = rows_begin(1, 0, "main");
    put(&a, EVENT_PROCESS_START, 1, 0); /* nobody has said when */
    put(&a, RECORD_TIME, 0, 1000);
    put(&a, EVENT_LOG, 4, 0); /* its task looked at the clock, and rested */
    put(&a, EVENT_SEM_POST, 5, 0x10);
    put(&b, RECORD_TIME, 0, 1500);
    put(&b, EVENT_PROCESS_START, 2, 0);
    put(&b, RECORD_TIME, 0, 1501);
    put(&b, EVENT_LOG, 3, 0);
    rows_save(&a, folder);
    rows_save(&b, folder);
    CHECK_TEXT(merged(folder), "main@n process-start\n"
                               "main@n process-start t=1500\n"
                               "main@n log t=1501\n"
                               "main@n log t=1501\n"
                               "main@n sem-post object#1\n");
}

/* The note with the ends of connection 1. */
static uint64_t uncontrolled_in(const char *folder)
{
    struct collect_stats stats;
    struct notes notes = {0};
    (void)text_of(folder, &stats, &notes);
    notes_release(&notes);
    return stats.uncontrolled;
}

TEST(a_program_that_began_a_row_was_recorded_even_if_it_did_nothing)
{
    const char *folder = rows_folder("became");
    struct row_file a = rows_begin(0, 0, "main");
    put(&a, EVENT_PROCESS_EXEC, 1, 0);
    rows_save(&a, folder);
    CHECK_INT(uncontrolled_in(folder), 1);
    struct row_file b = rows_begin(1, 0, "main");
    put(&b, RECORD_STACK, 0, 0x1000);
    rows_save(&b, folder);
    CHECK_INT(uncontrolled_in(folder), 0);
}

TEST(a_spawned_program_without_a_row_was_not_recorded)
{
    const char *folder = rows_folder("spawned");
    struct row_file a = rows_begin(0, 0, "main");
    struct rows_record child = {
        .kind = EVENT_PROCESS_FORK, .stamp = 1, .flags = RECORD_HAS_VALUE, .value = 1};
    rows_put(&a, &child);
    child.stamp = 2;
    child.value = 2;
    child.mode = RECORD_OF_SPAWN;
    rows_put(&a, &child);
    rows_save(&a, folder);
    CHECK_INT(uncontrolled_in(folder), 1);
    struct row_file b = rows_begin(2, 0, "main");
    put(&b, EVENT_PROCESS_START, 3, 0);
    rows_save(&b, folder);
    CHECK_INT(uncontrolled_in(folder), 0);
}

static void put_ends(struct row_file *f, uint8_t transport, const char *own, const char *peer)
{
    char text[200] = {(char)transport};
    const int size = snprintf(text + 1, sizeof text - 1, "%s%c%s", own, 0, peer);
    rows_put(f, &(struct rows_record){
                    .kind = RECORD_NAME, .object = 1, .more = text, .more_size = (size_t)size + 1});
}

static void put_stream(struct row_file *f, uint8_t kind, uint64_t stamp, uint32_t size)
{
    rows_put(f, &(struct rows_record){.kind = kind,
                                      .mode = TRANSPORT_TCP,
                                      .flags = RECORD_HAS_SIZE,
                                      .stamp = stamp,
                                      .object = 1,
                                      .size = size});
}

TEST(a_connections_two_ends_share_a_channel)
{
    const char *folder = rows_folder("stream");
    struct row_file a = rows_begin(0, 0, "main");
    put_stream(&a, EVENT_SEND, 1, 5);
    put_ends(&a, TRANSPORT_TCP, "a:1", "b:2"); /* the ends may be told after their first use */
    rows_save(&a, folder);
    struct row_file b = rows_begin(0, 1, "main/1");
    rows_head(&b)->process = 1;
    put_ends(&b, TRANSPORT_TCP, "b:2", "a:1");
    put_stream(&b, EVENT_RECV, 2, 3);
    put_stream(&b, EVENT_RECV, 3, 3);
    rows_save(&b, folder);
    struct collect_stats stats;
    struct notes notes = {0};
    CHECK_TEXT(text_of(folder, &stats, &notes), "main@n send a:1>b:2 mode=tcp size=5\n"
                                                "main/1@n recv a:1>b:2 mode=tcp size=3\n"
                                                "main/1@n recv unseen>b:2 mode=tcp size=3\n");
    CHECK_INT(stats.messages_matched, 1);
    CHECK_INT(stats.messages_unmatched, 1);
    CHECK_INT(stats.messages_external, 0);
    notes_release(&notes);
}

TEST(a_unix_peer_that_was_not_known_yet_is_found_by_what_it_told)
{
    const char *folder = rows_folder("unix");
    struct row_file a = rows_begin(0, 0, "main");
    put_ends(&a, TRANSPORT_UNIX, "unix-17", "unix-0");
    put_stream(&a, EVENT_SEND, 1, 5);
    rows_save(&a, folder);
    struct row_file b = rows_begin(1, 0, "main");
    put_ends(&b, TRANSPORT_UNIX, "unix-23", "unix-17");
    put_stream(&b, EVENT_RECV, 2, 5);
    rows_save(&b, folder);
    struct collect_stats stats;
    struct notes notes = {0};
    (void)text_of(folder, &stats, &notes);
    CHECK_INT(stats.messages_matched, 1);
    CHECK_INT(stats.messages_external, 0);
    notes_release(&notes);
}

/* Two files of one row, of which the second is spoilt. */
static const char *spoilt(const char *name, void (*spoil)(struct segment *head), size_t size)
{
    const char *folder = rows_folder(name);
    struct row_file a = rows_begin(0, 0, "main");
    rows_head(&a)->is_last = 0;
    put(&a, EVENT_LOCK, 1, 0x10);
    rows_save(&a, folder);
    struct row_file b = rows_begin(0, 0, "main");
    rows_head(&b)->number = 1;
    put(&b, EVENT_UNLOCK, 2, 0x10);
    if (spoil != NULL) {
        spoil(rows_head(&b));
    }
    rows_save_cut(&b, folder, size);
    return folder;
}

static void spoil_nothing(__attribute__((unused)) struct segment *head)
{
}

static void spoil_magic(struct segment *head)
{
    head->magic++;
}

static void spoil_version(struct segment *head)
{
    head->version++;
}

static void spoil_committed(struct segment *head)
{
    head->committed = UINT64_MAX;
}

static void spoil_record(struct segment *head)
{
    struct record *record = (struct record *)(void *)((char *)head + SEGMENT_HEADER_SIZE);
    record->extra = 200;
}

static void check_spoilt(const char *name, void (*spoil)(struct segment *head), size_t size,
                         uint64_t event_count)
{
    struct collect_stats stats;
    struct notes notes = {0};
    (void)text_of(spoilt(name, spoil, size), &stats, &notes);
    CHECK_INT(stats.events, event_count);
    CHECK_INT(notes.list.count, event_count == 2 ? 0 : 1);
    notes_release(&notes);
}

TEST(a_spoilt_segment_ends_its_row_with_a_note)
{
    check_spoilt("whole", spoil_nothing, SEGMENT_SIZE, 2);
    check_spoilt("magic", spoil_magic, SEGMENT_SIZE, 1);
    check_spoilt("version", spoil_version, SEGMENT_SIZE, 1);
    check_spoilt("record", spoil_record, SEGMENT_SIZE, 1);
    check_spoilt("trimmed", spoil_nothing, SEGMENT_HEADER_SIZE + 4096, 2);
    check_spoilt("cut", spoil_nothing, SEGMENT_HEADER_SIZE + 16, 1);
    check_spoilt("empty", spoil_nothing, 0, 1);
}

TEST(more_than_fits_is_never_read)
{
    struct collect_stats stats;
    struct notes notes = {0};
    (void)text_of(spoilt("committed", spoil_committed, SEGMENT_SIZE), &stats, &notes);
    CHECK_INT(stats.events, 2); /* behind them are zeros, which are no events */
    notes_release(&notes);
}

TEST(files_that_are_no_rows_are_left_alone)
{
    const char *folder = rows_folder("foreign");
    struct row_file a = rows_begin(0, 0, "main");
    put(&a, EVENT_LOCK, 1, 0x10);
    rows_save(&a, folder);
    (void)scratch_write("foreign/notes.txt", "hello", 5);
    (void)scratch_write("foreign/1.2.3.4", "hello", 5);
    CHECK_TEXT(merged(folder), "main@n lock object#1\n");
}

TEST(random_bytes_in_records_are_survived)
{
    const char *folder = rows_folder("random");
    for (uint64_t seed = 1; seed <= test_count(200, 5000); seed++) {
        struct prng prng;
        prng_init(&prng, seed);
        for (uint32_t task = 0; task < 2; task++) {
            struct row_file f = rows_begin(0, task, task == 0 ? "main" : "main/1");
            for (int i = 0; i < 20; i++) {
                const uint8_t kind = (uint8_t)prng_below(&prng, 256);
                char more[64];
                for (size_t k = 0; k < sizeof more; k++) {
                    more[k] = (char)prng_below(&prng, 256);
                }
                rows_put(&f, &(struct rows_record){.kind = kind,
                                                   .mode = (uint8_t)prng_below(&prng, 12),
                                                   .flags = (uint8_t)prng_below(&prng, 8),
                                                   .stamp = prng_below(&prng, 100),
                                                   .object = prng_below(&prng, 9),
                                                   .more = more,
                                                   .more_size = prng_below(&prng, 64)});
            }
            rows_save(&f, folder);
        }
        struct collect_stats stats;
        struct notes notes = {0};
        (void)text_of(folder, &stats, &notes);
        notes_release(&notes);
    }
}

FUZZ_DECLARE(recording);

TEST(mutated_rows_are_survived)
{
    mutate_entry("recording", fuzz_recording);
}

/* Merges a folder into the native file at this path. */
static int merge_to_file(void *context)
{
    const char *folder = context;
    struct tables tables;
    struct out out;
    struct err e = {0};
    struct notes notes = {0};
    struct collect_stats stats;
    tables_init(&tables);
    int status = out_open(&out, scratch_path("swept.clew"), &e);
    if (status == 0) {
        struct writer *w = format_native.create(&out, &tables, &notes);
        status = collect(folder, &tables, w, &stats, &notes, &e);
        if (status == 0) {
            status = writer_close(w, &e);
        } else {
            writer_abandon(w);
        }
    }
    tables_release(&tables);
    notes_release(&notes);
    return status == 0 ? 0 : fault_told(&e);
}

TEST(every_failure_of_the_system_is_told)
{
    const char *folder = rows_folder("swept");
    struct row_file a = rows_begin(0, 0, "main");
    put(&a, EVENT_LOCK, 1, 0x10);
    rows_save(&a, folder);
    const struct fault_sweep sweep = {.run = merge_to_file, .context = (void *)(uintptr_t)folder};
    CHECK(fault_sweep(&sweep) > 10);
}
