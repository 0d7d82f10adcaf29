#include "sim/disk.h"

#include <string.h>

#include "sim/handler_guard.h"
#include "sim/net.h"
#include "sim/pending.h"
#include "sim/state_hash.h"
#include "sim/system_memory.h"
#include "sim/timer_cycle.h"
#include "sim/trace_events.h"

/* Written for the first time, a disk gets its bytes; until then it is all zeros. */
static char *disk_bytes(struct sim *s, struct disk *d)
{
    if (d->bytes == NULL) {
        d->bytes = heap_take(&s->core->heap, s->system->disk_size);
    }
    if (d->bytes == NULL) {
        guard_end(s, OUTCOME_CRASH, "disk too large", "a disk of %zu bytes is too large",
                  s->system->disk_size);
    }
    return d->bytes;
}

uint32_t disk_begin_write(struct sim *s, struct node *n, size_t offset, const void *bytes,
                          size_t size)
{
    struct disk *d = &n->disk;
    hash_touch_disk(s, n); /* it may get its bytes */
    pending_forget(s);
    (void)disk_bytes(s, d);
    struct disk_write *w = heap_take(&s->core->heap, sizeof *w + size);
    if (w == NULL) {
        guard_end(s, OUTCOME_HANG, "writes pile up",
                  "%u writes to the disk have not ended, and there is no room for more",
                  d->write_count);
    }
    w->ticket = ++d->ticket;
    w->cause = s->run.now;
    w->offset = offset;
    w->size = size;
    if (size > 0) {
        memcpy(w->bytes, bytes, size);
    }
    *(d->first == NULL ? &d->first : &d->last->next) = w;
    d->last = w;
    d->write_count++;
    must(offset + size <= s->system->disk_size);
    must(d->write_count <= d->ticket);
    tell_write(s, w);
    return w->ticket;
}

bool disk_is_busy(const struct node *n, size_t offset, size_t size)
{
    const struct disk_write *w = n->disk.first;
    while (w != NULL && (w->offset >= offset + size || offset >= w->offset + w->size)) {
        w = w->next;
    }
    return w != NULL;
}

void disk_save(struct sim *s, struct node *n, size_t offset, const void *bytes, size_t size)
{
    cycle_before_save(s);
    hash_touch_disk(s, n);
    must(offset + size <= s->system->disk_size);
    if (size > 0) {
        memcpy(disk_bytes(s, &n->disk) + offset, bytes, size);
    }
    tell_saved(s, offset, size);
}

/* The part of a write that lies in a range goes there. */
static void overlay(char *range, size_t offset, size_t size, const struct disk_write *w)
{
    const size_t begin = offset > w->offset ? offset : w->offset;
    const size_t own_end = offset + size;
    const size_t write_end = w->offset + w->size;
    const size_t end = own_end < write_end ? own_end : write_end;
    must(end <= own_end);
    if (begin < end) {
        memcpy(range + (begin - offset), w->bytes + (begin - w->offset), end - begin);
    }
}

void disk_read(const struct sim *s, const struct node *n, size_t offset, void *bytes, size_t size)
{
    must(offset + size <= s->system->disk_size);
    if (size == 0) {
        return;
    }
    if (n->disk.bytes == NULL) {
        memset(bytes, 0, size);
        return;
    }
    memcpy(bytes, n->disk.bytes + offset, size);
    for (const struct disk_write *w = n->disk.first; w != NULL; w = w->next) {
        overlay(bytes, offset, size, w);
    }
}

/* Takes the first write off the queue; unless it fails, it is on the disk. */
struct disk_write *disk_complete(struct sim *s, struct node *n)
{
    hash_touch_disk(s, n);
    struct disk *d = &n->disk;
    struct disk_write *w = d->first;
    d->first = w->next;
    d->last = d->first == NULL ? NULL : d->last;
    must(d->write_count > 0);
    d->write_count--;
    must((d->first == NULL) == (d->write_count == 0));
    if (!w->is_failing) {
        memcpy(d->bytes + w->offset, w->bytes, w->size);
    }
    return w;
}

void disk_crash(struct sim *s, struct node *n, uint32_t reached)
{
    struct disk *d = &n->disk;
    while (d->first != NULL) {
        d->first->is_failing = d->first->is_failing || reached == 0;
        reached -= reached > 0;
        heap_give(&s->core->heap, disk_complete(s, n));
    }
    must(d->write_count == 0);
    d->is_slow = false;
}
