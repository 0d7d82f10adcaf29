#include "proc/record/live.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fault_injection.h"
#include "base/mem.h"
#include "proc/record/collector.h"
#include "proc/record/process_alive.h"
#include "trace/kind_table.h"
#include "wire/must.h"

/* Reads a source ahead of the merge, for the names and the late accesses in it. */
struct scout {
    struct row row;
    uint64_t floor; /* the task's, one step ago */
    bool has_begun; /* the source knows its task */
};

struct live {
    struct writer writer; /* where translate.c's events go: to the sink */
    struct collector collector;
    const struct live_sink *sink;
    const struct recording *page; /* mapped: its counter moves */
    VEC(struct scout) scouts;
    uint64_t bound;   /* stamps below it were all committed one step ago */
    uint64_t epoch;   /* of the task whose events are being written */
    bool is_late;     /* they are of an earlier one */
    size_t end_count; /* of connections, when their peers were looked up last */
};

static int write_events(struct writer *w, const struct event *events, size_t count, struct err *e)
{
    const struct live *l = (const struct live *)w;
    if (!l->is_late) {
        return l->sink->take(l->sink->context, events, count, l->epoch, e);
    }
    for (size_t i = 0; i < count; i++) {
        if (l->sink->take_late(l->sink->context, &events[i], l->epoch, e) < 0) {
            return -1;
        }
    }
    return 0;
}

static const struct writer_ops sink_ops = {.write = write_events};

static const struct recording *map_page(const char *folder, struct err *e)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/" RECORDING_FILE, folder);
    const int fd = seam_fails() ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    void *page = fd < 0 || seam_fails()
                     ? MAP_FAILED
                     : mmap(NULL, sizeof(struct recording), PROT_READ, MAP_SHARED, fd, 0);
    const int reason = errno;
    if (fd >= 0) {
        (void)close(fd);
    }
    if (page == MAP_FAILED) {
        (void)err_set(e, "%s: cannot be watched: %s", path, strerror(reason));
        return NULL;
    }
    return page;
}

struct live *live_open(const char *folder, struct tables *t, const struct live_sink *sink,
                       struct notes *n, struct err *e)
{
    const struct recording *page = map_page(folder, e);
    if (page == NULL) {
        return NULL;
    }
    struct live *l = mem_zero(1, sizeof *l);
    l->sink = sink;
    l->page = page;
    l->writer = (struct writer){.ops = &sink_ops, .tables = t, .notes = n};
    l->collector =
        (struct collector){.folder = folder, .tables = t, .writer = &l->writer, .notes = n};
    collector_init(&l->collector);
    return l;
}

void live_close(struct live *l)
{
    if (l == NULL) {
        return;
    }
    vec_each (&l->scouts, scout) {
        row_close(&scout->row);
    }
    vec_release(&l->scouts);
    collector_release(&l->collector);
    (void)munmap((void *)(uintptr_t)l->page, sizeof *l->page);
    mem_free(l);
}

/* New rows get a scout; all learn how long they are by now. */
static int find_rows(struct live *l, struct err *e)
{
    struct collector *c = &l->collector;
    if (collector_find(c, e) < 0) {
        return -1;
    }
    while (l->scouts.count < c->sources.count) {
        const struct row *row = &c->sources.at[l->scouts.count].row;
        vec_push(&l->scouts, (struct scout){.row = *row, .floor = SEGMENT_FLOOR_NONE});
    }
    must(l->scouts.count == c->sources.count);
    for (size_t i = 0; i < c->sources.count; i++) {
        l->scouts.at[i].row.segment_count = c->sources.at[i].row.segment_count;
    }
    return 0;
}

/* ---- ahead of the merge ---- */

/* Reports an access at once if its task is past that epoch; otherwise keeps it until the task
 * reaches the epoch. */
static int take_late(struct live *l, const struct scout *finder, struct err *e)
{
    struct collector *c = &l->collector;
    const struct record_late late = finder->row.record->late;
    const uint32_t *index = map_get(&c->row_of, map_pair(finder->row.process, late.task));
    if (index == NULL) {
        return 0;
    }
    must(*index < l->scouts.count);
    struct source *owner = &c->sources.at[*index];
    if (!l->scouts.at[*index].has_begun || late.epoch > owner->epoch) {
        vec_push(&owner->late, (struct late){.epoch = late.epoch, .record = *finder->row.record});
        for (size_t i = owner->late.count - 1;
             i > owner->late_taken && owner->late.at[i - 1].epoch > late.epoch; i--) {
            const struct late before = owner->late.at[i - 1];
            owner->late.at[i - 1] = owner->late.at[i];
            owner->late.at[i] = before;
        }
        return 0;
    }
    must(!l->is_late);
    l->is_late = true;
    l->epoch = late.epoch;
    const int result =
        translate_access(c, owner, finder->row.record, e) < 0 || translate_flush(c, e) < 0 ? -1 : 0;
    l->is_late = false;
    return result;
}

