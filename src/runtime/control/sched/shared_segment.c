#include "runtime/control/sched/shared_segment.h"

#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "runtime/control/sched/run_control.h"
#include "runtime/shared/raw_syscall.h"
#include "wire/must.h"

enum { LINE = 64 };

static size_t used;

void segment_start(bool is_first)
{
    used = 0;
    if (is_first) { /* an earlier program of the same search has used it */
        must(sys(SYS_madvise, control_region(CONTROL_PLACE(SEGMENT)), (size_t)CONTROL_SEGMENT_SIZE,
                 (long)MADV_REMOVE) == 0);
    }
}

void *segment_take(size_t size)
{
    char *piece = (char *)control_region(CONTROL_PLACE(SEGMENT)) + used;
    must(size <= CONTROL_SEGMENT_SIZE - used);
    used += (size + LINE - 1) / LINE * LINE;
    must((uintptr_t)piece % LINE == 0);
    return piece;
}
