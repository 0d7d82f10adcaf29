/* Shared mappings. Made by raw system calls: an allocator may map memory before anything can be
 * looked up by name. */
#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/record/hooks/fd_identity.h"
#include "runtime/record/hooks/mapping.h"
#include "runtime/record/hooks/shared_memory_ids.h"
#include "runtime/record/hooks/sync_shared.h"
#include "runtime/record/log/recorder.h"
#include "runtime/record/log/recording_files.h"
#include "runtime/record/shadow/access.h"
#include "runtime/shared/raw_text.h"
#include "runtime/shared/real.h"

enum { ROWS = 256, NAME_SIZE = 320, REGION_BITS = 22, REGIONS = 1 << 12 };

/* One mapping; start is 0 in a free row, and RESERVED in one that is being filled. */
#define RESERVED UINTPTR_MAX
struct mapping {
    _Atomic uintptr_t start;
    struct shared_range range;
    uint64_t identity;    /* a hash of it */
    const void *place;    /* of the call that made it; NULL: made before a fork */
    char name[NAME_SIZE]; /* the file's path, or a word; then 0 and the identity */
    uint32_t name_size;
};

/* The rows of mappings: the first, and more when these are full. */
static struct mapping_list {
    struct mapping rows[ROWS];
    struct mapping_list *_Atomic next;
} mappings;

/* Whether some mapping has ever been in a stretch of 4 MiB, by the lower bits of its number. */
static _Atomic bool has_mapping[REGIONS];

static struct mapping *row_at(size_t index)
{
    struct mapping_list *list = &mappings;
    for (; list != NULL && index >= ROWS; index -= ROWS) {
        list = atomic_load_explicit(&list->next, memory_order_acquire);
    }
    return list == NULL ? NULL : &list->rows[index];
}

/* Appends rows behind those that exist; false when there is no memory for them. */
static bool rows_add(void)
{
    struct mapping_list *made = folder_memory(sizeof *made);
    if (made == NULL) {
        return false;
    }
    for (struct mapping_list *list = &mappings;;) {
        struct mapping_list *next = NULL;
        /* Pairs with the acquire in row_at: the new rows are zero. */
        if (atomic_compare_exchange_strong_explicit(&list->next, &next, made, memory_order_release,
                                                    memory_order_acquire)) {
            return true;
        }
        list = next;
    }
}

static void tell(const struct mapping *m)
{
    char bytes[sizeof m->range + NAME_SIZE];
    memcpy(bytes, &m->range, sizeof m->range);
    memcpy(bytes + sizeof m->range, m->name, m->name_size);
    rt_record_stamped_note(&(struct rt_note){.kind = RECORD_SHARED,
                                             .object = atomic_load(&m->start),
                                             .place = m->place,
                                             .more = bytes,
                                             .more_size = sizeof m->range + m->name_size});
}

/* ---- identities ---- */

/* The identity of a mapped object: a name for people, a NUL, and a text that no other object of the
 * recording has. */
struct mapped {
    char text[NAME_SIZE];
    char *at; /* its end */
};

static void put(struct mapped *m, const char *text)
{
    m->at = text_append(m->at, m->text + NAME_SIZE, text);
}

static void put_number(struct mapped *m, uint64_t number)
{
    m->at = text_append_number(m->at, m->text + NAME_SIZE, number);
}

static void put_separator(struct mapped *m)
{
    if (m->at < m->text + NAME_SIZE) {
        *m->at++ = 0;
    }
}

/* Memory without a file: a number that no other mapping has. */
static void identify_anonymous(struct mapped *m)
{
    static _Atomic uint32_t count;
    put_separator(m);
    put(m, "#");
    put_number(m, rt_process_number());
    put(m, ".");
    put_number(m, ++count);
}

/* A file: device, inode, and when it was made, because inodes are used again. A path that is too
 * long is cut, so that the identity behind it is whole. Every mapping of a device (/dev/zero) is
 * memory of its own. */
