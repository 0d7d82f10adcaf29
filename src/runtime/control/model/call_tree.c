#include "runtime/control/model/call_tree.h"

#include <stddef.h>

#include "pick/fixed_table.h"
#include "runtime/control/sched/run_control.h"

enum {
    UNKNOWN = CONTROL_CALLS_UNKNOWN,
    OUTERMOST = CONTROL_CALLS_OUTERMOST,
    NODES_MAX = CONTROL_CALLS_NODES, /* a number has 16 bits */
    PLACE_BITS = 48,
    ENTRIES = 1 << 17,
};

/* In the page, so that all processes and runs have the same numbers: the calls of the next run are
 * mostly the same. */
static struct tree {
    struct control_calls calls; /* by number: what the table has as keys */
    struct table numbers;       /* caller and place to number */
    uint32_t count;
    struct table_entry entries[ENTRIES];
} * tree;
_Static_assert(sizeof(struct tree) <= CONTROL_CALLS_SIZE, "the region has room for the tree");

void callers_start(void)
{
    tree = control_region(CONTROL_PLACE(CALLS));
    if (tree->count == 0) {
        must(table_entries(NODES_MAX) == ENTRIES);
        table_init(&tree->numbers, tree->entries, NODES_MAX);
        tree->count = CONTROL_CALLS_FIRST;
    }
}

static uint16_t caller_of(uint16_t number)
{
    return (uint16_t)(tree->calls.nodes[number] >> PLACE_BITS);
}

static uint64_t place_of(uint16_t number)
{
    return tree->calls.nodes[number] & ((UINT64_C(1) << PLACE_BITS) - 1);
}

/* The number of a call at this place by one who is at `caller`; UNKNOWN when there are too many. */
static uint16_t number_of(uint16_t caller, uintptr_t place)
{
    const uint64_t key = (uint64_t)caller << PLACE_BITS | place; /* user space has 47 bits */
    const uint64_t *known = tree->count < NODES_MAX ? table_slot(&tree->numbers, key, tree->count)
                                                    : table_get(&tree->numbers, key);
    if (known == NULL) {
        return UNKNOWN;
    }
    if (*known == tree->count) {
        tree->calls.nodes[tree->count++] = key;
    }
    return (uint16_t)*known;
}

void callers_enter(const void *place)
{
    struct task *me = control_self;
    if (!control_is_on) {
        return;
    }
    me->calls_depth++;
    if (!me->has_entered) {
        me->has_entered = true;
        me->callers = OUTERMOST;
        return;
    }
    const uint16_t number =
        me->calls_beyond == 0 ? number_of(me->callers, (uintptr_t)place) : UNKNOWN;
    if (number == UNKNOWN) {
        me->calls_beyond++;
    } else {
        me->callers = number;
    }
}

void callers_leave(void)
{
    struct task *me = control_self;
    if (!control_is_on) {
        return;
    }
    if (me->calls_depth > 0) {
        me->calls_depth--;
        me->calls_kept = me->calls_depth < me->calls_kept ? me->calls_depth : me->calls_kept;
    }
    if (me->calls_beyond > 0) {
        me->calls_beyond--;
    } else {
        me->callers = caller_of(me->callers);
    }
}

void callers_forget(void)
{
    control_self->callers = UNKNOWN;
    control_self->calls_beyond = 0;
    control_self->calls_lost = true;
    frames_forget(&control_self->frames);
}

uint16_t callers_keep(uint64_t value)
{
    return number_of(UNKNOWN, value);
}

uint64_t callers_kept(uint16_t number)
{
    return place_of(number);
}

uint16_t callers_here(void)
{
    return control_is_on && control_self->calls_beyond == 0 ? control_self->callers : UNKNOWN;
}

void callers_describe(struct task *t, struct control_step *s)
{
    const bool is_lost = t->calls_lost || t->calls_beyond > 0;
    s->callers = t->callers;
    s->calls_kept = is_lost || t->calls_kept >= CONTROL_CALLS_LOST ? CONTROL_CALLS_LOST
                                                                   : (uint16_t)t->calls_kept;
    t->calls_kept = t->calls_depth;
}

uint64_t callers_mark(void)
{
    return (uint64_t)control_self->calls_beyond << 16 | control_self->callers;
}

uint32_t callers_list(uint16_t number, uint64_t *calls, uint32_t most)
{
    uint32_t count = 0;
    while (count < most && place_of(number) != 0) {
        calls[count++] = place_of(number);
        number = caller_of(number);
    }
    return count;
}
