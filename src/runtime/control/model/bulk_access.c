#include "runtime/control/model/bulk_access.h"

#include <string.h>

#define ENTRY __attribute__((visibility("default")))
#include "runtime/control/sched/run_control.h"
#include "runtime/control/sched/task.h"
#include "runtime/instrument/runtime_entry.h"

/* The size of the part that begins `done` bytes into an access of `size` bytes at this address. */
static size_t part_size(uintptr_t address, size_t size, size_t done)
{
    const size_t left = size - done;
    const size_t to_word = BULK_WORD - (address + done) % BULK_WORD;
    const size_t last = (address + size - 1) % BULK_WORD + 1;
    if (left <= to_word) {
        return left;
    }
    if (size <= BULK_WORDS_MAX || done == 0 || left <= last) {
        return to_word;
    }
    const size_t piece = (size / (BULK_PARTS_MAX - 2) + BULK_WORD) / BULK_WORD * BULK_WORD;
    return piece < left - last ? piece : left - last;
}

/* The parts of a copy to higher addresses begin at the end, where the ranges overlap. */
struct parts {
    uintptr_t address;
    size_t size, done;
    bool is_backward;
};

static bool next_part(struct parts *p, size_t *at, size_t *size)
{
    if (p->done == p->size) {
        return false;
    }
    if (!p->is_backward) {
        *at = p->done;
        *size = part_size(p->address, p->size, p->done);
    } else {
        /* The part that ends where the parts so far began. */
        size_t begin = 0;
        size_t next = part_size(p->address, p->size, 0);
        while (next < p->size - p->done) {
            begin = next;
            next += part_size(p->address, p->size, next);
        }
        *at = begin;
        *size = next - begin;
    }
    p->done += *size;
    return true;
}

bool clew_rt_copy(void *to, const void *from, size_t size, const void *place)
{
    if ((!memory_is_shared(to) && !memory_is_shared(from)) || size == 0) {
        return false;
    }
    const uintptr_t distance = (uintptr_t)to - (uintptr_t)from;
    struct parts parts = {
        .address = (uintptr_t)to, .size = size, .is_backward = distance != 0 && distance < size};
    size_t at = 0;
    size_t count = 0;
    while (next_part(&parts, &at, &count)) {
        char part[BULK_RANGE_MAX];
        void *buffer = count <= sizeof part ? part : task_scratch(count);
        const char *source = (const char *)from + at;
        clew_rt_read(source, count, place);
        if (buffer != NULL) {
            memcpy(buffer, source, count);
            source = buffer;
        }
        clew_rt_write((char *)to + at, count, place);
        memmove((char *)to + at, source, count);
    }
    return true;
}

bool clew_rt_store(void *to, const void *from, size_t size, const void *place)
{
    if (!memory_is_shared(to) || size == 0) {
        return false;
    }
    struct parts parts = {.address = (uintptr_t)to, .size = size};
    size_t at = 0;
    size_t count = 0;
    while (next_part(&parts, &at, &count)) {
        clew_rt_write((char *)to + at, count, place);
        memcpy((char *)to + at, (const char *)from + at, count);
    }
    return true;
}

bool clew_rt_fill(void *to, int byte, size_t size, const void *place)
{
    if (!memory_is_shared(to) || size == 0) {
        return false;
    }
    struct parts parts = {.address = (uintptr_t)to, .size = size};
    size_t at = 0;
    size_t count = 0;
    while (next_part(&parts, &at, &count)) {
        clew_rt_write((char *)to + at, count, place);
        memset((char *)to + at, byte, count);
    }
    return true;
}

void *clew_rt_scratch(size_t size)
{
    return memory_is_shared(NULL) ? task_scratch(size) : NULL;
}

/* What the compiler copies by itself */

static struct bulk *own(void)
{
    return &control_self->bulk;
}

/* Whether the access can be divided: nothing is known of stacks beyond what runs on them. */
static bool is_divided(const void *address, size_t size)
{
    uint32_t distance = 0;
    return memory_is_shared(address) && size <= BULK_RANGE_MAX &&
           part_size((uintptr_t)address, size, 0) < size &&
           task_of_stack((uintptr_t)address, &distance) == NULL;
}

static void show(struct bulk *b)
{
    void *memory = (void *)b->view_address;
    memcpy(b->view_true, memory, b->view_size);
    memcpy(memory, b->view_shown, b->view_size);
}

