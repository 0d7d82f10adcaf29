/* Tasks as fibers: a stack and a thread's own data each, switched without the kernel. The thread's
 * data are laid out as glibc lays them out for a thread, so that errno, thread_local and
 * pthread_self() are each fiber's own. */
#include <dlfcn.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/control/sched/run_control.h"
#include "runtime/shared/raw_syscall.h"
#include "wire/must.h"

enum { STACK_SIZE = 8 << 20, GUARD_SIZE = 4096 };

/* What glibc keeps for itself of threads, found by name. */
static struct {
    void *(*allocate)(void *);
    void (*deallocate)(void *, bool);
    void (*init_ctype)(void);
} own;

static void find(void *function, const char *name)
{
    void *found = dlsym(RTLD_DEFAULT, name);
    memcpy(function, &found, sizeof found);
}

#ifdef __x86_64__

/* The beginning of a thread's own data, and the thread's kernel id in it. */
enum { TCB_SELF = 0, TCB_THREAD = 2, TCB_STACK_GUARD = 5, TCB_POINTER_GUARD = 6, TID_AT = 0x2d0 };
enum { CAN_SET_FS = 1 << 1, SAVED_REGISTERS = 6 };

bool fiber_is_possible(void)
{
    find(&own.allocate, "_dl_allocate_tls");
    find(&own.deallocate, "_dl_deallocate_tls");
    find(&own.init_ctype, "__ctype_init");
    return own.allocate != NULL && own.deallocate != NULL && own.init_ctype != NULL &&
           (getauxval(AT_HWCAP2) & CAN_SET_FS) != 0;
}

static uintptr_t thread_pointer(void)
{
    uintptr_t pointer = 0;
    __asm__("mov %%fs:0, %0" : "=r"(pointer));
    return pointer;
}

/* Saves what a call must keep and the pointer to the thread's data, and goes on as the other did.
 */
__attribute__((naked, noinline)) static void
exchange(__attribute__((unused)) struct fiber *from, __attribute__((unused)) const struct fiber *to)
{
    __asm__("push %rbp\n push %rbx\n push %r12\n push %r13\n push %r14\n push %r15\n"
            "mov %rsp, (%rdi)\n rdfsbase %rax\n mov %rax, 8(%rdi)\n"
            "mov (%rsi), %rsp\n mov 8(%rsi), %rax\n wrfsbase %rax\n"
            "pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbx\n pop %rbp\n ret\n");
}

_Static_assert(offsetof(struct fiber, stack_pointer) == 0, "as exchange() has it");
_Static_assert(offsetof(struct fiber, thread_pointer) == 8, "as exchange() has it");

void fiber_switch(struct fiber *from, const struct fiber *to)
{
    exchange(from, to);
}

static uintptr_t make_thread_data(void)
{
    uintptr_t *fresh = own.allocate(NULL);
    must(fresh != NULL);
    const uintptr_t *mine = (const uintptr_t *)thread_pointer();
    fresh[TCB_SELF] = (uintptr_t)fresh;
    fresh[TCB_THREAD] = (uintptr_t)fresh;
    fresh[TCB_STACK_GUARD] = mine[TCB_STACK_GUARD];
    fresh[TCB_POINTER_GUARD] = mine[TCB_POINTER_GUARD];
    memcpy((char *)fresh + TID_AT, (const char *)mine + TID_AT, sizeof(int));
    return (uintptr_t)fresh;
}

static void *first_frame(const struct fiber *f, void (*begin)(void))
{
    uintptr_t *top = (uintptr_t *)(void *)((char *)f->stack + f->stack_size - 64);
    *--top = 0;
    *--top = (uintptr_t)begin;
    for (int i = 0; i < SAVED_REGISTERS; i++) {
        *--top = 0;
    }
    return top;
}

#else

bool fiber_is_possible(void)
{
    return false;
}

static uintptr_t thread_pointer(void)
{
    return 0;
}

void fiber_switch(struct fiber *from, const struct fiber *to)
{
    (void)from;
    (void)to;
    bug("no fibers on this machine");
}

static uintptr_t make_thread_data(void)
{
    return 0;
}

static void *first_frame(const struct fiber *f, void (*begin)(void))
{
    (void)f;
    (void)begin;
    return NULL;
}

#endif

/* A stack is kept for the next task of the same number. */
static void make_stack(struct fiber *f, size_t stack_size)
{
    const size_t wanted = stack_size > STACK_SIZE ? stack_size : STACK_SIZE;
    if (f->stack != NULL && f->stack_size >= wanted) {
        return;
    }
    if (f->stack != NULL) {
        (void)sys(SYS_munmap, f->stack, f->stack_size);
    }
    f->stack = (void *)sys(SYS_mmap, NULL, wanted, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0L);
    must(f->stack != MAP_FAILED);
    (void)sys(SYS_mprotect, f->stack, GUARD_SIZE, PROT_NONE);
    f->stack_size = wanted;
}

bool fiber_stack(const struct fiber *f, void **base, size_t *size)
{
    *base = (char *)f->stack + GUARD_SIZE;
    *size = f->stack_size - GUARD_SIZE;
    return f->stack != NULL;
}

/* The program reads that it has more than one thread, as it would be. */
void fiber_make(struct task *t, size_t stack_size, void (*begin)(void))
{
    make_stack(&t->fiber, stack_size);
    t->fiber.thread_pointer = t->number == 0 ? thread_pointer() : make_thread_data();
    t->fiber.stack_pointer = first_frame(&t->fiber, begin);
    if (t->number != 0) {
        t->thread = (pthread_t)t->fiber.thread_pointer;
        __libc_single_threaded = 0;
    }
}

void fiber_begin(void)
{
    own.init_ctype();
}

void fiber_drop(struct task *t)
{
    control_self->ignore++; /* what is freed there is ours, not the program's */
    own.deallocate((void *)t->fiber.thread_pointer, true);
    control_self->ignore--;
}
