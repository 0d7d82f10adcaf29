/* An explanation in Markdown, with a sequence diagram for Mermaid (https://mermaid.js.org). */
#include <string.h>

#include "report/explanation.h"
#include "report/mermaid.h"

void markdown_prose(struct out *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < ' ') {
            out_char(out, ' ');
        } else if (*text == '<') {
            out_text(out, "&lt;");
        } else {
            if (strchr("\\`*_[]|#", *text) != NULL) {
                out_char(out, '\\');
            }
            out_char(out, *text);
        }
    }
}

/* Code in a cell: <code> with entities, since a backtick may occur in it and a bar must not. */
static void print_code(struct out *out, const char *text)
{
    out_text(out, "<code>");
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c < ' ') {
            out_char(out, ' ');
        } else if (strchr("&<>|*_`[]\\", c) != NULL) {
            out_format(out, "&#%u;", c);
        } else {
            out_char(out, *text);
        }
    }
    out_text(out, "</code>");
}

static void print_cell(struct out *out, const struct explained_row *row)
{
    out_text(out, row->is_key ? " **" : " ");
    markdown_prose(out, row->operation);
    out_text(out, row->is_key ? "**" : "");
    if (row->location[0] != '\0') {
        out_text(out, "<br>");
        markdown_prose(out, row->location);
    }
    if (row->source[0] != '\0') {
        out_text(out, row->location[0] != '\0' ? " " : "<br>");
        print_code(out, row->source);
    }
    if (row->detail[0] != '\0') {
        out_text(out, "<br>");
        print_code(out, row->detail);
    }
}

static void print_table(const struct explanation *x, const explained_rows *rows, struct out *out)
{
    out_format(out, "| %s |", x->row_noun);
    vec_each (&x->columns, column) {
        out_char(out, ' ');
        markdown_prose(out, *column);
        out_text(out, " |");
    }
    out_text(out, "\n|---:|");
    for (size_t i = 0; i < x->columns.count; i++) {
        out_text(out, "---|");
    }
    out_char(out, '\n');
    vec_each (rows, row) {
        if (row->follows_gap) {
            out_text(out, "| ... |");
            for (size_t i = 0; i < x->columns.count; i++) {
                out_text(out, " |");
            }
            out_char(out, '\n');
        }
        out_format(out, "| %s%llu |", row->is_switch ? "→ " : "", (unsigned long long)row->number);
        for (uint32_t i = 0; i < x->columns.count; i++) {
            if (i == row->column) {
                print_cell(out, row);
            }
            out_text(out, " |");
        }
        out_char(out, '\n');
    }
}

/* Participants are called T0, T1 ...: a name of a task could be a word of the language. */
static void print_diagram(const struct explanation *x, struct out *out)
{
    out_text(out, "```mermaid\nsequenceDiagram\n");
    for (size_t i = 0; i < x->columns.count; i++) {
        out_format(out, "    participant T%zu as ", i);
        mermaid_text(out, x->columns.at[i]);
        out_char(out, '\n');
    }
    vec_each (&x->rows, row) {
        if (row->has_from && row->from != row->column) {
            out_format(out, "    T%u->>T%u: ", row->from, row->column);
        } else {
            out_format(out, "    Note over T%u: ", row->column);
        }
        out_format(out, "%llu. ", (unsigned long long)row->number);
        mermaid_text(out, row->operation);
        if (row->source[0] != '\0') {
            out_text(out, "<br/>");
            mermaid_text(out, row->source);
        }
        out_char(out, '\n');
    }
    out_text(out, "```\n");
}

static void print_heading(struct out *out, uint32_t level, const char *text)
{
    out_char(out, '\n');
    for (uint32_t i = 0; i < level; i++) {
        out_char(out, '#');
    }
    out_format(out, " %s\n\n", text);
}

#define PRINT_LIST(lines, out)        \
    vec_each ((lines), line) {        \
        out_text((out), "- ");        \
        markdown_prose((out), *line); \
        out_char((out), '\n');        \
    }

static void print_values(const struct explanation *x, struct out *out)
{
    out_text(out, "| operation | here | in the passing run |\n|---|---|---|\n");
    vec_each (&x->values, value) {
        const char *cells[] = {value->what, value->failing, value->passing};
        for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
            out_text(out, "| ");
            markdown_prose(out, cells[i]);
            out_char(out, ' ');
        }
        out_text(out, "|\n");
    }
}

void explanation_print_markdown(const struct explanation *x, uint32_t level, struct out *out)
{
    must(level >= 1);
    for (uint32_t i = 0; i < level; i++) {
        out_char(out, '#');
    }
    out_char(out, ' ');
    markdown_prose(out, x->title);
    out_char(out, '\n');
    print_heading(out, level + 1, "Interleaving");
    out_text(out, "An arrow marks a context switch; bold, a step of the finding.");
    if (x->omitted_count > 0) {
        out_format(out, " %llu other %s%s not shown.", (unsigned long long)x->omitted_count,
                   x->row_noun, x->omitted_count == 1 ? " is" : "s are");
    }
    out_text(out, "\n\n");
    print_table(x, &x->rows, out);
    out_char(out, '\n');
    print_diagram(x, out);
    if (x->causes.count > 0) {
        print_heading(out, level + 1, "At its end");
        PRINT_LIST(&x->causes, out);
    }
    if (x->order.count > 0) {
        print_heading(out, level + 1, "The missing order");
        PRINT_LIST(&x->order, out);
    }
    if (x->values.count > 0) {
        print_heading(out, level + 1, "Values that differ");
        print_values(x, out);
    }
    print_heading(out, level + 1, "The nearest passing run");
    markdown_prose(out, x->passing);
    out_char(out, '\n');
    if (x->passing_rows.count > 0) {
        out_char(out, '\n');
        print_table(x, &x->passing_rows, out);
    }
    if (x->replay != NULL) {
        print_heading(out, level + 1, "To see it again");
        out_format(out, "```\n%s\n```\n", x->replay);
    }
}
