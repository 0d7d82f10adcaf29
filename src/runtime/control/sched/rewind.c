/* Putting a process back to its beginning without another one: its writable memory is copied once
 * and copied back after each run. What is not copied: the stack of whoever waits for plans, the
 * stacks of fibers, the heap (which knows better what to put back), and what is exempt. Pages of
 * large mappings that nobody has touched by then, most of them in big arrays, are given back to the
 * kernel instead, which brings them anew, zero. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/control/sched/run_control.h"
#include "runtime/shared/raw_syscall.h"
#include "runtime/shared/raw_text.h"
#include "wire/must.h"

enum {
    EXEMPT_SIZE = 512 << 20,
    STRETCHES_MAX = 4096,
    LINE_SIZE = 512,
    PAGE_SIZE = 4096,
    LARGE_SIZE = 1 << 20,       /* of a mapping, from which on its pages are looked at */
    COPIED_SIZE_MAX = 64 << 20, /* more is slower than a fork */
};

static char *exempt;
static size_t exempt_used;

void *rewind_exempt(size_t size)
{
    if (exempt == NULL) {
        exempt = (char *)sys(SYS_mmap, NULL, (size_t)EXEMPT_SIZE, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0L);
        must(exempt != MAP_FAILED);
    }
    must(size <= EXEMPT_SIZE - exempt_used);
    void *taken = exempt + exempt_used;
    exempt_used += (size + 63) / 64 * 64;
    return taken;
}

/* A stretch of memory, and where its copy is; NULL: it was never touched, and is zero. */
static struct stretch {
    char *begin;
    size_t size;
    char *copy;
    bool is_untouched;
} * stretches;
static uint32_t stretch_count;

/* A line of /proc/self/maps: "BEGIN-END rwxp OFFSET DEVICE INODE   NAME". */
struct mapping {
    uintptr_t begin, end;
    bool is_private_writable;
    const char *name;
};

static const char *parse_hex(const char *at, uintptr_t *number)
{
    *number = 0;
    while ((*at >= '0' && *at <= '9') || (*at >= 'a' && *at <= 'f')) {
        const uintptr_t digit = (uintptr_t)(*at <= '9' ? *at - '0' : *at - 'a' + 10);
        *number = *number * 16 + digit;
        at++;
    }
    return at;
}

static void parse(const char *line, struct mapping *m)
{
    const char *at = parse_hex(line, &m->begin);
    at = parse_hex(at + 1, &m->end);
    m->is_private_writable = at[1] == 'r' && at[2] == 'w' && at[4] == 'p';
    const char *name = strpbrk(at, "[/");
    m->name = name == NULL ? "" : name;
}

static bool is_within(const struct mapping *m, const void *address)
{
    return (uintptr_t)address >= m->begin && (uintptr_t)address < m->end;
}

/* The stack we stand on is in use. */
static bool is_wanted(const struct mapping *m)
{
    return m->is_private_writable && strncmp(m->name, "[stack", 6) != 0 &&
           strncmp(m->name, "[v", 2) != 0 && !is_within(m, __builtin_frame_address(0)) &&
           !is_within(m, exempt) && m->begin != HEAP_ADDRESS;
}

static bool add(uintptr_t begin, uintptr_t end, bool is_untouched)
{
    if (stretch_count == STRETCHES_MAX) {
        return false;
    }
    stretches[stretch_count++] =
        (struct stretch){.begin = (char *)begin, .size = end - begin, .is_untouched = is_untouched};
    return true;
}

/* Whether a page is there, as /proc/self/pagemap says: in memory, or swapped out. */
static bool is_touched(uint64_t entry)
{
    return entry >> 62 != 0;
}

/* Splits a mapping without a file into what was touched and what was not. False when that cannot be
 * known, or is too much to remember. */
static bool keep_by_pages(const struct mapping *m, int pages)
{
    enum { ENTRIES = 64 };
    uint64_t entries[ENTRIES];
    uintptr_t begin = m->begin;
    bool was_touched = false;
    for (uintptr_t at = m->begin; at < m->end; at += PAGE_SIZE) {
        const size_t entry = (at - m->begin) / PAGE_SIZE % ENTRIES;
        if (entry == 0 && sys(SYS_pread64, pages, entries, (long)sizeof entries,
                              (long)(at / PAGE_SIZE * sizeof *entries)) <= 0) {
            return false;
        }
        const bool is_other = at > begin && is_touched(entries[entry]) != was_touched;
        if (is_other && !add(begin, at, !was_touched)) {
            return false;
        }
        begin = is_other ? at : begin;
        was_touched = is_touched(entries[entry]);
    }
    return add(begin, m->end, !was_touched);
}

static void keep(const struct mapping *m, int pages)
{
    if (!is_wanted(m)) {
        return;
    }
    const uint32_t before = stretch_count;
    const bool is_large = m->end - m->begin >= LARGE_SIZE && m->name[0] != '/';
    if (is_large && keep_by_pages(m, pages)) {
        return;
    }
    stretch_count = before;
    must(add(m->begin, m->end, false));
}

static void read_mappings(int fd, int pages)
{
    char line[LINE_SIZE] = "";
    size_t used = 0;
    char byte = 0;
    while (sys(SYS_read, fd, &byte, 1L) == 1) {
        if (byte != '\n') {
            line[used] = byte;
            used += used < sizeof line - 1;
            continue;
        }
        line[used] = 0;
        used = 0;
        struct mapping m;
        parse(line, &m);
        keep(&m, pages);
    }
}

static int open_own(const char *path)
{
    return (int)sys(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
}

static size_t copied_size(void)
{
    size_t size = 0;
    for (uint32_t i = 0; i < stretch_count; i++) {
        size += stretches[i].is_untouched ? 0 : stretches[i].size;
    }
    return size;
}

/* All is listed before anything is copied: the copies are exempt, and so is the list. */
bool rewind_save(void)
{
    stretches = rewind_exempt(STRETCHES_MAX * sizeof *stretches);
    const int fd = open_own("/proc/self/maps");
    const int pages = open_own("/proc/self/pagemap");
    must(fd >= 0);
    read_mappings(fd, pages);
    (void)sys(SYS_close, fd);
    (void)sys(SYS_close, pages);
    if (copied_size() + heap_used() > COPIED_SIZE_MAX) {
        return false;
    }
    for (uint32_t i = 0; i < stretch_count; i++) {
        stretches[i].copy = stretches[i].is_untouched ? NULL : rewind_exempt(stretches[i].size);
    }
    heap_save();
    for (uint32_t i = 0; i < stretch_count; i++) {
        if (!stretches[i].is_untouched) {
            memcpy(stretches[i].copy, stretches[i].begin, stretches[i].size);
        }
    }
    return true;
}

void rewind_restore(void)
{
    for (uint32_t i = 0; i < stretch_count; i++) {
        const struct stretch *s = &stretches[i];
        if (s->is_untouched) {
            (void)sys(SYS_madvise, s->begin, s->size, (long)MADV_DONTNEED);
        } else {
            memcpy(s->begin, s->copy, s->size);
        }
    }
    heap_restore();
}
