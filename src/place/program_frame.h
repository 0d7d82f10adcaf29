/* Chooses the frame of a call stack that belongs to the program itself, so that its line is one
 * that the program's author knows.
 *
 *     libc.so.6    malloc                                   a library of the system
 *     prog         operator new, new_allocator.h:137        a header of the system
 *     prog         xmalloc, util.c:12                       an allocation function, by its name
 *     prog         add_order, shop.c:40                     <- names the block
 *
 * Functions that the compiler has inlined count as frames of their own. */
#ifndef CLEW_PLACE_PROGRAM_FRAME_H
#define CLEW_PLACE_PROGRAM_FRAME_H

#include <stdbool.h>
#include <stdint.h>

struct frame {
    const char *function; /* NULL: not known */
    const char *file;     /* path; NULL: debug information has no line */
    int line;
    bool is_system; /* in a library of the system, such as libc */
    bool is_last;   /* of those that one address stands for */
};

#define FRAME_NONE UINT32_MAX

/* The use of the chosen frame: to locate an event, or to name a block of memory. A wrapper of
 * malloc names no blocks. clew recognizes it by its name: xmalloc, safe_calloc, g_malloc0,
 * my_strdup, pool_alloc, allocate, operator new. */
enum frame_use { FRAME_OF_EVENT, FRAME_OF_BLOCK };

/* Whether the frame is the one to choose, whatever lies further out: it has a line of the program,
 * neither in a library nor in a header of the system. */
bool frame_is_best(const struct frame *f, enum frame_use use);

/* The first such frame, from the innermost on. Without one the first with a line of the program in
 * an allocation function; then, for blocks, the first of the program without a line. FRAME_NONE:
 * there is nothing of the program. */
uint32_t frame_choose(const struct frame *frames, uint32_t count, enum frame_use use);

/* Whether the file at this path is a header of the system. */
bool frame_is_system_header(const char *file);

/* Whether the module at this path is a library of the system. */
bool frame_is_system_module(const char *path);

#endif
