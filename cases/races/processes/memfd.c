/* Two children share a memory file that their parent has made, and map it themselves.
 *
 * race: shm: add add */
#include "../race.h"

static int memory_fd;

static void child_body(void)
{
    long *slots = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, memory_fd, 0);
    MUST(slots != MAP_FAILED);
    slots[2]++; /* add */
    MUST(munmap(slots, 4096) == 0);
}

int main(void)
{
    memory_fd = memfd_create("slots", MFD_CLOEXEC);
    MUST(memory_fd >= 0);
    MUST(ftruncate(memory_fd, 4096) == 0);
    const pid_t a = process_start(child_body);
    const pid_t b = process_start(child_body);
    process_join(a);
    process_join(b);
    MUST(close(memory_fd) == 0);
    return 0;
}
