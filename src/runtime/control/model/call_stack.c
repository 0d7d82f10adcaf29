#include "runtime/control/model/call_stack.h"

#include <sys/syscall.h>
#include <unwind.h>

#include "pick/operation_name.h"
#include "runtime/control/sched/run_control.h"

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

bool stack_is_return_of_handler(const void *place)
{
#ifdef __x86_64__
    const unsigned char *at = place;
    static const unsigned char code[] = {0x48, 0xc7, 0xc0, SYS_rt_sigreturn, 0, 0, 0, 0x0f, 0x05};
    enum { LOAD_SIZE = 7 }; /* of the first instruction; the second is the call */
    size_t same = 0;
    at -= at[0] == code[LOAD_SIZE] && at[1] == code[LOAD_SIZE + 1] ? LOAD_SIZE : 0;
    while (same < sizeof code && at[same] == code[same]) {
        same++;
    }
    return same == sizeof code;
#else
    (void)place;
    return false;
#endif
}

static _Unwind_Reason_Code unwind_one(struct _Unwind_Context *context, void *argument)
{
    struct unwinding *u = argument;
    int is_interrupted = 0; /* by a signal, before the instruction */
    const uintptr_t place = _Unwind_GetIPInfo(context, &is_interrupted);
    if (u->from != 0 && place != u->from) {
        return _URC_NO_REASON;
    }
    const bool is_first_fault = u->from != 0;
    u->from = 0;
    const bool is_below_task = _Unwind_GetCFA(context) >= (uintptr_t)control_self->bottom;
    if (place == 0 || u->count == u->most || is_below_task) {
        return _URC_END_OF_STACK;
    }
    const bool is_own = place >= own_code.begin && place < own_code.end;
    if (!is_own && !stack_is_return_of_handler((const void *)place)) {
        /* A place is what a call returns to; a fault lies at the instruction itself. */
        u->stack[u->count++] = is_first_fault || is_interrupted != 0 ? place + 1 : place;
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

void stack_tag(uint64_t *stack, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        stack[i] |= control_image;
    }
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

/* Registers that calls preserve, by their numbers in unwind tables. */
#if defined(__x86_64__)
static const int preserved[] = {3, 6, 12, 13, 14, 15};
#elif defined(__aarch64__)
static const int preserved[] = {19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29};
#else
static const int preserved[] = {0};
#endif

enum { STATE_BYTES_MAX = 1 << 18 };

struct hashing {
    uintptr_t place;
    uint64_t hash; /* 0: the place was not reached */
};

static uint64_t hash_frames(struct _Unwind_Context *context)
{
    const uintptr_t begin = _Unwind_GetCFA(context);
    const uintptr_t end = (uintptr_t)control_self->bottom;
    if (begin >= end || end - begin > STATE_BYTES_MAX) {
        return 0;
    }
    uint64_t hash = name_join(1, begin);
    for (size_t i = 0; i < sizeof preserved / sizeof *preserved; i++) {
        hash = name_mix(hash, _Unwind_GetGR(context, preserved[i]));
    }
    for (const uint64_t *at = (const uint64_t *)begin; at + 1 <= (const uint64_t *)end; at++) {
        hash = name_mix(hash, *at);
    }
    return hash | 1;
}

static _Unwind_Reason_Code hash_at(struct _Unwind_Context *context, void *argument)
{
    struct hashing *h = argument;
    if (_Unwind_GetIP(context) != h->place) {
        return _URC_NO_REASON;
    }
    h->hash = hash_frames(context);
    return _URC_END_OF_STACK;
}

uint64_t stack_state(const void *place)
{
    struct hashing h = {.place = (uintptr_t)place};
    unwind(hash_at, &h);
    return h.hash;
}
