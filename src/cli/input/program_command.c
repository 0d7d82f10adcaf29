#include "cli/input/program_command.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/text/stdout_redirect.h"

const char *command_mode_word(size_t index)
{
    return control_mode_name((int)index);
}

const char *command_fail_word(size_t index)
{
    return index == 0 ? "exit" : NULL;
}

const char *command_files_word(size_t index)
{
    static const char *const words[] = {"private", "shared"};
    return index < sizeof words / sizeof *words ? words[index] : NULL;
}

int command_check(const struct session *s, const struct command_choice *choice, struct err *e)
{
    const bool is_said = choice->mode >= 0 || choice->fail_on >= 0 || choice->property != NULL ||
                         choice->watch.count > 0 || choice->hang != COMMAND_HANG ||
                         choice->spurious != 0 || choice->files != 0 || choice->setup != NULL;
    if (s->command == NULL && is_said) {
        return session_misused(e,
                               "--mode, --fail-on, --property, --watch, --files, --setup, --hang "
                               "and --spurious-wakeups are for programs, not for systems");
    }
    if (s->common->cluster != NULL && (choice->files != 0 || choice->setup != NULL)) {
        return session_misused(e, "--cluster: nodes have files of their own: not with --files or "
                                  "--setup");
    }
    if (choice->files != 0 && choice->setup != NULL) {
        return session_misused(e, "--setup prepares private files: not with --files shared");
    }
    if (choice->hang == 0 || choice->hang > COMMAND_HANG_MAX) {
        return session_misused(e, "--hang: from 1 to %d seconds", COMMAND_HANG_MAX);
    }
    if (choice->spurious > COMMAND_SPURIOUS_MAX) {
        return session_misused(e, "--spurious-wakeups: at most %d", COMMAND_SPURIOUS_MAX);
    }
    return 0;
}

int command_open(struct world **w, const struct session *s, const struct command_choice *choice,
                 const struct spec *spec, struct err *e)
{
    const struct control_options options = {
        .command = (char *const *)(uintptr_t)s->command,
        .cluster = s->common->cluster,
        .mode = choice->mode,
        .fails_on_exit = choice->fail_on == 0,
        .verify_every = choice->verify_every,
        .shows_output = choice->shows_output,
        .spec = spec,
        .property = choice->property,
        .watch = choice->watch.at,
        .watch_count = (uint32_t)choice->watch.count,
        .spurious_max = (uint32_t)choice->spurious,
        .shares_files = choice->files != 0,
        .setup = choice->setup,
        .hang_ns = s->common->cluster != NULL && choice->hang == COMMAND_HANG
                       ? 0 /* as the cluster file says */
                       : choice->hang * UINT64_C(1000000000),
    };
    /* A missing program must not be taken for another one. */
    if (strchr(s->command[0], '/') != NULL && access(s->command[0], F_OK) < 0) {
        return err_set(e, "%s: cannot be run: %s", s->command[0], strerror(errno));
    }
    if (choice->property != NULL &&
        (choice->shows_output ? printed_show(e) : printed_drop(e)) < 0) {
        return -1;
    }
    return control_open(w, &options, e);
}

void command_print_word(struct out *out, const char *word)
{
    const bool is_plain =
        word[0] != '\0' &&
        strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=+,:@%-") ==
            strlen(word);
    if (is_plain) {
        out_text(out, word);
        return;
    }
    out_quoted(out, word);
}

static void print_option(struct out *out, const char *name, const char *value)
{
    if (value != NULL) {
        out_format(out, "--%s ", name);
        command_print_word(out, value);
        out_char(out, ' ');
    }
}

void command_print_options(struct out *out, const struct command_choice *choice, const char *spec,
                           const char *config)
{
    print_option(out, "spec", spec);
    print_option(out, "config", config);
    print_option(out, "fail-on", command_fail_word((size_t)choice->fail_on));
    print_option(out, "property", choice->property);
    print_option(out, "setup", choice->setup);
    print_option(out, "files",
                 choice->files == 0 ? NULL : command_files_word((size_t)choice->files));
    for (size_t i = 0; i < choice->watch.count; i++) {
        print_option(out, "watch", choice->watch.at[i]);
    }
    if (choice->spurious > 0) {
        out_format(out, "--spurious-wakeups %llu ", (unsigned long long)choice->spurious);
    }
}

/* A copy of the collected text. */
static char *keep(struct out *text)
{
    char *copy = mem_text(text->buffer, text->used);
    out_abandon(text);
    return copy;
}

char *command_print(const struct session *s)
{
    struct out text;
    out_open_memory(&text);
    out_text(&text, s->common->cluster != NULL ? "--cluster" : "--");
    for (size_t i = 0; i < s->command_count; i++) {
        out_char(&text, ' ');
        command_print_word(&text, s->command[i]);
    }
    return keep(&text);
}

char *command_print_one(const char *word)
{
    struct out text;
    out_open_memory(&text);
    command_print_word(&text, word);
    return keep(&text);
}

const char *command_doubt(struct world *w)
{
    const struct control_told told = control_told(w);
    const struct {
        bool is_so;
        const char *words;
    } doubts[] = {
        {told.outside_count > 0, "calls were not controlled"},
        {told.is_inexact, "tasks spun or looked at clocks"},
        {told.unlike > 0, "the program is not deterministic"},
        {told.left[0] != '\0', "runs left something outside of their directory"},
        {told.unseen_count > 0, "code that clew cc did not build ran in several tasks"},
        {told.unmodelled_count > 0, "tasks share state inside of library functions"},
        {told.has_drawn, "random numbers came from one seed"},
        {told.has_waited, "waits for conditions ended only by signals (--spurious-wakeups 1)"},
        {told.has_weak_order, "atomic operations are weaker than seq_cst"},
    };
    for (size_t i = 0; i < sizeof doubts / sizeof *doubts; i++) {
        if (doubts[i].is_so) {
            return doubts[i].words;
        }
    }
    return NULL;
}
