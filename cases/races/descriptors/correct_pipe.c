/* A pipe carries pointers from the thread that fills blocks to the one that empties them.
 *
 * no race */
#include "../race.h"

static int ends[2];

static void *producer(void *unused)
{
    for (int i = 0; i < 4; i++) {
        int *block = malloc(sizeof *block);
        MUST(block != NULL);
        *block = i;
        MUST(write(ends[1], &block, sizeof block) == sizeof block);
    }
    return unused;
}

static void *consumer(void *unused)
{
    for (int i = 0; i < 4; i++) {
        int *block;
        MUST(read(ends[0], &block, sizeof block) == sizeof block);
        MUST(*block == i);
        free(block);
    }
    return unused;
}

int main(void)
{
    MUST(pipe(ends) == 0);
    threads_run(producer, consumer);
    MUST(close(ends[0]) == 0 && close(ends[1]) == 0);
    return 0;
}
