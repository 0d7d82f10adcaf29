/* Two groups that share a resource: the first member of a group takes it and the last one gives it
 * back, after the carter program of the SCTBench suite. One lock protects both counts, and the
 * first of a group waits for the resource while it holds that lock, which the other group needs to
 * give the resource back. The twin has a lock for each count. */
#include "threads.h"

enum { GROUPS = 2 };

static pthread_mutex_t count_locks[GROUPS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_mutex_t resource = PTHREAD_MUTEX_INITIALIZER;
static int members[GROUPS];
static int users;

static pthread_mutex_t *count_lock(intptr_t group)
{
#ifdef FIXED
    return &count_locks[group];
#else
    (void)group;
    return &count_locks[0];
#endif
}

static void *visit(void *which)
{
    const intptr_t group = (intptr_t)which;
    pthread_mutex_lock(count_lock(group));
    if (++members[group] == 1) {
        pthread_mutex_lock(&resource);
    }
    pthread_mutex_unlock(count_lock(group));
    assert(++users == 1);
    users--;
    pthread_mutex_lock(count_lock(group));
    if (--members[group] == 0) {
        pthread_mutex_unlock(&resource);
    }
    pthread_mutex_unlock(count_lock(group));
    return NULL;
}

static void *bystander(void *unused)
{
    return unused;
}

int main(void)
{
    RUN(visit, visit, bystander, bystander);
    return 0;
}
