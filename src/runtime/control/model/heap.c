/* The heap of a controlled program. Ours, because its addresses must not depend on anything but the
 * run, because a run's blocks must go with the run, and because we want to know every block: which
 * it is, and whether it may still be used.
 *
 * Memory is cut into chunks of 64 KiB. A chunk holds slots of one size, or is part of a large slot.
 * A slot begins with a header; behind the block lie at least 16 bytes that are nobody's:
 *
 *     | header, 48 | (gap for alignment) block, `size` | rest: 16 or more |
 *
 * Freed slots wait in line: a slot is used again when enough others of its size were freed after
 * it, so that a use after free finds it free. */
#include "runtime/control/model/heap.h"

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pick/fixed_table.h"
#include "runtime/control/model/call_tree.h"
#include "runtime/shared/raw_syscall.h"
#include "wire/must.h"

enum {
    CHUNK_SIZE = 1 << 16,
    CHUNKS_MAX = 1 << 18,
    REST_MIN = 16,
    SMALL_MAX = 1 << 14, /* bytes of a slot that shares its chunk */
    CLASSES_MAX = 48,
    LINE_MIN = 64, /* freed slots of a size that are not yet used again */
    SITES_MAX = 1 << 14,
    LARGE_MAX = 256, /* freed large slots that are kept */
    ALIGNMENT_MAX = 1 << 27,
};

#define PLACE_MASK ((UINT64_C(1) << 48) - 1)

enum slot_state { SLOT_USED = 0x7573, SLOT_FREED = 0x6672 };

struct slot {
    uint64_t place : 48;
    uint64_t owner : 16; /* the task that allocated it */
    uint64_t size : 36;  /* of the block */
    uint64_t gap : 28;
    uint32_t ordinal;
    uint16_t state;   /* enum slot_state */
    uint16_t name;    /* of the calls it was allocated in (object_calls); 0: of its place */
    uint16_t callers; /* the calls it was allocated in (runtime/control/model/call_tree.h) ... */
    uint16_t freed_callers; /* ... and freed */
    uint32_t next; /* of freed ones: the next in line, as 16-byte units from the beginning */
    uint64_t freed_place : 48;
    uint64_t freer : 16; /* the task that freed it */
    uint64_t users;      /* tasks that have used it, by the last bits of their numbers */
};
_Static_assert(sizeof(struct slot) == 48, "a block is aligned to 16 bytes");

/* Of a chunk: the size of its slots; of a large slot: in each chunk how far back it begins. */
struct chunk {
    uint32_t slot_size; /* 0: part of a large slot */
    uint32_t back;
};

struct line {
    uint32_t first, last, count;
    uint32_t bump, bump_left; /* slots never used, in the chunk begun last */
};

/* All that says what the heap looks like. */
struct shape {
    uint32_t chunk_count;
    uint32_t large_count;
    struct line lines[CLASSES_MAX];
    struct {
        uint32_t chunk, count;
    } large[LARGE_MAX]; /* freed */
};

static struct heap {
    struct shape shape, saved;
    uint32_t touched;   /* chunks that were ever used: those beyond are zero */
    struct table sites; /* place and task to how many blocks it allocated there, in this run */
    char *saved_bytes;
    struct chunk chunks[CHUNKS_MAX];
} * heap;

static atomic_flag is_taken = ATOMIC_FLAG_INIT;

/* The heap is there before anything else of ours is. */
static void start(void)
{
    heap = rewind_exempt(sizeof *heap);
    table_init(&heap->sites, rewind_exempt(table_entries(SITES_MAX) * sizeof(struct table_entry)),
               SITES_MAX);
    const long made =
        sys(SYS_mmap, HEAP_ADDRESS, (size_t)CHUNKS_MAX * CHUNK_SIZE, PROT_READ | PROT_WRITE,
            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0L);
    _Static_assert((uint64_t)CHUNKS_MAX * CHUNK_SIZE == HEAP_SIZE, "the heap's place");
    must(made == (long)HEAP_ADDRESS);
    heap->shape.chunk_count = 1; /* so that 0 is nobody's place */
}

