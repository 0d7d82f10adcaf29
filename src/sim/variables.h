/* The system's own variables. */
#ifndef CLEW_SIM_VARIABLES_H
#define CLEW_SIM_VARIABLES_H

#include "sim/sim_state.h"

void variables_open(struct sim *s); /* they are as every run begins with them */
void variables_close(struct sim *s);
/* Whether the fault was the first write to a part of them, which is writable now. Safe in a handler
 * of signals. */
bool variables_note_fault(const void *address);
void variables_reset(struct sim *s);
uint64_t variables_hash(struct sim *s); /* 0: as loaded */
size_t variables_copy_size(const struct sim *s);
char *variables_copy(const struct sim *s, char *to); /* its end */
const char *variables_restore(struct sim *s, const char *from);

#endif
