/* The tables of a trace: the names, tasks and the order kind that the numbers in events refer to. A
 * reader fills the tables during reading, a writer reads them; both may share one, which makes
 * conversion a copy of events. */
#ifndef CLEW_TRACE_TABLES_H
#define CLEW_TRACE_TABLES_H

#include <stdint.h>

#include "base/map.h"
#include "base/names.h"
#include "base/vec.h"

/* A thread, or a node's only line of control. Its text form is name@node, or name where there is no
 * node. */
struct task {
    uint32_t node; /* name, 0 when the trace has no nodes */
    uint32_t name;
};

/* The meaning of the sequence of events for the order of the execution. */
#define ORDER_KIND_LIST(ORDER)                                      \
    ORDER(NODE, "node", "each node's events are in observed order") \
    ORDER(EXACT, "exact", "the list is the execution")              \
    ORDER(STAMPED, "stamped", "synchronization is stamped; plain accesses are merged between")

enum order_kind {
#define ORDER(id, name, meaning) ORDER_##id,
    ORDER_KIND_LIST(ORDER)
#undef ORDER
        ORDER_KIND_COUNT
};

const char *order_kind_name(enum order_kind kind);
const char *order_kind_meaning(enum order_kind kind);

struct tables {
    struct names names;
    VEC(struct task) tasks;
    struct map task_of; /* (node, name) to task */
    enum order_kind order;
    uint64_t tick_ns; /* nanoseconds per unit of time; 0: unknown, times only compare */
    uint32_t source;  /* name: the producer of the trace ("falcon", "std", "clew record ...") */
};

void tables_init(struct tables *t);
void tables_release(struct tables *t);

/* The number of the task with these names, new ones last. */
uint32_t tables_task(struct tables *t, uint32_t node, uint32_t name);

/* The number of the task written "name@node" (the last @ counts) or "name". */
uint32_t tables_task_text(struct tables *t, const char *text, size_t size);

#endif
