#include "runtime/shared/frames.h"

#include <stddef.h>

#include "wire/must.h"

enum {
    DISTANCE_MAX = 1 << 14, /* bytes of stack that a library uses below the program's function */
    FUNCTION_MAX = 1 << 16, /* bytes of code from a function's beginning to one of its calls */
};

void frames_forget(struct frames *f)
{
    f->depth = 0;
    f->low = 0;
}

/* Rejects a frame outside of this stack, or left by a jump. Rejects a word that holds no place in
 * the function: the word is an argument, or the function has moved its stack pointer (alloca). */
uintptr_t frames_call(const struct frames *f, uintptr_t place)
{
    if (f->depth == 0 || f->depth <= f->low) {
        return place;
    }
    const struct frames_entry *top = &f->at[(f->depth - 1) % FRAMES_COUNT];
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    if (top->hook % sizeof(uintptr_t) != 0 || top->hook <= here ||
        top->hook - here > DISTANCE_MAX) {
        return place;
    }
    const uintptr_t call = ((const uintptr_t *)top->hook)[1];
    return call > top->place && call - top->place < FUNCTION_MAX ? call : place;
}

uint32_t frames_list(const struct frames *f, uintptr_t place, uintptr_t calls[static FRAMES_LISTED])
{
    uint32_t count = 0;
    const uintptr_t call = frames_call(f, place);
    if (call != place) {
        calls[count++] = call;
    }
    for (uint32_t i = f->depth; i > f->low && count < FRAMES_LISTED; i--) {
        calls[count++] = f->at[(i - 1) % FRAMES_COUNT].caller;
    }
    must(count <= FRAMES_LISTED);
    return count;
}
