/* Two processes map one file, each at its own address, and use it without order.
 *
 * race: shm: write read */
#include <fcntl.h>

#include "../race.h"

static char name[64];

static int *numbers_mapped(void)
{
    const int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    MUST(fd >= 0);
    MUST(ftruncate(fd, 4096) == 0);
    int *numbers = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    MUST(numbers != MAP_FAILED);
    MUST(close(fd) == 0);
    return numbers;
}

static void child_body(void)
{
    int *numbers = numbers_mapped();
    numbers[5] = 1; /* write */
}

int main(void)
{
    (void)snprintf(name, sizeof name, "/tmp/clew-file_mapping-%d", (int)getpid());
    const int *numbers = numbers_mapped();
    const pid_t child = process_start(child_body);
    const int seen = numbers[5]; /* read */
    process_join(child);
    MUST(unlink(name) == 0);
    MUST(seen <= 1);
    return 0;
}
