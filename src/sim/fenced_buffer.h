/* A buffer with guard pages, cleared and aligned as on a heap. */
#ifndef CLEW_SIM_FENCED_BUFFER_H
#define CLEW_SIM_FENCED_BUFFER_H

#include "sim/sim_state.h"

/* Makes room for `size` bytes; the earlier bytes are gone. */
MUST_USE int pen_open(struct pen *p, size_t size, struct err *e);
bool pen_is_whole(const struct pen *p); /* nothing was written right behind the bytes */
void pen_close(struct pen *p);

#endif
