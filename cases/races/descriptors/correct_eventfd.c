/* An eventfd that begins at 0 announces data; its reader waits for the write.
 *
 * no race */
#include <stdint.h>
#include <sys/eventfd.h>

#include "../race.h"

static int ready;
static int data;

static void *writer(void *unused)
{
    const uint64_t one = 1;
    data = 42;
    MUST(write(ready, &one, sizeof one) == sizeof one);
    return unused;
}

static void *reader(void *unused)
{
    uint64_t count;
    MUST(read(ready, &count, sizeof count) == sizeof count);
    MUST(data == 42);
    return unused;
}

int main(void)
{
    ready = eventfd(0, EFD_CLOEXEC);
    MUST(ready >= 0);
    threads_run(writer, reader);
    MUST(close(ready) == 0);
    return 0;
}
