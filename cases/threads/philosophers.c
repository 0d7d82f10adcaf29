/* Dining philosophers who borrow a chopstick from their neighbour, and give their own back when
 * they did not get both in time. When one is done, its chopstick is put away a second later:
 * whoever has borrowed it and eats slowly cannot return it any more. After Dara's system; the
 * argument is the number of philosophers, 6 when there is none. With -DGIVES_UP the program ends
 * then with a status, and all that can be told of it is who has not eaten. */
#include <clew/clew.h>
#include <errno.h>
#include <stdbool.h>
#include <sys/random.h>
#include <time.h>

#include "threads.h"

enum { SEATS_MAX = 6, MS = 1000000 };

struct stick {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool is_taken;
    bool is_away; /* may be taken still, but not returned */
};

static struct stick sticks[SEATS_MAX];
static int seats = SEATS_MAX;

/* Who is done, in the order in which they are. */
static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t announced = PTHREAD_COND_INITIALIZER;
static int done[SEATS_MAX];
static int done_count;

static void sleep_ms(long ms)
{
    const struct timespec duration = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * MS};
    (void)nanosleep(&duration, NULL);
}

static void sleep_a_while(void)
{
    unsigned short chance = 0;
    (void)getrandom(&chance, sizeof chance, 0);
    sleep_ms(chance % 1000);
}

static void take(struct stick *stick)
{
    pthread_mutex_lock(&stick->lock);
    while (stick->is_taken) {
        pthread_cond_wait(&stick->changed, &stick->lock);
    }
    stick->is_taken = true;
    pthread_mutex_unlock(&stick->lock);
}

/* Waits for a second at most. */
static bool take_in_time(struct stick *stick)
{
    struct timespec until;
    int result = 0;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1;
    pthread_mutex_lock(&stick->lock);
    while (stick->is_taken && result != ETIMEDOUT) {
        result = pthread_cond_timedwait(&stick->changed, &stick->lock, &until);
    }
    const bool is_mine = !stick->is_taken;
    stick->is_taken = true;
    pthread_mutex_unlock(&stick->lock);
    return is_mine;
}

static void put_back(struct stick *stick)
{
    pthread_mutex_lock(&stick->lock);
#ifdef GIVES_UP
    if (stick->is_away) {
        exit(EXIT_FAILURE);
    }
#endif
    assert(!stick->is_away);
    stick->is_taken = false;
    pthread_cond_signal(&stick->changed);
    pthread_mutex_unlock(&stick->lock);
}

static void *put_away(void *which)
{
    struct stick *stick = &sticks[(intptr_t)which];
    sleep_ms(1000);
    pthread_mutex_lock(&stick->lock);
    stick->is_away = true;
    pthread_mutex_unlock(&stick->lock);
    return NULL;
}

static void *dine(void *which)
{
    const int self = (int)(intptr_t)which;
    struct stick *own = &sticks[self];
    struct stick *borrowed = &sticks[(self + 1) % seats];
    sleep_a_while();
    take(own);
    while (!take_in_time(borrowed)) {
        put_back(own);
        sleep_a_while();
        take(own);
    }
    sleep_a_while(); /* eats */
    put_back(own);
    put_back(borrowed);
    pthread_mutex_lock(&table);
    done[done_count++] = self;
    clew_var("fed", done_count);
    pthread_cond_signal(&announced);
    pthread_mutex_unlock(&table);
    return NULL;
}

/* The number of the one who is done after `count` others. */
static int next_done(int count)
{
    pthread_mutex_lock(&table);
    while (done_count <= count) {
        pthread_cond_wait(&announced, &table);
    }
    const int self = done[count];
    pthread_mutex_unlock(&table);
    return self;
}

int main(int argc, char **argv)
{
    pthread_t diners[SEATS_MAX];
    pthread_t closers[SEATS_MAX];
    seats = argc > 1 ? (int)strtol(argv[1], NULL, 10) : SEATS_MAX;
    assert(seats > 1 && seats <= SEATS_MAX);
    clew_var("seats", seats);
    clew_var("fed", 0);
    for (int i = 0; i < seats; i++) {
        (void)pthread_mutex_init(&sticks[i].lock, NULL);
        (void)pthread_cond_init(&sticks[i].changed, NULL);
    }
    for (intptr_t i = 0; i < seats; i++) {
        (void)pthread_create(&diners[i], NULL, dine, (void *)i);
    }
    for (int i = 0; i < seats; i++) {
#ifdef FIXED
        const intptr_t self = i;
        (void)next_done(seats - 1); /* until all are done */
#else
        const intptr_t self = next_done(i);
#endif
        (void)pthread_create(&closers[i], NULL, put_away, (void *)self);
    }
    for (int i = 0; i < seats; i++) {
        (void)pthread_join(diners[i], NULL);
        (void)pthread_join(closers[i], NULL);
    }
    return 0;
}
