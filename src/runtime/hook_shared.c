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
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/folder.h"
#include "runtime/real.h"
#include "runtime/rt.h"
#include "runtime/shared.h"
#include "runtime/sync.h"
#include "runtime/text.h"

enum { MAPPINGS_MAX = 256, NAME_SIZE = 240 };

/* One mapping; start is 0 in a free row, and RESERVED in one that is being filled. */
#define RESERVED UINTPTR_MAX
static struct mapping {
    _Atomic uintptr_t start;
    struct shared_range range;
    char name[NAME_SIZE]; /* the file's path, or "#" and a number that no other has */
    uint32_t name_size;
} mappings[MAPPINGS_MAX];

static void tell(const struct mapping *m)
{
    char bytes[sizeof m->range + NAME_SIZE];
    memcpy(bytes, &m->range, sizeof m->range);
    memcpy(bytes + sizeof m->range, m->name, m->name_size);
    rt_record_note(RECORD_SHARED, atomic_load(&m->start), bytes, sizeof m->range + m->name_size);
}

/* The name of a mapping of fd, or of none when it is -1. */
static uint32_t print_name(char name[static NAME_SIZE], int fd)
{
    static _Atomic uint32_t anonymous_count;
    const char *end = name + NAME_SIZE;
    if (fd < 0) {
        char *at = text_append(name, end, "#");
        at = text_append_number(at, end, rt_process_number());
        at = text_append(at, end, ".");
        return (uint32_t)(text_append_number(at, end, ++anonymous_count) - name);
    }
    char link[32] = {0};
    char *at = text_append(link, link + 31, "/proc/self/fd/");
    *text_append_number(at, link + 31, (uint64_t)fd) = 0;
    const long size = syscall(SYS_readlink, link, name, NAME_SIZE);
    return size < 0 ? 0 : (uint32_t)size;
}

static void add(uintptr_t start, struct shared_range range, const char *name, uint32_t name_size)
{
    for (size_t i = 0; i < MAPPINGS_MAX; i++) {
        uintptr_t expected = 0;
        struct mapping *m = &mappings[i];
        if (atomic_compare_exchange_strong(&m->start, &expected, RESERVED)) {
            m->range = range;
            m->name_size = name_size < NAME_SIZE ? name_size : NAME_SIZE;
            memcpy(m->name, name, m->name_size);
            atomic_store(&m->start, start); /* the row is whole before it is found */
            tell(m);
            return;
        }
    }
}

/* What [start, start + size) covers is gone; of a mapping that reaches beyond, the rest stays. */
static void cut(uintptr_t start, size_t size)
{
    const uintptr_t end = start + size;
    for (size_t i = 0; i < MAPPINGS_MAX; i++) {
        const struct mapping m = mappings[i];
        const uintptr_t m_end = m.start + m.range.size;
        uintptr_t known = m.start;
        if (known == 0 || known >= end || m_end <= start ||
            !atomic_compare_exchange_strong(&mappings[i].start, &known, 0)) {
            continue;
        }
        if (known < start) {
            add(known, (struct shared_range){start - known, m.range.offset}, m.name, m.name_size);
        }
        if (end < m_end) {
            add(end, (struct shared_range){m_end - end, m.range.offset + (end - known)}, m.name,
                m.name_size);
        }
    }
}

static void mapped(void *start, size_t size, int fd, off64_t offset)
{
    char name[NAME_SIZE];
    const uint32_t name_size = print_name(name, fd);
    add((uintptr_t)start, (struct shared_range){.size = size, .offset = (uint64_t)offset}, name,
        name_size);
}

void shared_tell_again(void)
{
    for (size_t i = 0; i < MAPPINGS_MAX; i++) {
        const uintptr_t start = atomic_load(&mappings[i].start);
        if (start != 0 && start != RESERVED) {
            tell(&mappings[i]);
        }
    }
}

static void *map(void *wanted, size_t size, int protection, int flags, int fd, off64_t offset)
{
    void *start = folder_map(wanted, size, protection, flags, fd, offset);
    const bool is_shared =
        (flags & MAP_TYPE) == MAP_SHARED || (flags & MAP_TYPE) == MAP_SHARED_VALIDATE;
    if (start != MAP_FAILED && is_shared && rt_is_recording()) {
        const int saved = errno;
        mapped(start, size, (flags & MAP_ANONYMOUS) != 0 ? -1 : fd, offset);
        errno = saved;
    }
    return start;
}

