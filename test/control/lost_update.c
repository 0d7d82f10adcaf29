/* Two threads add one each without a lock. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static int counter;

static void *add(void *unused)
{
    const int before = counter;
    counter = before + 1;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        (void)pthread_create(&threads[i], NULL, add, NULL);
    }
    for (int i = 0; i < 2; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    assert(counter == 2);
    return 0;
}
