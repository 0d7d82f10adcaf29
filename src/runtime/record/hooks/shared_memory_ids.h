/* Memory that processes share. Each shared mapping is recorded with the identity of the mapped
 * object, so that a word has one name in all processes. */
#ifndef CLEW_RUNTIME_RECORD_HOOKS_SHARED_MEMORY_IDS_H
#define CLEW_RUNTIME_RECORD_HOOKS_SHARED_MEMORY_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether the address lies in such memory. One load for most addresses that do not; where there is
 * a shared mapping within 4 MiB, O(mappings). */
bool shared_has(const volatile void *address);

/* The same; *key is then a number of the word that is the same in every process and at every
 * address at which the memory is mapped. */
bool shared_key(const volatile void *address, uint64_t *key);

/* Memory that stands for an object of the kernel which has no address: a message queue, the signals
 * of a process. It is never accessed; events use addresses in it for the object. All processes of
 * the recording have the same object for one name and number. NULL if the table is full.
 * O(mappings). */
const char *shared_stand_in(const char *name, uint64_t number, size_t size);

/* The process has just been forked: the mappings it has inherited are its own now. */
void shared_tell_again(void);

#endif
