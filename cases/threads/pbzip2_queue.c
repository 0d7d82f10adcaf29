/* The queue of pbzip2 0.9.4 (Yu and Narayanasamy, ISCA 2009): main waits for the writer of the
 * output and frees the queue, while consumers may still be on their way out of it. The twin joins
 * them. */
#include <stdbool.h>

#include "threads.h"

enum { BLOCKS = 2, CONSUMERS = 2 };

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int blocks;
    bool is_ended;
};

static struct queue *queue;
static pthread_mutex_t output_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t written = PTHREAD_COND_INITIALIZER;
static int output;

static void *consume(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&queue->lock);
        while (queue->blocks == 0 && !queue->is_ended) {
            pthread_cond_wait(&queue->changed, &queue->lock);
        }
        const bool is_taken = queue->blocks > 0;
        queue->blocks -= is_taken ? 1 : 0;
        pthread_mutex_unlock(&queue->lock);
        if (!is_taken) {
            return unused;
        }
        pthread_mutex_lock(&output_lock);
        output++;
        pthread_cond_signal(&written);
        pthread_mutex_unlock(&output_lock);
    }
}

static void *produce(void *unused)
{
    for (int i = 0; i < BLOCKS; i++) {
        pthread_mutex_lock(&queue->lock);
        queue->blocks++;
        queue->is_ended = i + 1 == BLOCKS;
        pthread_cond_broadcast(&queue->changed);
        pthread_mutex_unlock(&queue->lock);
    }
    return unused;
}

static void *write_all(void *unused)
{
    pthread_mutex_lock(&output_lock);
    while (output < BLOCKS) {
        pthread_cond_wait(&written, &output_lock);
    }
    pthread_mutex_unlock(&output_lock);
    return unused;
}

int main(void)
{
    pthread_t producer, writer, consumers[CONSUMERS];
    queue = calloc(1, sizeof *queue);
    assert(queue != NULL);
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->changed, NULL);
    for (int i = 0; i < CONSUMERS; i++) {
        pthread_create(&consumers[i], NULL, consume, NULL);
    }
    pthread_create(&producer, NULL, produce, NULL);
    pthread_create(&writer, NULL, write_all, NULL);
    pthread_join(producer, NULL);
    pthread_join(writer, NULL);
#ifdef FIXED
    for (int i = 0; i < CONSUMERS; i++) {
        pthread_join(consumers[i], NULL);
    }
#endif
    free(queue);
    queue = NULL;
#ifndef FIXED
    for (int i = 0; i < CONSUMERS; i++) {
        pthread_join(consumers[i], NULL);
    }
#endif
    return 0;
}
