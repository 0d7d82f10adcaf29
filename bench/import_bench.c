/* Measures reading: Falcon JSON beside yajl alone over the same bytes, RAPID STD, memory. */
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <yajl/yajl_parse.h>

#include "base/mem.h"
#include "gen.h"
#include "import/import.h"
#include "trace/trace.h"

enum { ROUNDS = 5 };

static double cpu_seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int go_on(void *context)
{
    (void)context;
    return 1;
}

static int go_on_boolean(void *context, int value)
{
    (void)context;
    (void)value;
    return 1;
}

static int go_on_number(void *context, const char *digits, size_t size)
{
    (void)context;
    (void)digits;
    (void)size;
    return 1;
}

static int go_on_text(void *context, const unsigned char *text, size_t size)
{
    (void)context;
    (void)text;
    (void)size;
    return 1;
}

static const yajl_callbacks nothing = {
    .yajl_null = go_on,
    .yajl_boolean = go_on_boolean,
    .yajl_number = go_on_number,
    .yajl_string = go_on_text,
    .yajl_start_map = go_on,
    .yajl_map_key = go_on_text,
    .yajl_end_map = go_on,
    .yajl_start_array = go_on,
    .yajl_end_array = go_on,
};

static double yajl_alone(const struct out *bytes)
{
    const double start = cpu_seconds();
    yajl_handle parser = yajl_alloc(&nothing, NULL, NULL);
    must(parser != NULL);
    (void)yajl_config(parser, yajl_allow_multiple_values, 1);
    must(yajl_parse(parser, (const unsigned char *)bytes->buffer, bytes->used) == yajl_status_ok);
    must(yajl_complete_parse(parser) == yajl_status_ok);
    yajl_free(parser);
    return cpu_seconds() - start;
}

/* Reads all events as a stream; returns CPU seconds. */
static double import_stream(const struct out *bytes, uint64_t *event_count)
{
    const double start = cpu_seconds();
    struct tables t;
    tables_init(&t);
    struct notes n = {0};
    struct err e;
    struct cursor *c = format_open_memory(import_formats, bytes->buffer, bytes->used, &t, &n, &e);
    must(c != NULL);
    struct batch b;
    *event_count = 0;
    int more = 0;
    while ((more = cursor_next(c, &b, &e)) > 0) {
        *event_count += b.count;
    }
    must(more == 0);
    cursor_close(c);
    notes_release(&n);
    tables_release(&t);
    return cpu_seconds() - start;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

static void measure_falcon(void)
{
    struct out bytes;
    out_open_memory(&bytes);
    gen_cyclon(&bytes,
               &(struct gen_cyclon_options){.node_count = 20, .cycle_count = 1000, .seed = 1});
    double alone = 1e9;
    double import = 1e9;
    uint64_t events = 0;
    for (int i = 0; i < ROUNDS; i++) {
        alone = least(alone, yajl_alone(&bytes));
        import = least(import, import_stream(&bytes, &events));
    }
    const double megabytes = (double)bytes.used / 1e6;
    (void)printf(
        "falcon  %.0f MB  yajl alone %.0f MB/s  import %.0f MB/s  ratio %.2f  %.2f M events/s\n",
        megabytes, megabytes / alone, megabytes / import, alone / import,
        (double)events / import / 1e6);
    out_abandon(&bytes);
}

static void measure_std(void)
{
    struct out bytes;
    out_open_memory(&bytes);
    gen_std(&bytes, &(struct gen_std_options){.thread_count = 12,
                                              .lock_count = 32,
                                              .variable_count = 1000,
                                              .event_count = 2000000,
                                              .seed = 1});
    double import = 1e9;
    uint64_t events = 0;
    for (int i = 0; i < ROUNDS; i++) {
        import = least(import, import_stream(&bytes, &events));
    }
    const double megabytes = (double)bytes.used / 1e6;
    (void)printf("std     %.0f MB  import %.0f MB/s  %.2f M events/s\n", megabytes,
                 megabytes / import, (double)events / import / 1e6);
    out_abandon(&bytes);
}

int main(void)
{
    measure_falcon();
    measure_std();
    return 0;
}
