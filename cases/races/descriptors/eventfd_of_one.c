/* An eventfd that announces data begins at 1, so that its reader need not wait for the writer.
 *
 * race: data write read */
#include <stdint.h>
#include <sys/eventfd.h>

#include "../race.h"

static int ready;
static int data;

static void *writer(void *unused)
{
    const uint64_t one = 1;
    data = 42; /* write */
    MUST(write(ready, &one, sizeof one) == sizeof one);
    return unused;
}

static void *reader(void *unused)
{
    uint64_t count;
    MUST(read(ready, &count, sizeof count) == sizeof count);
    MUST(data == 0 || data == 42); /* read */
    return unused;
}

int main(void)
{
    ready = eventfd(1, EFD_CLOEXEC | EFD_SEMAPHORE);
    MUST(ready >= 0);
    threads_run(writer, reader);
    MUST(close(ready) == 0);
    return 0;
}
