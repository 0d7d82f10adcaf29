/* An eventfd with EFD_SEMAPHORE is a semaphore with its first count, by all descriptors of it.
 * race: set look */
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "program.h"

static int filled; /* begins at 1: the reader need not wait */
static int ready;  /* begins at 0 */
static int copy;   /* of ready */
static int lock;   /* begins at 1 */
static volatile int early;
static int data;
static int count;

static void add(void)
{
    uint64_t units = 1;
    CLAIM(read(lock, &units, sizeof units) == sizeof units);
    count++;
    CLAIM(eventfd_write(lock, units) == 0);
}

static void *writer(void *unused)
{
    const uint64_t units = 2;
    early = 1; /* set */
    CLAIM(eventfd_write(filled, 1) == 0);
    data = 7;
    CLAIM(write(ready, &units, sizeof units) == sizeof units);
    add();
    return unused;
}

static void *reader(void *unused)
{
    eventfd_t units;
    CLAIM(eventfd_read(filled, &units) == 0);
    CLAIM(early <= 1); /* look */
    CLAIM(eventfd_read(copy, &units) == 0 && units == 1);
    CLAIM(data == 7);
    CLAIM(eventfd_read(ready, &units) == 0 && units == 1);
    data = 8;
    add();
    return unused;
}

int main(void)
{
    filled = eventfd(1, EFD_SEMAPHORE);
    ready = eventfd(0, EFD_SEMAPHORE | EFD_CLOEXEC);
    lock = eventfd(1, EFD_SEMAPHORE);
    copy = dup(ready);
    CLAIM(filled >= 0 && ready >= 0 && lock >= 0 && copy >= 0);
    run_both(writer, reader);
    CLAIM(count == 2 && data == 8);
    return 0;
}
