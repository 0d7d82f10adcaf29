#include "formats.h"
#include "fuzz.h"
#include "page/page.h"

/* How many "<" the page of the trace has. Each begins an element of ours: a name that brings one is
 * taken for markup. */
static size_t count_elements(const struct trace *t, const char *title)
{
    const struct page p = {.title = title,
                           .verdict = title,
                           .replay = title,
                           .runs = {{.title = title, .trace = t}},
                           .run_count = 1};
    struct err e = {0};
    struct out out;
    size_t count = 0;
    out_open_memory(&out);
    must(page_write(&p, &out, &e) == 0);
    for (size_t i = 0; i < out.used; i++) {
        count += out.buffer[i] == '<';
    }
    out_abandon(&out);
    return count;
}

/* Whatever names a trace has, its page has the same elements. */
FUZZ_ENTRY(page)
{
    struct trace t;
    struct trace empty;
    struct notes notes = {0};
    struct err e = {0};
    trace_init(&t);
    trace_init(&empty);
    trace_seal(&empty);
    if (format_parse(&format_text, bytes, size, &t, &notes, &e) == 0) {
        const char *name =
            t.tables.tasks.count == 0 ? "" : trace_name(&t, t.tables.tasks.at[0].name);
        must(count_elements(&t, name) == count_elements(&empty, ""));
    }
    notes_release(&notes);
    trace_release(&empty);
    trace_release(&t);
}
