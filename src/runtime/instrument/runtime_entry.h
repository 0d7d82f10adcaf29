/* The functions through which instrumented code (libclew_hooks.a) calls the recorder or control.
 * They are weak symbols; libclew_rt.so and libclew_control.so define them. In a process without
 * either each is NULL, and a hook only does its function's own work. */
#ifndef CLEW_RUNTIME_INSTRUMENT_RUNTIME_ENTRY_H
#define CLEW_RUNTIME_INSTRUMENT_RUNTIME_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef ENTRY
#define ENTRY __attribute__((weak, visibility("default")))
#endif

/* The module (program or library) that contains this code was built by `clew cc`: it reports its
 * accesses. */
ENTRY void clew_rt_told(const void *code);

/* The range of the module's wrappers of libc functions. */
ENTRY void clew_rt_wrappers(const void *begin, const void *end);

ENTRY void clew_rt_read(const void *address, size_t size, const void *place);
ENTRY void clew_rt_write(const void *address, size_t size, const void *place);

/* A function of libc stored a result there. NULL: the hook reports an ordinary write. */
ENTRY void clew_rt_result(const void *address, size_t size, const void *place);

/* A function of libc uses the descriptor. NULL: the function's own hook reports the use. */
ENTRY void clew_rt_use(int fd, const void *place);

/* The same for the sizes that nearly all accesses have. */
ENTRY void clew_rt_read1(const void *address, const void *place);
ENTRY void clew_rt_read2(const void *address, const void *place);
ENTRY void clew_rt_read4(const void *address, const void *place);
ENTRY void clew_rt_read8(const void *address, const void *place);
ENTRY void clew_rt_write1(const void *address, const void *place);
ENTRY void clew_rt_write2(const void *address, const void *place);
ENTRY void clew_rt_write4(const void *address, const void *place);
ENTRY void clew_rt_write8(const void *address, const void *place);

/* A range that the program's own code is about to load, or to store, by several instructions. */
ENTRY void clew_rt_read_range(const void *address, size_t size, const void *place);
ENTRY void clew_rt_write_range(const void *address, size_t size, const void *place);

/* Copy, fill, or store the caller's private bytes, in parts between which other tasks may run.
 * False: nothing was done, and the caller has to do it. */
ENTRY bool clew_rt_copy(void *to, const void *from, size_t size, const void *place);
ENTRY bool clew_rt_fill(void *to, int byte, size_t size, const void *place);
ENTRY bool clew_rt_store(void *to, const void *from, size_t size, const void *place);

/* A buffer of the calling task, valid until its next call of this; NULL: none is to be had. */
ENTRY void *clew_rt_scratch(size_t size);

/* Around an atomic operation: the pair makes the operation and its stamp one step. */
ENTRY void clew_rt_atomic_enter(const volatile void *address);
struct clew_rt_atomic {
    const volatile void *address;
    const void *place;
    uint64_t value; /* the value read or stored */
    uint32_t size;
    uint8_t kind; /* enum event_kind */
    uint8_t mode; /* memory order as event mode, with the operation of a read-modify-write */
};
_Static_assert(sizeof(struct clew_rt_atomic) == 32, "linked programs and runtimes agree");
ENTRY void clew_rt_atomic_leave(const struct clew_rt_atomic *operation);

/* Before an atomic operation, which may still turn out to change nothing; `value` means nothing. */
ENTRY void clew_rt_atomic_point(const struct clew_rt_atomic *operation);

/* A fence between the calling task's atomic operations. */
ENTRY void clew_rt_fence(uint8_t mode);

/* A function begins or ends. `place` is an address in it, `caller` its return address. `hook` is
 * the frame of the calling hook, whose return address lies one word above; NULL: not known. */
ENTRY void clew_rt_enter_function(const void *place, const void *caller, const void *hook);
ENTRY void clew_rt_exit_function(void);

/* A block of code is entered. */
ENTRY void clew_rt_block(const void *place);

/* The blocks of a module's code, as clang's tables list them; they stay where they are. */
struct clew_rt_blocks {
    const void *const *places; /* two words a block: its first address, and flags */
    size_t count;
};
ENTRY void clew_rt_blocks(const struct clew_rt_blocks *blocks);

/* The place of a block: places are addresses behind a call, so it lies behind the first byte. */
static inline const void *clew_rt_block_place(const struct clew_rt_blocks *blocks, size_t number)
{
    return (const char *)blocks->places[2 * number] + 1;
}

/* An annotation for ThreadSanitizer in the program: the calling task takes or releases a lock that
 * clew does not see, or a happens-before edge begins or ends at the object (HAPPENS_BEFORE,
 * HAPPENS_AFTER). */
struct clew_rt_annotation {
    const volatile void *object;
    const void *place;
    uint8_t kind; /* enum event_kind */
    uint8_t mode; /* of a lock */
};
_Static_assert(sizeof(struct clew_rt_annotation) == 24, "linked programs and runtimes agree");
ENTRY void clew_rt_annotate(const struct clew_rt_annotation *annotation);

/* The implementation of an annotated lock begins and ends; its own accesses are not reported. */
ENTRY void clew_rt_lock_code_begin(void);
ENTRY void clew_rt_lock_code_end(void);

/* Plain accesses of the calling task are harmless from now on (1), or no longer (-1). */
ENTRY void clew_rt_ignore_reads(int change);
ENTRY void clew_rt_ignore_writes(int change);

/* The program declares races on this memory benign. */
ENTRY void clew_rt_benign(const volatile void *address, size_t size);

/* The compiler's checks have reported undefined behaviour. */
ENTRY void clew_rt_undefined(void);

#endif
