/* Segments that are full become packed ones, and the trace is the same. */
#include "proc/record/segment_compress.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "fault.h"
#include "proc/record/collect.h"
#include "rows.h"
#include "scratch.h"
#include "test.h"
#include "wire/event.h"
#include "wire/recording.h"

enum { SEGMENTS = 4, EVENTS_EACH = 300 };

/* A row of SEGMENTS segments and the page of its recording, which has hardly any room. */
static void fill(const char *folder, const char *name)
{
    for (uint32_t number = 0; number < SEGMENTS; number++) {
        struct row_file f = rows_begin(0, 0, "main");
        struct segment *head = rows_head(&f);
        head->number = number;
        head->is_last = number + 1 == SEGMENTS;
        for (uint64_t i = 0; i < EVENTS_EACH; i++) {
            rows_put(&f, &(struct rows_record){.kind = EVENT_SEM_POST,
                                               .stamp = 1 + number * EVENTS_EACH + i,
                                               .object = 0x1000 + 16 * i});
        }
        rows_save(&f, folder);
    }
    struct recording page = {.magic = RECORDING_MAGIC, .version = WIRE_VERSION};
    page.size_pending_max = SEGMENT_SIZE;
    atomic_init(&page.size_pending, (uint64_t)SEGMENTS * SEGMENT_SIZE);
    char bytes[4096] = {0};
    memcpy(bytes, &page, sizeof page);
    char path[512];
    (void)snprintf(path, sizeof path, "%s/" RECORDING_FILE, name);
    (void)scratch_write(path, bytes, sizeof bytes);
}

static const char *make_rows(const char *name)
{
    const char *folder = rows_folder(name);
    fill(folder, name);
    return folder;
}