static char *chunk_at(uint32_t chunk)
{
    return (char *)HEAP_ADDRESS + (size_t)chunk * CHUNK_SIZE;
}

static struct slot *slot_at(uint32_t unit)
{
    return (struct slot *)(void *)((char *)HEAP_ADDRESS + (size_t)unit * 16);
}

static uint32_t unit_of(const struct slot *s)
{
    return (uint32_t)(((uintptr_t)s - HEAP_ADDRESS) / 16);
}

/* Sizes of slots: 64, 80, 96, 112, then four in each doubling. */
static uint32_t class_of(size_t slot_size, uint32_t *size)
{
    uint32_t class = 0;
    uint32_t base = 64;
    while (true) {
        for (uint32_t quarter = 0; quarter < 4; quarter++, class ++) {
            *size = base + quarter * (base / 4);
            if (slot_size <= *size) {
                return class;
            }
        }
        base *= 2;
    }
}

static uint32_t take_chunks(uint32_t count)
{
    const uint32_t first = heap->shape.chunk_count;
    if (count > CHUNKS_MAX - first) {
        return 0;
    }
    heap->shape.chunk_count += count;
    heap->touched =
        heap->touched > heap->shape.chunk_count ? heap->touched : heap->shape.chunk_count;
    return first;
}

/* Slots that share a chunk */

static struct slot *take_small(size_t wanted)
{
    uint32_t slot_size = 0;
    const uint32_t class = class_of(wanted, &slot_size);
    struct line *l = &heap->shape.lines[class];
    if (l->count > LINE_MIN) {
        struct slot *s = slot_at(l->first);
        l->first = s->next;
        l->count--;
        return s;
    }
    if (l->bump_left == 0) {
        const bool is_fresh = heap->shape.chunk_count >= heap->touched;
        const uint32_t chunk = take_chunks(1);
        if (chunk == 0) {
            return NULL;
        }
        heap->chunks[chunk] = (struct chunk){.slot_size = slot_size};
        for (uint32_t i = 0; !is_fresh && i < CHUNK_SIZE / slot_size; i++) {
            ((struct slot *)(void *)(chunk_at(chunk) + (size_t)i * slot_size))->state = 0;
        }
        l->bump = chunk * (CHUNK_SIZE / 16);
        l->bump_left = CHUNK_SIZE / slot_size;
    }
    struct slot *s = slot_at(l->bump);
    l->bump += slot_size / 16;
    l->bump_left--;
    return s;
}

static void put_small(struct slot *s, uint32_t class)
{
    struct line *l = &heap->shape.lines[class];
    s->next = 0;
    if (l->count == 0) {
        l->first = unit_of(s);
    } else {
        slot_at(l->last)->next = unit_of(s);
    }
    l->last = unit_of(s);
    l->count++;
}

/* Large slots */

static uint32_t chunks_of(size_t slot_size)
{
    return (uint32_t)((slot_size + CHUNK_SIZE - 1) / CHUNK_SIZE);
}

static struct slot *take_large(size_t slot_size)
{
    struct shape *p = &heap->shape;
    const uint32_t count = chunks_of(slot_size);
    for (uint32_t i = 0; i < p->large_count; i++) {
        if (p->large[i].count == count) {
            struct slot *s = (struct slot *)(void *)chunk_at(p->large[i].chunk);
            p->large[i] = p->large[--p->large_count];
            return s;
        }
    }
    const uint32_t chunk = take_chunks(count);
    for (uint32_t i = 0; chunk != 0 && i < count; i++) {
        heap->chunks[chunk + i] = (struct chunk){.back = i};
    }
    return chunk == 0 ? NULL : (struct slot *)(void *)chunk_at(chunk);
}

/* Beyond what is kept, the place is not used again in this run. */
static void put_large(struct slot *s)
{
    struct shape *p = &heap->shape;
    const size_t slot_size = sizeof *s + s->gap + s->size + REST_MIN;
    if (p->large_count < LARGE_MAX) {
        p->large[p->large_count].chunk = unit_of(s) / (CHUNK_SIZE / 16);
        p->large[p->large_count++].count = chunks_of(slot_size);
    }
}

