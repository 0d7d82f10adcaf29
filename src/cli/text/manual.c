#include "cli/text/manual.h"

#include <string.h>

#include "cli/input/formats.h"
#include "cli/verb.h"

/* Text for troff: a hyphen that is typed, a backslash that is meant, no line taken for a request.
 */
static void roff(struct out *out, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        const bool is_line_start = i == 0 || text[i - 1] == '\n';
        if (is_line_start && (text[i] == '.' || text[i] == '\'')) {
            out_text(out, "\\&");
        }
        switch (text[i]) {
        case '-': out_text(out, "\\-"); break;
        case '\\': out_text(out, "\\e"); break;
        default: out_char(out, text[i]);
        }
    }
}

static void roff_text(struct out *out, const char *text)
{
    roff(out, text, strlen(text));
}

/* One page being written. */
struct page {
    struct out *out;
    const char *name;
    const struct verb *verb; /* NULL for the page of clew itself */
};

static void print_head(const struct page *p)
{
    out_text(p->out, ".TH ");
    for (const char *c = p->name; *c != '\0'; c++) {
        const char upper = (char)(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
        roff(p->out, &upper, 1);
    }
    out_text(p->out, " 1 \"\" \"clew " CLEW_VERSION "\" \"User Commands\"\n.SH NAME\n");
    roff_text(p->out, p->name);
    out_text(p->out, " \\- ");
    roff_text(p->out, p->verb == NULL ? "find, replay, minimize and explain concurrency bugs"
                                      : p->verb->summary);
    out_char(p->out, '\n');
}

static void print_synopsis(const struct page *p)
{
    out_text(p->out, ".SH SYNOPSIS\n.B clew ");
    if (p->verb == NULL) {
        out_text(p->out,
                 "\n.I VERB\n[\\fIOPTIONS\\fR]\n.I INPUT ...\n.br\n.B clew \\-\\-help\n.br\n"
                 ".B clew \\-\\-version\n");
        return;
    }
    roff_text(p->out, p->verb->name);
    out_text(p->out, "\n[\\fIOPTIONS\\fR]\n");
    if (p->verb->operands[0] != '\0') {
        out_text(p->out, ".I ");
        roff_text(p->out, p->verb->operands);
        out_char(p->out, '\n');
    }
}

static void print_option(struct out *out, const struct option *option)
{
    must(option->help != NULL);
    out_text(out, ".TP\n");
    if (option->letter != '\0') {
        out_format(out, "\\fB\\-%c\\fR, ", option->letter);
    }
    out_text(out, "\\fB\\-\\-");
    roff_text(out, option->name);
    out_text(out, "\\fR");
    if (option->type == OPTION_SWITCH) {
        out_text(out, ", \\fB\\-\\-no\\-");
        roff_text(out, option->name);
        out_text(out, "\\fR");
    }
    if (option->argument != NULL) {
        out_format(out, " \\fI%s\\fR", option->argument);
    }
    out_char(out, '\n');
    roff_text(out, option->help);
    if (option->word != NULL) {
        out_text(out, ".\nOne of ");
        for (size_t i = 0; option->word(i) != NULL; i++) {
            out_text(out, i == 0 ? "\\fB" : ", \\fB");
            roff_text(out, option->word(i));
            out_text(out, "\\fR");
        }
    }
    out_text(out, ".\n");
}

static void print_options(const struct page *p)
{
    out_text(p->out, ".SH OPTIONS\n");
    for (const struct option *option = p->verb->options; option->name != NULL; option++) {
        print_option(p->out, option);
    }
}

static void print_examples(const struct page *p)
{
    out_text(p->out, ".SH EXAMPLES\n");
    for (const struct example *example = p->verb->examples; example->command != NULL; example++) {
        must(example->says != NULL);
        out_text(p->out, ".TP\n.B ");
        roff_text(p->out, example->command);
        out_char(p->out, '\n');
        roff_text(p->out, example->says);
        out_char(p->out, '\n');
    }
}

/* "0 meaning\n1 meaning" as a list. */
static void print_status(const struct page *p)
{
    out_text(p->out, ".SH EXIT STATUS\n");
    for (const char *at = p->verb->exit_statuses; *at != '\0';) {
        const size_t size = strcspn(at, "\n");
        const size_t word_size = strcspn(at, " ");
        must(word_size + 1 < size);
        out_format(p->out, ".TP\n.B %.*s\n", (int)word_size, at);
        roff(p->out, at + word_size + 1, size - word_size - 1);
        out_char(p->out, '\n');
        at += at[size] == '\n' ? size + 1 : size;
    }
    out_format(
        p->out,
        ".TP\n.BR 130 \", \" 143\nSIGINT or SIGTERM ended it%s; clew removes unfinished output\n",
        p->verb->is_stopped_softly ? " at the second signal, or before its work began" : "");
}

static void print_verbs(const struct page *p)
{
    for (const struct verb_line *l = verb_lines; l->heading != NULL || l->verb != NULL; l++) {
        if (l->heading != NULL) {
            out_text(p->out, ".SS ");
            roff_text(p->out, l->heading);
        } else {
            out_text(p->out, ".TP\n.B ");
            roff_text(p->out, l->verb->name);
            out_char(p->out, '\n');
            roff_text(p->out, l->verb->summary);
        }
        out_char(p->out, '\n');
    }
}

static void print_formats(const struct page *p)
{
    for (format_list format = formats_all(); *format != NULL; format++) {
        out_format(p->out, ".TP\n.BR %s \" (\"", (*format)->name);
        roff_text(p->out, (*format)->ending);
        out_text(p->out, ")\n");
        roff_text(p->out, (*format)->meaning);
        out_text(p->out, (*format)->open == NULL     ? "; write only\n"
                         : (*format)->create == NULL ? "; read only\n"
                                                     : "\n");
    }
}

static const struct marker {
    const char *name;
    bool needs_verb;
    void (*print)(const struct page *p);
} markers[] = {
    {"@HEAD@", false, print_head},       {"@SYNOPSIS@", false, print_synopsis},
    {"@OPTIONS@", true, print_options},  {"@EXAMPLES@", true, print_examples},
    {"@STATUS@", true, print_status},    {"@VERBS@", false, print_verbs},
    {"@FORMATS@", false, print_formats},
};

static const struct marker *find_marker(const char *line, size_t size)
{
    for (size_t i = 0; i < sizeof markers / sizeof *markers; i++) {
        if (strlen(markers[i].name) == size && memcmp(markers[i].name, line, size) == 0) {
            return &markers[i];
        }
    }
    return NULL;
}

int generate_man(struct out *out, const char *page, const char *text, struct err *e)
{
    struct page p = {.out = out, .name = page};
    if (strcmp(page, "clew") != 0) {
        p.verb = strncmp(page, "clew-", 5) == 0 ? verb_find(page + 5) : NULL;
        if (p.verb == NULL) {
            return err_set(e, "%s: there is no such verb", page);
        }
    }
    while (*text != '\0') {
        const size_t size = strcspn(text, "\n");
        const struct marker *marker = find_marker(text, size);
        if (marker != NULL && (p.verb != NULL || !marker->needs_verb)) {
            marker->print(&p);
        } else if (text[0] == '@') {
            return err_set(e, "%s: %.*s means nothing here", page, (int)size, text);
        } else {
            out_bytes(out, text, size);
            out_char(out, '\n');
        }
        text += text[size] == '\n' ? size + 1 : size;
    }
    return 0;
}

static void print_verb_words(struct out *out)
{
    for (size_t i = 0; verbs[i] != NULL; i++) {
        out_text(out, verbs[i]->name);
        out_char(out, ' ');
    }
}

/* "VERB:--NAME" or "VERB:--NAME|VERB:-LETTER", a pattern of case. */
static void print_pattern(struct out *out, const struct verb *verb, const struct option *option)
{
    out_format(out, "    %s:--%s", verb->name, option->name);
    if (option->letter != '\0') {
        out_format(out, "|%s:-%c", verb->name, option->letter);
    }
    out_text(out, ") ");
}

static void print_value(struct out *out, const struct verb *verb, const struct option *option)
{
    switch (option->type) {
    case OPTION_FLAG:
    case OPTION_SWITCH: return;
    case OPTION_FILE:
    case OPTION_OUTPUT:
        print_pattern(out, verb, option);
        out_text(out, "COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n");
        return;
    case OPTION_CHOICE:
    case OPTION_CHOICES:
        print_pattern(out, verb, option);
        out_text(out, "COMPREPLY=($(compgen -W '");
        for (size_t i = 0; option->word(i) != NULL; i++) {
            out_format(out, i == 0 ? "%s" : " %s", option->word(i));
        }
        out_text(out, "' -- \"$cur\")); return ;;\n");
        return;
    case OPTION_NUMBER:
    case OPTION_TEXT:
    case OPTION_TEXTS:
    case OPTION_BUDGET:
    case OPTION_MOMENT:
        print_pattern(out, verb, option);
        out_text(out, "COMPREPLY=(); return ;;\n");
        return;
    }
    bug("option type");
}

static void print_names(struct out *out, const struct verb *verb)
{
    out_format(out, "    %s) words='", verb->name);
    for (const struct option *option = verb->options; option->name != NULL; option++) {
        out_format(out, option == verb->options ? "--%s" : " --%s", option->name);
        if (option->type == OPTION_SWITCH) {
            out_format(out, " --no-%s", option->name);
        }
    }
    out_text(out, "' ;;\n");
}

void generate_completion(struct out *out)
{
    out_text(out,
             "# Completion of clew for bash, made from its tables of options.\n"
             "_clew()\n{\n"
             "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=\n"
             "    if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then "
             "prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
             "    local verbs='");
    print_verb_words(out);
    out_text(out, "help'\n"
                  "    if ((COMP_CWORD == 1)); then\n"
                  "        COMPREPLY=($(compgen -W \"$verbs --help --version\" -- \"$cur\"))\n"
                  "        return\n    fi\n"
                  "    case ${COMP_WORDS[1]}:$prev in\n"
                  "    help:*) COMPREPLY=($(compgen -W \"$verbs\" -- \"$cur\")); return ;;\n");
    for (size_t i = 0; verbs[i] != NULL; i++) {
        for (const struct option *option = verbs[i]->options; option->name != NULL; option++) {
            print_value(out, verbs[i], option);
        }
    }
    out_text(out, "    esac\n"
                  "    if [[ $cur != -* ]]; then\n"
                  "        COMPREPLY=($(compgen -f -- \"$cur\"))\n"
                  "        return\n    fi\n"
                  "    case ${COMP_WORDS[1]} in\n");
    for (size_t i = 0; verbs[i] != NULL; i++) {
        print_names(out, verbs[i]);
    }
    out_text(out, "    esac\n"
                  "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
                  "}\n"
                  "complete -o filenames -F _clew clew\n");
}
