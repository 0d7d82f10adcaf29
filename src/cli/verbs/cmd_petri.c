/* clew petri: a finding, or a whole execution, as a Petri net. */
#include <stdio.h>
#include <string.h>

#include "atomicity/petri.h"
#include "cli/input/trace_input.h"
#include "cli/text/findings_output.h"
#include "cli/text/graphviz.h"

struct petri_command {
    struct common common;
    const char *finding;
    bool all;
};

enum { TRANSITIONS_MAX = 2000 };

/* ---- the drawing ---- */

/* The finding that is asked for, by its number or its key. */
static const struct finding *find(const struct finding_file *f, const char *wanted)
{
    for (size_t i = 0; i < f->findings.list.count; i++) {
        const struct finding *finding = &f->findings.list.at[i];
        char number[24];
        (void)snprintf(number, sizeof number, "%u",
                       finding->id != 0 ? finding->id : (unsigned)i + 1);
        if (strcmp(wanted, number) == 0 || strcmp(wanted, finding->key) == 0) {
            return finding;
        }
    }
    return NULL;
}

static int draw_finding(struct net *net, const char *path, const char *wanted, struct err *e)
{
    struct in in;
    if (in_open(&in, path, e) < 0) {
        return err_wrap(e, "%s", path);
    }
    struct finding_file file = {0};
    const int parsed = finding_file_parse(&file, &in, e);
    in_close(&in);
    if (parsed < 0) {
        return err_wrap(e, "%s (findings are what --json printed; for a trace say --all)", path);
    }
    const struct finding *finding = find(&file, wanted);
    int result = 0;
    if (finding == NULL) {
        result = err_set(e, "%s: has no finding %s among its %zu", path, wanted,
                         file.findings.list.count);
    } else {
        net_of_finding(net, finding);
        if (net->transitions.count == 0) {
            result = err_set(e, "%s: finding %s has no accesses to draw", path, wanted);
        }
    }
    finding_file_release(&file);
    return result;
}

static int draw_trace(struct net *net, struct session *s, struct err *e)
{
    struct reading reading;
    if (reading_open(&reading, s, e) < 0) {
        return -1;
    }
    struct notes notes = {0};
    int result = reading_load(&reading, e);
    if (result == 0) {
        reading_warn(&reading);
        e->text[0] = '\0';
        if (!reading.is_cut && !net_of_trace(net, &reading.trace, TRANSITIONS_MAX, &notes, e)) {
            result = e->text[0] != '\0'
                         ? -1
                         : err_set(e,
                                   "%s: more than %d accesses, which nobody can read as a net "
                                   "(clew slice makes a part of it)",
                                   reading.name, TRANSITIONS_MAX);
        }
    }
    notes_release(&notes);
    reading_close(&reading);
    return result;
}

/* ---- how ---- */

static bool ends_in(const char *path, const char *ending)
{
    const size_t size = strlen(path);
    return size >= strlen(ending) && strcmp(path + size - strlen(ending), ending) == 0;
}

static void print_dot(const void *net, struct out *out)
{
    net_print_dot(net, out);
}

static int print_net(const struct net *net, const char *path, struct err *e)
{
    struct out out;
    if (out_open(&out, path, e) < 0) {
        return -1;
    }
    if (ends_in(path, ".svg")) {
        if (graphviz_draw(print_dot, net, &out, e) < 0) {
            out_abandon(&out);
            return err_wrap(e, "%s", path);
        }
    } else if (ends_in(path, ".pnml")) {
        net_print_pnml(net, &out);
    } else {
        net_print_dot(net, &out);
    }
    return out_close(&out, e);
}

static int run(struct session *s, const void *options, struct err *e)
{
    const struct petri_command *c = options;
    const char *path = c->common.output == NULL ? "-" : c->common.output;
    if ((c->finding == NULL) == !c->all) {
        return session_misused(e, "--finding N of a findings file, or --all of a trace");
    }
    if (strcmp(path, "-") != 0 && !ends_in(path, ".dot") && !ends_in(path, ".pnml") &&
        !ends_in(path, ".svg")) {
        return session_misused(e, "--output ends in .dot, .pnml or .svg");
    }
    struct net net = {0};
    int result = c->all ? draw_trace(&net, s, e) : draw_finding(&net, s->inputs[0], c->finding, e);
    if (result == 0) {
        result = print_net(&net, path, e);
    }
    net_release(&net);
    return result < 0 ? -1 : EXIT_CLEAN;
}

static const struct option options[] = {
    {.name = "finding",
     .type = OPTION_TEXT,
     .argument = "N",
     .target = offsetof(struct petri_command, finding),
     .help = "the finding to draw, by its number or its key"},
    {.name = "all",
     .type = OPTION_FLAG,
     .target = offsetof(struct petri_command, all),
     .help = "draw a whole trace: all accesses of its tasks to shared objects"},
    COMMON_ROW(output, .name = "output", .letter = 'o', .type = OPTION_OUTPUT, .argument = "FILE",
               .help = "write the net to FILE: .dot, .pnml or .svg (needs graphviz); - is standard "
                       "output, as DOT (default)"),
    COMMON_INPUT,
    COMMON_ALWAYS,
    {0},
};

static const struct petri_command defaults = {.common = COMMON_DEFAULTS};

static const struct example examples[] = {
    {"clew atomicity bank.clew --json > bank.findings", "Write the findings to a file."},
    {"clew petri bank.findings --finding 1 -o net.svg", "Draw the first of them."},
    {"clew petri capture.har --all -o net.pnml",
     "Write a whole HTTP capture for a tool that reads PNML."},
    {0},
};

const struct verb verb_petri = {
    .name = "petri",
    .summary = "draw a finding or a whole execution as a Petri net",
    .operands = "FINDINGS|TRACE",
    .operand_min = 1,
    .operand_max = 1,
    .about = "Draws the accesses of tasks to variables or HTTP resources. Each access is a "
             "transition; each task is a line of places; each variable is a place. A read tests "
             "the variable's place; a write consumes from it and produces into it. --all adds "
             "places for locks, for orders between tasks and for versions, so that the net allows "
             "the same executions as the analysis. NonAtomic marks the interrupted accesses of a "
             "finding, or a read and a write that nothing makes atomic.",
    .exit_statuses = "0 the net was written\n2 the input could not be read or has no such finding",
    .options = options,
    .defaults = &defaults,
    .options_size = sizeof(struct petri_command),
    .examples = examples,
    .run = run,
};
