/* The innermost frames of a task's call stack. Code built by `clew cc` reports each function that
 * it enters and leaves. If a library or a header of the system allocates a block, the block gets
 * its name from the program's line that led there (place/program_frame.h).
 *
 * The frames lie in a ring, so that entering and leaving cost a few stores:
 *
 *     frame   0 ... low - 1 | low ... depth - 1       at[frame % FRAMES_COUNT]
 *             overwritten   | known, the last is the innermost
 *
 * depth - low is at most FRAMES_COUNT. */
#ifndef CLEW_RUNTIME_SHARED_FRAMES_H
#define CLEW_RUNTIME_SHARED_FRAMES_H

#include <stdatomic.h>
#include <stdint.h>

enum { FRAMES_COUNT = 32, FRAMES_LISTED = 24 };

/* A function that was entered. */
struct frames_entry {
    uintptr_t place;  /* in it, at its beginning */
    uintptr_t caller; /* its return address */
    /* The frame of the hook that the function called at its beginning (x86-64). The hook's return
     * address lay one word above. A later call of the function, unless it passes arguments on the
     * stack, has its return address in the same word. */
    uintptr_t hook;
};

struct frames {
    uint32_t depth; /* functions entered and not left */
    uint32_t low;   /* the outermost that is known */
    struct frames_entry at[FRAMES_COUNT];
};

/* The depth wraps at 2^32, and a frame keeps its place in the ring. */
_Static_assert((FRAMES_COUNT & (FRAMES_COUNT - 1)) == 0, "a power of two");
_Static_assert(FRAMES_LISTED < FRAMES_COUNT, "the ring holds all frames that are listed");

/* A signal handler may interrupt this at any point; it leaves all frames that it enters. The depth
 * is stored first, so that the handler does not overwrite the frame. */
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

/* The task has jumped (longjmp, an exception) out of functions that do not report their end: no
 * frame is known any more. */
void frames_forget(struct frames *f);

/* The place in the innermost function of the call that is going on. `place` is the call that a hook
 * saw. If a library made that call, the answer is the function's call into the library, else
 * `place`. */
uintptr_t frames_call(const struct frames *f, uintptr_t place);

/* Stores the calls around the call at `place` in `calls`, the innermost first and without `place`.
 * Returns their number. */
uint32_t frames_list(const struct frames *f, uintptr_t place,
                     uintptr_t calls[static FRAMES_LISTED]);

#endif
