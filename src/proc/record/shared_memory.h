/* Memory that processes share: a mapped object has one name in the trace, whichever process maps it
 * at which address. The accesses of all processes together decide how its words are divided into
 * variables.
 *
 *     shm:/queue+16        a POSIX shared memory object, by its name
 *     shm:table.bin+64     a file, by its path
 *     shm:memfd:ring+0     a memfd, by the name it was made with
 *     shm:sysv-4660+8      a System V segment with a key
 *     shm:pool.c:44#1+8    memory without a name: where it was mapped first, and an ordinal
 *     shm:sem/ready+0      a named semaphore
 *
 * A second object of a name (a file that was removed and made again) has "#2" behind it. */
#ifndef CLEW_PROC_RECORD_SHARED_MEMORY_H
#define CLEW_PROC_RECORD_SHARED_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/names.h"
#include "base/vec.h"
#include "proc/record/access_pieces.h"

struct naming;

/* One object that is mapped. */
struct shared_object {
    uint32_t name;          /* in the trace; 0: not made yet */
    uint32_t path;          /* in the trace's names; 0: none */
    struct naming *process; /* which mapped it first ... */
    uint64_t place;         /* ... and where; 0: not known */
};

/* The objects of a recording; {0} after shared_memory_init. */
struct shared_memory {
    struct names *names;     /* of the trace */
    struct names identities; /* of the objects, in their order */
    VEC(struct shared_object) objects;
    struct map count_of;  /* name of a file or place to how many objects are called so */
    struct pieces pieces; /* of all objects, by shared_memory_address */
};

void shared_memory_init(struct shared_memory *m, struct names *names);
void shared_memory_release(struct shared_memory *m);

/* The number of the object with this identity, which is added if it is new. */
uint32_t shared_memory_object(struct shared_memory *m, const char *identity, size_t size);

/* The object's name in the trace, without an offset. */
uint32_t shared_memory_name(struct shared_memory *m, uint32_t object);

/* A place in an object as an address that no process has. */
static inline uint64_t shared_memory_address(uint32_t object, uint64_t offset)
{
    enum { OFFSET_BITS = 47 };
    return ((uint64_t)object + 1) << OFFSET_BITS | (offset & ((UINT64_C(1) << OFFSET_BITS) - 1));
}

#endif