static const char *file_in(const char *folder, const char *name)
{
    static char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static bool is_there(const char *folder, const char *name)
{
    return access(file_in(folder, name), F_OK) == 0;
}

/* Drains what there is to be drained; how many steps it took. */
static uint32_t drain_all(const char *folder, uint64_t *size_pending)
{
    const int page = open(file_in(folder, RECORDING_FILE), O_RDWR | O_CLOEXEC);
    CHECK(page >= 0);
    struct drain d;
    drain_open(&d, folder, page);
    uint32_t steps = 0;
    while (drain_step(&d)) {
        steps++;
    }
    *size_pending = d.page == NULL ? 0 : atomic_load(&d.page->size_pending);
    drain_close(&d);
    (void)close(page);
    return steps;
}

/* The trace of the folder as text. */
static char *text_of(const char *folder, uint64_t *note_count)
{
    struct tables tables;
    struct out out;
    struct err e = {0};
    struct notes notes = {0};
    struct collect_stats stats;
    tables_init(&tables);
    const char *path = scratch_path("drained.txt");
    CHECK_INT(out_open(&out, path, &e), 0);
    struct writer *w = format_text.create(&out, &tables, &notes);
    CHECK_INT(collect(folder, &tables, w, &stats, &notes, &e), 0);
    CHECK_INT(writer_close(w, &e), 0);
    tables_release(&tables);
    *note_count = notes.list.count;
    notes_release(&notes);
    return scratch_read(path, NULL);
}

TEST(what_is_full_is_packed_and_reads_as_before)
{
    const char *folder = make_rows("full");
    uint64_t notes = 0;
    uint64_t pending = 0;
    char *before = text_of(folder, &notes);
    CHECK_INT(drain_all(folder, &pending), SEGMENTS - 1);
    CHECK(!is_there(folder, "0.0.0") && is_there(folder, "0.0.0.z"));
    CHECK(!is_there(folder, "0.0.2") && is_there(folder, "0.0.2.z"));
    CHECK(is_there(folder, "0.0.3") && !is_there(folder, "0.0.3.z")); /* it may be written to */
    CHECK(!is_there(folder, PACKING_FILE));
    CHECK(pending > SEGMENT_SIZE && pending < SEGMENT_SIZE + SEGMENT_SIZE / 8);
    char *after = text_of(folder, &notes);
    CHECK_TEXT(after, before);
    CHECK_INT(notes, 0);
    mem_free(before);
    mem_free(after);
}

TEST(nothing_is_packed_while_there_is_room)
{
    const char *folder = make_rows("room");
    const int page = open(file_in(folder, RECORDING_FILE), O_RDWR | O_CLOEXEC);
    const uint64_t room = UINT64_C(1) << 34;
    CHECK_INT(pwrite(page, &room, sizeof room, offsetof(struct recording, size_pending_max)),
              sizeof room);
    (void)close(page);
    uint64_t pending = 0;
    CHECK_INT(drain_all(folder, &pending), 0);
}

TEST(a_segment_whose_successor_is_still_its_copy_is_left_alone)
{
    const char *folder = make_rows("copy");
    const uint32_t number = 2;
    const int last = open(file_in(folder, "0.0.3"), O_RDWR | O_CLOEXEC);
    CHECK_INT(pwrite(last, &number, sizeof number, offsetof(struct segment, number)), 4);
    (void)close(last);
    uint64_t pending = 0;
    (void)drain_all(folder, &pending);
    CHECK(is_there(folder, "0.0.2") && !is_there(folder, "0.0.2.z"));
    CHECK(!is_there(folder, "0.0.1") && is_there(folder, "0.0.1.z"));
}

TEST(a_file_in_both_forms_is_read_once)
{
    const char *folder = make_rows("both");
    uint64_t notes = 0;
    uint64_t pending = 0;
    char *before = text_of(folder, &notes);
    size_t size = 0;
    char *first = scratch_read(file_in(folder, "0.0.0"), &size);
    (void)drain_all(folder, &pending);
    (void)scratch_write("both/0.0.0", first, size);
    char *after = text_of(folder, &notes);
    CHECK_TEXT(after, before);
    CHECK_INT(notes, 0);
    mem_free(before);
    mem_free(after);
    mem_free(first);
}

TEST(a_damaged_packed_segment_ends_its_row_with_a_note)
{
    const char *folder = rows_folder("damaged");
    for (int damage = 0; damage < 3; damage++) {
        fill(folder, "damaged");
        uint64_t notes = 0;
        uint64_t pending = 0;
        (void)drain_all(folder, &pending);
        size_t size = 0;
        char *packed = scratch_read(file_in(folder, "0.0.1.z"), &size);
        packed[damage == 0 ? 0 : 40] ^= 0x55;
        (void)scratch_write("damaged/0.0.1.z", packed, damage == 2 ? 0 : size);
        char *text = text_of(folder, &notes);
        CHECK(notes <= 1); /* one flipped byte may still unpack */
        CHECK(damage == 1 || notes == 1);
        mem_free(text);
        mem_free(packed);
    }
}

static int drain_once(void *context)
{
    uint64_t pending = 0;
    (void)drain_all(context, &pending);
    return 0;
}

/* Whatever failed, every event is there, once. */
static bool is_whole(void *context, int status)
{
    (void)status;
    const char *folder = context;
    uint64_t notes = 0;
    char *text = text_of(folder, &notes);
    size_t lines = 0;
    for (const char *at = text; *at != 0; at++) {
        lines += *at == '\n';
    }
    mem_free(text);
    for (int number = 0; number < SEGMENTS; number++) {
        char name[32];
        (void)snprintf(name, sizeof name, "0.0.%d" PACKED_SUFFIX, number);
        (void)unlink(file_in(folder, name));
    }
    fill(folder, "failing");
    return notes == 0 && lines == 1 + SEGMENTS * EVENTS_EACH;
}

TEST(whatever_fails_while_packing_every_event_stays)
{
    char folder[4096];
    (void)snprintf(folder, sizeof folder, "%s", make_rows("failing"));
    CHECK(fault_sweep(&(struct fault_sweep){
              .run = drain_once, .context = folder, .output_is_right = is_whole}) > 20);
}
