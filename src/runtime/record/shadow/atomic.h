/* Atomic operations of instrumented code; entry.h is how they come here. */
#ifndef CLEW_RUNTIME_RECORD_SHADOW_ATOMIC_H
#define CLEW_RUNTIME_RECORD_SHADOW_ATOMIC_H

/* In a child that has just been forked: no other task holds anything here. */
void atomic_forked(void);

#endif
