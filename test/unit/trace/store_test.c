#include "trace/store.h"

#include <unistd.h>

#include "base/mem.h"
#include "fault.h"
#include "formats.h"
#include "scratch.h"
#include "test.h"
#include "trace/chunk.h"
#include "trace/event_columns.h"
#include "trace/kind_table.h"
#include "trace_of.h"

/* What came of reading bytes: an error ("" for none), notes, and the events before either. */
struct reading {
    struct trace trace;
    struct notes notes;
    struct err error;
};

static struct reading read_native(const void *bytes, size_t size)
{
    struct reading r = {0};
    trace_init(&r.trace);
    const int result = format_parse(&format_native, bytes, size, &r.trace, &r.notes, &r.error);
    CHECK((result < 0) == (r.error.text[0] != '\0'));
    return r;
}

static void reading_release(struct reading *r)
{
    trace_release(&r->trace);
    notes_release(&r->notes);
}

static void check_error(const void *bytes, size_t size, const char *message)
{
    struct reading r = read_native(bytes, size);
    CHECK_TEXT(r.error.text, message);
    reading_release(&r);
}

static void check_note(const struct reading *r, uint64_t count, const char *place, const char *text)
{
    CHECK_TEXT(r->error.text, "");
    CHECK_INT(r->notes.list.count, 1);
    CHECK_TEXT(r->notes.list.at[0].text, text);
    CHECK_TEXT(r->notes.list.at[0].place, place);
    CHECK_INT(r->notes.list.at[0].count, count);
}

/* Fails unless got is the beginning of whole; one without events may lack the header too. */
static void check_is_prefix(const struct trace *got, const struct trace *whole)
{
    CHECK(got->events.count <= whole->events.count);
    if (got->events.count == 0) {
        return;
    }
    struct trace beginning = *whole;
    beginning.events.count = got->events.count;
    check_same_trace(got, &beginning);
}

/* Where the chunks of a file begin, and its size behind them; returns how many chunks there are. */
static size_t chunk_offsets(const char *bytes, size_t size, size_t offsets[16])
{
    size_t count = 0;
    size_t at = 0;
    for (; at < size; at += CHUNK_HEADER_SIZE + load_u32((const uint8_t *)bytes + at + 8)) {
        must(count < 15);
        offsets[count++] = at;
    }
    must(at == size);
    offsets[count] = size;
    return count;
}

TEST(every_trace_comes_back_the_same)
{
    static const size_t counts[] = {0, 1, 2, 100, 4095, 4096, 4097, 10000};
    struct prng prng;
    prng_init(&prng, 1);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct trace t;
        trace_init(&t);
        trace_randomize(&t, counts[i], &prng);
        trace_seal(&t);
        size_t size = 0;
        char *bytes = format_print(&format_native, &t, &size);
        struct reading r = read_native(bytes, size);
        CHECK_TEXT(r.error.text, "");
        CHECK_INT(r.notes.list.count, 0);
        check_same_trace(&r.trace, &t);
        reading_release(&r);
        mem_free(bytes);
        trace_release(&t);
    }
}

TEST(the_same_trace_gives_the_same_bytes)
{
    const struct trace *t = trace_of("T1@a w x size=4; T2@a r x; T1@a snd a>b msg=m mode=udp");
    size_t size = 0;
    size_t size_again = 0;
    char *bytes = format_print(&format_native, t, &size);
    char *bytes_again = format_print(&format_native, t, &size_again);
    CHECK_INT(size, size_again);
    CHECK(memcmp(bytes, bytes_again, size) == 0);
    mem_free(bytes);
    mem_free(bytes_again);
}

