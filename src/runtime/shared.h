/* Memory that processes share: each shared mapping is told to the collector, so that what lies in
 * it has one name in all of them. */
#ifndef CLEW_RUNTIME_SHARED_H
#define CLEW_RUNTIME_SHARED_H

#include <stdbool.h>

/* Whether the address lies in such memory. */
bool shared_has(const volatile void *address);

/* The process has just been forked: the mappings it has inherited are its own now. */
void shared_tell_again(void);

#endif
