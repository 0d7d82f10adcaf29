/* Two fields side by side are nobody else's business; a copy of the whole meets both.
 * race: right copy */
#include <stdint.h>
#include <string.h>

#include "program.h"

static struct pair {
    char left, right;
    short other;
} pair;
static pthread_barrier_t barrier;
static volatile struct pair copied;

static void *write_left(void *unused)
{
    pair.left = 1; /* left */
    pthread_barrier_wait(&barrier);
    memcpy((void *)(uintptr_t)&copied, &pair, sizeof pair); /* copy */
    CLAIM(copied.left == 1);
    return unused;
}

static void *write_right(void *unused)
{
    pthread_barrier_wait(&barrier);
    pair.right = 1; /* right */
    return unused;
}

int main(void)
{
    CLAIM(pthread_barrier_init(&barrier, NULL, 2) == 0);
    run_both(write_left, write_right);
    return 0;
}
