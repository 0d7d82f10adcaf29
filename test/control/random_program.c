/* A program of a few operations for each thread, which are given as words: "r2,w0 l0,a1,u0" is two
 * threads. The code that goes through them is not seen by clew; each access is a call of a function
 * that is. What an operation is, is a letter, and what it touches a digit. The last thread is main,
 * which takes the signals. */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define UNSEEN __attribute__((no_sanitize("thread")))
#define SEEN __attribute__((noinline))

/* Bytes, halves and wholes of the same words. */
static union {
    char bytes[8];
    int halves[2];
    long whole;
} words[2];
static atomic_int atomics[2];
static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static int is_set;
static pthread_t main_thread;

SEEN static int read_half(int i)
{
    return words[i / 2].halves[i % 2];
}

SEEN static void write_half(int i, int value)
{
    words[i / 2].halves[i % 2] = value;
}

SEEN static long read_whole(int i)
{
    return words[i % 2].whole;
}

SEEN static void write_whole(int i, long value)
{
    words[i % 2].whole = value;
}

SEEN static void write_byte(int i, char value)
{
    words[i / 2].bytes[i % 2 * 3] = value;
}

SEEN static void add(int i)
{
    atomic_fetch_add(&atomics[i % 2], 1);
}

SEEN static int load(int i)
{
    return atomic_load(&atomics[i % 2]);
}

SEEN static void exchange(int i)
{
    int old = 0;
    (void)atomic_compare_exchange_strong(&atomics[i % 2], &old, 5);
}

SEEN static int is_ready(void)
{
    return is_set;
}

SEEN static void make_ready(void)
{
    is_set = 1;
}

/* Copies of two words, which happen in parts. */
SEEN static void take_both(void)
{
    static long taken[2];
    memcpy(taken, words, sizeof taken);
}

SEEN static void put_both(void)
{
    static const long both[2] = {3, 3};
    memcpy(words, both, sizeof both);
}

UNSEEN static void take_signal(int signal)
{
    (void)signal;
    write_half(1, read_half(0) + 1);
}

UNSEEN static void await(void)
{
    pthread_mutex_lock(&locks[0]);
    while (!is_ready()) {
        pthread_cond_wait(&condition, &locks[0]);
    }
    pthread_mutex_unlock(&locks[0]);
}

UNSEEN static void announce(void)
{
    pthread_mutex_lock(&locks[0]);
    make_ready();
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&locks[0]);
}

UNSEEN static void try_lock(int i)
{
    if (pthread_mutex_trylock(&locks[i % 2]) == 0) {
        pthread_mutex_unlock(&locks[i % 2]);
    }
}

/* Looks a few times, each time at the same. */
UNSEEN static void look(int i)
{
    for (int k = 0; k < 3 && read_half(i) == 0; k++) {
    }
}

UNSEEN static void operate(char what, int i, int value)
{
    switch (what) {
    case 'r': (void)read_half(i); break;
    case 'w': write_half(i, value); break;
    case 'R': (void)read_whole(i); break;
    case 'W': write_whole(i, value); break;
    case 'b': write_byte(i, (char)value); break;
    case 'i': write_half(i, read_half((i + 1) % 4) + 1); break;
    case 'c':
        if (read_half(i) != 0) {
            write_half((i + 2) % 4, value);
        }
        break;
    case 'o': look(i); break;
    case 'x':
        if (read_half(i) == 3) {
            abort();
        }
        break;
    case 'a': add(i); break;
    case 'd': (void)load(i); break;
    case 'e': exchange(i); break;
    case 'l': pthread_mutex_lock(&locks[i % 2]); break;
    case 'u': pthread_mutex_unlock(&locks[i % 2]); break;
    case 't': try_lock(i); break;
    case 'p': sem_post(&semaphore); break;
    case 'v': sem_wait(&semaphore); break;
    case 's': pthread_rwlock_rdlock(&shared); break;
    case 'S': pthread_rwlock_wrlock(&shared); break;
    case 'U': pthread_rwlock_unlock(&shared); break;
    case 'm': take_both(); break;
    case 'M': put_both(); break;
    case 'k': await(); break;
    case 'g': announce(); break;
    case 'n': pthread_kill(main_thread, SIGUSR1); break;
    default: _Exit(3);
    }
}

UNSEEN static void *run(void *text)
{
    int value = 1;
    for (const char *at = text; at[0] != 0; at += at[2] == ',' ? 3 : 2, value++) {
        operate(at[0], at[1] - '0', value);
    }
    return NULL;
}

UNSEEN int main(int count, char **texts)
{
    pthread_t threads[4];
    sem_init(&semaphore, 0, 1);
    main_thread = pthread_self();
    (void)signal(SIGUSR1, take_signal);
    for (int i = 1; i + 1 < count; i++) {
        pthread_create(&threads[i - 1], NULL, run, texts[i]);
    }
    run(texts[count - 1]);
    for (int i = 1; i + 1 < count; i++) {
        pthread_join(threads[i - 1], NULL);
    }
    return 0;
}
