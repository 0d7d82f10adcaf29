/* A parallel quicksort with a stack of ranges that two workers take from, after the qsort_mt
 * program of the Inspect suite. Main waits until no range is left and no worker is busy. A worker
 * takes a range in one critical section and says that it is busy in the next: in between main finds
 * neither, and uses an array that is not sorted. */
#include <stdbool.h>

#include "threads.h"

enum { SIZE = 20, RANGES_MAX = SIZE };

struct range {
    int low, high; /* both within */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int numbers[SIZE];
static struct range ranges[RANGES_MAX];
static int range_count, busy_count;
static bool is_ended;

/* With the lock held. */
static void push(int low, int high)
{
    if (low < high) {
        ranges[range_count++] = (struct range){low, high};
    }
}

static int partition(struct range range)
{
    const int pivot = numbers[range.high];
    int border = range.low;
    for (int i = range.low; i < range.high; i++) {
        if (numbers[i] < pivot) {
            const int number = numbers[i];
            numbers[i] = numbers[border];
            numbers[border++] = number;
        }
    }
    numbers[range.high] = numbers[border];
    numbers[border] = pivot;
    return border;
}

/* False at the end. */
static bool take(struct range *range)
{
    pthread_mutex_lock(&lock);
    while (range_count == 0 && !is_ended) {
        pthread_cond_wait(&changed, &lock);
    }
    const bool is_taken = range_count > 0;
    if (is_taken) {
        *range = ranges[--range_count];
#ifndef FIXED
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
#endif
        busy_count++;
    }
    pthread_mutex_unlock(&lock);
    return is_taken;
}

static void *work(void *unused)
{
    struct range range;
    while (take(&range)) {
        const int border = partition(range);
        pthread_mutex_lock(&lock);
        push(range.low, border - 1);
        push(border + 1, range.high);
        busy_count--;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t workers[2];
    for (int i = 0; i < SIZE; i++) {
        numbers[i] = (i * 7 + 3) % SIZE;
    }
    push(0, SIZE - 1);
    for (int i = 0; i < 2; i++) {
        pthread_create(&workers[i], NULL, work, NULL);
    }
    pthread_mutex_lock(&lock);
    while (range_count > 0 || busy_count > 0) {
        pthread_cond_wait(&changed, &lock);
    }
    is_ended = true;
    for (int i = 0; i < SIZE; i++) {
        assert(numbers[i] == i);
    }
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 2; i++) {
        pthread_join(workers[i], NULL);
    }
    return 0;
}
