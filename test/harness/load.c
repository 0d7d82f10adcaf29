#include "load.h"

#include "import/import.h"
#include "test.h"

void load_falcon(struct trace *t, const char *path)
{
    struct notes notes = {0};
    struct err e;
    trace_init(t);
    struct cursor *c = format_open(import_formats, &format_falcon, path, &t->tables, &notes, &e);
    if (c == NULL || trace_load(t, c, &e) < 0) {
        fail_msg("%s", e.text);
    }
    cursor_close(c);
    notes_release(&notes);
    trace_seal(t);
}
