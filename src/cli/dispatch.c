#include "cli/dispatch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/suggest.h"
#include "cli/session.h"
#include "cli/text/help.h"
#include "cli/text/output_check.h"
#include "cli/verb.h"

/* One line that names the fault and where to read on. */
static int usage_error(const struct verb *verb, const struct err *e)
{
    session_say("%s (see clew %s%s--help)", e->text, verb == NULL ? "" : verb->name,
                verb == NULL ? "" : " ");
    return verb != NULL && verb->status_unable != 0 ? verb->status_unable : EXIT_UNABLE;
}

static bool wants_color(const struct common *common)
{
    switch ((enum color_when)common->color) {
    case COLOR_ALWAYS: return true;
    case COLOR_NEVER: return false;
    case COLOR_AUTO: break;
    }
    const char *no_color = getenv("NO_COLOR");
    return (no_color == NULL || no_color[0] == '\0') && isatty(STDOUT_FILENO) == 1;
}

/* A reader that went away (as head does) asked for no more: the status says that not all was
 * written, but no words are needed. */
static int run_error(const struct err *e)
{
    if (e->reason != EPIPE) {
        session_say("%s", e->text);
    }
    return EXIT_UNABLE;
}

/* Writes the rest of standard output. An earlier failure was already reported. */
static int finish_output(struct out *out, int status)
{
    must(status >= 0);
    struct err e;
    if (out_flush(out, &e) < 0 && status != EXIT_UNABLE) {
        status = run_error(&e);
    }
    out_abandon(out);
    return status;
}

/* A program behind "--" stands for the last operand. */
static bool has_command(const struct verb *verb, const struct operands *operands)
{
    return verb->takes_command && operands->has_command;
}

static int check_operands(const struct verb *verb, const struct operands *operands, struct err *e)
{
    must(operands->command <= operands->list.count);
    const size_t count = has_command(verb, operands) ? operands->command + 1 : operands->list.count;
    if (has_command(verb, operands) && operands->command == operands->list.count) {
        return err_set(e, "%s needs a program behind --", verb->name);
    }
    if (count < verb->operand_min) {
        return err_set(e, "%s needs %s: clew %s [options] %s", verb->name,
                       count == 0 ? "an input" : "more than that", verb->name, verb->operands);
    }
    if (count > verb->operand_max) {
        return err_set(e, "%s takes %s; \"%.80s\" is one too many", verb->name,
                       verb->operand_max == 0 ? "no operands" : verb->operands,
                       operands->list.at[verb->operand_max]);
    }
    return 0;
}

static int read_suppressions(struct session *s, struct err *e)
{
    const struct common *c = s->common;
    if (c->suppress != NULL && suppressions_read(&s->suppressions, c->suppress, e) < 0) {
        return -1;
    }
    return c->baseline == NULL ? 0 : suppressions_read_baseline(&s->suppressions, c->baseline, e);
}

static bool wants_exports(const struct common *c)
{
    bool is_wanted = c->github;
    for (size_t i = 0; i < EXPORT_FORMAT_COUNT; i++) {
        is_wanted = is_wanted || c->exports[i] != NULL;
    }
    return is_wanted;
}

static void begin_exports(struct session *s)
{
    s->exports = (struct exports){.verb = s->verb->name, .is_wanted = wants_exports(s->common)};
    for (size_t i = 0; i < s->input_count; i++) {
        vec_push(&s->exports.inputs, s->inputs[i]);
    }
    if (s->input_count == 0 && s->command != NULL) {
        vec_push(&s->exports.inputs, s->command[0]);
    }
}

/* Writes what the verb has exported to the files of --sarif and --junit, and annotations. A command
 * that could not run leaves the files as they were. */
static int write_exports(struct session *s, int status, struct err *e)
{
    struct out out;
    s->exports.end = status == EXIT_FOUND     ? EXPORT_FOUND
                     : status == EXIT_UNKNOWN ? EXPORT_UNKNOWN
                                              : EXPORT_CLEAN;
    for (size_t i = 0; i < EXPORT_FORMAT_COUNT; i++) {
        const char *path = s->common->exports[i];
        if (path == NULL) {
            continue;
        }
        if (out_open(&out, path, e) < 0) {
            return -1;
        }
        export_writers[i](&s->exports, &out);
        if (out_close(&out, e) < 0) {
            return -1;
        }
    }
    if (!s->common->github) {
        return 0;
    }
    out_open_fd(&out, STDERR_FILENO);
    exports_annotate(&s->exports, &out);
    const int result = out_flush(&out, e);
    out_abandon(&out);
    return result;
}