RT_EXPORT void *mmap(void *wanted, size_t size, int protection, int flags, int fd, off_t offset)
{
    return map(wanted, size, protection, flags, fd, offset);
}

RT_EXPORT void *mmap64(void *wanted, size_t size, int protection, int flags, int fd, off64_t offset)
{
    return map(wanted, size, protection, flags, fd, offset);
}

/* The kernel unmaps whole pages. */
static size_t pages(size_t size)
{
    return (size + 4095) & ~(size_t)4095;
}

RT_EXPORT int munmap(void *start, size_t size)
{
    if (rt_is_on && size > 0) {
        cut((uintptr_t)start, pages(size));
    }
    return (int)syscall(SYS_munmap, start, size);
}

/* The mapping that covers the address, NULL for none. */
static const struct mapping *find(uintptr_t address)
{
    for (size_t i = 0; i < MAPPINGS_MAX; i++) {
        const uintptr_t start = atomic_load(&mappings[i].start);
        if (start != 0 && address >= start && address - start < mappings[i].range.size) {
            return &mappings[i];
        }
    }
    return NULL;
}

bool shared_has(const volatile void *address)
{
    return find((uintptr_t)address) != NULL;
}

/* A mapping that moves or grows is the same object elsewhere. */
RT_EXPORT void *mremap(void *start, size_t size, size_t size_new, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    void *wanted = (flags & MREMAP_FIXED) != 0 ? va_arg(rest, void *) : NULL;
    va_end(rest);
    void *moved = (void *)syscall(SYS_mremap, start, size, size_new, (long)flags, wanted);
    const struct mapping *known = moved != MAP_FAILED && rt_is_on ? find((uintptr_t)start) : NULL;
    if (known != NULL) {
        const int saved = errno;
        const struct mapping before = *known;
        if (size > 0 && (flags & MREMAP_DONTUNMAP) == 0) {
            cut((uintptr_t)start, pages(size));
        }
        add((uintptr_t)moved,
            (struct shared_range){.size = size_new,
                                  .offset =
                                      before.range.offset + ((uintptr_t)start - before.start)},
            before.name, before.name_size);
        errno = saved;
    }
    return moved;
}

/* ---- memory that libc maps ---- */

/* "word" and, when it is not negative, the number: a name for [start, start + size). */
static void named(const void *start, size_t size, const char *word, int64_t number)
{
    const int saved = errno;
    char name[NAME_SIZE];
    const char *end = name + NAME_SIZE;
    char *at = text_append(name, end, word);
    at = number < 0 ? at : text_append_number(at, end, (uint64_t)number);
    add((uintptr_t)start, (struct shared_range){.size = size}, name, (uint32_t)(at - name));
    errno = saved;
}

/* System V shared memory: known by the number of its segment. */
RT_EXPORT void *shmat(int id, const void *wanted, int flags)
{
    void *start = REAL(shmat)(id, wanted, flags);
    struct shmid_ds state;
    if (start != MAP_FAILED && rt_is_recording() && shmctl(id, IPC_STAT, &state) == 0) {
        named(start, state.shm_segsz, "shm-", id);
    }
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
    if (made != SEM_FAILED && rt_is_recording() && find((uintptr_t)made) == NULL) {
        char word[NAME_SIZE];
        char *at = text_append(word, word + NAME_SIZE - 1, "sem/");
        *text_append(at, word + NAME_SIZE - 1, name + (name[0] == '/')) = 0;
        named(made, sizeof *made, word, -1);
        int count = 0;
        if (sem_getvalue(made, &count) == 0) {
            sync_record_semaphore(made, (unsigned)count, RT_PLACE);
        }
    }
    return made;
}

RT_EXPORT int sem_close(sem_t *semaphore)
{
    if (rt_is_on) {
        cut((uintptr_t)semaphore, sizeof *semaphore);
    }
    return REAL(sem_close)(semaphore);
}
