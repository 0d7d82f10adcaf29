/* A gate that is opened once, for all who wait before it: a signal wakes only one of them. */
#include <stdbool.h>

#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static bool is_open;

static void *pass(void *unused)
{
    pthread_mutex_lock(&lock);
    while (!is_open) {
        pthread_cond_wait(&opened, &lock);
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *open_gate(void *unused)
{
    pthread_mutex_lock(&lock);
    is_open = true;
#ifdef FIXED
    pthread_cond_broadcast(&opened);
#else
    pthread_cond_signal(&opened);
#endif
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    RUN(open_gate, pass, pass);
    return 0;
}