/* Blocks */

static char *block_of(struct slot *s)
{
    return (char *)(s + 1) + s->gap;
}

/* Memory is zero when it is handed out: what a program finds in it does not depend on other runs.
 */
static void clear(char *block, size_t size)
{
    enum { PAGES_MIN = 1 << 18, PAGE = 4096 };
    if (size < PAGES_MIN) {
        memset(block, 0, size);
        return;
    }
    const uintptr_t begin = ((uintptr_t)block + PAGE - 1) / PAGE * PAGE;
    const uintptr_t end = ((uintptr_t)block + size) / PAGE * PAGE;
    memset(block, 0, begin - (uintptr_t)block);
    (void)sys(SYS_madvise, begin, end - begin, MADV_DONTNEED);
    memset((void *)end, 0, (uintptr_t)block + size - end);
}

/* One task runs at a time. Threads that are none, before the first run and in children that the
 * program has forked, take turns here. */
static bool lock(void)
{
    if (control_is_on) {
        return false;
    }
    while (atomic_flag_test_and_set_explicit(&is_taken, memory_order_acquire)) {
        (void)sys(SYS_sched_yield);
    }
    return true;
}

static void unlock(bool is_locked)
{
    if (is_locked) {
        atomic_flag_clear_explicit(&is_taken, memory_order_release);
    }
}

