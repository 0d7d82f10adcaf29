/* Putting a process back to its beginning without another one: its writable memory is copied once
 * and copied back after each run. What is not copied: the stack of whoever waits for plans, the
 * stacks of fibers, the heap (which knows better what to put back), and what is exempt. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/control.h"
#include "runtime/sys.h"
#include "runtime/text.h"
#include "wire/must.h"

enum { EXEMPT_SIZE = 512 << 20, STRETCHES_MAX = 256, LINE_SIZE = 512 };

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

/* A stretch of memory, and where its copy is. */
static struct stretch {
    char *begin;
    size_t size;
    char *copy;
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

static void keep(const struct mapping *m)
{
    if (!is_wanted(m)) {
        return;
    }
    must(stretch_count < STRETCHES_MAX);
    stretches[stretch_count++] =
        (struct stretch){.begin = (char *)m->begin, .size = m->end - m->begin};
}

static void read_mappings(int fd)
{
    char line[LINE_SIZE];
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
        keep(&m);
    }
}

/* All is listed before anything is copied: the copies are exempt, and so is the list. */
void rewind_save(void)
{
    stretches = rewind_exempt(STRETCHES_MAX * sizeof *stretches);
    const int fd = (int)sys(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC);
    must(fd >= 0);
    read_mappings(fd);
    (void)sys(SYS_close, fd);
    for (uint32_t i = 0; i < stretch_count; i++) {
        stretches[i].copy = rewind_exempt(stretches[i].size);
    }
    heap_save();
    for (uint32_t i = 0; i < stretch_count; i++) {
        memcpy(stretches[i].copy, stretches[i].begin, stretches[i].size);
    }
}

void rewind_restore(void)
{
    for (uint32_t i = 0; i < stretch_count; i++) {
        memcpy(stretches[i].begin, stretches[i].copy, stretches[i].size);
    }
    heap_restore();
}
