/* Memory that processes share: each shared mapping is told to the collector, so that what lies in
 * it has one name in all of them. */
#ifndef CLEW_RUNTIME_SHARED_H
#define CLEW_RUNTIME_SHARED_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the address lies in such memory. One load for most addresses that do not; where there is
 * a shared mapping within 4 MiB, O(mappings). */
bool shared_has(const volatile void *address);

/* The same; *key is then a number of the word that is the same in every process and at every
 * address at which the memory is mapped. */
bool shared_key(const volatile void *address, uint64_t *key);

/* The process has just been forked: the mappings it has inherited are its own now. */
void shared_tell_again(void);

#endif
