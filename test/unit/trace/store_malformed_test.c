/* Native files that nobody's disk damaged: checksums agree, but what was written is wrong, newer or
 * older than this version. */
#include "base/mem.h"
#include "formats.h"
#include "test.h"
#include "trace/chunk.h"
#include "trace/event_columns.h"
#include "trace/kind_table.h"
#include "trace/store.h"

/* A file being made by hand. */
struct made {
    VEC(uint8_t) bytes;
    uint64_t header_hash;
    VEC(uint8_t) payload;
};

static void add(struct made *m, const void *bytes, size_t size)
{
    vec_reserve(&m->payload, m->payload.count + size);
    if (size > 0) {
        memcpy(m->payload.at + m->payload.count, bytes, size);
    }
    m->payload.count += size;
}

static void add_u32(struct made *m, uint32_t number)
{
    add(m, &number, sizeof number);
}

static void add_u64(struct made *m, uint64_t number)
{
    add(m, &number, sizeof number);
}

/* A column of this width by hand; a constant one when width is 0. */
static void add_column(struct made *m, uint8_t width, uint64_t base, const void *distances,
                       size_t size)
{
    add(m, &width, 1);
    add_u64(m, base);
    add(m, distances, size);
}

static void end_chunk(struct made *m, struct chunk c)
{
    uint8_t header[CHUNK_HEADER_SIZE];
    c.version = c.version == 0 ? CHUNK_VERSION : c.version;
    c.size = (uint32_t)m->payload.count;
    c.size_unpacked = c.size_unpacked == 0 ? c.size : c.size_unpacked;
    c.header_hash = m->header_hash;
    chunk_seal(&c, m->payload.at, header);
    m->header_hash = c.header_hash;
    vec_reserve(&m->bytes, m->bytes.count + sizeof header + c.size);
    memcpy(m->bytes.at + m->bytes.count, header, sizeof header);
    if (c.size > 0) {
        memcpy(m->bytes.at + m->bytes.count + sizeof header, m->payload.at, c.size);
    }
    m->bytes.count += sizeof header + c.size;
    vec_clear(&m->payload);
}

/* Header; names "", "a", "bc"; task bc@a. */
static struct made begin(void)
{
    struct made m = {0};
    add_u32(&m, ORDER_EXACT);
    add_u64(&m, 1000);
    add_u32(&m, 0);
    end_chunk(&m, (struct chunk){.type = CHUNK_META});
    add_u32(&m, 2);
    add_column(&m, 1, 1, "\0\1", 2);
    add(&m, "abc", 3);
    end_chunk(&m, (struct chunk){.type = CHUNK_NAMES});
    add_u32(&m, 1);
    add_column(&m, 0, 1, NULL, 0);
    add_column(&m, 0, 2, NULL, 0);
    end_chunk(&m, (struct chunk){.type = CHUNK_TASKS});
    return m;
}

enum { BEGIN_SIZE = 3 * CHUNK_HEADER_SIZE + 16 + 18 + 22 };

struct reading {
    struct trace trace;
    struct notes notes;
    struct err error;
};

static struct reading read_made(struct made *m)
{
    struct reading r = {0};
    trace_init(&r.trace);
    (void)format_parse(&format_native, m->bytes.at, m->bytes.count, &r.trace, &r.notes, &r.error);
    vec_release(&m->bytes);
    vec_release(&m->payload);
    return r;
}

static void reading_release(struct reading *r)
{
    trace_release(&r->trace);
    notes_release(&r->notes);
}

static void check_refused(struct made *m, const char *message)
{
    struct reading r = read_made(m);
    char wanted[200];
    (void)snprintf(wanted, sizeof wanted, "byte %d: %s", BEGIN_SIZE, message);
    CHECK_TEXT(r.error.text, wanted);
    CHECK_INT(r.trace.events.count, 0);
    reading_release(&r);
}

#define WRONG " (the chunk is whole but was written wrong)"

/* One event of these constant columns. */
static void add_event(struct made *m, const uint64_t values[], uint32_t count)
{
    add_u32(m, 1);
    add_u32(m, count);
    for (uint32_t i = 0; i < count; i++) {
        add_column(m, 0, values[i], NULL, 0);
    }
    end_chunk(m, (struct chunk){.type = CHUNK_EVENTS});
}

