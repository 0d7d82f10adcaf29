#include "report/explanation.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void explanation_release(struct explanation *x)
{
    vec_release(&x->columns);
    vec_release(&x->rows);
    vec_release(&x->order);
    vec_release(&x->causes);
    vec_release(&x->values);
    vec_release(&x->passing_rows);
    arena_release(&x->arena);
    *x = (struct explanation){0};
}

const char *explanation_text(struct explanation *x, const char *format, ...)
{
    va_list words;
    va_start(words, format);
    const int size = vsnprintf(NULL, 0, format, words);
    va_end(words);
    must(size >= 0);
    char *text = arena_array(&x->arena, char, (size_t)size + 1);
    va_start(words, format);
    const int written = vsnprintf(text, (size_t)size + 1, format, words);
    va_end(words);
    must(written == size);
    return text;
}

uint32_t explanation_column(struct explanation *x, const char *name)
{
    for (uint32_t i = 0; i < x->columns.count; i++) {
        if (strcmp(x->columns.at[i], name) == 0) {
            return i;
        }
    }
    vec_push(&x->columns, arena_text(&x->arena, name, strlen(name)));
    return (uint32_t)x->columns.count - 1;
}

const char *explanation_take_line(struct arena *a, const char **text)
{
    const size_t size = strcspn(*text, "\n");
    const char *line = arena_text(a, *text, size);
    *text += size + ((*text)[size] == '\n');
    return line;
}

static void print_row_json(const struct explanation *x, const struct explained_row *row,
                           struct json *j)
{
    must(row->column < x->columns.count);
    json_object(j, NULL);
    json_u64(j, x->row_noun, row->number);
    json_text(j, "column", x->columns.at[row->column]);
    json_text(j, "operation", row->operation);
    json_text(j, "location", row->location);
    json_text(j, "source", row->source);
    if (row->detail[0] != '\0') {
        json_text(j, "detail", row->detail);
    }
    if (row->has_from) {
        must(row->from < x->columns.count);
        json_text(j, "from", x->columns.at[row->from]);
    }
    json_bool(j, "switch", row->is_switch);
    json_bool(j, "key", row->is_key);
    json_end(j);
}

void explanation_print_json(const struct explanation *x, struct json *j)
{
    json_object(j, NULL);
    json_text(j, "title", x->title);
    json_array(j, "columns");
    vec_each (&x->columns, column) {
        json_text(j, NULL, *column);
    }
    json_end(j);
    json_u64(j, "omitted", x->omitted_count);
    json_array(j, "rows");
    vec_each (&x->rows, row) {
        print_row_json(x, row, j);
    }
    json_end(j);
    json_array(j, "order");
    vec_each (&x->order, line) {
        json_text(j, NULL, *line);
    }
    json_end(j);
    json_array(j, "causes");
    vec_each (&x->causes, line) {
        json_text(j, NULL, *line);
    }
    json_end(j);
    json_array(j, "values");
    vec_each (&x->values, value) {
        json_object(j, NULL);
        json_text(j, "what", value->what);
        json_text(j, "failing", value->failing);
        json_text(j, "passing", value->passing);
        json_end(j);
    }
    json_end(j);
    json_text(j, "passing", x->passing);
    json_array(j, "passing_rows");
    vec_each (&x->passing_rows, row) {
        print_row_json(x, row, j);
    }
    json_end(j);
    json_end(j);
}

bool explanation_is_telling(const struct explanation *x, size_t row)
{
    enum { LAST = 3 };
    must(row < x->rows.count);
    const struct explained_row *rows = x->rows.at;
    const bool has_next = row + 1 < x->rows.count;
    return rows[row].is_key || rows[row].is_switch || row + LAST >= x->rows.count ||
           (has_next && (rows[row + 1].is_key || rows[row + 1].is_switch)) ||
           (row > 0 && rows[row - 1].is_key);
}

void explanation_cut(struct explanation *x, size_t rows_max)
{
    explained_rows kept = {0};
    if (x->rows.count <= rows_max) {
        return;
    }
    for (size_t i = 0; i < x->rows.count; i++) {
        if (explanation_is_telling(x, i)) {
            vec_push(&kept, x->rows.at[i]);
        }
    }
    const size_t first = kept.count > rows_max ? kept.count - rows_max : 0;
    must(kept.count <= x->rows.count);
    x->omitted_count += x->rows.count - (kept.count - first);
    vec_clear(&x->rows);
    for (size_t i = first; i < kept.count; i++) {
        vec_push(&x->rows, kept.at[i]);
    }
    vec_release(&kept);
}
