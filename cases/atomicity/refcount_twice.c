/* A reference count dropped twice: whoever closes a connection looks whether it is still linked in
 * the table, unlinks it, and drops the table's reference. Two threads that close it at once both
 * find it linked, and both drop: the connection is freed in the hands of somebody who uses it.
 *
 * couple: heap check, heap unlink */
#include "kernel.h"

#include <stdatomic.h>

struct connection {
    pthread_mutex_t lock;
    int linked; /* under the lock */
    atomic_int references;
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

/* Links the connection in the table, which has a reference to it then. */
static void connection_open(struct connection *c)
{
    pthread_mutex_lock(&c->lock);
    if (!c->linked) {
        c->linked = 1;
        atomic_fetch_add(&c->references, 1);
    }
    pthread_mutex_unlock(&c->lock);
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
    for (int i = 0; i < 2 * ROUNDS; i++) {
        if (i % 2 == 0) {
            connection_open(connection);
        } else {
            connection_close(connection);
        }
    }
    return unused;
}

static void *late_worker(void *unused)
{
    kernel_late();
    return worker(unused);
}

static int is_wrong(void)
{
    return freed != 0 || connection->references != 1;
}

int main(void)
{
    connection = calloc(1, sizeof *connection);
    if (connection == NULL || pthread_mutex_init(&connection->lock, NULL) != 0) {
        return 2;
    }
    connection->references = 1; /* main's */
    const int status = kernel_run(worker, late_worker, is_wrong);
    if (freed == 0) {
        connection_drop(connection);
    }
    return status;
}
