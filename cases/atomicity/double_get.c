/* The same getter twice in one expression: if the session has a user, use its user. Each call
 * locks. A logout between the two returns nothing where something was seen before.
 *
 * couple: heap get, heap get */
#include "kernel.h"

struct session {
    pthread_mutex_t lock;
    const char *user; /* NULL: nobody has logged in */
    long hits;
};

static struct session *session;
static char greeting;

static const char *session_user(struct session *s)
{
    pthread_mutex_lock(&s->lock);
    const char *user = s->user; /* get */
    pthread_mutex_unlock(&s->lock);
    return user;
}

static void session_logout(struct session *s)
{
    pthread_mutex_lock(&s->lock);
    s->user = NULL;
    pthread_mutex_unlock(&s->lock);
}

static void session_hit(struct session *s)
{
    pthread_mutex_lock(&s->lock);
    s->hits++;
    pthread_mutex_unlock(&s->lock);
}

static void greet(struct session *s)
{
    session_hit(s);
#ifdef FIXED
    const char *user = session_user(s);
    if (user != NULL) {
        greeting = user[0];
    }
#else
    if (session_user(s) != NULL) {
        greeting = session_user(s)[0];
    }
#endif
}

static void *visit(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        greet(session);
    }
    return unused;
}

static void *leave(void *unused)
{
    kernel_late();
    session_logout(session);
    return unused;
}

static int is_wrong(void)
{
    return greeting != 'a'; /* a run that went wrong has crashed before */
}

int main(void)
{
    session = calloc(1, sizeof *session);
    if (session == NULL || pthread_mutex_init(&session->lock, NULL) != 0) {
        return 2;
    }
    session->user = "ada";
    const int status = kernel_run(visit, leave, is_wrong);
    free(session);
    return status;
}
