/* A ring in which each adds one to the token of the one before it. Nobody waits for the token to
 * come: it is passed on before it is there. */
#include "threads.h"

enum { MEMBERS = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int tokens[MEMBERS + 1];

#ifdef FIXED
static pthread_cond_t passed = PTHREAD_COND_INITIALIZER;
#endif

static void *pass(void *which)
{
    const intptr_t self = (intptr_t)which;
    pthread_mutex_lock(&lock);
#ifdef FIXED
    while (self > 0 && tokens[self] == 0) {
        pthread_cond_wait(&passed, &lock);
    }
#endif
    tokens[self + 1] = tokens[self] + 1;
#ifdef FIXED
    pthread_cond_broadcast(&passed);
#endif
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    RUN(pass, pass, pass, pass);
    assert(tokens[MEMBERS] == MEMBERS);
    return 0;
}