TEST(a_file_made_by_hand_is_read)
{
    struct made m = begin();
    add_event(&m,
              (uint64_t[COLUMN_COUNT]){
                  [COLUMN_kind] = EVENT_WRITE, [COLUMN_object] = 2, [COLUMN_location] = 1},
              COLUMN_COUNT);
    add_u64(&m, 1);
    add_u64(&m, 3);
    add_u64(&m, 1);
    end_chunk(&m, (struct chunk){.type = CHUNK_END});
    struct reading r = read_made(&m);
    CHECK_TEXT(r.error.text, "");
    CHECK_INT(r.notes.list.count, 0);
    CHECK_INT(r.trace.events.count, 1);
    CHECK_INT(r.trace.tables.order, ORDER_EXACT);
    CHECK_INT(r.trace.tables.tick_ns, 1000);
    CHECK_TEXT(trace_name(&r.trace, r.trace.events.at[0].object), "bc");
    reading_release(&r);
}

TEST(numbers_that_name_nothing_are_refused)
{
    static const struct {
        enum column_id column;
        uint64_t value;
        const char *message;
    } cases[] = {
        {COLUMN_task, 1, "an event is of a task that is not in the table" WRONG},
        {COLUMN_object, 3, "an event has a name that is not in the table" WRONG},
        {COLUMN_location, UINT32_MAX, "an event has a name that is not in the table" WRONG},
        {COLUMN_text, 3, "an event has a name that is not in the table" WRONG},
        {COLUMN_message, 3,
         "an event has a message that is not in the table, or a number it says it has not" WRONG},
        {COLUMN_value, 1,
         "an event has a message that is not in the table, or a number it says it has not" WRONG},
        {COLUMN_hlc_count, 1,
         "an event has a message that is not in the table, or a number it says it has not" WRONG},
        {COLUMN_kind, 1 << 16, "a number is too large for its field" WRONG},
        {COLUMN_mode, 256, "a number is too large for its field" WRONG},
        {COLUMN_count, UINT64_MAX, "a number is too large for its field" WRONG},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct made m = begin();
        uint64_t values[COLUMN_COUNT] = {[COLUMN_kind] = EVENT_WRITE};
        values[cases[i].column] = cases[i].value;
        add_event(&m, values, COLUMN_COUNT);
        check_refused(&m, cases[i].message);
    }
    struct made m = begin();
    add_event(
        &m,
        (uint64_t[COLUMN_COUNT]){
            [COLUMN_kind] = EVENT_THREAD_CREATE, [COLUMN_has] = HAS_PEER, [COLUMN_message] = 1},
        COLUMN_COUNT);
    check_refused(
        &m,
        "an event has a message that is not in the table, or a number it says it has not" WRONG);
}

TEST(distances_that_lead_past_the_tables_are_refused)
{
    struct made m = begin();
    add_u32(&m, 2);
    add_u32(&m, 5);
    add_column(&m, 0, EVENT_WRITE, NULL, 0);
    add_column(&m, 0, 0, NULL, 0);
    add_column(&m, 0, 0, NULL, 0);
    add_column(&m, 0, 0, NULL, 0);
    add_column(&m, 8, 1, "\0\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff", 16); /* 1, and 1 - 1 */
    end_chunk(&m, (struct chunk){.type = CHUNK_EVENTS});
    check_refused(&m, "a number is too large for its field" WRONG);
}

TEST(columns_that_are_not_there_are_zero_and_unknown_ones_are_skipped)
{
    struct made m = begin();
    add_event(&m, (uint64_t[]){EVENT_WRITE, 0, 0, 0}, 4);
    uint64_t more[COLUMN_COUNT + 2] = {[COLUMN_kind] = EVENT_READ, [COLUMN_COUNT] = 77};
    add_event(&m, more, COLUMN_COUNT + 2);
    struct reading r = read_made(&m);
    CHECK_TEXT(r.error.text, "");
    CHECK_INT(r.trace.events.count, 2);
    CHECK_INT(r.trace.events.at[0].kind, EVENT_WRITE);
    CHECK_INT(r.trace.events.at[1].kind, EVENT_READ);
    reading_release(&r);
}

