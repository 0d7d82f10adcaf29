/* Where a system lives: one reservation of addresses, heaps in it, and checkpoints. */
#ifndef CLEW_SIM_SYSTEM_MEMORY_H
#define CLEW_SIM_SYSTEM_MEMORY_H

#include "sim/sim_state.h"

MUST_USE int memory_open_common(struct sim *s, struct err *e); /* before the system is loaded */
MUST_USE int memory_open(struct sim *s, struct err *e);
void memory_keep_fresh(struct sim *s); /* memory of no node, as every run begins with it */
/* The heap that the address lies in, and whose it is (-1: no node's); NULL: none. */
struct heap *memory_heap_of(struct sim *s, const void *block, int32_t *node);
void memory_close(struct sim *s);
void memory_reset(struct sim *s);
void *heap_take(struct heap *h, size_t size); /* cleared; NULL when it is full */
void *heap_take_aligned(struct heap *h, size_t size, size_t alignment); /* a power of two */
void *heap_resize(struct heap *h, void *block,
                  size_t size); /* NULL: full, the block is as it was */
void heap_give(struct heap *h, void *block);
/* The same; the block that lies last leaves no trace, as if it had never been taken. */
void heap_give_last(struct heap *h, void *block);
bool heap_has(const struct heap *h, const void *taken); /* such a block is taken */
bool heap_had(const struct heap *h, const void *taken); /* it looks like one that was freed */
size_t heap_size(const void *block);                    /* asked for */
size_t memory_size(const struct sim *s);                /* of a checkpoint */
void *memory_checkpoint(struct sim *s);
void memory_restore(struct sim *s, const void *checkpoint);

#endif
