/* Functions of libc that `clew cc --sim` routes here: memory, time, randomness, identity. Inside a
 * handler they are the node's; elsewhere (in setup, in a property, while the system is loaded) they
 * are the system's. */
#include "sim/routed_calls.h"

#include "base/mem.h"
#include "sim/handler_guard.h"
#include "sim/net.h"
#include "sim/node_life.h"
#include "sim/properties.h"
#include "sim/sim_api.h"
#include "sim/state_hash.h"
#include "sim/system_memory.h"

/* The node whose code runs; NULL: it is code outside handlers. */
static struct node *current_node(const struct sim *s)
{
    return s->run.self < 0 ? NULL : &s->core->nodes[s->run.self];
}

static struct heap *current_heap(const struct sim *s)
{
    return s->run.self < 0 ? s->memory.common : &s->core->nodes[s->run.self].heap;
}

/* More than a heap can ever hold is refused, as by malloc; a heap that is full ends the run. */
static void *check_room(struct sim *s, const struct heap *h, void *block, size_t size)
{
    if (block == NULL && size < h->size / 4 && s->execution != NULL) {
        guard_end(s, OUTCOME_CRASH, "out of memory",
                  "malloc(%zu): the memory of a node is %zu bytes, and %zu are used", size, h->size,
                  h->used);
    }
    return block;
}

void *routed_take(size_t size, size_t alignment)
{
    struct sim *s = calls_running();
    struct heap *h = current_heap(s);
    return check_room(s, h, heap_take_aligned(h, size, alignment), size);
}

/* The heap of a block that the system hands back, which must be its own to hand back. NULL: it is
 * not, and no run is on that could end for it (destructors, when the system is closed). */
static struct heap *own_heap(struct sim *s, const char *call, const void *block)
{
    int32_t node = -1;
    struct heap *h = memory_heap_of(s, block, &node);
    must(h != NULL);
    if (s->execution == NULL) {
        return h == s->memory.common && heap_has(h, block) ? h : NULL;
    }
    if (!heap_has(h, block)) {
        if (heap_had(h, block)) {
            guard_end(s, OUTCOME_DOUBLE_FREE, call, "%s() of memory that was freed before", call);
        }
        guard_end(s, OUTCOME_CRASH, call, "%s() of an address that malloc() did not give", call);
    }
    if (node != s->run.self && node >= 0) {
        guard_end(s, OUTCOME_CRASH, call, "%s() by %s of memory of %s", call,
                  s->run.self < 0 ? "no node" : s->names.node_texts[s->run.self],
                  s->names.node_texts[node]);
    }
    return h;
}

/* Whether the block comes from libc: a function that is not routed has given it. */
static bool is_foreign(struct sim *s, const void *block)
{
    int32_t node = -1;
    return memory_heap_of(s, block, &node) == NULL;
}

void *routed_resize(void *block, size_t size)
{
    struct sim *s = calls_running();
    if (is_foreign(s, block)) {
        return mem_resize(block, size);
    }
    struct heap *h = own_heap(s, "realloc", block);
    if (h == NULL) {
        return NULL;
    }
    return check_room(s, h, heap_resize(h, block, size), size);
}

void routed_give(void *block)
{
    struct sim *s = calls_running();
    if (is_foreign(s, block)) {
        mem_free(block);
        return;
    }
    struct heap *h = own_heap(s, "free", block);
    if (h == s->memory.common) {
        heap_give_last(h, block);
    } else if (h != NULL) {
        heap_give(h, block);
    }
}

size_t routed_size(void *block)
{
    struct sim *s = calls_running();
    if (is_foreign(s, block)) {
        return 0;
    }
    (void)own_heap(s, "malloc_usable_size", block);
    return heap_size(block);
}

uint64_t routed_time_ns(void)
{
    struct sim *s = calls_running();
    const struct node *n = current_node(s);
    if (s->core == NULL) {
        return 0; /* nothing has begun */
    }
    s->core->reads_clock = true;
    return (n == NULL ? node_clock_latest(s) : n->clock) * SIM_TICK_NS;
}

uint64_t routed_draw(void)
{
    struct sim *s = calls_running();
    struct node *n = current_node(s);
    if (s->core == NULL) {
        return 0;
    }
    s->world.has_drawn = true;
    s->core->drawn_outside += n == NULL;
    return prng_next(n == NULL ? &s->core->prng : &n->prng);
}

int routed_process(void)
{
    enum { PROCESS_FIRST = 1000 };
    return PROCESS_FIRST + calls_running()->run.self + 1;
}
