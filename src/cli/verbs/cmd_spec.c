/* clew spec: checks a specification and prints it. */
#include <string.h>

#include "base/suggest.h"
#include "cli/input/spec_file.h"
#include "cli/text/findings_output.h"

struct spec_options {
    struct common common;
};

static void print_property(struct session *s, const struct spec *spec,
                           const struct spec_property *p)
{
    struct out text;
    out_open_memory(&text);
    spec_print_node(spec, p->root, &text);
    out_text(&s->out, "  ");
    session_text(s, names_text(&spec->names, p->name));
    out_format(&s->out, " (%s%s): %s ", spec_severity_word(p->severity),
               spec_at(spec, p->root)->is_temporal ? ", temporal" : "", spec_claim_word(p->claim));
    session_bytes(s, text.buffer, text.used);
    out_char(&s->out, '\n');
    out_abandon(&text);
}

static void print_text(struct session *s, const char *path, const struct spec *spec)
{
    session_text(s, path);
    out_text(&s->out, ": ");
    report_count(&s->out, spec->properties.count, "property", "properties");
    out_format(&s->out, ", %zu temporal", spec_count_temporal(spec));
    if (spec->groups.count > 0) {
        out_text(&s->out, ", ");
        report_count(&s->out, spec->groups.count, "group", "groups");
    }
    out_char(&s->out, '\n');
    vec_each (&spec->properties, p) {
        print_property(s, spec, p);
    }
}

static int check_file(struct session *s, const char *path, struct finding_file *f, struct err *e)
{
    struct spec spec;
    spec_init(&spec);
    const int result = spec_file_read(&spec, path, e);
    if (result < 0) {
        spec_release(&spec);
        return -1;
    }
    if (s->common->json) {
        finding_file_count(f, "properties", spec.properties.count);
        finding_file_count(f, "temporal", spec_count_temporal(&spec));
        finding_file_count(f, "groups", spec.groups.count);
    } else {
        print_text(s, path, &spec);
    }
    spec_release(&spec);
    return result;
}

static int run(struct session *s, const void *options, struct err *e)
{
    (void)options;
    static const char word[] = "check";
    if (strcmp(s->inputs[0], word) != 0) {
        struct suggest nearest = {.wanted = s->inputs[0]};
        suggest_try(&nearest, word);
        return session_misused(e, "\"%.80s\" is nothing that is done to specifications%s",
                               s->inputs[0],
                               nearest.nearest != NULL ? ", did you mean check?" : ": check is");
    }
    struct finding_file f;
    report_begin(&f, s);
    f.inputs.at[0] = f.inputs.at[--f.inputs.count]; /* without the word */
    const int result = check_file(s, s->inputs[1], &f, e);
    if (result == 0 && s->common->json) {
        report_print(&f, s);
    }
    finding_file_release(&f);
    return result < 0 ? -1 : EXIT_CLEAN;
}

static const struct option options[] = {COMMON_JSON, COMMON_ALWAYS, {0}};

static const struct spec_options defaults = {.common = COMMON_DEFAULTS};

static const struct example examples[] = {
    {"clew spec check raft.spec", "Check raft.spec and print its properties as parsed."},
    {"echo 'a: never s1.x + s2.x > 1' | clew spec check -",
     "Check one property from standard input."},
    {0},
};

const struct verb verb_spec = {
    .name = "spec",
    .summary = "check the syntax of a file of properties",
    .operands = "check FILE",
    .operand_min = 2,
    .operand_max = 2,
    .about = "Parses a file in the property language (man 5 clew-spec) and prints its properties "
             "as parsed, one a line. Reports errors with line and column, and suggests the nearest "
             "word for a misspelt one. Does not check whether processes and variables exist; that "
             "needs a system or a trace.",
    .exit_statuses =
        "0 the file is a valid specification\n2 the file has errors or could not be read",
    .options = options,
    .defaults = &defaults,
    .options_size = sizeof(struct spec_options),
    .examples = examples,
    .run = run,
};
