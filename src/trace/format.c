#include "trace/format.h"

#include <string.h>

#include "base/mem.h"

enum { SNIFF_SIZE = 4096 };

const struct format *format_of_path(format_list formats, const char *path)
{
    const size_t size = strlen(path);
    const struct format *found = NULL;
    for (; *formats != NULL; formats++) {
        const size_t ending = strlen((*formats)->ending);
        if (size > ending && strcmp(path + size - ending, (*formats)->ending) == 0 &&
            (found == NULL || ending > strlen(found->ending))) {
            found = *formats;
        }
    }
    return found;
}

static const struct format *recognize(format_list formats, const char *bytes, size_t size)
{
    const struct format *best = NULL;
    int best_score = 0;
    for (; *formats != NULL; formats++) {
        const int score = (*formats)->sniff == NULL ? 0 : (*formats)->sniff(bytes, size);
        if (score > best_score) {
            best_score = score;
            best = *formats;
        }
    }
    return best;
}

/* Fills the window with enough bytes to recognize the format. For slow input, from a running
 * program, whole lines that suffice end the wait. */
static ssize_t fill_to_recognize(format_list formats, struct in *in, struct err *e)
{
    enum { WAIT_MS = 100 };
    ssize_t size = in_fill(in, 1, e);
    while (size > 0 && size < SNIFF_SIZE && !in->is_end) {
        const bool has_lines = in->at[size - 1] == '\n';
        if (has_lines && in_is_slow(in, WAIT_MS) &&
            recognize(formats, in->at, (size_t)size) != NULL) {
            break;
        }
        size = in_fill(in, (size_t)size + 1, e);
    }
    return size;
}

static struct cursor *open_in(format_list formats, const struct format *wanted, struct in *in,
                              struct tables *t, struct notes *n, struct err *e)
{
    /* A forced format needs no wait for recognition. */
    const ssize_t size = wanted != NULL ? in_fill(in, 1, e) : fill_to_recognize(formats, in, e);
    if (size < 0) {
        in_close(in);
        return NULL;
    }
    if (size == 0) {
        in_close(in);
        (void)err_set(e, "is empty, not a trace");
        return NULL;
    }
    const struct format *format =
        wanted != NULL ? wanted
                       : recognize(formats, in->at, size < SNIFF_SIZE ? (size_t)size : SNIFF_SIZE);
    if (format == NULL || format->open == NULL) {
        in_close(in);
        if (format != NULL) {
            (void)err_set(e, "traces in %s form can only be written, not read", format->name);
        } else {
            (void)err_set(e, "byte 0: not a trace in any known format (see clew convert --help)");
        }
        return NULL;
    }
    return format->open(in, t, n, e);
}

const char *format_path_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

struct cursor *format_open_unnamed(format_list formats, const struct format *wanted,
                                   const char *path, struct tables *t, struct notes *n,
                                   struct err *e)
{
    struct in in;
    if (in_open(&in, path, e) < 0) {
        return NULL;
    }
    struct cursor *c = open_in(formats, wanted, &in, t, n, e);
    if (c != NULL) {
        c->path = format_path_name(path);
    }
    return c;
}

struct cursor *format_open(format_list formats, const struct format *wanted, const char *path,
                           struct tables *t, struct notes *n, struct err *e)
{
    struct cursor *c = format_open_unnamed(formats, wanted, path, t, n, e);
    if (c == NULL) {
        (void)err_wrap(e, "%s", format_path_name(path));
    }
    return c;
}

struct cursor *format_open_memory(format_list formats, const void *bytes, size_t size,
                                  struct tables *t, struct notes *n, struct err *e)
{
    struct in in;
    in_open_memory(&in, bytes, size);
    struct cursor *c = open_in(formats, NULL, &in, t, n, e);
    if (c != NULL) {
        c->path = "memory";
    }
    return c;
}

int writer_write(struct writer *w, const struct event *events, size_t count, struct err *e)
{
    if (w->ops->write(w, events, count, e) < 0) {
        return -1;
    }
    if (w->out.failed) { /* a full disk ends a long conversion now, not at its close */
        *e = w->out.failure;
        return -1;
    }
    return 0;
}

int writer_close(struct writer *w, struct err *e)
{
    const int result = w->ops->finish(w, e) < 0 ? -1 : out_close(&w->out, e);
    if (result < 0) {
        writer_abandon(w);
        return -1;
    }
    w->ops->release(w);
    mem_free(w);
    return 0;
}

void writer_abandon(struct writer *w)
{
    if (w == NULL) {
        return;
    }
    out_abandon(&w->out);
    w->ops->release(w);
    mem_free(w);
}

int format_save(const struct format *format, const struct trace *t, const char *path, struct err *e)
{
    struct out out;
    struct notes notes = {0};
    if (out_open(&out, path, e) < 0) {
        return -1;
    }
    struct writer *w = format->create(&out, &t->tables, &notes);
    int result = writer_write(w, t->events.at, t->events.count, e);
    if (result == 0) {
        result = writer_close(w, e);
    } else {
        writer_abandon(w);
    }
    notes_release(&notes);
    return result;
}
