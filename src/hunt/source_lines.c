#include "hunt/source_lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/in.h"

enum { FILE_MAX = 16 << 20, LINE_MAX_SHOWN = 80 };

void source_lines_init(struct source_lines *s, const char *const *folders, size_t folder_count)
{
    *s = (struct source_lines){.folders = folders, .folder_count = folder_count};
    names_init(&s->names);
    vec_push(&s->files, (struct source_file){0}); /* of the empty name */
}

void source_lines_release(struct source_lines *s)
{
    vec_release(&s->files);
    names_release(&s->names);
    arena_release(&s->arena);
}

static bool read_file(struct source_lines *s, const char *path, struct source_file *file)
{
    struct in in;
    struct err ignored;
    if (in_open(&in, path, &ignored) < 0) {
        return false;
    }
    const bool is_read = in_fill_all(&in, FILE_MAX, &ignored) == 0;
    if (is_read) {
        *file = (struct source_file){arena_text(&s->arena, in.at, in.available), in.available};
    }
    in_close(&in);
    return is_read;
}

static struct source_file find_file(struct source_lines *s, const char *name, size_t size)
{
    struct source_file file = {0};
    for (size_t i = 0; i < s->folder_count && file.text == NULL; i++) {
        const size_t folder = strlen(s->folders[i]);
        char *path = arena_array(&s->arena, char, folder + size + 2);
        memcpy(path, s->folders[i], folder);
        path[folder] = '/';
        memcpy(path + folder + 1, name, size);
        (void)!read_file(s, path, &file);
    }
    return file;
}

struct source_file source_file_of(struct source_lines *s, const char *name, size_t size)
{
    const uint32_t id = names_intern(&s->names, name, size);
    must(id <= s->files.count);
    if (id == s->files.count) {
        vec_push(&s->files, find_file(s, name, size));
    }
    return *vec_at(&s->files, id);
}

/* A line of the text without the blanks around it. */
static const char *take(struct source_lines *s, const char *line, size_t size)
{
    while (size > 0 && (*line == ' ' || *line == '\t')) {
        line++;
        size--;
    }
    while (size > 0 && (line[size - 1] == ' ' || line[size - 1] == '\r')) {
        size--;
    }
    return arena_text(&s->arena, line, size < LINE_MAX_SHOWN ? size : LINE_MAX_SHOWN);
}

const char *source_line(struct source_lines *s, const char *location)
{
    const char *colon = strrchr(location, ':');
    if (colon == NULL || colon == location || colon[1] < '1' || colon[1] > '9') {
        return "";
    }
    const struct source_file file = source_file_of(s, location, (size_t)(colon - location));
    unsigned long number = strtoul(colon + 1, NULL, 10);
    const char *at = file.text;
    const char *end = file.text == NULL ? NULL : file.text + file.size;
    while (at != NULL && at < end) {
        const char *next = memchr(at, '\n', (size_t)(end - at));
        if (--number == 0) {
            return take(s, at, (size_t)((next == NULL ? end : next) - at));
        }
        at = next == NULL ? NULL : next + 1;
    }
    return "";
}
