/* Two threads draw tokens from a pipe; there is one for each of them. With -DBROKEN one who finds
 * the other not yet served takes two: then somebody waits for ever. */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static int fds[2];
static atomic_int served;

static void *draw(void *unused)
{
    char token = 0;
    (void)read(fds[0], &token, 1);
#ifdef BROKEN
    if (atomic_fetch_add(&served, 1) == 1 && token == 'a') {
        (void)read(fds[0], &token, 1);
    }
#else
    (void)atomic_fetch_add(&served, 1);
#endif
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    (void)pipe(fds);
    for (int i = 0; i < 2; i++) {
        (void)pthread_create(&threads[i], NULL, draw, NULL);
    }
    (void)write(fds[1], "a", 1);
    (void)write(fds[1], "b", 1);
    for (int i = 0; i < 2; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    return 0;
}