/* Memory has the true bytes again. The bytes that an update has changed are its own. */
static void hide(struct bulk *b)
{
    uint8_t *memory = (uint8_t *)b->view_address;
    for (uint32_t i = 0; i < b->view_size; i++) {
        if (memory[i] == b->view_shown[i]) {
            memory[i] = b->view_true[i];
        }
    }
}

static void give_out(struct bulk *b)
{
    uint8_t after[BULK_RANGE_MAX];
    uint8_t *memory = (uint8_t *)b->store_address;
    const uint32_t size = b->store_size;
    memcpy(after, memory, size);
    memcpy(memory, b->store_before, size);
    if (!clew_rt_store(memory, after, size, b->store_place)) {
        memcpy(memory, after, size);
    }
}

void bulk_settle(void)
{
    struct bulk *b = own();
    if (!b->is_pending) {
        return;
    }
    b->is_pending = false;
    if (b->has_view) {
        b->has_view = false;
        hide(b);
    }
    if (b->has_store) {
        b->has_store = false;
        give_out(b);
    }
}

static void view_open(struct bulk *b, const void *address, const uint8_t *shown, size_t size)
{
    b->has_view = true;
    b->view_address = (uintptr_t)address;
    b->view_size = (uint32_t)size;
    memcpy(b->view_shown, shown, size);
    show(b);
}

static void store_open(struct bulk *b, uintptr_t address, size_t size, const void *place)
{
    b->has_store = true;
    b->store_address = address;
    b->store_size = (uint32_t)size;
    b->store_place = place;
    memcpy(b->store_before, (const void *)address, size);
}

/* gcc reports both sides of an assignment before it, what is stored first: whether this is the
 * read of one whose store was reported just before. */
static bool is_other_side(const struct bulk *b, size_t size, const void *place)
{
    enum { CODE_BETWEEN = 64 }; /* bytes of code that only put addresses and sizes into registers */
    return b->has_store && b->store_size == size &&
           (uintptr_t)place - (uintptr_t)b->store_place < CODE_BETWEEN &&
           memcmp((const void *)b->store_address, b->store_before, size) == 0;
}

void clew_rt_read_range(const void *address, size_t size, const void *place)
{
    if (!control_is_on || !is_divided(address, size)) {
        clew_rt_read(address, size, place);
        return;
    }
    struct bulk *b = own();
    const bool has_store = b->is_pending && is_other_side(b, size, place);
    const uintptr_t store_address = b->store_address;
    const void *store_place = b->store_place;
    b->has_store = b->has_store && !has_store;
    bulk_settle();
    uint8_t shown[BULK_RANGE_MAX];
    struct parts parts = {.address = (uintptr_t)address, .size = size};
    size_t at = 0;
    size_t count = 0;
    while (next_part(&parts, &at, &count)) {
        clew_rt_read((const char *)address + at, count, place);
        memcpy(shown + at, (const char *)address + at, count);
    }
    if (has_store) {
        store_open(b, store_address, size, store_place);
    }
    if (memcmp(shown, address, size) != 0) {
        view_open(b, address, shown, size);
    }
    b->is_pending = b->has_view || b->has_store;
}

/* What an assignment reads, where that is reported first, stays in sight. */
void clew_rt_write_range(const void *address, size_t size, const void *place)
{
    if (!control_is_on) {
        clew_rt_write(address, size, place);
        return;
    }
    struct bulk *b = own();
    const bool has_view = b->is_pending && b->has_view;
    if (has_view) {
        b->has_view = false;
        hide(b);
    }
    bulk_settle();
    if (is_divided(address, size) && control_self->ignore_writes == 0) {
        memory_check(address, size);
        store_open(b, (uintptr_t)address, size, place);
    } else {
        clew_rt_write(address, size, place);
    }
    b->has_view = has_view;
    if (has_view) {
        show(b);
    }
    b->is_pending = b->has_view || b->has_store;
}

/* The compiler reports the store alone. Others may run between load and store: what was loaded is
 * then put into memory, where the program loads it only now. Of a load that is narrower than the
 * report, the bytes that the program changes tell which it stores. */
void bulk_update(const void *address, size_t size, size_t width, const void *place)
{
    uint8_t loaded[BULK_WORD];
    void *memory = (void *)(uintptr_t)address;
    clew_rt_read(address, size, place);
    memcpy(loaded, address, size);
    memory_write(address, size, place);
    if (memcmp(loaded, address, size) == 0) {
        return;
    }
    if (width >= size) {
        memcpy(memory, loaded, size);
        return;
    }
    struct bulk *b = own();
    b->is_pending = true;
    view_open(b, address, loaded, size);
}
