/* Measures reading: Falcon JSON beside yajl alone over the same bytes and in the same run, RAPID
 * STD, and the memory that traces take as a stream and loaded whole. CPU time throughout, of one
 * core.
 *
 * Each measurement is a process of its own, so that memory is its own too. */
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <yajl/yajl_parse.h>

#include "base/limit.h"
#include "base/mem.h"
#include "gen.h"
#include "import/import.h"
#include "trace/trace.h"

enum { ROUNDS = 5 };

static const struct format *const formats[] = {&format_falcon, &format_std, &format_native, NULL};

/* A generated trace, in a file without a name. */
struct input {
    int fd;
    char path[64];
    size_t size;
};

struct result {
    double seconds;       /* the least of the rounds */
    double seconds_alone; /* yajl's */
    uint64_t event_count;
    uint64_t peak_bytes;
};

typedef void (*work)(const struct input *input, struct result *result);

static void *shared_memory(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    must(memory != MAP_FAILED);
    return memory;
}

static void run(work do_it, const struct input *input, struct result *result)
{
    const pid_t child = fork();
    must(child >= 0);
    if (child == 0) {
        do_it(input, result);
        result->peak_bytes = limit_usage().peak_bytes;
        _exit(0);
    }
    int status = 0;
    must(waitpid(child, &status, 0) == child);
    must(WIFEXITED(status));
    must(WEXITSTATUS(status) == 0);
}

static struct result measured(work do_it, const struct input *input)
{
    struct result *shared = shared_memory(sizeof *shared);
    run(do_it, input, shared);
    const struct result result = *shared;
    (void)munmap(shared, sizeof *shared);
    return result;
}

/* Inputs */

static void generate_falcon(const struct input *input, struct result *result)
{
    (void)result;
    struct out out;
    struct err e;
    out_open_fd(&out, input->fd);
    gen_cyclon(&out,
               &(struct gen_cyclon_options){.node_count = 20, .cycle_count = 1000, .seed = 1});
    must(out_close(&out, &e) == 0);
}

static void generate_std(const struct input *input, struct result *result)
{
    (void)result;
    struct out out;
    struct err e;
    out_open_fd(&out, input->fd);
    gen_std(&out, &(struct gen_std_options){.thread_count = 12,
                                            .lock_count = 32,
                                            .variable_count = 1000,
                                            .event_count = 4000000,
                                            .seed = 1});
    must(out_close(&out, &e) == 0);
}

/* The input generate_native converts. */
static const struct input *source;

static void generate_native(const struct input *input, struct result *result)
{
    (void)result;
    struct tables t;
    struct notes n = {0};
    struct err e;
    struct out out;
    tables_init(&t);
    out_open_fd(&out, input->fd);
    struct cursor *c = format_open(formats, NULL, source->path, &t, &n, &e);
    must(c != NULL);
    struct writer *w = format_native.create(&out, &t, &n);
    struct batch b;
    while (cursor_next(c, &b, &e) > 0) {
        must(writer_write(w, b.events, b.count, &e) == 0);
    }
    must(writer_close(w, &e) == 0);
    cursor_close(c);
    tables_release(&t);
}

static struct input input_of(work generate)
{
    struct input input = {.fd = memfd_create("trace", 0)};
    must(input.fd >= 0);
    (void)snprintf(input.path, sizeof input.path, "/proc/self/fd/%d", input.fd);
    (void)measured(generate, &input);
    const off_t size = lseek(input.fd, 0, SEEK_END);
    must(size > 0);
    input.size = (size_t)size;
    return input;
}

/* yajl with nothing behind it */

static int pass(void *context)
{
    (void)context;
    return 1;
}

static int pass_boolean(void *context, int value)
{
    (void)context;
    (void)value;
    return 1;
}

static int pass_number(void *context, const char *digits, size_t size)
{
    (void)context;
    (void)digits;
    (void)size;
    return 1;
}

static int pass_text(void *context, const unsigned char *text, size_t size)
{
    (void)context;
    (void)text;
    (void)size;
    return 1;
}

static const yajl_callbacks nothing = {
    .yajl_null = pass,
    .yajl_boolean = pass_boolean,
    .yajl_number = pass_number,
    .yajl_string = pass_text,
    .yajl_start_map = pass,
    .yajl_map_key = pass_text,
    .yajl_end_map = pass,
    .yajl_start_array = pass,
    .yajl_end_array = pass,
};

static double seconds_of_yajl(const char *bytes, size_t size)
{
    const double start = limit_usage().cpu_seconds;
    yajl_handle parser = yajl_alloc(&nothing, NULL, NULL);
    must(parser != NULL);
    (void)yajl_config(parser, yajl_allow_multiple_values, 1);
    must(yajl_parse(parser, (const unsigned char *)bytes, size) == yajl_status_ok);
    must(yajl_complete_parse(parser) == yajl_status_ok);
    yajl_free(parser);
    return limit_usage().cpu_seconds - start;
}

/* Reading */

static struct cursor *opened(const struct input *input, const char *bytes, struct trace *t,
                             struct notes *n)
{
    struct err e;
    trace_init(t);
    struct cursor *c = bytes == NULL
                           ? format_open(formats, NULL, input->path, &t->tables, n, &e)
                           : format_open_memory(formats, bytes, input->size, &t->tables, n, &e);
    must(c != NULL);
    return c;
}