/* Runs the verb, and then says which suppressions were of no use to it. */
static int run_suppressed(struct session *s, const void *options, struct err *e)
{
    int status = read_suppressions(s, e);
    begin_exports(s);
    for (size_t i = 0; i < EXPORT_FORMAT_COUNT && status == 0; i++) {
        const char *path = s->common->exports[i];
        status = path == NULL ? 0 : output_check_writable(path, e);
    }
    if (status == 0) {
        status = s->verb->run(s, options, e);
    }
    if (status >= 0 && status != EXIT_UNABLE && write_exports(s, status, e) < 0) {
        status = -1;
    }
    exports_release(&s->exports);
    if (status >= 0 && status != EXIT_UNABLE) {
        struct notes notes = {0};
        suppressions_note(&s->suppressions, &notes);
        session_warn(s, s->verb->name, &notes);
        notes_release(&notes);
    }
    suppressions_release(&s->suppressions);
    return status;
}

static int run_verb(const struct verb *verb, const void *options, struct operands *operands)
{
    const struct common *common = options;
    if (common->cluster != NULL) { /* it stands for the program and its words */
        operands->has_command = true;
        operands->command = operands->list.count;
        vec_push(&operands->list, common->cluster);
    }
    vec_push(&operands->list, NULL);
    operands->list.count--;
    const bool is_command = has_command(verb, operands);
    struct session s = {
        .verb = verb,
        .common = options,
        .inputs = operands->list.at,
        .input_count = is_command ? operands->command : operands->list.count,
        .command = is_command ? operands->list.at + operands->command : NULL,
        .command_count = is_command ? operands->list.count - operands->command : 0,
    };
    must(s.input_count + s.command_count >= operands->list.count);
    s.budget = s.common->budget;
    limit_begin(&s.budget);
    s.is_colored = wants_color(s.common);
    out_open_fd(&s.out, STDOUT_FILENO);

    struct err e = {0};
    int status = EXIT_CLEAN;
    if (s.common->help) {
        help_verb(&s.out, verb);
    } else if (check_operands(verb, operands, &e) < 0 || outputs_check(&s, options, &e) < 0) {
        status = usage_error(verb, &e);
    } else {
        status = run_suppressed(&s, options, &e);
        if (status < 0) {
            status = status == MISUSED ? usage_error(verb, &e) : run_error(&e);
        }
    }
    return finish_output(&s.out, status);
}

static int parse_and_run(const struct verb *verb, const char *const *words, size_t word_count)
{
    must(verb->options_size >= sizeof(struct common));
    void *options = mem_zero(1, verb->options_size);
    memcpy(options, verb->defaults, verb->options_size);
    struct operands operands = {0};
    struct err e = {0};
    int status = 0;
    if (verb->has_foreign_words && !(word_count == 1 && strcmp(words[0], "--help") == 0)) {
        for (size_t i = 0; i < word_count; i++) {
            vec_push(&operands.list, words[i]);
        }
        status = run_verb(verb, options, &operands);
    } else if (options_parse(verb->options, options, words, word_count, &operands, &e) < 0) {
        status = usage_error(verb, &e);
    } else {
        status = run_verb(verb, options, &operands);
    }
    vec_release(&operands.list);
    mem_free(options);
    return status;
}

static int unknown_verb(const char *name)
{
    struct suggest nearest = {.wanted = name};
    for (size_t i = 0; verbs[i] != NULL; i++) {
        suggest_try(&nearest, verbs[i]->name);
    }
    struct err e;
    const char *what = name[0] == '-' ? "option" : "verb";
    if (nearest.nearest == NULL) {
        (void)err_set(&e, "unknown %s \"%.80s\"", what, name);
    } else {
        (void)err_set(&e, "unknown %s \"%.80s\", did you mean %s?", what, name, nearest.nearest);
    }
    return usage_error(NULL, &e);
}

static int print_help(const char *name)
{
    const struct verb *verb = name == NULL ? NULL : verb_find(name);
    if (name != NULL && verb == NULL) {
        return unknown_verb(name);
    }
    struct out out;
    out_open_fd(&out, STDOUT_FILENO);
    if (verb == NULL) {
        help_verbs(&out);
    } else {
        help_verb(&out, verb);
    }
    return finish_output(&out, EXIT_CLEAN);
}

static int print_version(void)
{
    struct out out;
    out_open_fd(&out, STDOUT_FILENO);
    out_text(&out, "clew " CLEW_VERSION "\n");
    return finish_output(&out, EXIT_CLEAN);
}

int clew_main(int argc, const char *const *argv)
{
    if (argc < 2) {
        struct err e;
        (void)err_set(&e, "which verb?");
        return usage_error(NULL, &e);
    }
    const char *name = argv[1];
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        return print_version();
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        return print_help(NULL);
    }
    if (strcmp(name, "help") == 0) {
        return print_help(argc > 2 ? argv[2] : NULL);
    }
    const struct verb *verb = verb_find(name);
    return verb == NULL ? unknown_verb(name) : parse_and_run(verb, argv + 2, (size_t)argc - 2);
}
