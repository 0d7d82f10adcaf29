/* Shared mappings. Made by raw system calls: an allocator may map memory before anything can be
 * looked up by name. */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/rt.h"
#include "runtime/shared.h"
#include "runtime/text.h"

enum { MAPPINGS_MAX = 256, NAME_SIZE = 240 };

/* One mapping; start is 0 in a free row. */
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
    char link[32];
    char *at = text_append(link, link + 31, "/proc/self/fd/");
    *text_append_number(at, link + 31, (uint64_t)fd) = 0;
    const long size = syscall(SYS_readlink, link, name, NAME_SIZE);
    return size < 0 ? 0 : (uint32_t)size;
}

static void mapped(void *start, size_t size, int fd, off64_t offset)
{
    for (size_t i = 0; i < MAPPINGS_MAX; i++) {
        uintptr_t expected = 0;
        struct mapping *m = &mappings[i];
        if (atomic_compare_exchange_strong(&m->start, &expected, (uintptr_t)start)) {
            m->range = (struct shared_range){.size = size, .offset = (uint64_t)offset};
            m->name_size = print_name(m->name, fd);
            tell(m);
            return;
        }
    }
}

void shared_tell_again(void)
{
    for (size_t i = 0; i < MAPPINGS_MAX; i++) {
        if (atomic_load(&mappings[i].start) != 0) {
            tell(&mappings[i]);
        }
    }
}

static void *map(void *wanted, size_t size, int protection, int flags, int fd, off64_t offset)
{
    void *start = (void *)syscall(SYS_mmap, wanted, size, protection, flags, fd, offset);
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

RT_EXPORT int munmap(void *start, size_t size)
{
    for (size_t i = 0; i < MAPPINGS_MAX && rt_is_on; i++) {
        uintptr_t known = (uintptr_t)start;
        if (atomic_compare_exchange_strong(&mappings[i].start, &known, 0)) {
            break;
        }
    }
    return (int)syscall(SYS_munmap, start, size);
}
