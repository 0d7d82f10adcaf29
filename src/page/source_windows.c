#include "page/source_windows.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "report/exports.h"

enum { LINES_AROUND = 4, LINE_BYTES_MAX = 200 };

/* Which lines of a file are needed: a flag for each, from 1. */
struct wanted {
    const struct page_file *file;
    uint32_t line_count;
    bool *is_near;
};

static uint32_t count_lines(const struct page_file *file)
{
    uint32_t count = 0;
    const char *end = file->text + file->size;
    for (const char *at = file->text; at < end; count++) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        at = line_end == NULL ? end : line_end + 1;
    }
    return count;
}

static void mark_location(struct wanted *w, size_t count, const char *location)
{
    const struct source_place place = source_place_of(location);
    for (size_t i = 0; i < count; i++) {
        const char *name = w[i].file->name;
        if (place.file_size == 0 || strlen(name) != place.file_size ||
            memcmp(name, place.file, place.file_size) != 0 || place.line > w[i].line_count) {
            continue;
        }
        const uint32_t first = place.line > LINES_AROUND ? place.line - LINES_AROUND : 1;
        for (uint32_t line = first; line <= place.line + LINES_AROUND && line <= w[i].line_count;
             line++) {
            w[i].is_near[line] = true;
        }
    }
}

/* Each location once, however many events have it. */
static void mark_all(const struct trace *t, struct wanted *w, size_t count)
{
    bool *is_seen = mem_zero(t->tables.names.list.count, sizeof *is_seen);
    is_seen[0] = true;
    trace_each (t, event) {
        if (!is_seen[event->location]) {
            is_seen[event->location] = true;
            mark_location(w, count, trace_name(t, event->location));
        }
    }
    mem_free(is_seen);
}

static void print_lines(const struct wanted *w, struct json *j)
{
    const char *at = w->file->text;
    const char *end = at + w->file->size;
    json_object(j, w->file->name);
    for (uint32_t line = 1; line <= w->line_count; line++) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        const size_t size = (size_t)((line_end == NULL ? end : line_end) - at);
        if (w->is_near[line]) {
            char number[16];
            char text[LINE_BYTES_MAX + 1];
            (void)snprintf(number, sizeof number, "%u", line);
            (void)snprintf(text, sizeof text, "%.*s",
                           (int)(size < LINE_BYTES_MAX ? size : LINE_BYTES_MAX), at);
            json_text(j, number, text);
        }
        at = line_end == NULL ? end : line_end + 1;
    }
    json_end(j);
}

void source_windows_print(const struct page *p, struct json *j)
{
    struct wanted *w = mem_zero(p->file_count + 1, sizeof *w);
    for (size_t i = 0; i < p->file_count; i++) {
        w[i].file = &p->files[i];
        w[i].line_count = count_lines(&p->files[i]);
        w[i].is_near = mem_zero((size_t)w[i].line_count + 1, sizeof *w[i].is_near);
    }
    for (size_t i = 0; i < p->run_count; i++) {
        mark_all(p->runs[i].trace, w, p->file_count);
    }
    json_object(j, "sources");
    for (size_t i = 0; i < p->file_count; i++) {
        print_lines(&w[i], j);
        mem_free(w[i].is_near);
    }
    json_end(j);
    mem_free(w);
}
