/* Threads open and close descriptors whose numbers they get again; what they share has a lock.
 *
 * no race */
#include <fcntl.h>

#include "../race.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int opened;

static void *look(void *unused)
{
    for (int i = 0; i < 3; i++) {
        const int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
        MUST(fd >= 0);
        MUST(pthread_mutex_lock(&lock) == 0);
        opened++;
        MUST(pthread_mutex_unlock(&lock) == 0);
        MUST(close(fd) == 0);
    }
    return unused;
}

int main(void)
{
    threads_run(look, look);
    MUST(opened == 6);
    return 0;
}
