/* What outside can do to the readers and writers: damaged bytes, failing calls. */
#include <stdlib.h>

#include "fault.h"
#include "fuzz.h"
#include "import/import.h"
#include "mutate.h"
#include "pipe.h"
#include "reading.h"
#include "scratch.h"
#include "test.h"
#include "trace_of.h"
#include "wire/prng.h"

FUZZ_DECLARE(falcon);
FUZZ_DECLARE(std);

static const char *corpus(const char *name)
{
    static char path[1024];
    const char *source = getenv("CLEW_SOURCE");
    must(source != NULL);
    (void)snprintf(path, sizeof path, "%s/test/fuzz/corpus/%s", source, name);
    return path;
}

static void check_mutants(const char *name, void (*read)(const uint8_t *bytes, size_t size))
{
    struct mutator m;
    mutator_init(&m, 11);
    mutator_add_folder(&m, corpus(name));
    for (uint64_t i = test_count(2000, 200000); i > 0; i--) {
        const struct mutant mutant = mutator_next(&m);
        read(mutant.bytes, mutant.size);
    }
    mutator_release(&m);
}

TEST(the_falcon_reader_survives_any_bytes)
{
    check_mutants("falcon", fuzz_falcon);
}

TEST(the_std_reader_survives_any_bytes)
{
    check_mutants("std", fuzz_std);
}

struct pieces {
    struct mutant bytes;
    uint64_t seed;
};

static void write_pieces(int fd, const void *context)
{
    const struct pieces *pieces = context;
    struct prng prng;
    prng_init(&prng, pieces->seed);
    for (size_t at = 0; at < pieces->bytes.size;) {
        const size_t rest = pieces->bytes.size - at;
        const size_t size = 1 + (size_t)prng_below(&prng, 50);
        const ssize_t done = write(fd, pieces->bytes.bytes + at, size < rest ? size : rest);
        must(done > 0);
        at += (size_t)done;
    }
}

/* Reads the same bytes at once and in pieces. Only where a syntax error is told may depend on the
 * pieces: yajl places it by its own buffer. */
static void check_pieces(struct mutant bytes, uint64_t seed)
{
    struct reading whole = read_bytes((const char *)bytes.bytes, bytes.size);
    const struct pieces pieces = {bytes, seed};
    struct pipe_source source = pipe_from(write_pieces, &pieces);
    struct reading got = read_path(source.path);
    pipe_end(&source);
    CHECK_INT(got.error.text[0] == '\0', whole.error.text[0] == '\0');
    if (whole.error.text[0] == '\0') {
        const char *difference = trace_difference(&got.trace, &whole.trace);
        CHECK_TEXT(difference == NULL ? "" : difference, "");
        CHECK_INT(got.notes.list.count, whole.notes.list.count);
        for (size_t i = 0; i < whole.offsets.count; i++) {
            CHECK_INT(got.offsets.at[i], whole.offsets.at[i]);
        }
        for (size_t i = 0; i < whole.notes.list.count; i++) {
            CHECK_TEXT(got.notes.list.at[i].text, whole.notes.list.at[i].text);
            CHECK_INT(got.notes.list.at[i].count, whole.notes.list.at[i].count);
        }
    }
    reading_release(&got);
    reading_release(&whole);
}

TEST(it_does_not_matter_in_what_pieces_bytes_come)
{
    struct mutator m;
    mutator_init(&m, 12);
    mutator_add_folder(&m, corpus("falcon"));
    for (uint64_t i = test_count(100, 10000); i > 0; i--) {
        check_pieces(mutator_next(&m), i);
    }
    mutator_release(&m);
}

/* A conversion, as the command line does it. */
struct conversion {
    const char *from;
    const char *to;
    const struct format *format;
};

static int write_all(struct cursor *c, struct writer *w, struct err *e)
{
    struct batch b;
    int more = 0;
    while ((more = cursor_next(c, &b, e)) > 0) {
        if (writer_write(w, b.events, b.count, e) < 0) {
            return -1;
        }
    }
    return more;
}

static int convert(void *context)
{
    const struct conversion *x = context;
    struct trace t;
    trace_init(&t);
    struct notes n = {0};
    struct err e = {0};
    int status = 2;
    struct cursor *c = format_open(import_formats, NULL, x->from, &t.tables, &n, &e);
    struct out out;
    if (c != NULL && out_open(&out, x->to, &e) == 0) {
        struct writer *w = x->format->create(&out, &t.tables, &n);
        if (write_all(c, w, &e) < 0) {
            writer_abandon(w);
        } else if (writer_close(w, &e) == 0) {
            status = 0;
        }
    }
    cursor_close(c);
    notes_release(&n);
    trace_release(&t);
    return status == 0 ? 0 : fault_told(&e);
}

static bool is_absent_or_whole(void *context, int status)
{
    const struct conversion *x = context;
    char *text = scratch_read(x->to, NULL);
    const bool is_right = status == 0
                              ? text != NULL && strlen(text) > 0 && text[strlen(text) - 1] == '\n'
                              : text == NULL;
    mem_free(text);
    (void)unlink(x->to);
    return is_right;
}

static void check_faults(const char *name, const struct format *format)
{
    char from[1024];
    (void)snprintf(from, sizeof from, "%s", corpus(name));
    struct conversion x = {from, scratch_path("converted"), format};
    const struct fault_sweep sweep = {
        .run = convert, .context = &x, .output_is_right = is_absent_or_whole};
    CHECK(fault_sweep(&sweep) > 20);
}

TEST(every_call_of_reading_and_writing_falcon_may_fail)
{
    check_faults("falcon/lines.log", &format_falcon);
    check_faults("falcon/array.log", &format_std);
}

TEST(every_call_of_reading_and_writing_std_may_fail)
{
    check_faults("std/all.std", &format_std);
    check_faults("std/odd.std", &format_falcon);
}
