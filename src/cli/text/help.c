#include "cli/text/help.h"

#include <string.h>

#include "cli/input/formats.h"

enum { LINE_SIZE = 80, OPTION_INDENT = 2, TEXT_INDENT = 26 };

static void spaces(struct out *out, size_t count)
{
    for (; count > 0; count--) {
        out_char(out, ' ');
    }
}

/* Writes words with line breaks so that nothing passes LINE_SIZE; the first line starts at column
 * `at`, later ones are indented. A line break in the text is kept. */
static void wrapped(struct out *out, const char *text, size_t at, size_t indent)
{
    must(indent < LINE_SIZE);
    if (at < indent) {
        spaces(out, indent - at);
        at = indent;
    }
    bool is_first = true;
    while (*text != '\0') {
        const size_t size = strcspn(text, " \n");
        if (!is_first && at + 1 + size > LINE_SIZE) {
            out_char(out, '\n');
            spaces(out, indent);
            at = indent;
            is_first = true;
        }
        if (!is_first) {
            out_char(out, ' ');
            at++;
        }
        out_bytes(out, text, size);
        at += size;
        is_first = false;
        text += size;
        if (*text == '\n') {
            out_char(out, '\n');
            spaces(out, text[1] == '\0' ? 0 : indent);
            at = indent;
            is_first = true;
        }
        text += *text == '\0' ? 0 : 1;
    }
    out_char(out, '\n');
}

/* How an option is written: "-o, --output FILE", "--color WHEN". */
static void option_words(struct out *out, const struct option *option)
{
    if (option->letter != '\0') {
        out_format(out, "-%c, ", option->letter);
    }
    out_format(out, option->type == OPTION_SWITCH ? "--[no-]%s" : "--%s", option->name);
    if (option->argument != NULL) {
        out_format(out, " %s", option->argument);
    }
}

static void option_row(struct out *out, const struct option *option)
{
    must(option->help != NULL);
    struct out left;
    out_open_memory(&left);
    spaces(&left, option->letter == '\0' ? OPTION_INDENT + 4 : OPTION_INDENT);
    option_words(&left, option);
    out_bytes(out, left.buffer, left.used);
    size_t at = left.used;
    out_abandon(&left);
    if (at + 2 > TEXT_INDENT) {
        out_char(out, '\n');
        at = 0;
    }
    wrapped(out, option->help, at, TEXT_INDENT);
}

void help_verbs(struct out *out)
{
    out_text(out, "clew: find, replay, minimize and explain concurrency bugs\n\n"
                  "usage: clew VERB [options] INPUT...\n");
    must(verb_lines[0].heading != NULL);
    for (const struct verb_line *l = verb_lines; l->heading != NULL || l->verb != NULL; l++) {
        if (l->heading != NULL) {
            out_format(out, "\n%s\n", l->heading);
            continue;
        }
        must(l->verb->summary != NULL);
        out_format(out, "  %s", l->verb->name);
        wrapped(out, l->verb->summary, 2 + strlen(l->verb->name), 13);
    }
    out_text(out, "\n'clew VERB --help' describes a verb and its options; 'clew --version' prints "
                  "the version.\n");
}

static void format_rows(struct out *out)
{
    for (format_list format = formats_all(); *format != NULL; format++) {
        const bool is_readable = (*format)->open != NULL;
        const bool is_writable = (*format)->create != NULL;
        must(is_readable || is_writable);
        out_format(out, "  %-8s %-8s", (*format)->name, (*format)->ending);
        out_text(out, (*format)->meaning);
        out_text(out, is_readable && is_writable ? "\n"
                      : is_readable              ? " (read only)\n"
                                                 : " (write only)\n");
    }
}

static bool speaks_of_formats(const struct verb *verb)
{
    const struct option *option = verb->options;
    while (option->name != NULL && option->word != formats_writable_word) {
        option++;
    }
    return option->name != NULL;
}

static void word_rows(struct out *out, const struct option *option)
{
    must(option->word != NULL);
    must(option->meaning != NULL);
    out_format(out, "\n--%s:\n", option->name);
    for (size_t i = 0; option->word(i) != NULL; i++) {
        out_text(out, "  ");
        out_text(out, option->word(i));
        wrapped(out, option->meaning(i), 2 + strlen(option->word(i)), 13);
    }
}

void help_verb(struct out *out, const struct verb *verb)
{
    out_format(out, "clew %s: %s\n\nusage: clew %s [options] %s\n\n", verb->name, verb->summary,
               verb->name, verb->operands);
    wrapped(out, verb->about, 0, 0);
    out_text(out, "\noptions:\n");
    for (const struct option *option = verb->options; option->name != NULL; option++) {
        option_row(out, option);
    }
    for (const struct option *option = verb->options; option->name != NULL; option++) {
        if (option->meaning != NULL) {
            word_rows(out, option);
        }
    }
    if (speaks_of_formats(verb)) {
        out_text(out, "\nformats:\n");
        format_rows(out);
    }
    out_text(out, "\nexit status:\n");
    wrapped(out, verb->exit_statuses, 0, 2);
    out_text(out, "\nexamples:\n");
    for (const struct example *example = verb->examples; example->command != NULL; example++) {
        out_format(out, "  %s\n", example->command);
        wrapped(out, example->says, 0, 6);
    }
}
