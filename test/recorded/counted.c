/* The last of those who count themselves under a lock destroys it: the count says who is last.
 * no race */
#include "program.h"

struct counted {
    pthread_mutex_t lock;
    int users;
};

static struct counted *shared;

static void *leave(void *unused)
{
    pthread_mutex_lock(&shared->lock);
    const int users = --shared->users;
    pthread_mutex_unlock(&shared->lock);
    if (users == 0) {
        pthread_mutex_destroy(&shared->lock);
        free(shared);
    }
    return unused;
}

int main(void)
{
    shared = malloc(sizeof *shared);
    CLAIM(shared != NULL && pthread_mutex_init(&shared->lock, NULL) == 0);
    shared->users = 2;
    run_both(leave, leave);
    return 0;
}
