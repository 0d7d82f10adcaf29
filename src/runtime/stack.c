#include "runtime/stack.h"

#include <unwind.h>

#include "runtime/control.h"

static struct {
    uintptr_t begin, end;
} own_code;

/* Code is told apart by where it lies. */
void stack_start(void)
{
    object_module_of((uintptr_t)stack_start, &own_code.begin, &own_code.end);
}

struct unwinding {
    uint64_t *stack;
    uint32_t count, most;
    uintptr_t from; /* not 0: calls before this one are the handler's */
};

static _Unwind_Reason_Code unwind_one(struct _Unwind_Context *context, void *argument)
{
    struct unwinding *u = argument;
    const uintptr_t place = _Unwind_GetIP(context);
    if (u->from != 0 && place != u->from) {
        return _URC_NO_REASON;
    }
    const bool is_first_fault = u->from != 0;
    u->from = 0;
    const bool is_below_task = _Unwind_GetCFA(context) >= (uintptr_t)control_self->bottom;
    if (place == 0 || u->count == u->most || is_below_task) {
        return _URC_END_OF_STACK;
    }
    if (place < own_code.begin || place >= own_code.end) {
        /* A place is what a call returns to; a fault lies at the instruction itself. */
        u->stack[u->count++] = is_first_fault ? place + 1 : place;
    }
    return _URC_NO_REASON;
}

/* The unwinder has locks of its own, which are none of the program's. */
static void unwind(_Unwind_Trace_Fn each, void *argument)
{
    control_self->ignore++;
    (void)_Unwind_Backtrace(each, argument);
    control_self->ignore--;
}

uint32_t stack_take(uint64_t *stack, uint32_t most, const void *fault)
{
    struct unwinding u = {.stack = stack, .most = most, .from = (uintptr_t)fault};
    unwind(unwind_one, &u);
    if (u.count == 0 && fault != NULL) {
        stack[u.count++] = (uintptr_t)fault + 1;
    }
    return u.count;
}

struct looking {
    uintptr_t wanted;
    bool is_there;
};

static _Unwind_Reason_Code look_at(struct _Unwind_Context *context, void *argument)
{
    struct looking *l = argument;
    l->is_there = l->is_there || _Unwind_GetIP(context) == l->wanted;
    return l->is_there ? _URC_END_OF_STACK : _URC_NO_REASON;
}

bool stack_has(const void *place)
{
    struct looking l = {.wanted = (uintptr_t)place};
    if (place != NULL) {
        unwind(look_at, &l);
    }
    return l.is_there;
}
