/* A dump that is continued by every receive call, after CVE-2016-9806 (ConVul). The call that sends
 * the last part ends the dump after it has released the lock; a second call ends it too. The twin
 * ends the dump under the lock. */
#include <stdbool.h>

#include "threads.h"

enum { PARTS = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *dump;
static int sent;

static void end_dump(void)
{
    free(dump);
    dump = NULL;
}

/* Sends the next part; true when it was the last, or when none was left. */
static bool send_part(void)
{
    pthread_mutex_lock(&lock);
    if (dump == NULL) {
        pthread_mutex_unlock(&lock);
        return false;
    }
    *dump = ++sent;
    const bool is_last = sent >= PARTS;
#ifdef FIXED
    if (is_last) {
        end_dump();
    }
#endif
    pthread_mutex_unlock(&lock);
    return is_last;
}

static void *receive(void *unused)
{
    for (int i = 0; i < 2; i++) {
        const bool is_last = send_part();
#ifndef FIXED
        if (is_last) {
            end_dump();
        }
#else
        (void)is_last;
#endif
    }
    return unused;
}

int main(void)
{
    dump = malloc(sizeof *dump);
    assert(dump != NULL);
    RUN(receive, receive);
    return 0;
}
