#include "runtime/control/sched/watched_variables.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>

#include "runtime/shared/raw_syscall.h"

/* Where the task was when it changed what is found changed now. */
static const void *place_before;

static struct control_watch *watches(void)
{
    return control_region(CONTROL_PLACE(WATCHES));
}

void watch_begin(void)
{
    for (uint32_t i = 0; i < control->watch_count && i < CONTROL_WATCHES_MAX; i++) {
        watches()[i].is_told = 0;
    }
    place_before = NULL;
    watch_look(NULL);
}

/* Whether the kernel can read there: it looks at a set of signals before it refuses what is to be
 * done with it. */
static bool is_mapped(uintptr_t address)
{
    enum { NOTHING_KNOWN = -1, SET_SIZE = 8 };
    const int saved = errno;
    const bool is_fault =
        sys(SYS_rt_sigprocmask, (long)NOTHING_KNOWN, address, NULL, (long)SET_SIZE) < 0 &&
        errno == EFAULT;
    errno = saved;
    return !is_fault;
}

/* A pointer may point anywhere, and to what was freed. */
static bool is_readable(uintptr_t address, size_t size)
{
    struct heap_block block;
    if (address - HEAP_ADDRESS < HEAP_SIZE) {
        return heap_find(address, &block) && !block.is_freed && address >= block.start &&
               address + size <= block.start + block.size;
    }
    const uintptr_t last = address + size - 1;
    return is_mapped(address & ~UINT64_C(7)) && is_mapped(last & ~UINT64_C(7));
}

static int64_t extended(uint64_t value, const struct control_watch *w)
{
    const unsigned unused = 64 - 8 * w->size;
    if (w->is_pointer != 0) {
        return value != 0; /* addresses say nothing outside of a run */
    }
    return w->is_signed != 0 ? (int64_t)(value << unused) >> unused : (int64_t)value;
}

/* False when the way to it leads nowhere. */
static bool read_value(const struct control_watch *w, int64_t *value)
{
    uintptr_t at = w->address + (uintptr_t)w->offset[0];
    for (uint32_t hop = 1; hop <= w->hop_count && hop <= CONTROL_HOPS_MAX; hop++) {
        if (hop > 1 && !is_readable(at, sizeof at)) {
            return false;
        }
        memcpy(&at, (const void *)at, sizeof at);
        if (at == 0) {
            return false;
        }
        at += (uintptr_t)w->offset[hop];
    }
    if (w->hop_count > 0 && !is_readable(at, w->size)) {
        return false;
    }
    uint64_t bytes = 0;
    memcpy(&bytes, (const void *)at, w->size);
    *value = extended(bytes, w);
    return true;
}

static void look_at(struct control_watch *w)
{
    int64_t value = 0;
    const bool is_there = read_value(w, &value);
    if (is_there && (w->is_told == 0 || value != w->value)) {
        control_report(EVENT_VARIABLE, w->name, value, place_before);
    } else if (!is_there && w->is_told != 0) {
        control_report(EVENT_VARIABLE_DELETE, w->name, 0, place_before);
    }
    w->is_told = is_there;
    w->value = value;
}

void watch_look(const void *place)
{
    if (!control_is_mine() || control->watch_count == 0 || process_self->number != 0 ||
        control_image != 0) {
        return;
    }
    for (uint32_t i = 0; i < control->watch_count && i < CONTROL_WATCHES_MAX; i++) {
        look_at(&watches()[i]);
    }
    place_before = place;
}
