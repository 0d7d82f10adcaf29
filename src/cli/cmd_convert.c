/* clew convert: a trace in another format. */
#include <string.h>
#include <unistd.h>

#include "cli/formats.h"
#include "cli/reading.h"
#include "cli/report.h"

struct convert_options {
    struct common common;
    int to; /* a format, by its place in formats_all; -1: by the ending of the output */
};

static int choose_format(const struct convert_options *o, const char *path,
                         const struct format **format, struct err *e)
{
    *format = o->to >= 0 ? formats_all()[o->to] : format_of_path(formats_all(), path);
    if (*format == NULL && strcmp(path, "-") == 0) {
        return session_misused(
            e, "standard output has no ending to tell the format by: say --to FORMAT");
    }
    if (*format == NULL) {
        return session_misused(e, "%s: no format has this ending: say --to FORMAT", path);
    }
    if ((*format)->create == NULL) {
        return err_set(e, "traces in %s form can only be read, not written", (*format)->name);
    }
    return 0;
}

static int copy_events(struct reading *r, struct writer *w, struct err *e)
{
    struct batch b;
    int more = 0;
    while ((more = reading_next(r, &b, e)) > 0) {
        if (writer_write(w, b.events, b.count, e) < 0) {
            return -1;
        }
    }
    return more;
}

static void print_json(struct session *s, const struct reading *r, const struct format *format)
{
    struct finding_file f;
    report_begin(&f, s);
    f.event_count = r->event_count;
    f.verdict = VERDICT_CLEAN;
    finding_file_count(&f, "events", r->event_count);
    finding_file_text(&f, "format", format->name);
    finding_file_text(&f, "output", s->common->output);
    report_print(&f, s);
    finding_file_release(&f);
}

/* Writes all of r to the output; enum exit_status or -1. What the new format could not hold is
 * noted in `lost`. */
static int convert(struct reading *r, const struct format *format, struct notes *lost,
                   struct err *e)
{
    struct session *s = r->session;
    struct out out;
    if (out_open(&out, s->common->output, e) < 0) {
        return -1;
    }
    struct writer *w = format->create(&out, &r->tables, lost);
    if (copy_events(r, w, e) < 0) {
        writer_abandon(w);
        return -1;
    }
    if (r->is_cut) {
        writer_abandon(w);
        reading_warn(r);
        return EXIT_BUDGET;
    }
    if (writer_close(w, e) < 0) {
        return -1;
    }
    reading_warn(r);
    session_warn(s, s->common->output, lost);
    if (s->common->json) {
        print_json(s, r, format);
    }
    return EXIT_CLEAN;
}

static int run(struct session *s, const void *options, struct err *e)
{
    const struct convert_options *o = options;
    const struct format *format = NULL;
    if (s->common->output == NULL) {
        return session_misused(e, "where to? say -o OUT, or -o - for standard output");
    }
    const bool is_stdout = strcmp(s->common->output, "-") == 0;
    if (is_stdout && s->common->json) {
        return session_misused(e, "--json and -o - cannot both have standard output");
    }
    const int chosen = choose_format(o, s->common->output, &format, e);
    if (chosen < 0) {
        return chosen;
    }
    if (is_stdout && format == &format_native && isatty(STDOUT_FILENO) == 1) {
        return err_set(e, "the native form is not for terminals: say -o FILE, or --to text");
    }
    struct reading r;
    const int opened = reading_open(&r, s, e);
    if (opened < 0) {
        return opened;
    }
    struct notes lost = {0};
    const int status = convert(&r, format, &lost, e);
    notes_release(&lost);
    reading_close(&r);
    return status;
}

static const struct option options[] = {
    COMMON_OUTPUT("where the result goes; - is standard output"),
    {.name = "to",
     .type = OPTION_CHOICE,
     .argument = "FORMAT",
     .word = formats_word,
     .target = offsetof(struct convert_options, to),
     .help = "write this format; without it, the ending of the output tells which"},
    COMMON_INPUT,
    COMMON_JSON,
    COMMON_BUDGET,
    COMMON_ALWAYS,
    {0},
};

static const struct convert_options defaults = {.common = COMMON_DEFAULTS, .to = -1};

static const struct example examples[] = {
    {"clew convert bank.log -o bank.clew", "A foreign log into clew's own format."},
    {"clew convert bank.clew --to text -o - | less", "A trace for eyes, a line per event."},
    {"clew convert --one-run a.log b.log c.log -o run.clew",
     "The logs of three nodes as one trace."},
    {0},
};

const struct verb verb_convert = {
    .name = "convert",
    .summary = "write a trace in another format",
    .operands = "IN... -o OUT",
    .operand_min = 1,
    .operand_max = SIZE_MAX,
    .about = "Reads a trace of any format, which is recognized by its content, and writes it in "
             "the one that --to or the ending of OUT names. Events stream through, so a trace may "
             "be larger than memory. OUT appears when it is whole, or not at all; it may be IN.",
    .exit_statuses = "0 OUT is written\n2 it could not be\n3 the budget ended first; OUT is not "
                     "written",
    .options = options,
    .defaults = &defaults,
    .options_size = sizeof(struct convert_options),
    .examples = examples,
    .run = run,
};
