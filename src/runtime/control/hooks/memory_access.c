/* Accesses and atomic operations of code built by `clew cc`, each a point where others may go first
 * while there are others. Accesses to the heap are checked on the way: what was freed, and what
 * lies behind a block, is nobody's. */
#include <string.h>

#define ENTRY __attribute__((visibility("default")))
#include "runtime/control/model/call_tree.h"
#include "runtime/control/sched/run_control.h"
#include "runtime/control/sched/watched_variables.h"
#include "runtime/instrument/runtime_entry.h"

enum { VALUE_SIZE = 8 };

static uint64_t value_at(const volatile void *address, size_t size)
{
    uint64_t value = 0;
    memcpy(&value, (const void *)(uintptr_t)address, size < VALUE_SIZE ? size : VALUE_SIZE);
    return value;
}

void memory_check(const volatile void *address, size_t size)
{
    const uintptr_t begin = (uintptr_t)address;
    struct heap_block block;
    if (begin - HEAP_ADDRESS >= HEAP_SIZE || !control_is_on || !heap_find(begin, &block)) {
        return;
    }
    if (block.is_freed) {
        control_end(&(struct ending){.end = CONTROL_MISUSED,
                                     .value = CONTROL_USE_AFTER_FREE,
                                     .address = begin,
                                     .text = "memory is used after it was freed"});
    }
    if (begin < block.start || begin + size > block.start + block.size) {
        control_end(&(struct ending){.end = CONTROL_MISUSED,
                                     .value = CONTROL_OVERFLOW,
                                     .address = begin,
                                     .text = "an access goes beyond its block of memory"});
    }
    heap_touch(begin, control_self->number);
}

/* Whether anybody else could notice: another task of the process, or one of another process that
 * may have mapped the same memory. */
static bool is_shared(const volatile void *address)
{
    if (!control_is_mine() || control_self->ignore_accesses > 0) {
        return false;
    }
    const bool is_alone = run_state->process_count == 1 || !process_self->maps_shared;
    return task_has_others() || (!is_alone && (address == NULL || object_shared(address) != 0));
}

bool memory_is_shared(const volatile void *address)
{
    return is_shared(address);
}

/* Before it happens, because it may be stopped; and after others went first, because they may have
 * freed the memory. True when it is a step. */
static bool point(const struct act *act)
{
    watch_look(act->place);
    memory_check(act->object, act->size);
    const bool is_step = is_shared(act->object);
    if (is_step) {
        (void)sched_take(act);
        memory_check(act->object, act->size);
        if (act->kind == EVENT_READ) {
            sched_value((int64_t)value_at(act->object, act->size));
        }
    }
    cover_enter(act->place);
    return is_step;
}

static bool is_repeated(const volatile void *address, size_t size, const void *place)
{
    return is_shared(address) && task_repeats(place, address, value_at(address, size));
}

/* Modules that hold code which tells its accesses, by an address in each; their constructors call
 * this, before the first run. */
enum { TELLERS_MAX = 256 };
static uintptr_t tellers[TELLERS_MAX];
static uint32_t teller_count;

void clew_rt_told(const void *code)
{
    const uintptr_t teller = (uintptr_t)code;
    if (teller_count < TELLERS_MAX) {
        tellers[teller_count++] = teller;
    }
}

bool memory_is_told(uintptr_t begin, uintptr_t end)
{
    for (uint32_t i = 0; i < teller_count; i++) {
        if (tellers[i] >= begin && tellers[i] < end) {
            return true;
        }
    }
    return false;
}

/* Memory that is annotated as racing on purpose. Others may come before accesses to it as before
 * any; they are told as relaxed atomics, which race with nothing of their kind. */

enum { ALLOWED_MAX = 256 };

static struct {
    uintptr_t begin, end;
} allowed[ALLOWED_MAX];
static uint32_t allowed_count;

static bool is_allowed(const void *address)
{
    for (uint32_t i = 0; i < allowed_count; i++) {
        if ((uintptr_t)address >= allowed[i].begin && (uintptr_t)address < allowed[i].end) {
            return true;
        }
    }
    return false;
}

/* One task runs at a time; a program may say it again in every run. */
void clew_rt_benign(const volatile void *address, size_t size)
{
    const uintptr_t begin = (uintptr_t)address;
    for (uint32_t i = 0; i < allowed_count; i++) {
        if (allowed[i].begin == begin && allowed[i].end == begin + size) {
            return;
        }
    }
    if (allowed_count < ALLOWED_MAX) {
        allowed[allowed_count].begin = begin;
        allowed[allowed_count].end = begin + size;
        allowed_count++;
    }
}

/* An access that is annotated as harmless: nobody else is to come before it. */
static void pass(const void *address, size_t size, const void *place)
{
    watch_look(place);
    memory_check(address, (uint32_t)size);
    cover_enter(place);
}

static void settle(void)
{
    if (control_is_on) {
        bulk_settle();
    }
}

/* A read that waits for another value lets others run, harmless or not. */
void clew_rt_read(const void *address, size_t size, const void *place)
{
    settle();
    const bool is_idle = is_repeated(address, size, place);
    if (control_self != NULL && control_self->ignore_reads > 0 && !is_idle) {
        pass(address, size, place);
        return;
    }
    const bool is_benign = is_allowed(address);
    (void)point(&(struct act){.kind = is_benign ? EVENT_ATOMIC_LOAD : EVENT_READ,
                              .mode = is_benign ? MEMORY_RELAXED : 0,
                              .object = address,
                              .size = (uint32_t)size,
                              .is_idle = is_idle,
                              .place = place});
}

