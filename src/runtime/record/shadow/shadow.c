#include "runtime/record/shadow/shadow.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/record/log/recording_files.h"
#include "wire/must.h"

enum {
    PAGE_SIZE = 4096,
    BY_PAGES_MIN = 1 << 15, /* from this size on memory is cleared by madvise(MADV_DONTNEED) */
};

#define REGION_COUNT (UINT64_C(1) << (ADDRESS_BITS - REGION_BITS))

struct region *_Atomic *shadow_regions;
static struct region *_Atomic region_last;

void *shadow_memory(uint64_t size)
{
    void *made = folder_map(NULL, size, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return made == MAP_FAILED ? NULL : made;
}

void shadow_start(void)
{
    shadow_regions = shadow_memory(REGION_COUNT * sizeof *shadow_regions);
}

void shadow_forked(void)
{
    if (shadow_regions == NULL) {
        return;
    }
    (void)syscall(SYS_madvise, shadow_regions, REGION_COUNT * sizeof *shadow_regions,
                  (long)MADV_DONTNEED);
    struct region *region = atomic_exchange(&region_last, NULL);
    while (region != NULL) {
        struct region *next = region->next;
        (void)syscall(SYS_munmap, region, sizeof *region);
        region = next;
    }
}

static struct region *region_make(uintptr_t address)
{
    struct region *made = shadow_memory(sizeof *made);
    struct region *expected = NULL;
    if (made == NULL) {
        return NULL;
    }
    if (!atomic_compare_exchange_strong(&shadow_regions[address >> REGION_BITS], &expected, made)) {
        (void)syscall(SYS_munmap, made, sizeof *made);
        return expected;
    }
    made->next = atomic_load_explicit(&region_last, memory_order_relaxed);
    while (!atomic_compare_exchange_weak(&region_last, &made->next, made)) {
    }
    return made;
}

/* The pages that these bytes touch, made at one go where the system can. */
void shadow_populate(void *at, size_t size)
{
    const uintptr_t first = (uintptr_t)at & ~(uintptr_t)(PAGE_SIZE - 1);
    const uintptr_t end = ((uintptr_t)at + size + PAGE_SIZE - 1) & ~(uintptr_t)(PAGE_SIZE - 1);
    (void)syscall(SYS_madvise, first, end - first, (long)MADV_POPULATE_WRITE);
}

struct region *shadow_make(uintptr_t address)
{
    struct region *region = shadow_region(address);
    if (region == NULL) {
        region = address >> ADDRESS_BITS != 0 ? NULL : region_make(address);
    }
    const size_t index = shadow_index(address);
    if (region != NULL && !shadow_is_ready(region, index)) {
        const size_t chunk = index / CHUNK_WORDS;
        shadow_populate(&region->states[chunk * CHUNK_WORDS], CHUNK_WORDS * sizeof *region->states);
        shadow_populate(&region->trails[chunk * CHUNK_WORDS], CHUNK_WORDS * sizeof *region->trails);
        (void)atomic_fetch_or_explicit(&region->ready, UINT64_C(1) << chunk, memory_order_relaxed);
    }
    return region;
}

void shadow_make_bytes(struct region *region, size_t index)
{
    const size_t chunk = index / BYTES_CHUNK_WORDS;
    if (!shadow_has_bytes(region, index)) {
        shadow_populate(&region->bytes[chunk * BYTES_CHUNK_WORDS],
                        BYTES_CHUNK_WORDS * sizeof *region->bytes);
        (void)atomic_fetch_or_explicit(&region->bytes_ready[chunk / 64], UINT64_C(1) << chunk % 64,
                                       memory_order_release);
    }
}

/* Forgets that words first to end - 1 are shared. */
static void clear_shared(struct region *region, size_t first, size_t end)
{
    for (size_t i = first; i < end; i = (i | 63) + 1) {
        const size_t stop = (i | 63) + 1 < end ? (i | 63) + 1 : end;
        const uint64_t bits = UINT64_MAX >> (64 - (stop - i)) << i % 64;
        _Atomic uint64_t *word = &region->shared[i / 64];
        if ((atomic_load_explicit(word, memory_order_relaxed) & bits) != 0) {
            (void)atomic_fetch_and_explicit(word, ~bits, memory_order_relaxed);
        }
    }
}

static void clear_slots(_Atomic uint64_t *slots, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        atomic_store_explicit(&slots[i], 0, memory_order_relaxed);
    }
}

static void clear_words(struct region *region, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        if (atomic_load_explicit(&region->states[i], memory_order_relaxed) != 0) {
            for (int is_write = 0; is_write < 2; is_write++) {
                clear_slots(region->trails[i].last[is_write], HALVES);
                clear_slots(region->bytes[i].last[is_write],
                            shadow_has_bytes(region, i) ? WORD_SIZE : 0);
            }
            atomic_store_explicit(&region->states[i], 0, memory_order_release);
        }
    }
}

/* Clears the whole pages in [at, at + size); the bytes before and behind stay. */
static void clear_pages(void *at, size_t size)
{
    const uintptr_t first = ((uintptr_t)at + PAGE_SIZE - 1) & ~(uintptr_t)(PAGE_SIZE - 1);
    const uintptr_t end = ((uintptr_t)at + size) & ~(uintptr_t)(PAGE_SIZE - 1);
    if (first < end) {
        (void)syscall(SYS_madvise, first, end - first, (long)MADV_DONTNEED);
    }
}

/* Clears pages of trails first: a word without a state has no trails. The states left over at both
 * ends are fewer than this many words. */
static void clear_in_region(struct region *region, size_t first, size_t end)
{
    enum { REST = PAGE_SIZE / sizeof(uint64_t) };
    _Static_assert(BY_PAGES_MIN / WORD_SIZE >= 2 * REST, "the two ends do not overlap");
    must(first < end);
    must(end <= REGION_WORDS);
    clear_shared(region, first, end);
    if ((end - first) * WORD_SIZE < BY_PAGES_MIN) {
        clear_words(region, first, end);
        return;
    }
    clear_words(region, first, first + REST);
    clear_words(region, end - REST, end);
    clear_pages(&region->bytes[first], (end - first) * sizeof region->bytes[0]);
    clear_pages(&region->trails[first], (end - first) * sizeof region->trails[0]);
    clear_pages(&region->states[first], (end - first) * sizeof region->states[0]);
}

void shadow_clear(uintptr_t address, size_t size)
{
    if (shadow_regions == NULL) {
        return;
    }
    uintptr_t at = address & ~(uintptr_t)(WORD_SIZE - 1);
    const uintptr_t end = address + size;
    while (at < end && at >> ADDRESS_BITS == 0) {
        const uintptr_t next = (at | ((UINT64_C(1) << REGION_BITS) - 1)) + 1;
        const uintptr_t stop = next < end ? next : end;
        struct region *region = shadow_region(at);
        if (region != NULL) {
            const size_t first = shadow_index(at);
            clear_in_region(region, first, first + (stop - at + WORD_SIZE - 1) / WORD_SIZE);
        }
        at = next;
    }
}
