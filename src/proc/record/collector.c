#include "proc/record/collector.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fault_injection.h"
#include "proc/record/segment_compress.h"
#include "wire/must.h"

/* Reads the page that all recorded processes shared (wire/recording.h). A folder without one adds
 * nothing. */
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

void collector_init(struct collector *c)
{
    names_init(&c->inodes);
    shared_memory_init(&c->memory, &c->tables->names);
    c->inode_none = names_intern_text(&c->tables->names, "unix");
    c->tables->order = ORDER_STAMPED;
    c->tables->tick_ns = 1000;
    c->tables->source = names_intern_text(&c->tables->names, "clew record");
    read_page(c);
}

int collector_find(struct collector *c, struct err *e)
{
    DIR *dir = seam_fails() ? NULL : opendir(c->folder);
    if (dir == NULL) {
        return err_set(e, "%s: cannot be read: %s", c->folder, strerror(errno));
    }
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        struct drain_segment s;
        if (!drain_parse_name(&s, entry->d_name)) {
            continue;
        }
        const uint32_t index =
            *map_slot(&c->row_of, map_pair(s.process, s.task), (uint32_t)c->sources.count, NULL);
        if (index == c->sources.count) {
            const struct row row = {.folder = c->folder, .process = s.process, .task = s.task};
            vec_push(&c->sources, (struct source){.row = row});
        }
        struct row *row = &c->sources.at[index].row;
        row->segment_count = row->segment_count > s.number ? row->segment_count : s.number + 1;
    }
    (void)closedir(dir);
    return 0;
}

struct process *collector_process(struct collector *c, const struct segment *segment)
{
    vec_each (&c->processes, known) {
        if ((*known)->number == segment->process) {
            return *known;
        }
    }
    struct process *p = arena_new(&c->arena, struct process);
    p->number = segment->process;
    p->pid = segment->pid;
    p->node = names_intern_text(&c->tables->names, segment->node);
    naming_init(&p->naming, c->tables, &c->memory, c->folder, p->number);
    vec_push(&c->processes, p);
    return p;
}

void collector_divide_shared(struct collector *c)
{
    vec_each (&c->processes, p) {
        vec_each (&(*p)->naming.expected, m) {
            pieces_copy(
                &c->memory.pieces,
                &(struct pieces_span){.from = &(*p)->pieces,
                                      .from_address = m->start,
                                      .to_address = shared_memory_address(m->object, m->offset),
                                      .size = m->size});
        }
    }
}

void collector_begin(struct collector *c, uint32_t source)
{
    struct source *s = &c->sources.at[source];
    const uint32_t path = names_intern_text(&c->tables->names, s->row.segment->path);
    s->task = tables_task(c->tables, s->process->node, path);
    map_put(&s->process->task_of_number, s->row.task, s->task);
    s->stamp = s->row.stamp;
    s->operation = 1;
}

static bool is_earlier(const struct collector *c, uint32_t a, uint32_t b)
{
    const uint64_t x = c->sources.at[a].stamp;
    const uint64_t y = c->sources.at[b].stamp;
    return x != y ? x < y : a < b;
}

void collector_push(struct collector *c, uint32_t source)
{
    must(source < c->sources.count);
    must(c->sources.at[source].process != NULL);
    vec_push(&c->heap, source);
    size_t at = c->heap.count - 1;
    while (at > 0 && is_earlier(c, c->heap.at[at], c->heap.at[(at - 1) / 2])) {
        const uint32_t parent = c->heap.at[(at - 1) / 2];
        c->heap.at[(at - 1) / 2] = c->heap.at[at];
        c->heap.at[at] = parent;
        at = (at - 1) / 2;
    }
}

uint32_t collector_pop(struct collector *c)
{
    must(c->heap.count > 0);
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
    must(c->heap.count == 0 || !is_earlier(c, c->heap.at[0], least));
    return least;
}

void collector_release(struct collector *c)
{
    vec_each (&c->sources, s) {
        row_close(&s->row);
        vec_release(&s->late);
        scopes_release(&s->scopes);
        repeated_release(&s->repeated);
    }
    vec_each (&c->processes, p) {
        naming_release(&(*p)->naming);
        pieces_release(&(*p)->pieces);
        sync_objects_release(&(*p)->sync_objects);
        routines_release(&(*p)->routines);
        map_release(&(*p)->task_of_number);
        map_release(&(*p)->connection_of);
        map_release(&(*p)->file_of);
        map_release(&(*p)->held);
        vec_release(&(*p)->ends);
    }
    vec_release(&c->sources);
    vec_release(&c->processes);
    vec_release(&c->heap);
    vec_release(&c->batch);
    shared_memory_release(&c->memory);
    datagrams_release(&c->datagrams);
    traffic_release(&c->traffic);
    map_release(&c->exec_count);
    map_release(&c->row_of);
    map_release(&c->forked);
    names_release(&c->inodes);
    arena_release(&c->arena);
}
