/* Accesses of a controlled run, divided so that a trace can know variables by name.
 *
 * Two accesses that share a byte must meet under one name, whatever their sizes: each is divided
 * where another access begins or ends. (A recording divides words likewise, by
 * proc/record/access_pieces.h.)
 *
 *     struct control_pieces p;
 *     control_pieces_build(&p, steps, count);
 *     struct control_piece piece = {0};
 *     while (control_pieces_next(&p, &steps[i], &piece)) { ... an event for the piece ... }
 *     control_pieces_release(&p);
 *
 * Bytes of a heap block are known by the block and their offset, so that two blocks that lie at the
 * same address one after the other stay apart. All others are known by their addresses. Memory
 * grows with the accesses of the run. */
#ifndef CLEW_PROC_CONTROL_PROGRAM_PIECES_H
#define CLEW_PROC_CONTROL_PROGRAM_PIECES_H

#include "base/tuple_intern.h"
#include "proc/control/program_state.h"

struct control_piece {
    struct named name;
    uint32_t size;
    uint64_t at;     /* its first byte: an address, or a block and an offset */
    uint32_t before; /* the piece of the same block that was used before it */
};

struct control_pieces {
    const struct control_step *steps;
    struct tuples objects; /* by key, ordinal and owner */
    struct map cuts;       /* bytes at which an access begins or ends */
    struct map step_at;    /* byte -> a step whose access begins there */
    struct map is_used;    /* bytes at which a piece begins that was used */
    struct map last_of;    /* object -> its piece that came last into `used` */
    VEC(struct control_piece) used;
};

/* Divides the accesses of these steps, which stay where they are. */
void control_pieces_build(struct control_pieces *p, const struct control_step *steps,
                          uint64_t count);
void control_pieces_release(struct control_pieces *p);

/* The number of the object, whatever the offset. */
uint32_t control_pieces_object(struct control_pieces *p, struct named n);

/* The step's next piece; the first when piece is {0}. False when there is none, or the step is no
 * access. */
bool control_pieces_next(struct control_pieces *p, const struct control_step *s,
                         struct control_piece *piece);

/* The step uses its object as a whole, a lock in a block of memory. */
void control_pieces_use(struct control_pieces *p, const struct control_step *s);

/* The same for the pieces of the step's whole block that control_pieces_next has given so far. */
bool control_pieces_next_used(struct control_pieces *p, const struct control_step *s,
                              struct control_piece *piece);

#endif
