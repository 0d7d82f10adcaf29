/* What outside can do to the readers of HTTP captures: damaged bytes, pieces, failing calls. */
#include <stdlib.h>

#include "fault.h"
#include "fuzz.h"
#include "http_rules_of.h"
#include "import/http/http_reader.h"
#include "mutate.h"
#include "pipe.h"
#include "reading.h"
#include "test.h"
#include "trace/merge_inputs.h"
#include "trace_of.h"
#include "wire/kind.h"

FUZZ_DECLARE(har);
FUZZ_DECLARE(otlp);
FUZZ_DECLARE(http_tsv);
FUZZ_DECLARE(http_log);

TEST(the_har_reader_survives_any_bytes)
{
    mutate_entry("har", fuzz_har);
}

TEST(the_otlp_reader_survives_any_bytes)
{
    mutate_entry("otlp", fuzz_otlp);
}

TEST(the_table_reader_survives_any_bytes)
{
    mutate_entry("http_tsv", fuzz_http_tsv);
}

TEST(the_log_reader_survives_any_bytes)
{
    mutate_entry("http_log", fuzz_http_log);
}

static const char *corpus(const char *name)
{
    static char path[1024];
    (void)snprintf(path, sizeof path, "%s/test/fuzz/corpus/%s", getenv("CLEW_SOURCE"), name);
    return path;
}

static void write_slowly(int fd, const void *context)
{
    const char *text = context;
    for (size_t size = strlen(text), piece = 1; size > 0; piece = piece % 13 + 1) {
        const ssize_t done = write(fd, text, piece < size ? piece : size);
        must(done > 0);
        text += done;
        size -= (size_t)done;
    }
}

TEST(pieces_of_a_pipe_make_the_same_events)
{
    const char text[] =
        "{\"log\":{\"entries\":[{\"request\":{\"method\":\"GET\",\"url\":\"http://h/a\","
        "\"headers\":[{\"name\":\"X-Request-ID\",\"value\":\"\\u00e9\"}]},\"response\":"
        "{\"status\":200}}]}}";
    struct pipe_source source = pipe_from(write_slowly, text);
    struct reading got = read_path(source.path);
    struct reading wanted = read_text(text);
    CHECK_TEXT(got.error.text, "");
    check_same_trace(&got.trace, &wanted.trace);
    CHECK_INT(got.offsets.at[0], wanted.offsets.at[0]);
    reading_release(&wanted);
    reading_release(&got);
    pipe_end(&source);
}

/* An archive of many entries with a body each, and one whose body is as long as all the others. */
static void write_archive(int fd, const void *context)
{
    const uint64_t *entry_count = context;
    static char body[1 << 16];
    memset(body, 'x', sizeof body);
    FILE *file = fdopen(fd, "w");
    must(file != NULL);
    (void)fprintf(file, "{\"log\":{\"entries\":[");
    for (uint64_t i = 0; i <= *entry_count; i++) {
        (void)fprintf(file,
                      "%s{\"request\":{\"method\":\"GET\",\"url\":\"http://h/a\",\"headers\":["
                      "{\"name\":\"X-Request-ID\",\"value\":\"1\"}]},\"response\":{\"status\":200,"
                      "\"content\":{\"text\":\"",
                      i == 0 ? "" : ",");
        for (uint64_t part = i < *entry_count ? 1 : *entry_count; part > 0; part--) {
            (void)fwrite(body, 1, sizeof body, file);
        }
        (void)fprintf(file, "\"}}}");
    }
    (void)fprintf(file, "]}}");
    must(fclose(file) == 0);
}

TEST(a_long_archive_is_never_held_whole)
{
    const uint64_t entry_count = test_count(128, 8192); /* 16 MiB, 1 GiB */
    struct http_rules rules;
    http_rules_of(&rules, "version body:$.v");
    struct pipe_source source = pipe_from(write_archive, &entry_count);
    struct trace t;
    struct notes n = {0};
    struct err e = {0};
    trace_init(&t);
    struct cursor *c = format_open(import_formats, NULL, source.path, &t.tables, &n, &e);
    CHECK(c != NULL);
    CHECK_INT(trace_load(&t, c, &e), 0);
    CHECK_INT(t.events.count, 3 * (entry_count + 1));
    CHECK(c->in.capacity <= 1 << 20);
    const struct http_reader *reader = (const struct http_reader *)c;
    CHECK(reader->exchange.got.text.chars.capacity <= 4 << 20);
    cursor_close(c);
    notes_release(&n);
    trace_release(&t);
    pipe_end(&source);
    http_rules_end(&rules);
}

TEST(two_captures_of_one_run_have_messages_of_their_own)
{
    char path[1024];
    (void)snprintf(path, sizeof path, "%s", corpus("har/tracked.har"));
    const char *const paths[] = {path, path};
    struct trace t;
    struct notes n = {0};
    struct err e = {0};
    trace_init(&t);
    const struct join_inputs inputs = {.formats = import_formats, .paths = paths, .count = 2};
    struct cursor *c = join_open(&inputs, &t.tables, &n, &e);
    CHECK(c != NULL);
    CHECK_INT(trace_load(&t, c, &e), 0);
    struct map seen = {0};
    trace_each (&t, event) {
        if (event->kind == EVENT_REQUEST) {
            bool is_new = false;
            (void)map_slot(&seen, event->message, 0, &is_new);
            CHECK(is_new);
        }
    }
    CHECK_INT(seen.entries.count, 6);
    map_release(&seen);
    cursor_close(c);
    notes_release(&n);
    trace_release(&t);
}

/* Reads the file of the corpus by the rules a user would give. */
static int read_once(void *context)
{
    struct http_rules rules;
    struct http_faults f = {0};
    struct err e = {0};
    struct trace t;
    struct notes n = {0};
    int status = -1;
    char path[1024];
    trace_init(&t);
    (void)snprintf(path, sizeof path, "%s", corpus("rules/all.rules"));
    if (http_rules_read(&rules, path, &f, &e) == 0) {
        http_rules_use(&rules);
        struct cursor *c = format_open(import_formats, NULL, corpus(context), &t.tables, &n, &e);
        status = c == NULL ? -1 : trace_load(&t, c, &e);
        cursor_close(c);
    }
    http_rules_use(NULL);
    http_faults_release(&f);
    http_rules_release(&rules);
    notes_release(&n);
    trace_release(&t);
    return status < 0 ? fault_told(&e) : 0;
}

static void check_calls(char *name)
{
    CHECK_INT(read_once(name), 0);
    CHECK(fault_sweep(&(struct fault_sweep){.run = read_once, .context = name}) > 20);
}

TEST(every_call_of_reading_a_capture_may_fail)
{
    char har[] = "har/tracked.har";
    char otlp[] = "otlp/spans.json";
    char table[] = "http_tsv/tabs.tsv";
    char log[] = "http_log/app.log";
    check_calls(har);
    check_calls(otlp);
    check_calls(table);
    check_calls(log);
}