static void *take(size_t size, size_t alignment, const void *place)
{
    if (heap == NULL) {
        start();
    }
    const size_t gap_max = alignment > 16 ? alignment - 16 : 0;
    if (size > (size_t)CHUNKS_MAX * CHUNK_SIZE || alignment > ALIGNMENT_MAX) {
        errno = ENOMEM;
        return NULL;
    }
    const size_t wanted = (sizeof(struct slot) + gap_max + size + REST_MIN + 15) / 16 * 16;
    struct slot *s = wanted <= SMALL_MAX ? take_small(wanted) : take_large(wanted);
    if (s == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    const uintptr_t first = (uintptr_t)(s + 1);
    const size_t gap = alignment <= 16 ? 0 : (alignment - first % alignment) % alignment;
    const uint32_t owner = control_self == NULL ? 0 : control_self->number;
    const uint16_t name = control_is_on ? callers_keep(object_calls((uintptr_t)place)) : 0;
    const uint64_t site = name != 0 ? callers_kept(name) : (uintptr_t)place;
    uint64_t *count = table_slot(&heap->sites, (uint64_t)owner << 48 | site, 0);
    *s = (struct slot){.place = (uintptr_t)place & PLACE_MASK,
                       .owner = owner & 0xffff,
                       .size = size & (HEAP_SIZE * 2 - 1),
                       .callers = callers_here(),
                       .name = name,
                       .ordinal = count == NULL ? 1 : (uint32_t)(*count += 1),
                       .state = SLOT_USED,
                       .gap = gap & (ALIGNMENT_MAX - 1)};
    clear(block_of(s), size);
    return block_of(s);
}

void *heap_take(size_t size, size_t alignment, const void *place)
{
    const bool is_locked = lock();
    void *block = take(size, alignment, place);
    unlock(is_locked);
    if (block != NULL && control_is_on && control->plan.wants_allocations != 0) {
        const struct object o = object_of(block, place);
        const struct control_object object = {
            .key = o.key, .ordinal = o.ordinal, .offset = o.offset, .owner = o.owner};
        control_report_object(EVENT_ALLOC, "", &object, place);
    }
    return block;
}

/* The slot that the address lies in, NULL when it lies in none. */
static struct slot *slot_of(uintptr_t address)
{
    if (heap == NULL || address < HEAP_ADDRESS ||
        address >= HEAP_ADDRESS + (size_t)heap->shape.chunk_count * CHUNK_SIZE) {
        return NULL;
    }
    uint32_t chunk = (uint32_t)((address - HEAP_ADDRESS) / CHUNK_SIZE);
    const struct chunk *c = &heap->chunks[chunk];
    if (chunk == 0) {
        return NULL;
    }
    const size_t in_chunk = (address - HEAP_ADDRESS) % CHUNK_SIZE;
    struct slot *s =
        c->slot_size == 0
            ? (struct slot *)(void *)chunk_at(chunk - c->back)
            : (struct slot *)(void *)(chunk_at(chunk) + in_chunk / c->slot_size * c->slot_size);
    return s->state == SLOT_USED || s->state == SLOT_FREED ? s : NULL;
}

bool heap_find(uintptr_t address, struct heap_block *block)
{
    struct slot *s = slot_of(address);
    if (s == NULL) {
        return false;
    }
    *block = (struct heap_block){.place = s->place | control_image,
                                 .name = s->name == 0 ? 0 : callers_kept(s->name),
                                 .start = (uintptr_t)block_of(s),
                                 .size = s->size,
                                 .ordinal = s->ordinal,
                                 .owner = s->owner,
                                 .freed_place = s->freed_place | control_image,
                                 .freer = s->freer,
                                 .callers = s->callers,
                                 .freed_callers = s->freed_callers,
                                 .is_freed = s->state == SLOT_FREED};
    return true;
}

static uint64_t user(uint32_t task)
{
    return UINT64_C(1) << task % 64;
}

void heap_touch(uintptr_t address, uint32_t task)
{
    struct slot *s = slot_of(address);
    if (s != NULL) {
        s->users |= user(task);
    }
}

bool heap_is_shared(uintptr_t address, uint32_t task)
{
    const struct slot *s = slot_of(address);
    return s != NULL && s->state == SLOT_USED && (s->users & ~user(task)) != 0;
}

static enum heap_put put(void *block, const void *place)
{
    struct slot *s = slot_of((uintptr_t)block);
    if (s == NULL || block_of(s) != block) {
        return HEAP_FOREIGN;
    }
    if (s->state == SLOT_FREED) {
        return HEAP_FREED_BEFORE;
    }
    object_forget(block, s->size);
    s->state = SLOT_FREED;
    s->freed_place = (uintptr_t)place & PLACE_MASK;
    s->freer = control_self == NULL ? 0 : control_self->number & 0xffff;
    s->freed_callers = callers_here();
    uint32_t slot_size = 0;
    const struct chunk *c = &heap->chunks[((uintptr_t)s - HEAP_ADDRESS) / CHUNK_SIZE];
    if (c->slot_size != 0) {
        put_small(s, class_of(c->slot_size, &slot_size));
    } else {
        put_large(s);
    }
    return HEAP_FREED_NOW;
}

enum heap_put heap_put(void *block, const void *place)
{
    const bool is_locked = lock();
    const enum heap_put result = put(block, place);
    unlock(is_locked);
    return result;
}

size_t heap_size(const void *block)
{
    const struct slot *s = slot_of((uintptr_t)block);
    return s == NULL ? 0 : s->size;
}

/* Rewinding */

size_t heap_used(void)
{
    return (size_t)heap->shape.chunk_count * CHUNK_SIZE;
}

void heap_save(void)
{
    heap->saved = heap->shape;
    const size_t size = heap_used();
    heap->saved_bytes = rewind_exempt(size);
    memcpy(heap->saved_bytes, (const void *)HEAP_ADDRESS, size);
}

void heap_begin(void)
{
    table_clear(&heap->sites);
}

/* Only what was there at first is put back, and only the used part of it. */
void heap_restore(void)
{
    heap->shape = heap->saved;
    for (uint32_t chunk = 1; chunk < heap->saved.chunk_count; chunk++) {
        size_t used = CHUNK_SIZE;
        for (uint32_t class = 0; heap->chunks[chunk].slot_size != 0 && class < CLASSES_MAX;
             class ++) {
            const struct line *l = &heap->saved.lines[class];
            if (l->bump_left > 0 && l->bump / (CHUNK_SIZE / 16) == chunk) {
                used = (size_t)l->bump * 16 % CHUNK_SIZE;
            }
        }
        memcpy(chunk_at(chunk), heap->saved_bytes + (size_t)chunk * CHUNK_SIZE, used);
    }
}
