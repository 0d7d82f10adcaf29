#include "hunt/page_sources.h"

#include <string.h>

#include "base/mem.h"
#include "hunt/source_lines.h"
#include "report/exports.h"

enum { FILES_MAX = 1000 };

struct found {
    struct source_lines lines;
    struct arena arena;
    VEC(struct page_file) files;
};

static void add_file(struct found *f, const struct source_place *place)
{
    const char *name = arena_text(&f->arena, place->file, place->file_size);
    if (place->file_size == 0 || strstr(name, "..") != NULL || f->files.count >= FILES_MAX) {
        return;
    }
    vec_each (&f->files, known) {
        if (strcmp(known->name, name) == 0) {
            return;
        }
    }
    const struct source_file file = source_file_of(&f->lines, name, place->file_size);
    if (file.text != NULL) {
        vec_push(&f->files, (struct page_file){name, file.text, file.size});
    }
}

static void add_files_of(struct found *f, const struct trace *t)
{
    bool *is_seen = mem_zero(t->tables.names.list.count, sizeof *is_seen);
    trace_each (t, event) {
        if (event->location != 0 && !is_seen[event->location]) {
            is_seen[event->location] = true;
            const struct source_place place = source_place_of(trace_name(t, event->location));
            add_file(f, &place);
        }
    }
    mem_free(is_seen);
}

int page_write_with_sources(struct page *p, const struct page_folders *folders, struct out *out,
                            struct err *e)
{
    struct found f = {0};
    source_lines_init(&f.lines, folders->at, folders->count);
    for (size_t i = 0; i < p->run_count; i++) {
        add_files_of(&f, p->runs[i].trace);
    }
    p->files = f.files.at;
    p->file_count = f.files.count;
    const int result = page_write(p, out, e);
    p->files = NULL;
    p->file_count = 0;
    vec_release(&f.files);
    arena_release(&f.arena);
    source_lines_release(&f.lines);
    return result;
}