/* The trace as a file whose chunks hold few events each. */
static char *print_in_small_chunks(const struct trace *t, size_t chunk_size, size_t *size)
{
    struct err e;
    struct out out;
    out_open_memory(&out);
    struct writer *w = format_native.create(&out, &t->tables, NULL);
    for (size_t i = 0; i < t->events.count; i += chunk_size) {
        const size_t rest = t->events.count - i;
        CHECK_INT(writer_write(w, &t->events.at[i], rest < chunk_size ? rest : chunk_size, &e), 0);
        CHECK_INT(store_flush(w, &e), 0);
    }
    CHECK_INT(w->ops->finish(w, &e), 0);
    *size = w->out.used;
    char *bytes = mem_resize(NULL, *size);
    memcpy(bytes, w->out.buffer, *size);
    writer_abandon(w);
    return bytes;
}

TEST(a_file_cut_anywhere_gives_what_is_whole_before_the_cut)
{
    struct trace t;
    struct prng prng;
    prng_init(&prng, 2);
    trace_init(&t);
    trace_randomize(&t, 60, &prng);
    trace_seal(&t);
    size_t size = 0;
    size_t offsets[16] = {0};
    char *bytes = print_in_small_chunks(&t, 20, &size);
    CHECK_INT(chunk_offsets(bytes, size, offsets), 7); /* header names tasks events*3 end */
    for (size_t cut = 1; cut < size; cut++) {
        struct reading r = read_native(bytes, cut);
        size_t whole = 0;
        while (offsets[whole + 1] <= cut) {
            whole++;
        }
        if (whole == 0) {
            CHECK_TEXT(r.error.text, "byte 0: the file is cut short in its header: none of its "
                                     "trace is left");
            reading_release(&r);
            continue;
        }
        CHECK_INT(r.trace.events.count, whole < 3 ? 0 : (whole - 3) * 20);
        check_is_prefix(&r.trace, &t);
        char place[50];
        char note[100] = "the recording was not finished: the trace has no end";
        (void)snprintf(place, sizeof place, "memory: byte %zu", offsets[whole]);
        if (cut > offsets[whole]) {
            (void)snprintf(note, sizeof note,
                           "the file is cut short: %zu bytes after the last whole chunk were left",
                           cut - offsets[whole]);
        }
        check_note(&r, 1, place, note);
        reading_release(&r);
    }
    mem_free(bytes);
    trace_release(&t);
}

TEST(a_bit_flipped_anywhere_is_seen)
{
    const struct trace *t = trace_of("source made; T1@a w x @A:1 size=4; T2@a r x value=-1; "
                                     "T1@a snd a>b msg=m mode=udp; T1@a fork T2@a");
    size_t size = 0;
    size_t offsets[16] = {0};
    char *bytes = format_print(&format_native, t, &size);
    const size_t chunk_count = chunk_offsets(bytes, size, offsets);
    CHECK_INT(chunk_count, 5);
    size_t chunk = 0;
    for (size_t i = 0; i < size * 8; i++) {
        bytes[i / 8] = (char)(bytes[i / 8] ^ 1 << i % 8);
        chunk += i / 8 == offsets[chunk + 1];
        struct reading r = read_native(bytes, size);
        char message[100];
        (void)snprintf(message, sizeof message,
                       "byte %zu: chunk checksum does not match (damaged after writing)",
                       offsets[chunk]);
        CHECK_TEXT(r.error.text, message);
        check_is_prefix(&r.trace, t);
        reading_release(&r);
        bytes[i / 8] = (char)(bytes[i / 8] ^ 1 << i % 8);
    }
    mem_free(bytes);
}

TEST(a_bit_flipped_in_a_packed_chunk_is_seen)
{
    struct trace t;
    trace_init(&t);
    struct event e = {.kind = EVENT_WRITE, .has = HAS_TIME};
    e.task = tables_task(&t.tables, 0, names_intern_text(&t.tables.names, "main"));
    for (int i = 0; i < 5000; i++) {
        e.object = names_intern_text(&t.tables.names, i % 10 == 0 ? "x" : "y");
        e.time = i / 100;
        trace_append(&t, &e);
    }
    trace_seal(&t);
    size_t size = 0;
    size_t offsets[16] = {0};
    char *bytes = format_print(&format_native, &t, &size);
    CHECK_INT(chunk_offsets(bytes, size, offsets), 6);
    CHECK_INT(bytes[offsets[3] + 7], PACKING_ZSTD);
    for (size_t at = offsets[3]; at < offsets[5]; at++) {
        bytes[at] ^= 4;
        struct reading r = read_native(bytes, size);
        CHECK(strstr(r.error.text, "checksum does not match") != NULL);
        CHECK_INT(r.trace.events.count, at < offsets[4] ? 0 : 4096);
        reading_release(&r);
        bytes[at] ^= 4;
    }
    mem_free(bytes);
    trace_release(&t);
}

