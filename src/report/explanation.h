/* An explanation: why an execution shows a bug, ready to be printed. A table has a column for each
 * task or node and a row for each step; beside it stand the order that is missing, the values that
 * differ, and the point where the nearest known passing run takes another step.
 *
 *     struct explanation x = {.title = "data-race: ..."};
 *     struct explained_row row = {.number = 7, .column = explanation_column(&x, "main/1"), ...};
 *     vec_push(&x.rows, row);
 *     explanation_print_text(&x, &out);      or _markdown, or _json
 *     explanation_release(&x);
 *
 * All texts are in x.arena, or outlive x. */
#ifndef CLEW_REPORT_EXPLANATION_H
#define CLEW_REPORT_EXPLANATION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/json.h"
#include "base/vec.h"

/* One step of a task. Texts are "" where there is nothing to say. */
struct explained_row {
    uint64_t number;       /* of the step or the event, as the other verbs count */
    uint32_t column;       /* its task or node */
    const char *operation; /* "read balance = 100" */
    const char *location;  /* "account.c:11" */
    const char *source;    /* the line of the source there */
    const char *detail;    /* state that the step changed: "term=2 (was 1)" */
    bool is_switch;        /* another task ran before it */
    bool is_key;           /* an event that the finding names, or the step where two runs part */
    bool is_related;       /* an operation on the object of a key row */
    bool is_own;           /* an access to memory that no other task of the run accesses */
    bool follows_gap;      /* the row before it is not in the table */
    bool has_from;         /* it follows from a step of another column: a message, a creation */
    uint32_t from;         /* that column */
};

/* A value that the same operation read in both runs, or that the same variable had. */
struct explained_value {
    const char *what;    /* "main/1 read balance at account.c:11" */
    const char *failing; /* in the run that shows the bug */
    const char *passing;
};

typedef VEC(struct explained_row) explained_rows;

/* {0} is empty. */
struct explanation {
    struct arena arena;
    const char *title;    /* "data-race: balance is written ..." */
    const char *row_noun; /* what a row's number counts: "step", "event" */
    const char *replay;   /* the command that shows it; NULL: none */
    VEC(const char *) columns;
    explained_rows rows;
    uint64_t omitted_count;   /* steps that are not in the table */
    VEC(const char *) order;  /* the missing order, a sentence each */
    VEC(const char *) causes; /* how it ended: the calls of the tasks, a line each */
    VEC(struct explained_value) values;
    const char *passing;         /* the nearest passing run, or why none is known: a sentence */
    explained_rows passing_rows; /* its steps from where it parts */
};

void explanation_release(struct explanation *x);

/* Text formatted into x->arena. */
const char *explanation_text(struct explanation *x, const char *format, ...) PRINTF_LIKE(2, 3);

/* Marks the rows of a short interleaving, at most rows_max (at least 1): those of the cause and
 * around it, and the last one. Rows of memory that no other task accesses are left out. `is_chosen`
 * is an element for each row, all false. O(rows log rows). */
void explanation_choose(const struct explanation *x, size_t rows_max, bool *is_chosen);

/* Leaves the rows that explanation_choose marks. */
void explanation_cut(struct explanation *x, size_t rows_max);

/* The column of this name, which is added at its first use. O(columns). */
uint32_t explanation_column(struct explanation *x, const char *name);

/* Appends each line of the text to `lines`: the order or the causes. */
#define explanation_add_lines(x, lines, text)                              \
    do {                                                                   \
        const char *rest_ = (text);                                        \
        while (*rest_ != '\0') {                                           \
            vec_push((lines), explanation_take_line(&(x)->arena, &rest_)); \
        }                                                                  \
    } while (0)

/* Copies the next line of *text, without its end, and goes on behind it. */
const char *explanation_take_line(struct arena *a, const char **text);

/* Writes it as a table for terminals and logs. Control characters are written as '?'. */
void explanation_print_text(const struct explanation *x, struct out *out);

/* Writes it in Markdown: the table, and the same as a Mermaid sequence diagram. `level` is that of
 * its heading, from 1. */
void explanation_print_markdown(const struct explanation *x, uint32_t level, struct out *out);

/* Writes text in a cell of a Markdown table, or in a paragraph: characters of the markup lose their
 * meaning. */
void markdown_prose(struct out *out, const char *text);

/* Writes it as the next element of an array. */
void explanation_print_json(const struct explanation *x, struct json *j);

#endif
