/* A pool of workers: tasks go through a queue with a condition variable, results come back
 * through another one. Everything that is handed over is used without a lock by whoever has it.
 * no race */
#include "program.h"

enum { WORKERS = 3, TASKS = 12 };

struct task {
    long input, output;
    struct task *next;
};

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    struct task *first;
    int is_closed;
};

static struct queue work = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, 0};
static struct queue done = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, 0};

static void put(struct queue *q, struct task *t)
{
    pthread_mutex_lock(&q->lock);
    t->next = q->first;
    q->first = t;
    pthread_cond_signal(&q->filled);
    pthread_mutex_unlock(&q->lock);
}

static struct task *take(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
    while (q->first == NULL && !q->is_closed) {
        pthread_cond_wait(&q->filled, &q->lock);
    }
    struct task *t = q->first;
    if (t != NULL) {
        q->first = t->next;
    }
    pthread_mutex_unlock(&q->lock);
    return t;
}

static void *serve(void *unused)
{
    for (struct task *t = take(&work); t != NULL; t = take(&work)) {
        t->output = t->input * t->input;
        put(&done, t);
    }
    return unused;
}

int main(void)
{
    pthread_t workers[WORKERS];
    for (int i = 0; i < WORKERS; i++) {
        CLAIM(pthread_create(&workers[i], NULL, serve, NULL) == 0);
    }
    for (long i = 0; i < TASKS; i++) {
        struct task *t = malloc(sizeof *t);
        CLAIM(t != NULL);
        t->input = i;
        put(&work, t);
    }
    long sum = 0;
    for (int i = 0; i < TASKS; i++) {
        struct task *t = take(&done);
        sum += t->output;
        free(t);
    }
    pthread_mutex_lock(&work.lock);
    work.is_closed = 1;
    pthread_cond_broadcast(&work.filled);
    pthread_mutex_unlock(&work.lock);
    for (int i = 0; i < WORKERS; i++) {
        CLAIM(pthread_join(workers[i], NULL) == 0);
    }
    CLAIM(sum == 506);
    return 0;
}
