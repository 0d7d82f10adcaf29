/* clew rules: looks at a file of rules for captures of HTTP. */
#include <string.h>

#include "cli/text/findings_output.h"
#include "cli/text/verdict.h"
#include "import/http/http_rules.h"

struct rules_options {
    struct common common;
};

static void print_json(struct session *s, const struct http_rules *r, const struct http_faults *f)
{
    struct finding_file file = {0};
    report_begin(&file, s);
    file.verdict = verdict_of(f->list.count > 0, false);
    finding_file_count(&file, "rules", r->written);
    finding_file_count(&file, "faults", f->list.count);
    report_print(&file, s);
    finding_file_release(&file);
}

static void print_text(struct session *s, const char *path, const struct http_rules *r,
                       const struct http_faults *f)
{
    vec_each (&f->list, fault) {
        session_text(s, path);
        out_format(&s->out, ":%u:%u: ", fault->line, fault->column);
        session_text(s, fault->text);
        out_char(&s->out, '\n');
    }
    if (f->list.count == 0) {
        session_text(s, path);
        out_text(&s->out, ": ");
        report_count(&s->out, r->written, "rule", "rules");
        out_text(&s->out, ", nothing wrong\n");
    }
}

static int check(struct session *s, const char *path, struct err *e)
{
    struct http_rules r;
    struct http_faults f = {0};
    int status = EXIT_CLEAN;
    if (http_rules_read(&r, path, &f, e) < 0) {
        status = f.list.count > 0 ? verdict_status(VERDICT_FOUND) : -1;
    }
    if (status >= 0 && s->common->json) {
        print_json(s, &r, &f);
    } else if (status >= 0) {
        print_text(s, path, &r, &f);
    }
    http_faults_release(&f);
    http_rules_release(&r);
    return status;
}

static int run(struct session *s, __attribute__((unused)) const void *options, struct err *e)
{
    const char *word = s->inputs[0];
    if (strcmp(word, "builtin") == 0 && s->input_count == 1) {
        out_text(&s->out, http_rules_builtin);
        return EXIT_CLEAN;
    }
    if (strcmp(word, "check") == 0 && s->input_count == 2) {
        return check(s, s->inputs[1], e);
    }
    return session_misused(e, "rules wants check FILE, or builtin");
}

static const struct option options[] = {COMMON_JSON, COMMON_ALWAYS, {0}};
static const struct rules_options defaults = {.common = COMMON_DEFAULTS};

static const struct example examples[] = {
    {"clew rules check shop.rules", "List the errors of the file, by line and column."},
    {"clew rules builtin > shop.rules", "Start your own rules from the built-in ones."},
    {"clew info --rules shop.rules capture.har",
     "Print statistics of a capture under these rules."},
    {0},
};

const struct verb verb_rules = {
    .name = "rules",
    .summary = "check a file of rules for HTTP captures",
    .operands = "check FILE | builtin",
    .operand_min = 1,
    .operand_max = 2,
    .about = "Rules define which HTTP request reads or writes which resource, which resources are "
             "locks, where the tracking id and the version of a resource are, and how to parse the "
             "lines of a log. clew-rules(5) describes the format. Verbs that read traces take the "
             "file with --rules FILE. The built-in rules for plain REST apply to all requests that "
             "the file does not mention.",
    .exit_statuses =
        "0 the file has no errors\n1 the file has errors\n2 the file could not be read",
    .options = options,
    .defaults = &defaults,
    .options_size = sizeof(struct rules_options),
    .examples = examples,
    .run = run,
};
