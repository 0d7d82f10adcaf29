#include "report/explanation.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"

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

/* The short interleaving */

enum { DISTANCE_NEAR = 2 };

/* A row that may be shown. Less is better: first its rank, then its distance. */
struct candidate_row {
    size_t row;
    uint32_t rank;
    size_t distance; /* in rows, to the nearest key row; without key rows, to the last row */
};

static int compare_candidates(const void *left, const void *right, const void *unused)
{
    (void)unused;
    const struct candidate_row *a = left;
    const struct candidate_row *b = right;
    if (a->rank != b->rank) {
        return a->rank < b->rank ? -1 : 1;
    }
    return a->distance < b->distance ? -1 : a->distance > b->distance;
}

typedef VEC(struct candidate_row) candidate_rows;

/* Sets the distances: a pass from the front, and one from the back. */
static void measure(const struct explanation *x, candidate_rows *list)
{
    bool has_key = false;
    vec_each (list, c) {
        has_key = has_key || x->rows.at[c->row].is_key;
    }
    size_t distance = list->count;
    for (size_t i = 0; i < list->count; i++) {
        distance = x->rows.at[list->at[i].row].is_key ? 0 : distance + 1;
        list->at[i].distance = distance;
    }
    distance = has_key ? list->count : 0;
    for (size_t i = list->count; i-- > 0;) {
        struct candidate_row *c = &list->at[i];
        distance = x->rows.at[c->row].is_key ? 0 : distance + 1;
        c->distance = c->distance < distance ? c->distance : distance;
    }
}

/* The rows of the cause come first, then the end, other operations on the same object, the context
 * switches between the rows of the cause, the neighbours of these, and other switches. */
static void rank(const struct explanation *x, candidate_rows *list)
{
    size_t first_key = list->count;
    size_t last_key = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (x->rows.at[list->at[i].row].is_key) {
            first_key = first_key < i ? first_key : i;
            last_key = i;
        }
    }
    for (size_t i = 0; i < list->count; i++) {
        struct candidate_row *c = &list->at[i];
        const struct explained_row *row = &x->rows.at[c->row];
        const bool has_next = i + 1 < list->count;
        const bool is_at_switch =
            row->is_switch || (has_next && x->rows.at[list->at[i + 1].row].is_switch);
        c->rank = row->is_key                                       ? 0
                  : !has_next                                       ? 1
                  : row->is_related                                 ? 2
                  : is_at_switch && first_key <= i && i <= last_key ? 3
                  : c->distance <= DISTANCE_NEAR                    ? 4
                  : is_at_switch                                    ? 5
                                                                    : 6;
    }
}

void explanation_choose(const struct explanation *x, size_t rows_max, bool *is_chosen)
{
    candidate_rows list = {0};
    must(rows_max > 0);
    for (size_t i = 0; i < x->rows.count; i++) {
        if (!x->rows.at[i].is_own || x->rows.at[i].is_key) {
            vec_push(&list, (struct candidate_row){.row = i});
        }
    }
    if (list.count > rows_max) {
        measure(x, &list);
        rank(x, &list);
        sort_stable(list.at, list.count, sizeof *list.at, compare_candidates, NULL);
        list.count = rows_max;
    }
    vec_each (&list, c) {
        must(!is_chosen[c->row]);
        is_chosen[c->row] = true;
    }
    vec_release(&list);
}

void explanation_cut(struct explanation *x, size_t rows_max)
{
    const size_t count = x->rows.count;
    bool *is_chosen = mem_zero(count + 1, sizeof *is_chosen);
    size_t kept = 0;
    explanation_choose(x, rows_max, is_chosen);
    for (size_t i = 0; i < count; i++) {
        if (is_chosen[i]) {
            struct explained_row row = x->rows.at[i];
            row.follows_gap = row.follows_gap || (i > 0 && !is_chosen[i - 1]);
            x->rows.at[kept++] = row;
        }
    }
    must(kept <= rows_max);
    x->rows.count = kept;
    x->omitted_count += count - kept;
    mem_free(is_chosen);
}
