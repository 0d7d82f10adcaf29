/* Bulk accesses under control: a copy, a fill or an assignment of a struct happens in parts, and
 * other tasks may run between two parts. An access of up to 8 bytes that does not cross a word is
 * one part; processors do not tear it.
 *
 * Up to 64 bytes go word by word. More go in at most BULK_PARTS_MAX parts: the first word, the last
 * word, and pieces of equal size between them.
 *
 *     to:  |first| piece | piece | ... | piece |last|
 *
 * A copy reads each part before it writes it. The compiler's own copies (an assignment of a struct)
 * cannot be divided: the hook comes before code that stores all at once. There the runtime lets the
 * program store, and at the program's next call takes the bytes back and gives them out part by
 * part; nobody else has run in between. Likewise what was read in parts is put into memory for the
 * program to load, and the true bytes are put back at its next call. */
#ifndef CLEW_RUNTIME_CONTROL_MODEL_BULK_ACCESS_H
#define CLEW_RUNTIME_CONTROL_MODEL_BULK_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    BULK_WORD = 8,
    BULK_WORDS_MAX = 64, /* bytes that go word by word */
    BULK_PARTS_MAX = 8,
    BULK_RANGE_MAX = 1024, /* bytes of an assignment that is divided; a larger one is one part */
};

/* What a task has to settle at its next call. */
struct bulk {
    bool is_pending;
    bool has_view;  /* memory at view_address shows what was read in parts, not what is there */
    bool has_store; /* the program has stored, or will, what is to be given out in parts */
    uintptr_t view_address, store_address;
    uint32_t view_size, store_size;
    const void *store_place;
    uint8_t view_shown[BULK_RANGE_MAX], view_true[BULK_RANGE_MAX];
    uint8_t store_before[BULK_RANGE_MAX];
};

/* The task begins with nothing to settle. Its buffers are left as they are. */
static inline void bulk_init(struct bulk *b)
{
    b->is_pending = b->has_view = b->has_store = false;
}

/* A store that the program makes by loading `width` bytes of the `size` at the address, changing
 * some bits and storing them: a bit-field. Reported before the program loads. */
void bulk_update(const void *address, size_t size, size_t width, const void *place);

/* Settles what the calling task has left open; to be called before it does anything else. */
void bulk_settle(void);

#endif
