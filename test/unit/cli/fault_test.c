/* Whole commands with every allocation and every outside call failed once: they end with status 2
 * and one line, or as if nothing had happened; an output is whole or absent. */
#include "fault.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/dispatch.h"
#include "cli/input/formats.h"
#include "scratch.h"
#include "test.h"

enum { WORDS_MAX = 16 };

struct command {
    const char *words[WORDS_MAX];
    const char *output; /* NULL: none */
    char *wanted;       /* its bytes when nothing fails */
    size_t wanted_size;
};

static const char trace_text[] = "clew-text 1 order=node tick=1000000 source=test\n"
                                 "main@a thread-start t=1\n"
                                 "main@a write x @a.c:1 size=4 value=-7 t=2\n"
                                 "main@a lock m mode=write @a.c:2 t=3\n"
                                 "main@a unlock m mode=write @a.c:3 t=4\n"
                                 "main@a send a:1>b:2 @a.c:4 mode=udp msg=hello size=5 t=5\n"
                                 "main@b recv a:1>b:2 @b.c:1 mode=udp msg=hello size=5 t=6\n"
                                 "main@b read x @b.c:2 t=7\n"
                                 "other@a write x @a.c:9 t=7\n"
                                 "main@a thread-end t=8\n";

static int run(void *context)
{
    const struct command *c = context;
    int count = 0;
    while (c->words[count] != NULL) {
        count++;
    }
    return clew_main(count, c->words);
}

static bool output_is_right(void *context, int status)
{
    struct command *c = context;
    size_t size = 0;
    char *bytes = scratch_read(c->output, &size);
    (void)unlink(c->output);
    bool is_right = bytes == NULL;
    if (status != 2 && c->wanted == NULL) {
        c->wanted = bytes;
        c->wanted_size = size;
        return bytes != NULL;
    }
    if (status != 2) {
        is_right = bytes != NULL && size == c->wanted_size && memcmp(bytes, c->wanted, size) == 0;
    }
    mem_free(bytes);
    return is_right;
}

static void sweep(struct command *c)
{
    const uint64_t calls = fault_sweep(&(struct fault_sweep){
        .run = run,
        .context = c,
        .output_is_right = c->output == NULL ? NULL : output_is_right,
    });
    CHECK(calls > 10);
    mem_free(c->wanted);
}

/* A capture in a format that is only read; NULL where one is not understood without rules. */
static const char *capture_in(const struct format *format)
{
    static const struct {
        const char *format, *path;
    } captures[] = {{"har", "har/couchdb.har"},
                    {"otlp", "otlp/spans.json"},
                    {"http-tsv", "http_tsv/tabs.tsv"},
                    {"jsonl", "reports_json/all.jsonl"},
                    {"csv", "reports_csv/all.csv"}};
    static char path[4096];
    for (size_t i = 0; i < sizeof captures / sizeof *captures; i++) {
        if (strcmp(captures[i].format, format->name) == 0) {
            (void)snprintf(path, sizeof path, "%s/test/fuzz/corpus/%s", getenv("CLEW_SOURCE"),
                           captures[i].path);
            return path;
        }
    }
    CHECK_TEXT(format->name, "http-log");
    return NULL;
}

/* The trace in this format, in a file of the scratch folder. */
static const char *trace_in(const struct format *format)
{
    if (format->create == NULL) {
        return capture_in(format);
    }
    const char *text = scratch_write("trace.txt", trace_text, sizeof trace_text - 1);
    static char name[64];
    (void)snprintf(name, sizeof name, "input%s", format->ending);
    const char *path = scratch_path(name);
    const char *const words[] = {"clew", "convert", "-q", text, "-o", path};
    CHECK_INT(clew_main(6, words), 0);
    return path;
}

static void sweep_conversion(const struct format *from, const struct format *to)
{
    const char *input = trace_in(from);
    const char *output = scratch_path("output");
    if (input == NULL) {
        return;
    }
    struct command c = {
        .words = {"clew", "convert", "-q", input, "--to", to->name, "-o", output},
        .output = output,
    };
    sweep(&c);
}

TEST(convert_from_every_format)
{
    for (size_t i = 0; formats_readable(i) != NULL; i++) {
        sweep_conversion(formats_readable(i), &format_native);
    }
}

TEST(convert_to_every_format)
{
    for (size_t i = 0; formats_writable(i) != NULL; i++) {
        sweep_conversion(&format_text, formats_writable(i));
    }
}

TEST(convert_between_all_formats)
{
    if (!test_is_long()) {
        print_message("# skipped: each format is read and written above; all pairs are for the "
                      "long tests\n");
        skip();
    }
    for (size_t i = 0; formats_readable(i) != NULL; i++) {
        for (size_t j = 0; formats_writable(j) != NULL; j++) {
            sweep_conversion(formats_readable(i), formats_writable(j));
        }
    }
}

TEST(convert_joins_inputs)
{
    const char *first = trace_in(&format_native);
    const char *second = scratch_path("trace.txt");
    const char *output = scratch_path("output.clew");
    sweep(&(struct command){
        .words = {"clew", "convert", "--one-run", first, second, "-o", output},
        .output = output,
    });
}

TEST(info_in_words_and_as_json)
{
    const char *input = trace_in(&format_native);
    sweep(&(struct command){.words = {"clew", "info", input}});
    sweep(&(struct command){.words = {"clew", "info", "--json", input}});
}