static void identify_file(struct mapped *m, int fd)
{
    enum { PATH_SIZE = NAME_SIZE - 90 };
    struct statx status = {0};
    const bool is_known = syscall(SYS_statx, fd, "", AT_EMPTY_PATH,
                                  STATX_TYPE | STATX_INO | STATX_BTIME, &status) == 0;
    if (is_known && S_ISCHR(status.stx_mode)) {
        identify_anonymous(m);
        return;
    }
    char link[32] = {0};
    char *at = text_append(link, link + 31, "/proc/self/fd/");
    *text_append_number(at, link + 31, (uint64_t)fd) = 0;
    const long size = syscall(SYS_readlink, link, m->text, (size_t)PATH_SIZE);
    m->at += size > 0 ? size : 0;
    put_separator(m);
    if (!is_known) {
        return;
    }
    const uint64_t numbers[] = {status.stx_dev_major, status.stx_dev_minor, status.stx_ino,
                                (uint64_t)status.stx_btime.tv_sec, status.stx_btime.tv_nsec};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        put(m, i == 0 ? "" : ".");
        put_number(m, numbers[i]);
    }
}

/* FNV-1a over the identity, which is the same text in every process. */
static uint64_t hash_of(const char *name, uint32_t size)
{
    const char *separator = memchr(name, 0, size);
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (const char *at = separator == NULL ? name : separator; at < name + size; at++) {
        hash = (hash ^ (uint8_t)*at) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* ---- the table ---- */

static void mark_regions(uintptr_t start, uint64_t size)
{
    const uint64_t first = start >> REGION_BITS;
    const uint64_t last = (start + size - 1) >> REGION_BITS;
    for (uint64_t i = first; i <= last && i < first + REGIONS; i++) {
        atomic_store_explicit(&has_mapping[i % REGIONS], true, memory_order_relaxed);
    }
}

static struct mapping *row_take(void)
{
    for (size_t i = 0;; i++) {
        struct mapping *m = row_at(i);
        uintptr_t expected = 0;
        if (m == NULL && !rows_add()) {
            return NULL;
        }
        if (m != NULL && atomic_compare_exchange_strong(&m->start, &expected, RESERVED)) {
            return m;
        }
        i -= m == NULL; /* the same row again, which exists now */
    }
}

static void add(uintptr_t start, const struct mapping *made)
{
    struct mapping *m = made->range.size == 0 ? NULL : row_take();
    if (m == NULL) {
        return;
    }
    m->range = made->range;
    m->identity = made->identity;
    m->place = made->place;
    m->name_size = made->name_size;
    memcpy(m->name, made->name, made->name_size);
    mark_regions(start, made->range.size);
    atomic_store(&m->start, start); /* the row is whole before it is found */
    tell(m);
}

/* Ends the mappings in [start, start + size); a mapping that extends beyond it keeps the rest. */
static void cut(uintptr_t start, size_t size)
{
    const uintptr_t end = start + size;
    struct mapping *row = NULL;
    for (size_t i = 0; (row = row_at(i)) != NULL; i++) {
        uintptr_t known = atomic_load(&row->start);
        if (known == 0 || known >= end || known == RESERVED) {
            continue;
        }
        struct mapping m = *row;
        const struct shared_range range = m.range;
        if (known + range.size <= start ||
            !atomic_compare_exchange_strong(&row->start, &known, 0)) {
            continue;
        }
        if (known < start) {
            m.range = (struct shared_range){start - known, range.offset};
            add(known, &m);
        }
        if (end < known + range.size) {
            m.range = (struct shared_range){known + range.size - end, range.offset + (end - known)};
            add(end, &m);
        }
    }
}

/* Memory at `start` is from now on a part of the identified object. */
static void begin(void *start, struct shared_range range, const struct mapped *m, const void *place)
{
    struct mapping made = {
        .range = range, .place = place, .name_size = (uint32_t)(m->at - m->text)};
    memcpy(made.name, m->text, made.name_size);
    made.identity = hash_of(made.name, made.name_size);
    access_clear(start, range.size);
    add((uintptr_t)start, &made);
}

static void mapped(void *start, struct shared_range range, int fd, const void *place)
{
    struct mapped m;
    m.at = m.text;
    if (fd < 0) {
        identify_anonymous(&m);
    } else {
        identify_file(&m, fd);
    }
    begin(start, range, &m, place);
}

/* The kernel maps whole pages. */
static size_t pages(size_t size)
{
    return (size + 4095) & ~(size_t)4095;
}

/* The mapping that already stands for the object; 0: none does. */
static uintptr_t stand_in_of(uint64_t identity)
{
    const struct mapping *row = NULL;
    for (size_t i = 0; (row = row_at(i)) != NULL; i++) {
        const uintptr_t start = atomic_load(&row->start);
        if (start != 0 && start != RESERVED && row->identity == identity) {
            return start;
        }
    }
    return 0;
}

const char *shared_stand_in(const char *name, uint64_t number, size_t size)
{
    struct mapped m;
    m.at = m.text;
    put(&m, name);
    put_separator(&m);
    put(&m, name);
    put(&m, ".");
    put_number(&m, number);
    const uintptr_t known = stand_in_of(hash_of(m.text, (uint32_t)(m.at - m.text)));
    if (known != 0) {
        return (const char *)known;
    }
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *start = folder_map(NULL, pages(size), PROT_NONE, flags, -1, 0);
    if (start == MAP_FAILED) {
        return NULL;
    }
    begin(start, (struct shared_range){.size = pages(size)}, &m, NULL);
    return start;
}

void shared_tell_again(void)
{
    struct mapping *row = NULL;
    for (size_t i = 0; (row = row_at(i)) != NULL; i++) {
        const uintptr_t start = atomic_load(&row->start);
        if (start != 0 && start != RESERVED) {
            row->place = NULL;
            tell(row);
        }
    }
}

struct map_call {
    int protection, flags, fd;
    off64_t offset;
    const void *place;
};

static void *map(void *wanted, size_t size, const struct map_call *c)
{
    void *start = folder_map(wanted, size, c->protection, c->flags, c->fd, c->offset);
    const int type = c->flags & MAP_TYPE;
    const int saved = errno;
    if (start != MAP_FAILED && rt_is_on && (c->flags & MAP_FIXED) != 0) {
        cut((uintptr_t)start, pages(size));
    }
    if (start != MAP_FAILED && (type == MAP_SHARED || type == MAP_SHARED_VALIDATE) &&
        rt_is_recording()) {
        const struct shared_range range = {.size = pages(size), .offset = (uint64_t)c->offset};
        mapped(start, range, (c->flags & MAP_ANONYMOUS) != 0 ? -1 : c->fd, c->place);
    }
    errno = saved;
    return start;
}

RT_EXPORT void *mmap(void *wanted, size_t size, int protection, int flags, int fd, off_t offset)
{
    memory_maps(wanted, size, flags, RT_PLACE);
    descriptor_use(fd, RT_PLACE);
    void *start = map(wanted, size, &(struct map_call){protection, flags, fd, offset, RT_PLACE});
    return memory_mapped(start, size, flags, RT_PLACE);
}

RT_EXPORT void *mmap64(void *wanted, size_t size, int protection, int flags, int fd, off64_t offset)
{
    memory_maps(wanted, size, flags, RT_PLACE);
    descriptor_use(fd, RT_PLACE);
    void *start = map(wanted, size, &(struct map_call){protection, flags, fd, offset, RT_PLACE});
    return memory_mapped(start, size, flags, RT_PLACE);
}

RT_EXPORT int munmap(void *start, size_t size)
{
    memory_unmaps(start, size, RT_PLACE);
    if (rt_is_on && size > 0) {
        cut((uintptr_t)start, pages(size));
    }
    return (int)syscall(SYS_munmap, start, size);
}

/* The mapping that covers the address, NULL for none. */
static const struct mapping *find(uintptr_t address)
{
    const struct mapping *row = NULL;
    if (!atomic_load_explicit(&has_mapping[(address >> REGION_BITS) % REGIONS],
                              memory_order_relaxed)) {
        return NULL;
    }
    for (size_t i = 0; (row = row_at(i)) != NULL; i++) {
        const uintptr_t start = atomic_load(&row->start);
        if (start != 0 && address >= start && address - start < row->range.size) {
            return row;
        }
    }
    return NULL;
}

bool shared_has(const volatile void *address)
{
    return find((uintptr_t)address) != NULL;
}

bool shared_key(const volatile void *address, uint64_t *key)
{
    const struct mapping *m = find((uintptr_t)address);
    if (m != NULL) {
        *key = m->identity + m->range.offset + ((uintptr_t)address - atomic_load(&m->start));
    }
    return m != NULL;
}

/* A mapping that moves or grows is the same object elsewhere. */
RT_EXPORT void *mremap(void *start, size_t size, size_t size_new, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    void *wanted = (flags & MREMAP_FIXED) != 0 ? va_arg(rest, void *) : NULL;
    va_end(rest);
    const struct mapping *known = rt_is_on ? find((uintptr_t)start) : NULL;
    if (known == NULL) {
        return memory_remap(start, size, size_new, flags, wanted, RT_PLACE);
    }
    void *moved = (void *)syscall(SYS_mremap, start, size, size_new, (long)flags, wanted);
    if (moved != MAP_FAILED) {
        const int saved = errno;
        struct mapping before = *known;
        if (size > 0 && (flags & MREMAP_DONTUNMAP) == 0) {
            cut((uintptr_t)start, pages(size));
        }
        before.range = (struct shared_range){.size = pages(size_new),
                                             .offset = before.range.offset +
                                                       ((uintptr_t)start - before.start)};
        access_clear(moved, size_new);
        add((uintptr_t)moved, &before);
        errno = saved;
    }
    return moved;
}

/* ---- memory that libc maps ---- */

/* System V shared memory: known by the number of its segment. People know it by its key, if it has
 * one. */
RT_EXPORT void *shmat(int id, const void *wanted, int flags)
{
    void *start = REAL(shmat)(id, wanted, flags);
    const int saved = errno;
    struct shmid_ds state;
    if (start != MAP_FAILED && rt_is_recording() && shmctl(id, IPC_STAT, &state) == 0) {
        struct mapped m;
        m.at = m.text;
        if (state.shm_perm.__key != IPC_PRIVATE) {
            put(&m, "sysv-");
            put_number(&m, (uint32_t)state.shm_perm.__key);
        }
        put_separator(&m);
        put(&m, "sysv.");
        put_number(&m, (uint32_t)id);
        cut((uintptr_t)start, pages(state.shm_segsz)); /* SHM_REMAP */
        begin(start, (struct shared_range){.size = pages(state.shm_segsz)}, &m, RT_PLACE);
    }
    errno = saved;
    return start;
}

RT_EXPORT int shmdt(const void *start)
{
    const struct mapping *known = rt_is_on ? find((uintptr_t)start) : NULL;
    if (known != NULL && known->start == (uintptr_t)start) {
        cut((uintptr_t)start, known->range.size);
    }
    return REAL(shmdt)(start);
}

/* A semaphore with a name is the same one in every process; its name may begin with a slash. */
RT_EXPORT sem_t *sem_open(const char *name, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
    const unsigned value = (flags & O_CREAT) != 0 ? va_arg(rest, unsigned) : 0;
    va_end(rest);
    sem_t *made = REAL(sem_open)(name, flags, mode, value);
    const int saved = errno;
    if (made != SEM_FAILED && rt_is_recording() && find((uintptr_t)made) == NULL) {
        struct mapped m;
        m.at = m.text;
        put(&m, "sem/");
        put(&m, name + (name[0] == '/'));
        begin(made, (struct shared_range){.size = sizeof *made}, &m, RT_PLACE);
        int count = 0;
        if (sem_getvalue(made, &count) == 0) {
            sync_record_semaphore(made, (unsigned)count, RT_PLACE);
        }
    }
    errno = saved;
    return made;
}

RT_EXPORT int sem_close(sem_t *semaphore)
{
    if (rt_is_on) {
        cut((uintptr_t)semaphore, sizeof *semaphore);
    }
    return REAL(sem_close)(semaphore);
}