TEST(chunks_that_are_missing_repeated_or_foreign_are_seen)
{
    struct trace t;
    struct prng prng;
    prng_init(&prng, 3);
    trace_init(&t);
    trace_randomize(&t, 30, &prng);
    trace_seal(&t);
    size_t size = 0;
    size_t at[16] = {0};
    char *bytes = print_in_small_chunks(&t, 10, &size);
    const size_t count = chunk_offsets(bytes, size, at);
    const size_t second = at[count - 3]; /* of three chunks of events */
    const size_t third = at[count - 2];
    const size_t end = at[count - 1];
    char *changed = mem_resize(NULL, size * 2);
    char message[100];

    memcpy(changed, bytes, second); /* the second is missing */
    memcpy(changed + second, bytes + third, size - third);
    (void)snprintf(message, sizeof message,
                   "byte %zu: chunk checksum does not match (damaged after writing)", second);
    check_error(changed, size - (third - second), message);

    memcpy(changed, bytes, third); /* the second is there twice */
    memcpy(changed + third, bytes + second, size - second);
    (void)snprintf(message, sizeof message,
                   "byte %zu: chunk checksum does not match (damaged after writing)", third);
    check_error(changed, size + (third - second), message);

    memcpy(changed, bytes, size); /* something is added */
    changed[size] = '\n';
    (void)snprintf(message, sizeof message, "byte %zu: something follows the end of the trace",
                   size);
    check_error(changed, size + 1, message);
    memcpy(changed + size, bytes, size);
    check_error(changed, size * 2, message);
    CHECK(end < size);
    mem_free(changed);
    mem_free(bytes);
    trace_release(&t);
}

TEST(numbers_are_translated_when_the_tables_are_in_use)
{
    const struct trace *t =
        trace_of("source made; T1@a w x @A:1; T2@b snd c msg=m; T1@a fork T2@b");
    size_t size = 0;
    char *bytes = format_print(&format_native, t, &size);
    struct reading r = {0};
    trace_init(&r.trace);
    (void)tables_task_text(&r.trace.tables, "m@x", 3);
    (void)tables_task_text(&r.trace.tables, "T2@b", 4);
    CHECK_INT(format_parse(&format_native, bytes, size, &r.trace, &r.notes, &r.error), 0);
    check_same_trace(&r.trace, t);
    CHECK_INT(r.trace.tables.tasks.count, 3);
    reading_release(&r);
    mem_free(bytes);
}

TEST(what_was_flushed_is_on_disk_before_the_end)
{
    struct trace *t = trace_of("T1 w x; T1 w y; T2 r z");
    const char *path = scratch_path("flushed.clew");
    struct err e;
    struct out out;
    CHECK_INT(out_open_in_place(&out, path, &e), 0);
    struct writer *w = format_native.create(&out, &t->tables, NULL);
    for (size_t i = 0; i < 3; i++) {
        CHECK_INT(writer_write(w, &t->events.at[i], 1, &e), 0);
        CHECK_INT(store_flush(w, &e), 0);
        size_t size = 0;
        char *bytes = scratch_read(path, &size);
        struct reading r = read_native(bytes, size);
        check_is_prefix(&r.trace, t);
        CHECK_INT(r.trace.events.count, i + 1);
        CHECK_INT(r.notes.list.count, 1);
        CHECK_TEXT(r.notes.list.at[0].text, "the recording was not finished: the trace has no end");
        reading_release(&r);
        mem_free(bytes);
    }
    CHECK_INT(writer_close(w, &e), 0);
    size_t size = 0;
    char *bytes = scratch_read(path, &size);
    struct reading r = read_native(bytes, size);
    CHECK_INT(r.notes.list.count, 0);
    check_same_trace(&r.trace, t);
    reading_release(&r);
    mem_free(bytes);
}

