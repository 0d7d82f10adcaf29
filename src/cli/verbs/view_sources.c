#include "cli/verbs/view_sources.h"

#include <string.h>

#include "base/mem.h"
#include "report/exports.h"

enum { FILES_MAX = 1000 };

static void add_file(struct view_sources *v, const struct source_place *place)
{
    const char *name = arena_text(&v->arena, place->file, place->file_size);
    if (place->file_size == 0 || strstr(name, "..") != NULL || v->files.count >= FILES_MAX) {
        return;
    }
    vec_each (&v->files, known) {
        if (strcmp(known->name, name) == 0) {
            return;
        }
    }
    const struct source_file file = source_file_of(&v->lines, name, place->file_size);
    if (file.text != NULL) {
        vec_push(&v->files, (struct page_file){name, file.text, file.size});
    }
}

void view_sources_find(struct view_sources *v, const struct trace *t, const struct texts *folders)
{
    const char *at[TEXTS_MAX + 1] = {"."};
    for (size_t i = 0; i < folders->count; i++) {
        at[i + 1] = folders->at[i];
    }
    source_lines_init(&v->lines, at, folders->count + 1);
    bool *is_seen = mem_zero(t->tables.names.list.count, sizeof *is_seen);
    trace_each (t, event) {
        if (event->location != 0 && !is_seen[event->location]) {
            is_seen[event->location] = true;
            const struct source_place place = source_place_of(trace_name(t, event->location));
            add_file(v, &place);
        }
    }
    mem_free(is_seen);
    v->lines.folders = NULL; /* they were on this stack */
    v->lines.folder_count = 0;
}

void view_sources_release(struct view_sources *v)
{
    vec_release(&v->files);
    arena_release(&v->arena);
    source_lines_release(&v->lines);
}
