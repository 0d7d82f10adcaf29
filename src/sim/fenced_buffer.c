/* Bytes that the system is to write, and no others: pages that nobody may touch lie around them.
 *
 *     [ fence | ... bytes, slack | fence ]
 *
 * The bytes are aligned as those of a heap are; the slack that this leaves behind them is compared.
 */
#include "sim/fenced_buffer.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fault_injection.h"
#include "sim/net.h"
#include "sim/state_hash.h"

enum { FENCE_SIZE = 16 << 20, ALIGNMENT = 16, SLACK_BYTE = 0xa5 };

static size_t round_up(size_t size, size_t unit)
{
    return (size + unit - 1) / unit * unit;
}

static int reserve(struct pen *p, size_t room, struct err *e)
{
    pen_close(p);
    const size_t size = room + (size_t)2 * FENCE_SIZE;
    void *at = seam_fails() ? MAP_FAILED
                            : mmap(NULL, size, PROT_NONE,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) {
        return err_set(e, "no memory for %zu bytes", room);
    }
    p->memory = at;
    p->room = room;
    if ((seam_fails() ? seam_failure(ENOMEM)
                      : mprotect(p->memory + FENCE_SIZE, room, PROT_READ | PROT_WRITE)) < 0) {
        pen_close(p);
        return err_set(e, "no memory for %zu bytes", room);
    }
    return 0;
}

int pen_open(struct pen *p, size_t size, struct err *e)
{
    const size_t taken = round_up(size, ALIGNMENT);
    const size_t room = round_up(taken + 1, (size_t)sysconf(_SC_PAGESIZE));
    if (room > p->room && reserve(p, room, e) < 0) {
        return -1;
    }
    p->bytes = p->memory + FENCE_SIZE + p->room - taken;
    p->size = size;
    memset(p->bytes, 0, size);
    memset(p->bytes + size, SLACK_BYTE, taken - size);
    return 0;
}

bool pen_is_whole(const struct pen *p)
{
    const unsigned char *slack = (const unsigned char *)p->bytes + p->size;
    const size_t slack_size = round_up(p->size, ALIGNMENT) - p->size;
    for (size_t i = 0; i < slack_size; i++) {
        if (slack[i] != SLACK_BYTE) {
            return false;
        }
    }
    return true;
}

void pen_close(struct pen *p)
{
    if (p->memory != NULL) {
        (void)munmap(p->memory, p->room + (size_t)2 * FENCE_SIZE);
    }
    *p = (struct pen){0};
}
