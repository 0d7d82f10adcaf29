#include "runtime/control/model/call_tree.h"

#include <stddef.h>

#include "pick/fixed_table.h"
#include "runtime/control/sched/run_control.h"

enum {
    UNKNOWN,             /* calls that nobody told of */
    OUTERMOST,           /* in the first function of a task, called by nobody of interest */
    NODES_MAX = 1 << 16, /* a number has 16 bits */
    PLACE_BITS = 48,
};

/* Not put back between runs: the calls of the next are mostly the same. */
static struct tree {
    struct table numbers; /* caller and place to number */
    uint32_t count;
    uint64_t nodes[NODES_MAX]; /* the same, by number */
} * tree;

void callers_start(void)
{
    const size_t size = table_entries(NODES_MAX) * sizeof(struct table_entry);
    tree = rewind_exempt(sizeof *tree);
    table_init(&tree->numbers, rewind_exempt(size), NODES_MAX);
    tree->count = OUTERMOST + 1;
}

static uint16_t caller_of(uint16_t number)
{
    return (uint16_t)(tree->nodes[number] >> PLACE_BITS);
}

static uint64_t place_of(uint16_t number)
{
    return tree->nodes[number] & ((UINT64_C(1) << PLACE_BITS) - 1);
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
        tree->nodes[tree->count++] = key;
    }
    return (uint16_t)*known;
}

void callers_enter(const void *place)
{
    struct task *me = control_self;
    if (!control_is_on) {
        return;
    }
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
