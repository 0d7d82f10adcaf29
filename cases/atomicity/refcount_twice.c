/* A reference count dropped twice: whoever closes a connection looks whether it is still linked in
 * the table, unlinks it, and drops the table's reference. The worker and the timer both find it
 * linked, and both drop: the worker's own reference is gone, and the connection freed in its hands.
 *
 * couple: heap check, heap unlink */
#include "kernel.h"

#include <stdatomic.h>

struct connection {
    pthread_mutex_t lock;
    int linked; /* under the lock */
    atomic_int references;
    long requests; /* only the worker's */
};

static struct connection *connection;
static int freed;

static void connection_drop(struct connection *c)
{
    if (atomic_fetch_sub(&c->references, 1) == 1) {
        freed++;
        pthread_mutex_destroy(&c->lock);
        free(c);
    }
}

#ifdef FIXED
static void connection_close(struct connection *c)
{
    pthread_mutex_lock(&c->lock);
    const int was_linked = c->linked;
    c->linked = 0;
    pthread_mutex_unlock(&c->lock);
    if (was_linked) {
        connection_drop(c);
    }
}
#else
static int connection_is_linked(struct connection *c)
{
    pthread_mutex_lock(&c->lock);
    const int is_linked = c->linked; /* check */
    pthread_mutex_unlock(&c->lock);
    return is_linked;
}

static void connection_unlink(struct connection *c)
{
    pthread_mutex_lock(&c->lock);
    c->linked = 0; /* unlink */
    pthread_mutex_unlock(&c->lock);
    connection_drop(c);
}

static void connection_close(struct connection *c)
{
    if (connection_is_linked(c)) {
        connection_unlink(c);
    }
}
#endif

static void *worker(void *unused)
{
    connection->requests = 3;
    connection_close(connection);
    connection_drop(connection);
    return unused;
}

static void *timer(void *unused)
{
    kernel_late();
    connection_close(connection);
    connection_drop(connection);
    return unused;
}

static int is_wrong(void)
{
    return freed != 1;
}

int main(void)
{
    connection = calloc(1, sizeof *connection);
    if (connection == NULL || pthread_mutex_init(&connection->lock, NULL) != 0) {
        return 2;
    }
    connection->linked = 1;
    connection->references = 3; /* the table's, the worker's, the timer's */
    return kernel_run(worker, timer, is_wrong);
}
