/* Three clerks sell the last two seats of a theatre. Every access to the number of seats is under
 * the lock, and yet three can be sold: the program of the tutorial about atomicity. With -DFIXED it
 * cannot. */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

enum { SEATS = 2, CLERKS = 3, LATE_US = 50000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int seats = SEATS;

#ifdef FIXED
static void sell(void)
{
    pthread_mutex_lock(&lock);
    if (seats > 0) {
        seats--;
    }
    pthread_mutex_unlock(&lock);
}
#else
static int seats_left(void)
{
    pthread_mutex_lock(&lock);
    const int left = seats;
    pthread_mutex_unlock(&lock);
    return left;
}

static void take_seat(void)
{
    pthread_mutex_lock(&lock);
    seats--;
    pthread_mutex_unlock(&lock);
}

static void sell(void)
{
    if (seats_left() > 0) {
        take_seat();
    }
}
#endif

static void *clerk(void *number)
{
    usleep(LATE_US * *(const unsigned *)number); /* they come to work one after the other */
    sell();
    return NULL;
}

int main(void)
{
    static unsigned numbers[CLERKS] = {0, 1, 2};
    pthread_t clerks[CLERKS];
    for (int i = 0; i < CLERKS; i++) {
        pthread_create(&clerks[i], NULL, clerk, &numbers[i]);
    }
    for (int i = 0; i < CLERKS; i++) {
        pthread_join(clerks[i], NULL);
    }
    assert(seats >= 0);
    return 0;
}
