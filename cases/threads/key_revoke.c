/* A key whose payload is read while another thread revokes the key, after CVE-2015-7550 (ConVul).
 * The reader validates the key before it takes the lock; the revocation frees the payload under the
 * lock. The twin validates under the lock. */
#include <stdatomic.h>
#include <stdbool.h>

#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool is_revoked;
static int *payload;

static void *read_key(void *unused)
{
#ifndef FIXED
    const bool is_valid = !atomic_load(&is_revoked);
#endif
    pthread_mutex_lock(&lock);
#ifdef FIXED
    const bool is_valid = !atomic_load(&is_revoked);
#endif
    if (is_valid) {
        assert(*payload == 7);
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *revoke_key(void *unused)
{
    pthread_mutex_lock(&lock);
    atomic_store(&is_revoked, true);
    free(payload);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    payload = malloc(sizeof *payload);
    assert(payload != NULL);
    *payload = 7;
    RUN(read_key, revoke_key);
    return 0;
}
