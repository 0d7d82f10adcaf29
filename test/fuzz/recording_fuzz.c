#include <string.h>

#include "fuzz.h"
#include "proc/record/collect.h"
#include "rows.h"
#include "scratch.h"
#include "trace/trace.h"

/* What a task has left: a whole header, and these bytes as its records. */
static void save_row(const char *folder, uint32_t task, const uint8_t *bytes, size_t size)
{
    struct row_file f = rows_begin(0, task, task == 0 ? "main" : "main/1");
    f.used = size < SEGMENT_ROOM ? size : SEGMENT_ROOM;
    if (f.used > 0) {
        memcpy(f.bytes + SEGMENT_HEADER_SIZE, bytes, f.used);
    }
    rows_head(&f)->committed = f.used;
    rows_save_cut(&f, folder, SEGMENT_HEADER_SIZE + f.used);
}

/* Merges the folder; whatever is in it, what comes out is a trace that reads. */
static void merge(const char *folder)
{
    struct collect_stats stats;
    struct notes notes = {0};
    struct err e = {0};
    struct tables tables;
    struct out out;
    tables_init(&tables);
    out_open_memory(&out);
    struct writer *w = format_native.create(&out, &tables, &notes);
    must(collect(folder, &tables, w, &stats, &notes, &e) == 0);
    must(w->ops->finish(w, &e) == 0);
    struct trace t;
    struct in in;
    trace_init(&t);
    in_open_memory(&in, w->out.buffer, w->out.used);
    struct cursor *c = format_native.open(&in, &t.tables, &notes, &e);
    must(c != NULL);
    must(trace_load(&t, c, &e) == 0);
    must(t.events.count == stats.events);
    cursor_close(c);
    trace_release(&t);
    out_abandon(&w->out);
    out_open_memory(&w->out);
    writer_abandon(w);
    tables_release(&tables);
    notes_release(&notes);
}

/* Half of the records are one task's, the other half another's; or, behind a first byte of 255, the
 * file of the first is these bytes, with whatever header that makes. */
FUZZ_ENTRY(recording)
{
    static const char *folder;
    if (folder == NULL) {
        folder = rows_folder("recording");
    }
    if (size > 0 && bytes[0] == 0xff) {
        (void)scratch_write("recording/0.0.0", bytes + 1, size - 1);
    } else {
        const size_t half = size / 2 / RECORD_ALIGNMENT * RECORD_ALIGNMENT;
        save_row(folder, 0, bytes, half);
        save_row(folder, 1, bytes + half, size - half);
    }
    merge(folder);
}
