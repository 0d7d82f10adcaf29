/* Reading and writing in memory, for the tests of formats. */
#ifndef CLEW_TEST_READING_H
#define CLEW_TEST_READING_H

#include <string.h>

#include "base/mem.h"
#include "import/import.h"
#include "test.h"
#include "trace/trace.h"

/* What came of reading: the trace, what was noted, and the error when there was one. */
struct reading {
    struct trace trace;
    struct notes notes;
    struct err error; /* "": it went well */
    VEC(uint64_t) offsets;
};

static inline void reading_take(struct reading *r, struct cursor *c)
{
    struct batch b;
    int more = 0;
    while (c != NULL && (more = cursor_next(c, &b, &r->error)) > 0) {
        CHECK(b.count <= BATCH_MAX);
        for (size_t i = 0; i < b.count; i++) {
            trace_append(&r->trace, &b.events[i]);
            vec_push(&r->offsets, b.offsets[i]);
        }
    }
    CHECK((more == 0 && c != NULL) == (r->error.text[0] == '\0'));
    cursor_close(c);
    trace_seal(&r->trace);
}

static inline struct reading read_bytes(const char *bytes, size_t size)
{
    struct reading r = {0};
    trace_init(&r.trace);
    reading_take(
        &r, format_open_memory(import_formats, bytes, size, &r.trace.tables, &r.notes, &r.error));
    return r;
}

static inline struct reading read_text(const char *text)
{
    return read_bytes(text, strlen(text));
}

static inline struct reading read_path(const char *path)
{
    struct reading r = {0};
    trace_init(&r.trace);
    reading_take(&r, format_open(import_formats, NULL, path, &r.trace.tables, &r.notes, &r.error));
    return r;
}

static inline void reading_release(struct reading *r)
{
    trace_release(&r->trace);
    notes_release(&r->notes);
    vec_release(&r->offsets);
}

/* How often a note whose text begins so was met. */
static inline uint64_t noted(const struct notes *n, const char *beginning)
{
    vec_each (&n->list, note) {
        if (strncmp(note->text, beginning, strlen(beginning)) == 0) {
            return note->count;
        }
    }
    return 0;
}

/* The trace in this format, ended by a 0 byte; the caller frees it. */
static inline char *written(const struct format *format, const struct trace *t, struct notes *n)
{
    struct out out;
    struct err e;
    out_open_memory(&out);
    struct writer *w = format->create(&out, &t->tables, n);
    CHECK_INT(writer_write(w, t->events.at, t->events.count, &e), 0);
    CHECK_INT(w->ops->finish(w, &e), 0);
    char *bytes = mem_resize(NULL, w->out.used + 1);
    memcpy(bytes, w->out.buffer, w->out.used);
    bytes[w->out.used] = '\0';
    writer_abandon(w);
    return bytes;
}

/* Fails the test unless the trace is this in text form. */
static inline void check_text(const struct trace *t, const char *wanted)
{
    struct notes n = {0};
    char *got = written(&format_text, t, &n);
    CHECK_TEXT(got, wanted);
    mem_free(got);
    notes_release(&n);
}

/* Fails the test unless reading the text fails with this message. */
static inline void check_refused(const char *text, size_t size, const char *message)
{
    struct reading r = read_bytes(text, size);
    CHECK_TEXT(r.error.text, message);
    reading_release(&r);
}

#endif
