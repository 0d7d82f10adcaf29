/* An explanation as a table for terminals: a column for each task, two or three lines for a step.
 */
#include <stdio.h>
#include <string.h>

#include "report/explanation.h"

/* The table is about this wide; a column is never narrower than its minimum. */
enum { TABLE_WIDTH = 150, CELL_MIN = 24, CELL_MAX = 60, NUMBER_WIDTH = 6 };

/* Bytes of names come from outside: none may steer a terminal. */
static void print_safe(struct out *out, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        const unsigned char c = (unsigned char)text[i];
        out_char(out, c < ' ' || c == 0x7f ? '?' : text[i]);
    }
}

static bool continues(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* How many characters the text has; bytes that continue one count nothing. */
static uint32_t width_of(const char *text)
{
    uint32_t width = 0;
    for (; *text != '\0'; text++) {
        width += !continues(*text);
    }
    return width;
}

/* The text in a cell of this width: padded with blanks, or cut with "..." at its end. */
static void print_cell(struct out *out, const char *text, uint32_t width, bool is_padded)
{
    const uint32_t own = width_of(text);
    if (own <= width) {
        print_safe(out, text, strlen(text));
        out_format(out, "%*s", is_padded ? (int)(width - own) : 0, "");
        return;
    }
    size_t size = 0;
    for (uint32_t seen = 0; seen < width - 3; seen++) {
        do {
            size++;
        } while (continues(text[size]));
    }
    print_safe(out, text, size);
    out_text(out, "...");
}

/* The lines of a row's cell. */
enum { CELL_LINES = 3 };
struct cell {
    char place[200];
    const char *lines[CELL_LINES];
};

static void fill_cell(struct cell *c, const struct explained_row *row)
{
    const bool has_both = row->location[0] != '\0' && row->source[0] != '\0';
    (void)snprintf(c->place, sizeof c->place, "  %s%s%s", row->location, has_both ? "  " : "",
                   row->source);
    c->lines[0] = row->operation;
    c->lines[1] = c->place[2] == '\0' ? "" : c->place;
    c->lines[2] = row->detail;
}

static uint32_t cell_width(const struct explanation *x)
{
    uint32_t widest = CELL_MIN;
    const explained_rows *lists[] = {&x->rows, &x->passing_rows};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        vec_each (lists[i], row) {
            struct cell c;
            fill_cell(&c, row);
            for (size_t k = 0; k < CELL_LINES; k++) {
                const uint32_t width = width_of(c.lines[k]);
                widest = width > widest ? width : widest;
            }
        }
    }
    const uint32_t column_count = x->columns.count == 0 ? 1 : (uint32_t)x->columns.count;
    const uint32_t share = TABLE_WIDTH / column_count;
    const uint32_t most = share < CELL_MIN ? CELL_MIN : share < CELL_MAX ? share : CELL_MAX;
    return widest < most ? widest : most;
}

static void print_columns(const struct explanation *x, uint32_t width, struct out *out)
{
    out_format(out, "   %*s", NUMBER_WIDTH, x->row_noun);
    for (size_t i = 0; i < x->columns.count; i++) {
        out_text(out, "  ");
        print_cell(out, x->columns.at[i], width, i + 1 < x->columns.count);
    }
    out_char(out, '\n');
}

static void print_row(const struct explained_row *row, uint32_t width, struct out *out)
{
    struct cell c;
    fill_cell(&c, row);
    for (size_t line = 0; line < CELL_LINES; line++) {
        if (line > 0 && c.lines[line][0] == '\0') {
            continue;
        }
        if (line == 0) {
            out_format(out, "%s%s%*llu", row->is_switch ? "->" : "  ", row->is_key ? "*" : " ",
                       NUMBER_WIDTH, (unsigned long long)row->number);
        } else {
            out_format(out, "   %*s", NUMBER_WIDTH, "");
        }
        out_format(out, "%*s", (int)(row->column * (width + 2) + 2), "");
        print_cell(out, c.lines[line], width, false);
        out_char(out, '\n');
    }
}

static void print_rows(const struct explanation *x, const explained_rows *rows, uint32_t width,
                       struct out *out)
{
    print_columns(x, width, out);
    vec_each (rows, row) {
        must(row->column < x->columns.count);
        if (row->follows_gap) {
            out_format(out, "   %*s\n", NUMBER_WIDTH, "...");
        }
        print_row(row, width, out);
    }
}

static void print_line(struct out *out, const char *text)
{
    out_text(out, "  ");
    print_safe(out, text, strlen(text));
    out_char(out, '\n');
}

void explanation_print_text(const struct explanation *x, struct out *out)
{
    const uint32_t width = cell_width(x);
    print_safe(out, x->title, strlen(x->title));
    out_text(out, "\n\nThe interleaving (-> a context switch, * a step of the finding):\n");
    if (x->omitted_count > 0) {
        out_format(out, "  %llu other %s%s not shown\n", (unsigned long long)x->omitted_count,
                   x->row_noun, x->omitted_count == 1 ? " is" : "s are");
    }
    print_rows(x, &x->rows, width, out);
    if (x->causes.count > 0) {
        out_text(out, "\nAt its end:\n");
        vec_each (&x->causes, line) {
            print_line(out, *line);
        }
    }
    if (x->order.count > 0) {
        out_text(out, "\nThe missing order:\n");
        vec_each (&x->order, line) {
            print_line(out, *line);
        }
    }
    if (x->values.count > 0) {
        out_text(out, "\nValues that differ:\n");
        vec_each (&x->values, value) {
            out_text(out, "  ");
            print_safe(out, value->what, strlen(value->what));
            out_text(out, ": ");
            print_safe(out, value->failing, strlen(value->failing));
            out_text(out, " here, ");
            print_safe(out, value->passing, strlen(value->passing));
            out_text(out, " in the passing run\n");
        }
    }
    out_text(out, "\nThe nearest passing run:\n");
    print_line(out, x->passing);
    if (x->passing_rows.count > 0) {
        print_rows(x, &x->passing_rows, width, out);
    }
    if (x->replay != NULL) {
        out_text(out, "\nTo see it again:\n");
        print_line(out, x->replay);
    }
}