/* Reads a stream of events to its end, from bytes or (when NULL) from the input's file. */
static void read_stream(const struct input *input, const char *bytes, struct result *result)
{
    const double start = limit_usage().cpu_seconds;
    struct trace t;
    struct notes n = {0};
    struct err e;
    struct cursor *c = opened(input, bytes, &t, &n);
    struct batch b;
    result->event_count = 0;
    int more = 0;
    while ((more = cursor_next(c, &b, &e)) > 0) {
        result->event_count += b.count;
    }
    must(more == 0);
    cursor_close(c);
    notes_release(&n);
    trace_release(&t);
    const double seconds = limit_usage().cpu_seconds - start;
    result->seconds = result->seconds == 0 || seconds < result->seconds ? seconds : result->seconds;
}

static void stream(const struct input *input, struct result *result)
{
    read_stream(input, NULL, result);
}

static void load(const struct input *input, struct result *result)
{
    struct trace t;
    struct notes n = {0};
    struct err e;
    struct cursor *c = opened(input, NULL, &t, &n);
    must(trace_load(&t, c, &e) == 0);
    cursor_close(c);
    result->event_count = t.events.count;
    trace_release(&t);
    notes_release(&n);
}

static const char *bytes_of(const struct input *input)
{
    const char *bytes = mmap(NULL, input->size, PROT_READ, MAP_SHARED | MAP_POPULATE, input->fd, 0);
    must(bytes != MAP_FAILED);
    return bytes;
}

static void rate(const struct input *input, struct result *result)
{
    const char *bytes = bytes_of(input);
    for (int i = 0; i < ROUNDS; i++) {
        read_stream(input, bytes, result);
    }
}

static void rate_beside_yajl(const struct input *input, struct result *result)
{
    const char *bytes = bytes_of(input);
    for (int i = 0; i < ROUNDS; i++) {
        const double alone = seconds_of_yajl(bytes, input->size);
        result->seconds_alone =
            i == 0 || alone < result->seconds_alone ? alone : result->seconds_alone;
        read_stream(input, bytes, result);
    }
}

/* The table */

static void line(struct out *out, const char *what, const char *wanted, const char *got, int is_met)
{
    const char *verdict = wanted[0] == '\0' ? "" : is_met ? "  ok" : "  short";
    out_format(out, "%-58s %14s %14s%s\n", what, wanted, got, verdict);
}

static void head(struct out *out)
{
    out_format(out, "%-58s %14s %14s\n", "measure", "wanted", "got");
    for (int i = 0; i < 93; i++) {
        out_char(out, '-');
    }
    out_char(out, '\n');
}

static void report_falcon(struct out *out, const struct input *input)
{
    const struct result r = measured(rate_beside_yajl, input);
    const double megabytes = (double)input->size / 1e6;
    char what[64];
    char got[32];
    (void)snprintf(what, sizeof what, "Falcon, %.0f MB: yajl alone", megabytes);
    (void)snprintf(got, sizeof got, "%.0f MB/s", megabytes / r.seconds_alone);
    line(out, what, "", got, 1);
    (void)snprintf(got, sizeof got, "%.0f MB/s", megabytes / r.seconds);
    line(out, "Falcon: import of the same bytes", "", got, 1);
    (void)snprintf(got, sizeof got, "%.2f", r.seconds_alone / r.seconds);
    line(out, "Falcon: import, as a part of yajl's rate", ">= 0.50", got,
         r.seconds_alone / r.seconds >= 0.5);
}

static void report_rate(struct out *out, const char *name, const struct input *input,
                        double wanted_m)
{
    const struct result r = measured(rate, input);
    const double rate_m = (double)r.event_count / r.seconds / 1e6;
    char what[64];
    char wanted[32];
    char got[32];
    (void)snprintf(what, sizeof what, "%s, %.1f M events of %.1f bytes: events a second", name,
                   (double)r.event_count / 1e6, (double)input->size / (double)r.event_count);
    (void)snprintf(wanted, sizeof wanted, ">= %.1f M", wanted_m);
    (void)snprintf(got, sizeof got, "%.1f M", rate_m);
    line(out, what, wanted, got, rate_m >= wanted_m);
}

static void report_memory(struct out *out, const char *name, const struct input *input)
{
    const struct result streamed = measured(stream, input);
    const struct result loaded = measured(load, input);
    const double per_event =
        (double)(loaded.peak_bytes - streamed.peak_bytes) / (double)loaded.event_count;
    char what[64];
    char got[32];
    (void)snprintf(what, sizeof what, "%s: peak memory as a stream of %.0f MB", name,
                   (double)input->size / 1e6);
    (void)snprintf(got, sizeof got, "%.1f MB", (double)streamed.peak_bytes / 1e6);
    line(out, what, "", got, 1);
    (void)snprintf(what, sizeof what, "%s: bytes an event more when loaded whole", name);
    (void)snprintf(got, sizeof got, "%.1f", per_event);
    line(out, what, "<= 64", got, per_event < 64.5);
}

int main(void)
{
    struct out out;
    struct err e;
    out_open_fd(&out, STDOUT_FILENO);
    const struct input falcon = input_of(generate_falcon);
    const struct input std = input_of(generate_std);
    source = &std;
    const struct input native = input_of(generate_native);
    head(&out);
    report_falcon(&out, &falcon);
    report_rate(&out, "STD", &std, 5);
    report_rate(&out, "Native", &native, 20);
    report_memory(&out, "Falcon", &falcon);
    report_memory(&out, "STD", &std);
    report_memory(&out, "Native", &native);
    return out_close(&out, &e) == 0 ? 0 : 1;
}
