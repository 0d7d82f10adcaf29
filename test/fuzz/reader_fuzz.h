/* What holds for every reader and writer of a foreign format, whatever the bytes: an error names a
 * byte of the input; events stand in order; and what is written is read back and written the same.
 */
#ifndef CLEW_TEST_READER_FUZZ_H
#define CLEW_TEST_READER_FUZZ_H

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "import/import.h"
#include "trace/trace.h"

/* Reads all the bytes into t; false when they were refused. */
static inline bool fuzz_read(const struct format *format, const void *bytes, size_t size,
                             struct trace *t)
{
    struct notes notes = {0};
    struct err e = {0};
    struct in in;
    in_open_memory(&in, bytes, size);
    struct cursor *c = format->open(&in, &t->tables, &notes, &e);
    must(c != NULL);
    c->path = "memory";
    struct batch b;
    uint64_t next_offset = 0;
    int more = 0;
    while ((more = cursor_next(c, &b, &e)) > 0) {
        must(b.count <= BATCH_MAX);
        for (size_t i = 0; i < b.count; i++) {
            must(b.offsets[i] >= next_offset);
            next_offset = b.offsets[i] + 1;
            trace_append(t, &b.events[i]);
        }
        must(next_offset <= size);
    }
    if (more < 0) {
        const char *byte = strstr(e.text, "byte ");
        must(byte != NULL);
        must(strtoull(byte + 5, NULL, 10) <= size);
    } else {
        must(t->events.count > 0);
    }
    trace_seal(t);
    cursor_close(c);
    notes_release(&notes);
    return more == 0;
}

/* Writes t into *out, which collects in memory until out_abandon. */
static inline void fuzz_write(const struct format *format, const struct trace *t, struct out *out)
{
    struct notes notes = {0};
    struct err e = {0};
    out_open_memory(out);
    struct writer *w = format->create(out, &t->tables, &notes);
    must(writer_write(w, t->events.at, t->events.count, &e) == 0);
    must(w->ops->finish(w, &e) == 0);
    *out = w->out;
    out_open_memory(&w->out); /* the writer keeps an empty one to leave behind */
    writer_abandon(w);
    notes_release(&notes);
}

static inline void fuzz_reader(const struct format *format, const uint8_t *bytes, size_t size)
{
    struct trace first;
    trace_init(&first);
    (void)format->sniff((const char *)bytes, size);
    if (fuzz_read(format, bytes, size, &first)) {
        struct trace second;
        struct out once;
        struct out twice;
        trace_init(&second);
        fuzz_write(format, &first, &once);
        must(fuzz_read(format, once.buffer, once.used, &second));
        must(second.events.count == first.events.count);
        fuzz_write(format, &second, &twice);
        must(once.used == twice.used);
        must(memcmp(once.buffer, twice.buffer, once.used) == 0);
        out_abandon(&twice);
        out_abandon(&once);
        trace_release(&second);
    }
    trace_release(&first);
}

#endif
