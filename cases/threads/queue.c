/* A linked queue: whether there is something in it is asked before its lock is taken. Of two who
 * saw the last node, the second follows a null pointer. */
#include <stdbool.h>

#include "threads.h"

struct node {
    struct node *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node only;
static struct node *first = &only;
static int taken;

static bool is_empty(void)
{
    pthread_mutex_lock(&lock);
    const bool result = first == NULL;
    pthread_mutex_unlock(&lock);
    return result;
}

static void *take(void *unused)
{
    if (is_empty()) {
        return unused;
    }
    pthread_mutex_lock(&lock);
#ifdef FIXED
    if (first != NULL)
#endif
    {
        first = first->next;
        taken++;
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    RUN(take, take);
    assert(taken == 1);
    return 0;
}
