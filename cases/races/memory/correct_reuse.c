/* Threads map, use and unmap pages, and allocate and free blocks, whose addresses one after the
 * other gets again.
 *
 * no race */
#include "../race.h"

static void *user(void *unused)
{
    for (int i = 1; i <= 5; i++) {
        int *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        MUST(page != MAP_FAILED);
        page[3] = i;
        int *block = malloc(100);
        MUST(block != NULL);
        block[3] = page[3];
        MUST(block[3] == i);
        free(block);
        MUST(munmap(page, 4096) == 0);
    }
    return unused;
}

int main(void)
{
    const pthread_t third = thread_start(user, NULL);
    threads_run(user, user);
    thread_join(third);
    return 0;
}
