/* Two that take two locks in opposite orders, some calls deep, and one that is freed too early. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t second = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) static void take(pthread_mutex_t *lock)
{
    pthread_mutex_lock(lock);
    __asm__ volatile("");
}

__attribute__((noinline)) static void take_both(pthread_mutex_t *one, pthread_mutex_t *other)
{
    take(one);
    take(other);
    __asm__ volatile("");
}

static void *forwards(void *unused)
{
    take_both(&first, &second);
    pthread_mutex_unlock(&second);
    pthread_mutex_unlock(&first);
    return unused;
}

static void *backwards(void *unused)
{
    take_both(&second, &first);
    pthread_mutex_unlock(&first);
    pthread_mutex_unlock(&second);
    return unused;
}

__attribute__((noinline)) static int use(volatile int *block, int depth)
{
    const int found = depth == 0 ? *block : use(block, depth - 1);
    __asm__ volatile("");
    return found;
}

int main(int count, char **words)
{
    if (count > 1 && strcmp(words[1], "deep") == 0) {
        int *block = calloc(1, sizeof *block);
        free(block);
        return use(block, 6);
    }
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, forwards, NULL);
    pthread_create(&threads[1], NULL, backwards, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
