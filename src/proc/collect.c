#include "proc/collect.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/seam.h"
#include "base/sort.h"
#include "proc/collector.h"
#include "trace/kind.h"

/* The page that all processes shared. A folder without one has nothing to tell. */
static void read_page(struct collector *c)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/" RECORDING_FILE, c->folder);
    const int fd = seam_fails() ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) {
        return;
    }
    if (read(fd, &c->page, sizeof c->page) != (ssize_t)sizeof c->page ||
        c->page.magic != RECORDING_MAGIC) {
        c->page = (struct recording){0};
    }
    c->page.folder[sizeof c->page.folder - 1] = 0;
    (void)close(fd);
}

/* Functions that were to be handlers and were none. */
static void note_handlers(struct collector *c)
{
    const uint32_t count = c->page.handler_count < RECORDING_HANDLERS_MAX ? c->page.handler_count
                                                                          : RECORDING_HANDLERS_MAX;
    for (uint32_t i = 0; i < count; i++) {
        struct recording_handler *handler = &c->page.handlers[i];
        handler->name[sizeof handler->name - 1] = 0;
        if (atomic_load(&handler->is_found) == 0) {
            notes_add(c->notes, "",
                      "--handler %s: no recorded program has such a function (or it is inlined "
                      "everywhere)",
                      handler->name);
        } else if (atomic_load(&handler->begin_count) == 0) {
            notes_add(c->notes, "",
                      "--handler %s: the function was never entered, or was not built with clew cc",
                      handler->name);
        }
    }
}

/* The folder holds one file for each segment; a row is the files 0, 1, 2 ... of one task. */
static int find_rows(struct collector *c, struct err *e)
{
    DIR *dir = seam_fails() ? NULL : opendir(c->folder);
    if (dir == NULL) {
        return err_set(e, "%s: cannot be read: %s", c->folder, strerror(errno));
    }
    struct map row_of = {0};
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        uint32_t process = 0;
        uint32_t task = 0;
        uint32_t number = 0;
        char rest = 0;
        /* NOLINTNEXTLINE(cert-err34-c): the names are ours; one that does not match is not a
         * segment. */
        if (sscanf(entry->d_name, "%u.%u.%u%c", &process, &task, &number, &rest) != 3) {
            continue;
        }
        const uint32_t index =
            *map_slot(&row_of, map_pair(process, task), (uint32_t)c->sources.count, NULL);
        if (index == c->sources.count) {
            const struct row row = {.folder = c->folder, .process = process, .task = task};
            vec_push(&c->sources, (struct source){.row = row});
        }
        struct row *row = &c->sources.at[index].row;
        row->segment_count = row->segment_count > number ? row->segment_count : number + 1;
    }
    map_release(&row_of);
    (void)closedir(dir);
    return 0;
}

/* The order of a folder is the file system's; rows go by process and task. */
static int compare_sources(const void *left, const void *right,
                           __attribute__((unused)) const void *context)
{
    const struct row *a = &((const struct source *)left)->row;
    const struct row *b = &((const struct source *)right)->row;
    const uint64_t x = map_pair(a->process, a->task);
    const uint64_t y = map_pair(b->process, b->task);
    return (x > y) - (x < y);
}

static struct process *process_of(struct collector *c, uint32_t number, const char *node)
{
    vec_each (&c->processes, known) {
        if ((*known)->number == number) {
            return *known;
        }
    }
    struct process *p = arena_new(&c->arena, struct process);
    p->number = number;
    p->node = names_intern_text(&c->tables->names, node);
    naming_init(&p->naming, c->tables);
    vec_push(&c->processes, p);
    return p;
}

static bool is_earlier(const struct collector *c, uint32_t a, uint32_t b)
{
    const uint64_t x = c->sources.at[a].stamp;
    const uint64_t y = c->sources.at[b].stamp;
    return x != y ? x < y : a < b;
}

static void heap_push(struct collector *c, uint32_t source)
{
    vec_push(&c->heap, source);
    size_t at = c->heap.count - 1;
    while (at > 0 && is_earlier(c, c->heap.at[at], c->heap.at[(at - 1) / 2])) {
        const uint32_t parent = c->heap.at[(at - 1) / 2];
        c->heap.at[(at - 1) / 2] = c->heap.at[at];
        c->heap.at[at] = parent;
        at = (at - 1) / 2;
    }
}

static uint32_t heap_pop(struct collector *c)
{
    const uint32_t least = c->heap.at[0];
    const uint32_t moved = vec_pop(&c->heap);
    size_t at = 0;
    for (size_t child = 1; child < c->heap.count; child = 2 * at + 1) {
        child +=
            child + 1 < c->heap.count && is_earlier(c, c->heap.at[child + 1], c->heap.at[child]);
        if (!is_earlier(c, c->heap.at[child], moved)) {
            break;
        }
        c->heap.at[at] = c->heap.at[child];
        at = child;
    }
    if (c->heap.count > 0) {
        c->heap.at[at] = moved;
    }
    return least;
}

/* Takes the row's front record and the unstamped ones behind it; then the row waits for its next
 * stamp. */
