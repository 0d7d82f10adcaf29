/* Five messages through a channel with room for one. When all are sent, the producer says so and
 * the program ends, whether or not the last was received. After Dara's third program. */
#include <clew/clew.h>
#include <stdbool.h>

#include "threads.h"

enum { MESSAGES = 5 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool is_full, is_done;
static int message, sent, delivered;

static void *produce(void *unused)
{
    for (int i = 0; i < MESSAGES; i++) {
        pthread_mutex_lock(&lock);
        while (is_full) {
            pthread_cond_wait(&changed, &lock);
        }
        message = i;
        is_full = true;
        sent++;
        clew_sent(&message, (uint64_t)i, sizeof message);
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock);
    is_done = true;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *consume(void *unused)
{
    for (int i = 0; i < MESSAGES; i++) {
        pthread_mutex_lock(&lock);
        while (!is_full) {
            pthread_cond_wait(&changed, &lock);
        }
        is_full = false;
        delivered++;
        clew_received(&message, (uint64_t)message, sizeof message);
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t producer;
    pthread_t consumer;
    (void)pthread_create(&producer, NULL, produce, NULL);
    (void)pthread_create(&consumer, NULL, consume, NULL);
#ifdef FIXED
    (void)pthread_join(consumer, NULL);
#endif
    pthread_mutex_lock(&lock);
    while (!is_done) {
        pthread_cond_wait(&changed, &lock);
    }
    clew_var("sent", sent);
    clew_var("delivered", delivered);
    pthread_mutex_unlock(&lock);
    return 0;
}
