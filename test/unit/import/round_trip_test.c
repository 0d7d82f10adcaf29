/* From one format to another and back. */
#include <dirent.h>

#include "formats.h"
#include "reading.h"
#include "test.h"
#include "trace_of.h"

/* Reads what was printed; the caller releases it. */
static struct trace parsed(const struct format *format, const char *bytes, size_t size)
{
    struct trace t;
    struct notes n = {0};
    struct err e = {0};
    trace_init(&t);
    if (format_parse(format, bytes, size, &t, &n, &e) < 0) {
        fail_msg("%s: %s", format->name, e.text);
    }
    CHECK_INT(n.list.count, 0);
    notes_release(&n);
    return t;
}

static struct trace through(const struct format *format, struct trace *t)
{
    size_t size = 0;
    char *bytes = format_print(format, t, &size);
    struct trace again = parsed(format, bytes, size);
    mem_free(bytes);
    trace_release(t);
    return again;
}

TEST(published_traces_survive_every_format)
{
    char folder[1024];
    (void)snprintf(folder, sizeof folder, "%s/falcon", test_shared_data());
    DIR *files = opendir(folder);
    must(files != NULL);
    size_t trace_count = 0;
    const struct dirent *file = NULL;
    while ((file = readdir(files)) != NULL) {
        const char *ending = strrchr(file->d_name, '.');
        if (ending == NULL || strcmp(ending, ".log") != 0) {
            continue;
        }
        char path[2048];
        (void)snprintf(path, sizeof path, "%s/%s", folder, file->d_name);
        struct reading r = read_path(path);
        CHECK_TEXT(r.error.text, "");
        size_t size = 0;
        char *falcon = format_print(&format_falcon, &r.trace, &size);
        struct trace t = parsed(&format_falcon, falcon, size);
        mem_free(falcon);
        t = through(&format_native, &t);
        t = through(&format_text, &t);
        t = through(&format_native, &t);
        t = through(&format_falcon, &t);
        check_same_trace(&t, &r.trace);
        trace_release(&t);
        reading_release(&r);
        trace_count++;
    }
    (void)closedir(files);
    CHECK(trace_count >= 16);
}

/* Falcon gives events a time that have none. Takes it away. */
static void take_added(struct trace *again, const struct trace *t)
{
    for (size_t i = 0; i < t->events.count; i++) {
        const struct event *had = &t->events.at[i];
        struct event *e = &again->events.at[i];
        if ((had->has & HAS_TIME) == 0) {
            e->time = had->time;
            e->has &= (uint8_t)~HAS_TIME;
        }
    }
}

/* Any trace at all can be written; what was written can be read; and where nothing was remarked, it
 * is the same but for what was added. Returns how many were the same. */
static uint64_t check_random(const struct format *format, const char *header, uint64_t seed)
{
    const struct trace *wanted_header = trace_of(header);
    uint64_t same_count = 0;
    struct prng prng;
    prng_init(&prng, seed);
    for (uint64_t i = test_count(4000, 100000); i > 0; i--) {
        struct trace t;
        trace_init(&t);
        trace_randomize(&t, 1 + (size_t)prng_below(&prng, 2), &prng);
        t.tables.order = wanted_header->tables.order;
        t.tables.tick_ns = wanted_header->tables.tick_ns;
        t.tables.source = names_intern_text(&t.tables.names, format->name);
        trace_seal(&t);
        struct notes n = {0};
        char *bytes = written(format, &t, &n);
        if (bytes[0] != '\0') {
            struct trace again = parsed(format, bytes, strlen(bytes));
            if (n.list.count == 0) {
                take_added(&again, &t);
                check_same_trace(&again, &t);
                same_count++;
            }
            trace_release(&again);
        }
        mem_free(bytes);
        notes_release(&n);
        trace_release(&t);
    }
    return same_count;
}

TEST(any_trace_written_as_falcon_reads_back)
{
    CHECK(check_random(&format_falcon, "tick 1000000; source falcon", 5) > 20);
}

/* Written once, everything that Falcon holds is there: writing it again changes nothing. */
TEST(falcon_read_and_written_again_is_the_same)
{
    struct prng prng;
    prng_init(&prng, 7);
    for (uint64_t i = test_count(2000, 50000); i > 0; i--) {
        struct trace t;
        trace_init(&t);
        trace_randomize(&t, 1 + (size_t)prng_below(&prng, 6), &prng);
        trace_seal(&t);
        struct notes n = {0};
        char *first = written(&format_falcon, &t, &n);
        if (first[0] != '\0') {
            struct trace again = parsed(&format_falcon, first, strlen(first));
            char *second = written(&format_falcon, &again, &n);
            CHECK_TEXT(second, first);
            mem_free(second);
            trace_release(&again);
        }
        mem_free(first);
        notes_release(&n);
        trace_release(&t);
    }
}

TEST(any_trace_written_as_std_reads_back)
{
    CHECK(check_random(&format_std, "order exact; source std", 6) > 0);
}