TEST(events_of_newer_kinds_and_modes_are_left_out_and_counted)
{
    struct made m = begin();
    add_u32(&m, 5);
    add_u32(&m, 2);
    add_column(&m, 1, 12, "\x00\x8e\x01\x0f\xf3", 5); /* lock, 154, unlock, write, 255 */
    add_column(&m, 1, 0, "\x02\x00\x0b\x00\x00", 5);  /* read, -, 11 (there is none), -, - */
    end_chunk(&m, (struct chunk){.type = CHUNK_EVENTS});
    add_event(&m, (uint64_t[]){1000}, 1);
    struct reading r = read_made(&m);
    CHECK_TEXT(r.error.text, "");
    CHECK_INT(r.trace.events.count, 2);
    CHECK_INT(r.trace.events.at[0].kind, EVENT_LOCK);
    CHECK_INT(r.trace.events.at[0].mode, LOCK_RW_READ);
    CHECK_INT(r.trace.events.at[1].kind, EVENT_WRITE);
    CHECK_TEXT(r.notes.list.at[0].text,
               "events of a kind that this clew does not know were left out");
    CHECK_INT(r.notes.list.at[0].count, 4);
    reading_release(&r);
}

TEST(newer_fields_of_events_are_dropped_and_told)
{
    struct made m = begin();
    add_event(&m, (uint64_t[]){EVENT_WRITE, 0, 64 | HAS_SIZE}, 3);
    struct reading r = read_made(&m);
    CHECK_TEXT(r.error.text, "");
    CHECK_INT(r.trace.events.at[0].has, HAS_SIZE);
    CHECK_TEXT(r.notes.list.at[0].text,
               "chunks of events have fields that this clew does not know");
    reading_release(&r);
}

TEST(chunks_of_newer_types_are_left_out_and_counted)
{
    struct made m = begin();
    add(&m, "?", 1);
    end_chunk(&m, (struct chunk){.type = 77, .packing = 9});
    add_event(&m, (uint64_t[]){EVENT_WRITE}, 1);
    struct reading r = read_made(&m);
    CHECK_TEXT(r.error.text, "");
    CHECK_INT(r.trace.events.count, 1);
    CHECK_TEXT(r.notes.list.at[0].text,
               "chunks of a type that this clew does not know were left out");
    CHECK_INT(r.notes.list.at[0].count, 1);
    reading_release(&r);
}

TEST(a_newer_version_or_packing_is_refused)
{
    struct made m = begin();
    end_chunk(&m, (struct chunk){.type = CHUNK_EVENTS, .version = 2});
    check_refused(&m, "version 2 of the format; this clew reads up to 1 (use a newer one)");
    m = begin();
    end_chunk(&m, (struct chunk){.type = CHUNK_EVENTS, .packing = 2});
    check_refused(&m, "packed in a way that is not known (written by a newer clew)");
}

TEST(a_chunk_cannot_ask_for_much_memory)
{
    struct made m = begin();
    end_chunk(&m, (struct chunk){
                      .type = CHUNK_EVENTS, .packing = PACKING_ZSTD, .size_unpacked = UINT32_MAX});
    check_refused(&m, "a chunk of 4294967295 bytes, more than the format allows");
    m = begin();
    add(&m, "tiny", 4);
    end_chunk(&m, (struct chunk){.type = CHUNK_NAMES,
                                 .packing = PACKING_ZSTD,
                                 .size_unpacked = CHUNK_SIZE_MAX});
    check_refused(&m, "the chunk unpacks to more than it may" WRONG);
    m = begin();
    add_u32(&m, UINT32_MAX);
    add_column(&m, 0, 0, NULL, 0);
    end_chunk(&m, (struct chunk){.type = CHUNK_NAMES});
    check_refused(&m, "the list of names is too short or too long" WRONG);
    m = begin();
    add_u32(&m, UINT32_MAX);
    add_u32(&m, 0);
    end_chunk(&m, (struct chunk){.type = CHUNK_EVENTS});
    check_refused(&m, "there are too many events or columns, or none" WRONG);
}