/* How an access divides the word. */
static void see_pieces(struct collector *c, struct source *s, const struct record *record)
{
    uint64_t shared = 0;
    const uint64_t size = record_access_size(record);
    if (record->kind == EVENT_LOST) {
        return;
    }
    pieces_see(&s->process->pieces, record->object, size);
    if (naming_is_shared(&s->process->naming, record->object, &shared)) {
        pieces_see(&c->memory.pieces, shared, size);
    }
}

/* Everything that names something, and every access that is another task's. */
static int scout_ahead(struct live *l, size_t index, struct err *e)
{
    struct collector *c = &l->collector;
    struct scout *scout = &l->scouts.at[index];
    if (row_follow(&scout->row, e) < 0) {
        return -1;
    }
    while (scout->row.has_record) {
        struct source *s = &c->sources.at[index];
        const struct record *record = scout->row.record;
        if (s->process == NULL) {
            s->process = collector_process(c, scout->row.segment);
        }
        if (kind_of(record->kind) == NULL) {
            struct source told = {.row = scout->row, .process = s->process};
            translate_note(c, &told);
        } else if (record_is_access(record)) {
            see_pieces(c, s, record);
            if (row_is_late(&scout->row) && take_late(l, scout, e) < 0) {
                return -1;
            }
        }
        if (row_follow(&scout->row, e) < 0) {
            return -1;
        }
    }
    return 0;
}

/* A lower bound on the stamps that the scout's task can still write. `next` is an earlier value of
 * the counter. A task that died before it finished a stamped record delays the merge by one step
 * only. */
static uint64_t floor_of(struct scout *scout, uint64_t next)
{
    const struct segment *segment = scout->row.segment;
    const uint64_t floor = segment == NULL ? SEGMENT_FLOOR_NONE : atomic_load(&segment->floor);
    const bool is_stuck = floor < next && floor == scout->floor;
    scout->floor = floor;
    return is_stuck && !task_is_alive(segment->pid, segment->tid) ? SEGMENT_FLOOR_NONE : floor;
}

/* Reads all rows ahead. Every record with a stamp below *bound has been read. Reads the counter
 * first, then the floors, then the committed sizes: see take_stamp in the recorder. */
static int read_ahead(struct live *l, uint64_t *bound, struct err *e)
{
    *bound = atomic_load(&l->page->stamp);
    if (find_rows(l, e) < 0) {
        return -1;
    }
    const uint64_t next = *bound;
    for (size_t i = 0; i < l->scouts.count; i++) {
        if (scout_ahead(l, i, e) < 0) { /* to the segment that is written now */
            return -1;
        }
        const uint64_t floor = floor_of(&l->scouts.at[i], next);
        *bound = floor < *bound ? floor : *bound;
        if (scout_ahead(l, i, e) < 0) {
            return -1;
        }
    }
    size_t end_count = 0;
    vec_each (&l->collector.processes, p) {
        end_count += (*p)->ends.count;
    }
    if (end_count != l->end_count) {
        translate_ends(&l->collector);
        l->end_count = end_count;
    }
    return 0;
}

/* ---- the merge ---- */

/* Takes the plain records up to the next stamped one. The source then waits for its place in the
 * merge if that stamp is below the bound. */
static int follow_plain(struct live *l, uint32_t index, struct err *e)
{
    struct collector *c = &l->collector;
    struct source *s = &c->sources.at[index];
    while (s->row.has_record && s->row.stamp == 0) {
        if (translate_record(c, s, e) < 0 || row_follow(&s->row, e) < 0) {
            return -1;
        }
    }
    l->epoch = s->epoch;
    if (translate_flush(c, e) < 0) {
        return -1;
    }
    s->stamp = s->row.has_record ? s->row.stamp : UINT64_MAX;
    if (s->stamp < l->bound) {
        collector_push(c, index);
    }
    return 0;
}

/* Looks whether more has come for a source that waits for none. */
static int look(struct live *l, uint32_t index, struct err *e)
{
    struct source *s = &l->collector.sources.at[index];
    if (s->process == NULL) {
        return 0; /* the scout has seen nothing */
    }
    if (!s->row.has_record && row_follow(&s->row, e) < 0) {
        return -1;
    }
    if (s->row.has_record && !l->scouts.at[index].has_begun) {
        l->scouts.at[index].has_begun = true;
        collector_begin(&l->collector, index);
    }
    return follow_plain(l, index, e);
}

int live_step(struct live *l, bool is_over, struct err *e)
{
    struct collector *c = &l->collector;
    uint64_t bound = 0;
    if (read_ahead(l, &bound, e) < 0) {
        return -1;
    }
    l->bound = is_over ? UINT64_MAX : l->bound;
    for (uint32_t i = 0; i < c->sources.count; i++) {
        if (look(l, i, e) < 0) {
            return -1;
        }
    }
    while (c->heap.count > 0) {
        const uint32_t least = collector_pop(c);
        struct source *s = &c->sources.at[least];
        if (translate_record(c, s, e) < 0 || translate_late(c, s, e) < 0 ||
            row_follow(&s->row, e) < 0 || follow_plain(l, least, e) < 0) {
            return -1;
        }
    }
    must(c->heap.count == 0);
    l->bound = bound;
    return 0;
}