TEST(a_name_that_is_too_long_is_refused_when_writing)
{
    struct trace t;
    trace_init(&t);
    char *name = mem_zero(STORE_NAME_SIZE_MAX + 1, 1);
    struct event event = {.kind = EVENT_LOG};
    event.task = tables_task(&t.tables, 0, 0);
    for (size_t more = 0; more < 2; more++) {
        event.text = names_intern(&t.tables.names, name, STORE_NAME_SIZE_MAX + more);
        struct err e;
        struct out out;
        out_open_memory(&out);
        struct writer *w = format_native.create(&out, &t.tables, NULL);
        CHECK_INT(writer_write(w, &event, 1, &e), 0);
        CHECK_INT(w->ops->finish(w, &e), more == 0 ? 0 : -1);
        if (more == 1) {
            CHECK_TEXT(e.text,
                       "a name of 1048577 bytes does not fit into a trace (at most 1048576)");
        }
        writer_abandon(w);
    }
    mem_free(name);
    trace_release(&t);
}

static int read_path(void *path)
{
    const struct format *const formats[] = {&format_native, NULL};
    struct trace t;
    struct notes n = {0};
    struct err e;
    trace_init(&t);
    struct cursor *c = format_open(formats, NULL, path, &t.tables, &n, &e);
    const int result = c == NULL ? -1 : trace_load(&t, c, &e);
    cursor_close(c);
    notes_release(&n);
    trace_release(&t);
    return result < 0 ? fault_told(&e) : 0;
}

TEST(every_call_of_the_reader_fails_once)
{
    struct trace t;
    struct prng prng;
    prng_init(&prng, 4);
    trace_init(&t);
    trace_randomize(&t, 200, &prng);
    trace_seal(&t);
    size_t size = 0;
    char *bytes = format_print(&format_native, &t, &size);
    char path[100];
    (void)snprintf(path, sizeof path, "%s", scratch_write("read.clew", bytes, size));
    CHECK(fault_sweep(&(struct fault_sweep){.run = read_path, .context = path}) > 15);
    mem_free(bytes);
    trace_release(&t);
}

struct writing {
    const char *path;
    const struct trace *trace;
};

static int write_path(void *context)
{
    const struct writing *writing = context;
    const struct trace *t = writing->trace;
    struct err e;
    struct out out;
    if (out_open(&out, writing->path, &e) < 0) {
        return fault_told(&e);
    }
    struct writer *w = format_native.create(&out, &t->tables, NULL);
    if (writer_write(w, t->events.at, t->events.count, &e) < 0) {
        writer_abandon(w);
        return fault_told(&e);
    }
    return writer_close(w, &e) < 0 ? fault_told(&e) : 0;
}

static bool is_whole_or_absent(void *context, int status)
{
    const struct writing *writing = context;
    size_t size = 0;
    size_t true_size = 0;
    char *bytes = scratch_read(writing->path, &size);
    char *true_bytes = format_print(&format_native, writing->trace, &true_size);
    const bool is_right =
        status == 2 ? bytes == NULL
                    : bytes != NULL && size == true_size && memcmp(bytes, true_bytes, size) == 0;
    mem_free(true_bytes);
    mem_free(bytes);
    (void)unlink(writing->path);
    return is_right;
}

TEST(every_call_of_the_writer_fails_once)
{
    struct trace t;
    struct prng prng;
    prng_init(&prng, 5);
    trace_init(&t);
    trace_randomize(&t, 300, &prng);
    trace_seal(&t);
    struct writing writing = {scratch_path("written.clew"), &t};
    CHECK(fault_sweep(&(struct fault_sweep){write_path, &writing, is_whole_or_absent}) > 10);
    trace_release(&t);
}
