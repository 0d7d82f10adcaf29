/* Formats of traces, each a row in a table: how to recognize, read and write it. trace/ has the
 * native and the text form, import/ the foreign ones, report/ those that are only written; cli/
 * joins the tables. */
#ifndef CLEW_TRACE_FORMAT_H
#define CLEW_TRACE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/out.h"
#include "trace/cursor.h"
#include "trace/trace.h"

struct writer;

struct writer_ops {
    /* Writes events whose numbers are from the writer's tables. */
    int (*write)(struct writer *w, const struct event *events, size_t count, struct err *e);
    /* Writes the end of the file; writer_close closes the file itself. */
    int (*finish)(struct writer *w, struct err *e);
    void (*release)(struct writer *w);
};

/* A writer's struct begins with this. */
struct writer {
    const struct writer_ops *ops;
    const struct tables *tables;
    struct notes *notes; /* parts of the trace that the format cannot hold */
    struct out out;
};

struct format {
    const char *name;    /* as in --to NAME */
    const char *ending;  /* ".clew" */
    const char *meaning; /* one line for --help */
    /* The confidence from the first bytes, 0 (not this) to 100; NULL when the format cannot be
     * read. */
    int (*sniff)(const char *bytes, size_t size);
    /* A new reader that owns *in, in all cases; NULL and an error when the beginning is already
     * wrong. */
    struct cursor *(*open)(struct in *in, struct tables *t, struct notes *n, struct err *e);
    /* A new writer over *out, which it owns; NULL when the format cannot be written. */
    struct writer *(*create)(struct out *out, const struct tables *t, struct notes *n);
};

extern const struct format format_native, format_text;

/* A list of formats, ended by NULL. */
typedef const struct format *const *format_list;

/* The format whose ending the path has, the longest if several fit; NULL when none does. */
const struct format *format_of_path(format_list formats, const char *path);

/* Writes the trace to path, as a file of this format. */
MUST_USE int format_save(const struct format *format, const struct trace *t, const char *path,
                         struct err *e);

/* Opens path ("-": standard input), recognizes its format by content and returns a cursor. NULL and
 * an error that names path, byte and the expected input on failure. `wanted` forces a format when
 * not NULL. */
MUST_USE struct cursor *format_open(format_list formats, const struct format *wanted,
                                    const char *path, struct tables *t, struct notes *n,
                                    struct err *e);

/* The same, but the error does not name the path, as a cursor's own errors do not. */
MUST_USE struct cursor *format_open_unnamed(format_list formats, const struct format *wanted,
                                            const char *path, struct tables *t, struct notes *n,
                                            struct err *e);

/* The path as messages have it: "standard input" for "-". */
const char *format_path_name(const char *path);

/* The same over bytes in memory, for tests and fuzzing. */
MUST_USE struct cursor *format_open_memory(format_list formats, const void *bytes, size_t size,
                                           struct tables *t, struct notes *n, struct err *e);

MUST_USE int writer_write(struct writer *w, const struct event *events, size_t count,
                          struct err *e);

/* Finishes, closes, renames into place and frees; on failure nothing is left behind. */
MUST_USE int writer_close(struct writer *w, struct err *e);

/* Leaves nothing behind and frees; NULL is nothing. */
void writer_abandon(struct writer *w);

#endif
