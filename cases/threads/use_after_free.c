/* A session that is closed by one thread while another one still writes to it. */
#include "threads.h"

struct session {
    int sent;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct session *session;

static void *send_one(void *unused)
{
    pthread_mutex_lock(&lock);
    struct session *own = session;
#ifndef FIXED
    pthread_mutex_unlock(&lock); /* and what was looked up is used without it */
#endif
    if (own != NULL) {
        own->sent++;
    }
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    return unused;
}

static void *close_it(void *unused)
{
    pthread_mutex_lock(&lock);
    free(session);
    session = NULL;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    session = calloc(1, sizeof *session);
    assert(session != NULL);
    RUN(send_one, close_it);
    return 0;
}