TEST(check_in_words_as_json_and_as_lines)
{
    static const char broken[] = "clew-text 1\nmain@a unlock m\nmain@b lock m\n";
    const char *input = scratch_write("broken.txt", broken, sizeof broken - 1);
    sweep(&(struct command){.words = {"clew", "check", input}});
    sweep(&(struct command){.words = {"clew", "check", "--json", input}});
    sweep(&(struct command){.words = {"clew", "check", "--jsonl", input}});
}

TEST(slice_by_past_and_by_condition)
{
    const char *input = trace_in(&format_native);
    const char *output = scratch_path("part.clew");
    sweep(&(struct command){
        .words = {"clew", "slice", input, "--event", "6", "-o", output},
        .output = output,
    });
    sweep(&(struct command){
        .words = {"clew", "slice", input, "--node", "a", "--since", "2", "-o", output},
        .output = output,
    });
}

TEST(races_of_a_trace_and_of_a_stream)
{
    const char *input = trace_in(&format_native);
    sweep(&(struct command){.words = {"clew", "races", input}});
    sweep(&(struct command){.words = {"clew", "races", "--json", "--one-run", input, input}});
    sweep(&(struct command){.words = {"clew", "races", "--model", "observed", "--jsonl", input}});
}

/* Programs that others wrote, played by scripts: a hundred runs of the true ones would take long.
 */
static void play_programs(void)
{
    static const char dot[] = "#!/bin/sh\necho '<svg>'; exec cat\n";
    static const char spin[] = "#!/bin/sh\n: > pan.c\n";
    static const char cc[] = "#!/bin/sh\nprintf '#!/bin/sh\\necho errors: 0\\n' > pan\n"
                             "chmod 755 pan\n";
    static const struct {
        const char *name;
        const char *text;
    } programs[] = {{"dot", dot}, {"spin", spin}, {"cc", cc}};
    char path[8192];
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        const char *file =
            scratch_write(programs[i].name, programs[i].text, strlen(programs[i].text));
        CHECK_INT(chmod(file, 0755), 0);
    }
    (void)snprintf(path, sizeof path, "%s:/usr/bin:/bin", scratch_folder());
    CHECK_INT(setenv("PATH", path, 1), 0);
}

TEST(atomicity_and_correlation)
{
    static const char text[] = "clew-text 1\nA@n read x @a\nA@n write y @b\nB@n write x @c\n"
                               "B@n read y @d\n";
    const char *input = scratch_write("pair.txt", text, sizeof text - 1);
    sweep(&(struct command){.words = {"clew", "atomicity", input}});
    sweep(&(struct command){.words = {"clew", "atomicity", "--explain", "1", input}});
    sweep(&(struct command){.words = {"clew", "atomicity", "--json", input, input}});
    sweep(&(struct command){.words = {"clew", "correlate", input}});
}

TEST(nets_as_text_and_as_pictures)
{
    static const char text[] = "clew-text 1\nA@n read x @a\nA@n write x @b\nB@n write x @c\n";
    const char *input = scratch_write("single.txt", text, sizeof text - 1);
    const char *dot = scratch_path("net.dot");
    const char *pnml = scratch_path("net.pnml");
    const char *svg = scratch_path("net.svg");
    play_programs();
    sweep(&(struct command){.words = {"clew", "petri", "--all", input, "-o", dot}, .output = dot});
    sweep(
        &(struct command){.words = {"clew", "petri", "--all", input, "-o", pnml}, .output = pnml});
    sweep(&(struct command){.words = {"clew", "petri", "--all", input, "-o", svg}, .output = svg});
}

/* The decision is the script's, which says no to all; and so it is. */
TEST(spin_as_another_judge)
{
    static const char text[] = "clew-text 1\nA@n lock m\nA@n read x @a\nA@n read x @b\n"
                               "A@n unlock m\nB@n lock m\nB@n write x @c\nB@n unlock m\n";
    const char *input = scratch_write("locked.txt", text, sizeof text - 1);
    play_programs();
    CHECK_INT(setenv("TMPDIR", scratch_folder(), 1), 0);
    sweep(&(struct command){.words = {"clew", "atomicity", "--compat", "spin", input}});
    CHECK_INT(unsetenv("TMPDIR"), 0);
}

TEST(rules_checked_and_used)
{
    static const char right[] = "read POST */search res=query:key\n";
    static const char wrong[] = "read PSOT */search\nline '%t'\n";
    static const char table[] = "trackingId Event ResourceUri Response\n"
                                "1 POST http://h/things/search?key=7 200\n"
                                "2 PUT http://h/things/7 200\n";
    const char *rules = scratch_write("right.rules", right, sizeof right - 1);
    const char *faulty = scratch_write("wrong.rules", wrong, sizeof wrong - 1);
    const char *input = scratch_write("table.tsv", table, sizeof table - 1);
    sweep(&(struct command){.words = {"clew", "rules", "check", rules}});
    sweep(&(struct command){.words = {"clew", "rules", "check", faulty}});
    sweep(&(struct command){.words = {"clew", "info", "--rules", rules, input}});
}

TEST(help)
{
    sweep(&(struct command){.words = {"clew", "help", "check"}});
}

TEST(the_tour)
{
    if (!test_is_long()) {
        print_message("# skipped: its commands are swept above; all of it is for the long tests\n");
        skip();
    }
    sweep(&(struct command){.words = {"clew", "demo"}});
}
