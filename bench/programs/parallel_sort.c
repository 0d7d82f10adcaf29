/* Merge sort: two threads sort a half each, the first one merges. */
#include <pthread.h>
#include <stdint.h>
#include <string.h>

enum { COUNT = 1 << 20 };

static uint32_t numbers[COUNT], spare[COUNT];

static void merge(uint32_t *at, uint32_t *other, size_t half, size_t count)
{
    size_t left = 0;
    size_t right = half;
    for (size_t i = 0; i < count; i++) {
        const int is_left = right == count || (left < half && at[left] <= at[right]);
        other[i] = is_left ? at[left++] : at[right++];
    }
    memcpy(at, other, count * sizeof *at);
}

static void sort(uint32_t *at, uint32_t *other, size_t count)
{
    if (count > 1) {
        sort(at, other, count / 2);
        sort(at + count / 2, other + count / 2, count - count / 2);
        merge(at, other, count / 2, count);
    }
}

static void *sort_half(void *first)
{
    const size_t offset = (size_t)((uint32_t *)first - numbers);
    sort(first, spare + offset, COUNT / 2);
    return NULL;
}

int main(void)
{
    uint32_t x = 1;
    for (size_t i = 0; i < COUNT; i++) {
        numbers[i] = x = x * 1664525 + 1013904223;
    }
    pthread_t thread;
    if (pthread_create(&thread, NULL, sort_half, numbers + COUNT / 2) != 0) {
        return 1;
    }
    sort_half(numbers);
    (void)pthread_join(thread, NULL);
    merge(numbers, spare, COUNT / 2, COUNT);
    for (size_t i = 1; i < COUNT; i++) {
        if (numbers[i - 1] > numbers[i]) {
            return 1;
        }
    }
    return 0;
}
