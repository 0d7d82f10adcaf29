/* clew convert: a trace in another format. */
#include "cli/input/trace_input.h"
#include "cli/text/trace_output.h"
#include "cli/text/verdict.h"

struct convert_options {
    struct common common;
};

static int copy_events(struct reading *r, struct writing *w, struct err *e)
{
    struct batch b;
    int more = 0;
    while ((more = reading_next(r, &b, e)) > 0) {
        if (writing_write(w, b.events, b.count, e) < 0) {
            return -1;
        }
    }
    return more;
}

/* Writes all of r; enum exit_status or -1. */
static int convert(struct reading *r, struct writing *w, struct err *e)
{
    if (writing_open(w, &r->trace.tables, e) < 0) {
        return -1;
    }
    if (copy_events(r, w, e) < 0) {
        writing_abandon(w);
        return -1;
    }
    if (r->is_cut) {
        writing_abandon(w);
        reading_warn(r);
        return verdict_status(VERDICT_UNKNOWN);
    }
    if (writing_close(w, e) < 0) {
        return -1;
    }
    reading_warn(r);
    return EXIT_CLEAN;
}

static int run(struct session *s, const void *options, struct err *e)
{
    (void)options;
    struct writing w;
    int status = writing_choose(&w, s, e);
    if (status < 0) {
        return status;
    }
    struct reading r;
    status = reading_open(&r, s, e);
    if (status < 0) {
        return status;
    }
    status = convert(&r, &w, e);
    reading_close(&r);
    return status;
}

static const struct option options[] = {
    COMMON_OUTPUT, COMMON_INPUT, COMMON_JSON, COMMON_BUDGET, COMMON_ALWAYS, {0},
};

static const struct convert_options defaults = {.common = COMMON_DEFAULTS};

static const struct example examples[] = {
    {"clew convert bank.log -o bank.clew", "Convert a foreign log to clew's native format."},
    {"clew convert bank.clew --to text -o - | less", "Read a trace as text, one line per event."},
    {"clew convert run.clew -o run.trace.json", "Look at a recording in Perfetto."},
    {"clew convert --one-run a.log b.log c.log -o run.clew",
     "Join the logs of three nodes into one trace."},
    {0},
};

const struct verb verb_convert = {
    .name = "convert",
    .summary = "write a trace in another format",
    .operands = "IN... -o OUT",
    .operand_min = 1,
    .operand_max = SIZE_MAX,
    .replaces_input = true,
    .about =
        "Reads a trace in any format, recognized by its content, and writes it in the format that "
        "--to or the extension of OUT names. Streams the events, so a trace may be larger than "
        "memory. Creates OUT only when it is complete. OUT may be the same file as IN.",
    .exit_statuses = "0 OUT was written\n2 IN could not be read or OUT could not be written\n3 the "
                     "budget ended first; OUT was not written",
    .options = options,
    .defaults = &defaults,
    .options_size = sizeof(struct convert_options),
    .examples = examples,
    .run = run,
};