TEST(tables_that_contradict_themselves_are_refused)
{
    struct made m = begin();
    add_u32(&m, 1);
    add_column(&m, 0, 1, NULL, 0);
    add(&m, "a", 1);
    end_chunk(&m, (struct chunk){.type = CHUNK_NAMES});
    check_refused(&m, "a name is there twice" WRONG);
    m = begin();
    add_u32(&m, 1);
    add_column(&m, 0, 0, NULL, 0); /* the empty name is there from the start */
    end_chunk(&m, (struct chunk){.type = CHUNK_NAMES});
    check_refused(&m, "a name is there twice" WRONG);
    m = begin();
    add_u32(&m, 1);
    add_column(&m, 0, 2, NULL, 0);
    add(&m, "d", 1);
    end_chunk(&m, (struct chunk){.type = CHUNK_NAMES});
    check_refused(&m, "a name is too long" WRONG);
    m = begin();
    add_u32(&m, 2);
    add_column(&m, 0, 1, NULL, 0);
    add_column(&m, 0, 1, NULL, 0);
    end_chunk(&m, (struct chunk){.type = CHUNK_TASKS});
    check_refused(&m, "a task is there twice" WRONG);
    m = begin();
    add_u32(&m, 1);
    add_column(&m, 0, 3, NULL, 0);
    add_column(&m, 0, 1, NULL, 0);
    end_chunk(&m, (struct chunk){.type = CHUNK_TASKS});
    check_refused(&m, "a task has a name that is not in the table" WRONG);
    m = begin();
    end_chunk(&m, (struct chunk){.type = CHUNK_META});
    check_refused(&m, "the header is there twice" WRONG);
}

TEST(an_end_that_counts_otherwise_is_refused)
{
    struct made m = begin();
    add_u64(&m, 1);
    add_u64(&m, 3);
    add_u64(&m, 1);
    end_chunk(&m, (struct chunk){.type = CHUNK_END});
    check_refused(&m, "the totals at the end are not those of the trace" WRONG);
    m = begin();
    end_chunk(&m, (struct chunk){.type = CHUNK_END});
    check_refused(&m, "the end is too short" WRONG);
}

TEST(payloads_that_do_not_unpack_or_end_early_are_refused)
{
    struct made m = begin();
    add(&m, "this is not zstd", 16);
    end_chunk(&m,
              (struct chunk){.type = CHUNK_EVENTS, .packing = PACKING_ZSTD, .size_unpacked = 9});
    check_refused(&m, "the chunk does not unpack" WRONG);
    m = begin();
    add(&m, "1234", 4);
    end_chunk(&m, (struct chunk){.type = CHUNK_EVENTS, .size_unpacked = 9});
    check_refused(&m, "the sizes do not agree" WRONG);
    m = begin();
    end_chunk(&m, (struct chunk){.type = CHUNK_EVENTS});
    check_refused(&m, "the payload is too short" WRONG);
    m = begin();
    add_u32(&m, 2);
    add_u32(&m, 1);
    add_column(&m, 1, EVENT_WRITE, "\0", 1);
    end_chunk(&m, (struct chunk){.type = CHUNK_EVENTS});
    check_refused(&m, "a column is too short" WRONG);
    m = begin();
    add_u32(&m, 1);
    add_u32(&m, 1);
    add_column(&m, 3, EVENT_WRITE, "\0\0\0", 3);
    end_chunk(&m, (struct chunk){.type = CHUNK_EVENTS});
    check_refused(&m, "a column is too short" WRONG);
}

TEST(the_first_chunk_is_the_header)
{
    struct made m = {0};
    add_u32(&m, 0);
    end_chunk(&m, (struct chunk){.type = CHUNK_NAMES});
    struct reading r = read_made(&m);
    CHECK_TEXT(r.error.text, "byte 0: the first chunk is not the header" WRONG);
    reading_release(&r);
    add_u32(&m, ORDER_KIND_COUNT);
    add_u64(&m, 0);
    add_u32(&m, 0);
    m.header_hash = 0;
    end_chunk(&m, (struct chunk){.type = CHUNK_META});
    r = read_made(&m);
    CHECK_TEXT(r.error.text, "byte 0: order of kind 3 is not known (written by a newer clew)");
    reading_release(&r);
    add_u32(&m, ORDER_EXACT);
    add_u64(&m, 0);
    add_u32(&m, STORE_NAME_SIZE_MAX + 1);
    m.header_hash = 0;
    end_chunk(&m, (struct chunk){.type = CHUNK_META});
    r = read_made(&m);
    CHECK_TEXT(r.error.text, "byte 0: the header is too short, or its source too long" WRONG);
    reading_release(&r);
}