static int advance(struct collector *c, struct source *s, struct err *e)
{
    do {
        if (translate_record(c, s, e) < 0 || translate_late(c, s, e) < 0 ||
            row_next(&s->row, c->notes, e) < 0) {
            return -1;
        }
    } while (s->row.has_record && s->row.stamp == 0);
    s->stamp = s->row.has_record ? s->row.stamp : UINT64_MAX;
    return 0;
}

/* Accesses are seen before any is named: how a word is divided, and what is another task's. */
static void take_access(struct collector *c, const struct source *finder)
{
    const struct record *record = finder->row.record;
    pieces_see(&finder->process->pieces, record->object, record_access_size(record));
    if (!row_is_late(&finder->row)) {
        return;
    }
    const struct record_late late = record->late;
    vec_each (&c->sources, s) {
        if (s->row.process == finder->row.process && s->row.task == late.task) {
            vec_push(&s->late, (struct late){.epoch = late.epoch, .record = *record});
            return;
        }
    }
}

static int compare_late(const void *left, const void *right,
                        __attribute__((unused)) const void *context)
{
    const uint32_t a = ((const struct late *)left)->epoch;
    const uint32_t b = ((const struct late *)right)->epoch;
    return (a > b) - (a < b);
}

/* Everything that names something, before the first event that needs the name. */
static int read_notes(struct collector *c, struct err *e)
{
    vec_each (&c->sources, s) {
        if (row_open(&s->row, c->notes, e) < 0) {
            return -1;
        }
        if (s->row.has_record) {
            s->process = process_of(c, s->row.process, s->row.segment->node);
        }
        while (s->row.has_record) {
            if (kind_of(s->row.record->kind) == NULL) {
                translate_note(c, s);
            } else if (record_is_access(s->row.record)) {
                take_access(c, s);
            }
            if (row_next(&s->row, c->notes, e) < 0) {
                return -1;
            }
        }
    }
    return 0;
}

static int begin_rows(struct collector *c, struct err *e)
{
    for (uint32_t i = 0; i < c->sources.count; i++) {
        struct source *s = &c->sources.at[i];
        row_rewind(&s->row);
        sort_stable(s->late.at, s->late.count, sizeof *s->late.at, compare_late, NULL);
        if (row_open(&s->row, c->notes, e) < 0) {
            return -1;
        }
        if (s->row.has_record) {
            const uint32_t path = names_intern_text(&c->tables->names, s->row.segment->path);
            s->task = tables_task(c->tables, s->process->node, path);
            map_put(&s->process->task_of_number, s->row.task, s->task);
            s->stamp = s->row.stamp;
            heap_push(c, i);
        }
    }
    return 0;
}

static int merge(struct collector *c, struct err *e)
{
    while (c->heap.count > 0) {
        const uint32_t least = heap_pop(c);
        struct source *s = &c->sources.at[least];
        if (advance(c, s, e) < 0) {
            return -1;
        }
        if (s->row.has_record) {
            heap_push(c, least);
        }
    }
    return translate_flush(c, e);
}

static void count(struct collector *c, struct collect_stats *stats)
{
    *stats = (struct collect_stats){.processes = c->processes.count, .events = c->event_count};
    stats->handlers = c->handler_count;
    stats->dropped = atomic_load(&c->page.dropped);
    stats->messages_matched = c->traffic.matched;
    stats->messages_unmatched = c->traffic.unmatched;
    stats->messages_external = c->traffic.external;
    vec_each (&c->last_step.entries, step) {
        stats->uncontrolled += step->value == EVENT_PROCESS_EXEC;
    }
    vec_each (&c->sources, s) {
        stats->threads += s->process != NULL;
        stats->bytes += s->row.size_total;
        stats->unfinished += s->process != NULL && !s->row.is_finished;
    }
}

static void release(struct collector *c)
{
    vec_each (&c->sources, s) {
        row_close(&s->row);
        vec_release(&s->late);
    }
    vec_each (&c->processes, p) {
        naming_release(&(*p)->naming);
        pieces_release(&(*p)->pieces);
        map_release(&(*p)->task_of_number);
        map_release(&(*p)->connection_of);
        map_release(&(*p)->file_of);
        vec_release(&(*p)->ends);
    }
    vec_release(&c->sources);
    vec_release(&c->processes);
    vec_release(&c->heap);
    vec_release(&c->batch);
    datagrams_release(&c->datagrams);
    traffic_release(&c->traffic);
    map_release(&c->last_step);
    names_release(&c->inodes);
    arena_release(&c->arena);
}

int collect(const char *folder, struct tables *t, struct writer *w, struct collect_stats *stats,
            struct notes *n, struct err *e)
{
    struct collector c = {.folder = folder, .tables = t, .writer = w, .notes = n};
    names_init(&c.inodes);
    c.inode_none = names_intern_text(&t->names, "unix");
    t->order = ORDER_STAMPED;
    t->source = names_intern_text(&t->names, "clew record");
    read_page(&c);
    note_handlers(&c);
    int result = find_rows(&c, e);
    if (result == 0) {
        sort_stable(c.sources.at, c.sources.count, sizeof *c.sources.at, compare_sources, NULL);
        result = read_notes(&c, e);
    }
    if (result == 0) {
        translate_ends(&c);
        result = begin_rows(&c, e);
    }
    if (result == 0) {
        result = merge(&c, e);
    }
    count(&c, stats);
    release(&c);
    return result;
}
