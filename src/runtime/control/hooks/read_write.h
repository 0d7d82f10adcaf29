/* Reading and writing through descriptors, by calls that others stand for. */
#ifndef CLEW_RUNTIME_CONTROL_HOOKS_READ_WRITE_H
#define CLEW_RUNTIME_CONTROL_HOOKS_READ_WRITE_H

/* The next call of read, write or one of their kin by the calling thread stands for a call that the
 * program makes at this place. */
void transfer_from(const void *place);

#endif
