#include "proc/record/segment_compress.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fault_injection.h"
#include "base/limit.h"
#include "base/mem.h"
#include "trace/zstd_mem.h"
#include "wire/segment.h"

enum {
    LEVEL = 2,           /* of zstd: the best of the fast ones for rows */
    NAME_SIZE = 48,      /* PROCESS.TASK.NUMBER.z */
    PENDING_SHARE = 64,  /* of size_pending_max: below this share segments are not compressed */
    LOOK_SHARE = 8,      /* of the time: so little of it is spent looking at the folder */
    LOOK_NS = 20000000,  /* a look is not taken more often anyway */
    BLOCK_SIZE = 1 << 12 /* of the disk */
};

static size_t packed_max(void)
{
    return ZSTD_COMPRESSBOUND(SEGMENT_SIZE);
}

void drain_open(struct drain *d, const char *folder, int page)
{
    *d = (struct drain){.folder = -1};
    void *at = seam_fails()
                   ? MAP_FAILED
                   : mmap(NULL, sizeof *d->page, PROT_READ | PROT_WRITE, MAP_SHARED, page, 0);
    if (at == MAP_FAILED) {
        return;
    }
    d->page = at;
    d->folder = seam_fails() ? -1 : open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

void drain_close(struct drain *d)
{
    if (d->page != NULL) {
        (void)munmap(d->page, sizeof *d->page);
    }
    if (d->folder >= 0) {
        (void)close(d->folder);
    }
    ZSTD_freeCCtx(d->packer);
    mem_free(d->segment);
    mem_free(d->packed);
    vec_release(&d->full);
}

bool drain_parse_name(struct drain_segment *s, const char *name)
{
    int size = 0;
    /* NOLINTNEXTLINE(cert-err34-c): the names are ours; one that does not match is no segment. */
    if (sscanf(name, "%u.%u.%u%n", &s->process, &s->task, &s->number, &size) != 3) {
        return false;
    }
    s->is_packed = strcmp(name + size, PACKED_SUFFIX) == 0;
    return s->is_packed || name[size] == 0;
}

/* ---- looking ---- */

/* The segments that have a successor: only the last of a row is being written. */
static void look(struct drain *d)
{
    const int fd = seam_fails() ? -1 : openat(d->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (dir == NULL) {
        return;
    }
    struct map last = {0}; /* of a row: its greatest number */
    VEC(struct drain_segment) found = {0};
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        struct drain_segment s;
        if (!drain_parse_name(&s, entry->d_name)) {
            continue;
        }
        uint32_t *greatest = map_slot(&last, map_pair(s.process, s.task), s.number, NULL);
        *greatest = s.number > *greatest ? s.number : *greatest;
        if (!s.is_packed) {
            vec_push(&found, s);
        }
    }
    (void)closedir(dir);
    vec_each (&found, s) {
        if (s->number < *map_get(&last, map_pair(s->process, s->task))) {
            vec_push(&d->full, *s);
        }
    }
    vec_release(&found);
    map_release(&last);
}

static bool is_worth_it(const struct drain *d)
{
    return atomic_load_explicit(&d->page->size_pending, memory_order_relaxed) >
           d->page->size_pending_max / PENDING_SHARE;
}

static void look_if_due(struct drain *d)
{
    const uint64_t begin = limit_now_ns();
    if (begin < d->look_ns || !is_worth_it(d)) {
        return;
    }
    look(d);
    const uint64_t end = limit_now_ns();
    d->look_ns = end + LOOK_NS + (end - begin) * LOOK_SHARE;
}

/* ---- packing ---- */

static void print_name(char name[static NAME_SIZE], const struct drain_segment *s, uint32_t further,
                       const char *suffix)
{
    (void)snprintf(name, NAME_SIZE, "%u.%u.%u%s", s->process, s->task, s->number + further, suffix);
}

/* Reads up to `size` bytes from the front of a file; how many there were, 0 when it cannot be
 * read. */
static size_t read_front(int folder, const char *name, void *bytes, size_t size)
{
    const int fd = seam_fails() ? -1 : openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    size_t done = 0;
    ssize_t got = fd < 0 ? 0 : 1;
    while (got > 0 && done < size) {
        got = seam_fails() ? -1 : read(fd, (char *)bytes + done, size - done);
        done += got > 0 ? (size_t)got : 0;
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    return got < 0 ? 0 : done;
}

/* A task first writes a copy under the next number, then exchanges the two names, and last
 * increments the number in its mapped segment. Once the file with the next name has its number in
 * its header, or is compressed already, the file before it is the copy, and no task writes there.
 * Asked before the segment is opened. */
static bool is_followed(const struct drain *d, const struct drain_segment *s)
{
    char name[NAME_SIZE];
    struct segment next;
    print_name(name, s, 1, "");
    if (read_front(d->folder, name, &next, sizeof next) == sizeof next) {
        return next.magic == SEGMENT_MAGIC && next.number == s->number + 1;
    }
    print_name(name, s, 1, PACKED_SUFFIX);
    return faccessat(d->folder, name, F_OK, 0) == 0;
}

/* Writes the bytes into a file of their own, which then takes its name. */
static bool save(const struct drain *d, const char *name, size_t size)
{
    const int fd = seam_fails()
                       ? -1
                       : openat(d->folder, PACKING_FILE,
                                O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) {
        return false;
    }
    bool is_whole = true;
    for (size_t done = 0; is_whole && done < size;) {
        const ssize_t put = seam_fails() ? -1 : write(fd, d->packed + done, size - done);
        is_whole = put > 0;
        done += put > 0 ? (size_t)put : 0;
    }
    is_whole = close(fd) == 0 && is_whole && !seam_fails() &&
               renameat(d->folder, PACKING_FILE, d->folder, name) == 0;
    if (!is_whole) {
        (void)unlinkat(d->folder, PACKING_FILE, 0);
    }
    return is_whole;
}

/* The segment in d->segment, packed to d->packed; its size, 0 when it is none. */
static size_t pack(struct drain *d, const struct drain_segment *s, size_t size)
{
    const struct segment *head = (const void *)d->segment;
    const uint64_t committed = atomic_load_explicit(&head->committed, memory_order_relaxed);
    if (size < SEGMENT_HEADER_SIZE || head->magic != SEGMENT_MAGIC || head->number != s->number ||
        committed > size - SEGMENT_HEADER_SIZE) {
        return 0;
    }
    const size_t packed = ZSTD_compressCCtx(d->packer, d->packed, packed_max(), d->segment,
                                            SEGMENT_HEADER_SIZE + committed, LEVEL);
    return ZSTD_isError(packed) ? 0 : packed;
}

/* False if the disk is full: the remaining segments are tried again later. */
static bool drain_one(struct drain *d, const struct drain_segment *s)
{
    if (d->packer == NULL) {
        d->packer = ZSTD_createCCtx_advanced(zstd_mem());
        must(d->packer != NULL);
        d->segment = mem_zero(1, SEGMENT_SIZE);
        d->packed = mem_zero(1, packed_max());
    }
    char name[NAME_SIZE];
    char name_packed[NAME_SIZE];
    print_name(name, s, 0, "");
    print_name(name_packed, s, 0, PACKED_SUFFIX);
    if (!is_followed(d, s)) {
        return true;
    }
    const size_t packed = pack(d, s, read_front(d->folder, name, d->segment, SEGMENT_SIZE));
    if (packed == 0) {
        return true;
    }
    if (!save(d, name_packed, packed)) {
        return false;
    }
    const uint64_t kept = (packed + BLOCK_SIZE - 1) / BLOCK_SIZE * BLOCK_SIZE;
    if (!seam_fails() && unlinkat(d->folder, name, 0) == 0 && kept < SEGMENT_SIZE) {
        (void)atomic_fetch_sub_explicit(&d->page->size_pending, SEGMENT_SIZE - kept,
                                        memory_order_relaxed);
    }
    return true;
}

bool drain_step(struct drain *d)
{
    if (d->folder < 0) {
        return false;
    }
    if (d->full.count == 0) {
        look_if_due(d);
    }
    if (d->full.count == 0) {
        return false;
    }
    const struct drain_segment next = vec_pop(&d->full);
    if (!drain_one(d, &next)) {
        vec_clear(&d->full);
    }
    return true;
}

/* ---- unpacking ---- */

size_t drain_unpack(const char *path, void *segment)
{
    void *packed = mem_zero(1, packed_max() + 1);
    const size_t size = read_front(AT_FDCWD, path, packed, packed_max() + 1);
    ZSTD_DCtx *unpacker = ZSTD_createDCtx_advanced(zstd_mem());
    must(unpacker != NULL);
    const size_t unpacked = ZSTD_decompressDCtx(unpacker, segment, SEGMENT_SIZE, packed, size);
    ZSTD_freeDCtx(unpacker);
    mem_free(packed);
    return ZSTD_isError(unpacked) ? 0 : unpacked;
}