void memory_write(const void *address, size_t size, const void *place)
{
    if (control_self != NULL && control_self->ignore_writes > 0) {
        pass(address, size, place);
        return;
    }
    const bool is_benign = is_allowed(address);
    (void)point(&(struct act){.kind = is_benign ? EVENT_ATOMIC_STORE : EVENT_WRITE,
                              .mode = is_benign ? MEMORY_RELAXED : 0,
                              .object = address,
                              .size = (uint32_t)size,
                              .writes = true,
                              .place = place});
}

/* What a task is told on its own stack is no reason for others to look again, nor for the task: one
 * that waits by looking at a clock gets another value each time. */
void clew_rt_result(const void *address, size_t size, const void *place)
{
    uint32_t distance = 0;
    settle();
    if (control_self == NULL || control_self->ignore_writes > 0 || is_allowed(address) ||
        task_of_stack((uintptr_t)address, &distance) != control_self) {
        memory_write(address, size, place);
        return;
    }
    (void)point(&(struct act){.kind = EVENT_WRITE,
                              .object = address,
                              .size = (uint32_t)size,
                              .writes = true,
                              .is_unsure = true,
                              .place = place});
}

void clew_rt_write(const void *address, size_t size, const void *place)
{
    settle();
    memory_write(address, size, place);
}

/* A store of up to 8 bytes, which may be that of a bit-field. */
static void write_few(const void *address, size_t size, const void *place)
{
    settle();
    const uint32_t width =
        is_shared(address) ? object_answer(CONTROL_KEY_OF_UPDATE | control_place(place)) : 0;
    if (width > 0 && control_self->ignore_writes == 0) {
        bulk_update(address, size, width, place);
    } else {
        memory_write(address, size, place);
    }
}

#define SIZED(size)                                                  \
    void clew_rt_read##size(const void *address, const void *place)  \
    {                                                                \
        clew_rt_read(address, size, place);                          \
    }                                                                \
    void clew_rt_write##size(const void *address, const void *place) \
    {                                                                \
        write_few(address, size, place);                             \
    }
SIZED(1)
SIZED(2)
SIZED(4)
SIZED(8)

/* What an atomic operation finds, so that we know afterwards whether it changed anything. One task
 * runs at a time, and nothing is between the two calls but the operation. */
static uint64_t found;
static bool is_found_in_step; /* false: the task runs alone, and nothing is to be chosen */

/* A relaxed store behind a releasing fence publishes what came before the fence. */
static uint8_t mode_of(const struct clew_rt_atomic *o)
{
    if (!control_self->has_released || o->kind == EVENT_ATOMIC_LOAD) {
        return o->mode;
    }
    const uint8_t order = o->mode & MEMORY_ORDER_MASK;
    const uint8_t operation = o->mode & MEMORY_UPDATE_MASK;
    if (order == MEMORY_RELAXED) {
        return operation | MEMORY_RELEASE;
    }
    return order == MEMORY_ACQUIRE || order == MEMORY_CONSUME ? operation | MEMORY_ACQ_REL
                                                              : o->mode;
}

void clew_rt_atomic_point(const struct clew_rt_atomic *o)
{
    const bool is_load = o->kind == EVENT_ATOMIC_LOAD;
    settle();
    if ((o->mode & MEMORY_ORDER_MASK) != MEMORY_SEQ_CST && is_shared(o->address)) {
        control->result.has_weak_order = 1;
    }
    is_found_in_step = point(&(struct act){.kind = o->kind,
                                           .mode = o->mode,
                                           .object = o->address,
                                           .size = o->size,
                                           .writes = !is_load,
                                           .is_unsure = true,
                                           .is_idle = o->kind != EVENT_ATOMIC_STORE &&
                                                      is_repeated(o->address, o->size, o->place),
                                           .place = o->place});
    found = value_at(o->address, o->size);
}

void clew_rt_atomic_enter(const volatile void *address)
{
    (void)address;
}

void clew_rt_atomic_leave(const struct clew_rt_atomic *o)
{
    if (control_is_mine() && value_at(o->address, o->size) != found) {
        sched_changed();
    }
    if (is_found_in_step) { /* a compare-and-exchange that fails is a load */
        is_found_in_step = false;
        sched_traced((enum event_kind)o->kind);
        sched_mode(mode_of(o));
        sched_value((int64_t)o->value);
    }
    watch_look(o->place);
}

void clew_rt_fence(uint8_t mode)
{
    if (!control_is_mine()) {
        return;
    }
    if (mode != MEMORY_ACQUIRE && mode != MEMORY_CONSUME && mode != MEMORY_RELAXED) {
        control_self->has_released = true;
    }
    if (mode != MEMORY_RELEASE && mode != MEMORY_RELAXED) {
        sched_acquire();
    }
}

void clew_rt_enter_function(const void *place, const void *caller, const void *hook)
{
    callers_enter(caller);
    if (control_is_on) {
        frames_enter(&control_self->frames,
                     (struct frames_entry){(uintptr_t)place, (uintptr_t)caller, (uintptr_t)hook});
    }
    cover_enter(place);
}

void clew_rt_exit_function(void)
{
    callers_leave();
    if (control_is_on) {
        frames_leave(&control_self->frames);
    }
}

void clew_rt_block(const void *place)
{
    cover_enter_block(place);
}

void clew_rt_blocks(const struct clew_rt_blocks *blocks)
{
    cover_list(blocks);
}
