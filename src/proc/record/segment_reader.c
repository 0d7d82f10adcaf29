#include "proc/record/segment_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fault_injection.h"
#include "base/mem.h"
#include "proc/record/segment_compress.h"
#include "wire/event.h"
#include "wire/kind.h"
#include "wire/must.h"

enum { SITES_SIZE = SITE_COUNT * sizeof(uint64_t) };

static void unmap(struct row *r)
{
    if (r->segment != NULL) {
        (void)munmap(r->segment, SEGMENT_SIZE);
        r->segment = NULL;
    }
}

/* A segment that was packed has another name: puts it into memory of its own; none when it cannot
 * be unpacked. */
static int map_packed(struct row *r, const char *path, struct err *e)
{
    void *at = seam_fails() ? MAP_FAILED
                            : mmap(NULL, SEGMENT_SIZE, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) {
        return err_set(e, "%s: cannot be unpacked: %s", path, strerror(errno));
    }
    const size_t size = drain_unpack(path, at);
    r->segment = at;
    r->room = size < SEGMENT_HEADER_SIZE ? 0 : size - SEGMENT_HEADER_SIZE;
    if (size < SEGMENT_HEADER_SIZE) {
        unmap(r);
    }
    return 0;
}

/* Maps the file; no segment when it is too short to be one: its maker died making it. */
static int map_file(struct row *r, const char *path, struct err *e)
{
    struct stat status;
    const int fd = seam_fails() ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    char packed[PATH_MAX];
    if (fd < 0 && errno == ENOENT &&
        snprintf(packed, sizeof packed, "%s" PACKED_SUFFIX, path) < PATH_MAX &&
        access(packed, F_OK) == 0) {
        return map_packed(r, packed, e);
    }
    if (fd < 0 || fstat(fd, &status) < 0) {
        const int reason = errno;
        if (fd >= 0) {
            (void)close(fd);
        }
        return err_set(e, "%s: cannot be opened: %s", path, strerror(reason));
    }
    void *at = NULL;
    if (status.st_size >= SEGMENT_HEADER_SIZE && status.st_size <= SEGMENT_SIZE) {
        at = seam_fails() ? MAP_FAILED : mmap(NULL, SEGMENT_SIZE, PROT_READ, MAP_SHARED, fd, 0);
    }
    const int reason = errno;
    (void)close(fd);
    if (at == MAP_FAILED) {
        return err_set(e, "%s: cannot be mapped: %s", path, strerror(reason));
    }
    r->segment = at;
    r->room = at == NULL ? 0 : (uint64_t)status.st_size - SEGMENT_HEADER_SIZE;
    return 0;
}

/* True when the mapped file is the segment this row expects next. */
static bool is_expected(const struct row *r, const struct segment *s)
{
    /* Pairs with the release in the recorder: a segment with its magic has a whole header. */
    const uint64_t magic = s->magic;
    atomic_thread_fence(memory_order_acquire);
    const bool is_whole = r->room == SEGMENT_ROOM ||
                          atomic_load_explicit(&s->committed, memory_order_relaxed) <= r->room;
    return magic == SEGMENT_MAGIC && s->version == WIRE_VERSION && s->process == r->process &&
           s->task == r->task && s->number == r->number && is_whole;
}

/* True for the same content under a second name: its task was killed while it saved a segment. */
static bool is_repeated(const struct row *r, const struct segment *s)
{
    return s->magic == SEGMENT_MAGIC && s->version == WIRE_VERSION && s->process == r->process &&
           s->task == r->task && s->number + 1 == r->number;
}

static int map_next(struct row *r, char path[static PATH_MAX], struct err *e)
{
    (void)snprintf(path, PATH_MAX, "%s/%u.%u.%u", r->folder, r->process, r->task, r->number);
    return map_file(r, path, e);
}

/* Sees how much of the segment is committed by now; true when nothing more will be. */
static bool see_committed(struct row *r)
{
    /* Both pair with the recorder's release: the records are whole, and behind the end of a segment
     * none follows. */
    const bool is_closed = atomic_load_explicit(&r->segment->is_closed, memory_order_acquire) != 0;
    const uint64_t committed = atomic_load_explicit(&r->segment->committed, memory_order_acquire);
    r->committed =
        (committed < r->room ? committed : r->room) / RECORD_ALIGNMENT * RECORD_ALIGNMENT;
    must(r->committed <= r->room);
    must(r->committed % RECORD_ALIGNMENT == 0);
    r->is_finished = is_closed && r->segment->is_last != 0;
    r->access_count = atomic_load_explicit(&r->segment->access_count, memory_order_relaxed);
    return is_closed;
}

/* Maps the next segment; r->segment is NULL when there is none. */
static int next_segment(struct row *r, struct notes *n, struct err *e)
{
    unmap(r);
    if (r->number >= r->segment_count) {
        return 0;
    }
    char path[PATH_MAX];
    if (map_next(r, path, e) < 0) {
        return -1;
    }
    if (r->segment == NULL || !is_expected(r, r->segment)) {
        if (r->segment == NULL || !is_repeated(r, r->segment)) {
            notes_add(n, path,
                      "a segment was not complete enough to be read and ends its task's row");
        }
        unmap(r);
        r->number = r->segment_count;
        return 0;
    }
    (void)see_committed(r);
    r->size_total += r->committed;
    r->at = 0;
    r->number++;
    return 0;
}

