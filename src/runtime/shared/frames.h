/* The innermost functions that a task is in, as code built by `clew cc` says by entering and
 * leaving them: for naming what is allocated in a library or a header of the system after the
 * program's line that led to it (place/program_frame.h).
 *
 * A ring of the last FRAMES_COUNT functions: entering and leaving cost a few stores. Functions
 * further out than `low` were written over by deeper ones, and are not known. */
#ifndef CLEW_RUNTIME_SHARED_FRAMES_H
#define CLEW_RUNTIME_SHARED_FRAMES_H

#include <stdatomic.h>
#include <stdint.h>

enum { FRAMES_COUNT = 32, FRAMES_LISTED = 24 };

/* A function that was entered. */
struct frames_entry {
    uintptr_t place;  /* in it, at its beginning */
    uintptr_t caller; /* what it returns to */
    /* The frame of the hook that it called at its beginning (x86-64): the address that the hook
     * returned to lay one word above. Whatever the function calls without arguments on the stack
     * has its return address in the same word. */
    uintptr_t hook;
};

struct frames {
    uint32_t depth; /* functions entered and not left */
    uint32_t low;   /* the outermost that is known */
    struct frames_entry at[FRAMES_COUNT];
};

/* A signal handler may come at any point, and leaves what it enters: the depth counts first. */
static inline void frames_enter(struct frames *f, struct frames_entry entry)
{
    const uint32_t depth = f->depth;
    f->depth = depth + 1;
    atomic_signal_fence(memory_order_seq_cst);
    f->at[depth % FRAMES_COUNT] = entry;
    if (__builtin_expect(depth - f->low >= FRAMES_COUNT, 0)) { /* also when it is smaller */
        f->low = depth < f->low ? depth : depth - FRAMES_COUNT + 1;
    }
}

static inline void frames_leave(struct frames *f)
{
    f->depth -= f->depth > 0;
}

/* The task jumps out of functions that do not say that they end. */
void frames_forget(struct frames *f);

/* Where the innermost of these functions calls what is going on now, `place` being the call that
 * was seen: that place, or the function's call into a library that made it. */
uintptr_t frames_call(const struct frames *f, uintptr_t place);

/* Puts the calls around the call at `place` into calls, the innermost first and without `place`;
 * how many. */
uint32_t frames_list(const struct frames *f, uintptr_t place,
                     uintptr_t calls[static FRAMES_LISTED]);

#endif
