/* A double fetch (Jurczyk and Coldwind, 2013; the ConVul suite has several): the length of a
 * message is read to allocate room for it, and read again to copy it. */
#include <stdatomic.h>
#include <string.h>

#include "threads.h"

enum { SHORT = 8, LONG = 32 };

static struct {
    _Atomic size_t length;
    char bytes[LONG];
} message = {.length = SHORT};

static void *receive(void *unused)
{
    const size_t length = atomic_load(&message.length);
    char *copy = malloc(length);
    assert(copy != NULL);
#ifdef FIXED
    memcpy(copy, message.bytes, length);
#else
    memcpy(copy, message.bytes, atomic_load(&message.length));
#endif
    assert(copy[0] == message.bytes[0]);
    free(copy);
    return unused;
}

static void *change(void *unused)
{
    atomic_store(&message.length, LONG);
    return unused;
}

int main(void)
{
    RUN(receive, change);
    return 0;
}
