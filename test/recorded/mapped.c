/* Pages that one thread unmaps and another maps at the same address are another object. What is
 * still used while it is unmapped races with that.
 * race: use unmap */
#define _GNU_SOURCE
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "program.h"

enum { SIZE = 1 << 16 };
#define ADDRESS ((void *)0x100000000000) /* where the kernel puts nothing by itself */

static atomic_int turn;
static long *shared;

static long *map_at(void *wanted, int flags)
{
    long *start =
        mmap(wanted, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
    CLAIM(start != MAP_FAILED);
    return start;
}

static void await(int wanted)
{
    while (atomic_load_explicit(&turn, memory_order_relaxed) != wanted) {
        (void)sched_yield();
    }
}

static void go(int next)
{
    atomic_store_explicit(&turn, next, memory_order_relaxed);
}

static void *first(void *unused)
{
    long *own = map_at(ADDRESS, MAP_FIXED_NOREPLACE);
    own[0] = 1;
    own[5000] = 1;
    CLAIM(munmap(own, SIZE) == 0);
    go(1);
    await(3);
    CLAIM(munmap(shared, SIZE) == 0); /* unmap */
    return unused;
}

static void *second(void *unused)
{
    await(1);
    long *own = map_at(ADDRESS, MAP_FIXED_NOREPLACE);
    own[0] = 2;
    own[5000] = 2;
    long *moved = mremap(own, SIZE, 2 * SIZE, MREMAP_MAYMOVE);
    CLAIM(moved != MAP_FAILED && moved[5000] == 2);
    moved[5000] = 3;
    CLAIM(madvise(moved, SIZE, MADV_DONTNEED) == 0 && moved[0] == 0);
    CLAIM(munmap(moved, 2 * SIZE) == 0);
    shared[4000] = 1; /* use */
    go(3);
    return unused;
}

int main(void)
{
    shared = map_at(NULL, 0);
    run_both(first, second);
    return 0;
}