/* Maps the process's table of sites. Without a table an access has only its address. */
static void sites_open(struct row *r)
{
    char path[PATH_MAX];
    struct stat status;
    r->has_no_sites = true;
    (void)snprintf(path, sizeof path, "%s/%u" SITES_SUFFIX, r->folder, r->process);
    const int fd = seam_fails() ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) {
        return;
    }
    void *at = MAP_FAILED;
    if (fstat(fd, &status) == 0 && status.st_size == SITES_SIZE) {
        at = mmap(NULL, SITES_SIZE, PROT_READ, MAP_SHARED, fd, 0);
    }
    (void)close(fd);
    if (at != MAP_FAILED) {
        r->sites = at;
        r->has_no_sites = false;
    }
}

static void sites_close(struct row *r)
{
    if (r->sites != NULL) {
        (void)munmap((void *)r->sites, SITES_SIZE);
        r->sites = NULL;
    }
}

static void unfold(struct row *r, uint64_t word)
{
    if (r->sites == NULL && !r->has_no_sites) {
        sites_open(r);
    }
    const bool is_call = access_word_site(word) < SITE_FIRST;
    const uint64_t entry = r->sites == NULL ? 0 : r->sites[access_word_site(word)];
    if (r->unfolded == NULL) {
        r->unfolded = mem_zero(1, sizeof *r->unfolded);
    }
    *r->unfolded = (struct record){.kind = site_is_write(entry) ? EVENT_WRITE : EVENT_READ,
                                   .flags = entry == 0 ? 0 : RECORD_HAS_SIZE,
                                   .size = entry == 0 ? 0 : site_size(entry),
                                   .object = access_word_address(word),
                                   .place = site_place(entry)};
    if (is_call) {
        *r->unfolded = (struct record){.kind = RECORD_CALL,
                                       .object = access_word_site(word) + 1,
                                       .place = access_word_address(word)};
    }
    r->record = r->unfolded;
    r->stamp = 0;
    r->more = NULL;
    r->bytes = "";
    r->at += sizeof word;
    r->has_record = true;
}

/* Decodes the record at r->at. False if it exceeds the committed bytes. */
static bool take(struct row *r)
{
    /* Records begin at multiples of RECORD_ALIGNMENT in a mapped page: they are aligned. */
    const char *at = (const char *)r->segment + SEGMENT_HEADER_SIZE + r->at;
    const struct record *record = (const void *)at;
    r->at_record = r->at;
    if ((record->flags & RECORD_IS_WORD) != 0) {
        unfold(r, *(const uint64_t *)(const void *)at);
        return true;
    }
    must(r->at < r->committed);
    const uint64_t left = r->committed - r->at;
    const uint64_t size =
        left < RECORD_SIZE ? UINT64_MAX : (1 + (uint64_t)record->extra) * RECORD_SIZE;
    if (size > left) {
        return false;
    }
    r->record = record;
    r->stamp = row_is_late(r) ? 0 : record->stamp;
    r->more = NULL;
    r->bytes = "";
    if (record->extra > 0) {
        r->more = (const void *)(at + RECORD_SIZE);
        r->bytes = at + RECORD_SIZE + sizeof *r->more;
        if (r->more->size > size - RECORD_SIZE - sizeof *r->more) {
            return false;
        }
    }
    r->at += size;
    must(r->at <= r->committed);
    r->has_record = true;
    return true;
}

int row_next(struct row *r, struct notes *n, struct err *e)
{
    r->has_record = false;
    while (r->segment != NULL && r->at >= r->committed) {
        if (next_segment(r, n, e) < 0) {
            return -1;
        }
    }
    if (r->segment != NULL && !take(r)) {
        notes_add(n, r->folder, "a record did not fit its segment; its task's row ends there");
        unmap(r);
    }
    if (r->segment == NULL) {
        sites_close(r);
    }
    return 0;
}

int row_follow(struct row *r, struct err *e)
{
    r->has_record = false;
    while (r->number < r->segment_count || r->segment != NULL) {
        if (r->segment == NULL) {
            char path[PATH_MAX];
            if (map_next(r, path, e) < 0) {
                return -1;
            }
            if (r->segment == NULL || !is_expected(r, r->segment)) {
                unmap(r);
                return 0; /* it is being made */
            }
            r->at = 0;
            r->number++;
        }
        const bool is_closed = see_committed(r);
        if (r->at < r->committed) {
            if (!take(r)) {
                unmap(r);
                r->number = r->segment_count = UINT32_MAX;
            }
            return 0;
        }
        if (!is_closed || (r->number >= r->segment_count && !r->is_finished)) {
            return 0;
        }
        unmap(r);
    }
    return 0;
}

int row_open(struct row *r, struct notes *n, struct err *e)
{
    if (next_segment(r, n, e) < 0) {
        return -1;
    }
    return row_next(r, n, e);
}

void row_rest(struct row *r)
{
    must(r->has_record);
    unmap(r);
    sites_close(r);
}

int row_wake(struct row *r, struct err *e)
{
    if (r->segment != NULL) {
        return 0;
    }
    char path[PATH_MAX];
    r->number--;
    if (map_next(r, path, e) < 0) {
        return -1;
    }
    must(!r->has_record || r->at_record < r->at);
    r->at = r->at_record;
    if (r->segment == NULL || !is_expected(r, r->segment) || r->committed > r->room || !take(r)) {
        return err_set(e, "%s: has changed while it was read", path);
    }
    r->number++;
    return 0;
}

void row_rewind(struct row *r)
{
    unmap(r);
    r->number = 0;
    r->size_total = 0;
    r->has_record = false;
}

void row_close(struct row *r)
{
    unmap(r);
    sites_close(r);
    mem_free(r->unfolded);
    r->unfolded = NULL;
}
