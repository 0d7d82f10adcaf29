/* A block that one thread uses and another frees. The first word says how the two are kept apart;
 * the first few ways leave an order in which the use comes after the free. The second word, "user"
 * or "owner", says who has ended before the other one begins, by means that no tool sees. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WAYS(WAY)                                                    \
    /* wrong: cleared outside of the lock, counted before the use */ \
    WAY(UNLOCKED)                                                    \
    WAY(LOCKED)                                                      \
    WAY(READ_LOCKED)                                                 \
    WAY(CLEARED_LATE)                                                \
    WAY(COUNTED_EARLY)                                               \
    WAY(HANDED_OVER_EARLY)                                           \
    /* correct */                                                    \
    WAY(CLEARED)                                                     \
    WAY(JOINED)                                                      \
    WAY(COUNTED)                                                     \
    WAY(COUNTED_ATOMIC)                                              \
    WAY(HANDED_OVER)                                                 \
    WAY(POSTED)                                                      \
    WAY(BARRED)                                                      \
    WAY(FLAGGED)                                                     \
    WAY(PIPED)                                                       \
    WAY(UNLINKED)

#define WAY(name) name,
enum way { WAYS(WAY) WAY_COUNT };
#undef WAY
#define WAY(name) #name,
static const char *const names[] = {WAYS(WAY)};
#undef WAY
static enum way way;

struct item {
    int value, other;
    struct item *next;
};

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t shared_lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t posted;
static int pipe_of[2];
static struct item *item, *queue;
static int count = 2;
static atomic_int atomic_count = 2, flag;

/* Who comes first, of 0, the user, and 1, the owner; -1: either. */
static int early = -1;
static volatile int has_ended;

__attribute__((no_sanitize("thread"), noinline)) static void await(int other)
{
    while (early == other && has_ended == 0) {
        usleep(100);
    }
}

__attribute__((no_sanitize("thread"), noinline)) static void tell(int who)
{
    has_ended |= early == who;
}

static void use(struct item *i)
{
    i->value++; /* used */
}

static void drop(struct item *i)
{
    free(i); /* freed */
}

static void release(void)
{
    pthread_mutex_lock(&m);
    const int left = --count;
    pthread_mutex_unlock(&m);
    if (left == 0) {
        drop(item);
    }
}

static void release_atomic(void)
{
    if (atomic_fetch_sub(&atomic_count, 1) == 1) {
        drop(item);
    }
}

static void put(struct item *i)
{
    pthread_mutex_lock(&m);
    queue = i;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&m);
}

static struct item *take(void)
{
    pthread_mutex_lock(&m);
    while (queue == NULL) {
        pthread_cond_wait(&filled, &m);
    }
    struct item *i = queue;
    queue = NULL;
    pthread_mutex_unlock(&m);
    return i;
}

static void *user(void *unused)
{
    await(1);
    switch (way) {
    case UNLOCKED:
    case JOINED: use(item); break;
    case LOCKED:
    case CLEARED_LATE:
    case CLEARED:
        pthread_mutex_lock(&m);
        if (item != NULL) {
            use(item);
        }
        pthread_mutex_unlock(&m);
        break;
    case READ_LOCKED:
        pthread_rwlock_rdlock(&shared_lock);
        use(item);
        pthread_rwlock_unlock(&shared_lock);
        break;
    case COUNTED_EARLY:
        pthread_mutex_lock(&m);
        count--;
        pthread_mutex_unlock(&m);
        use(item);
        break;
    case HANDED_OVER_EARLY: {
        struct item *mine = item;
        put(mine);
        pthread_mutex_lock(&m);
        use(mine);
        pthread_mutex_unlock(&m);
        break;
    }
    case COUNTED:
        use(item);
        release();
        break;
    case COUNTED_ATOMIC:
        use(item);
        release_atomic();
        break;
    case HANDED_OVER:
        use(item);
        put(item);
        break;
    case POSTED:
        use(item);
        sem_post(&posted);
        break;
    case BARRED:
        use(item);
        pthread_barrier_wait(&barrier);
        break;
    case FLAGGED:
        use(item);
        atomic_store_explicit(&flag, 1, memory_order_release);
        break;
    case PIPED:
        use(item);
        assert(write(pipe_of[1], &item, sizeof item) == sizeof item);
        break;
    case UNLINKED:
        pthread_mutex_lock(&m);
        for (struct item *i = queue; i != NULL; i = i->next) {
            use(i);
        }
        pthread_mutex_unlock(&m);
        break;
    default: break;
    }
    tell(0);
    return unused;
}

static void *owner(void *unused)
{
    await(0);
    switch (way) {
    case UNLOCKED: drop(item); break;
    case LOCKED:
        pthread_mutex_lock(&m);
        drop(item);
        pthread_mutex_unlock(&m);
        break;
    case READ_LOCKED:
        pthread_rwlock_wrlock(&shared_lock);
        drop(item);
        pthread_rwlock_unlock(&shared_lock);
        break;
    case CLEARED_LATE:
        pthread_mutex_lock(&m);
        drop(item);
        pthread_mutex_unlock(&m);
        pthread_mutex_lock(&m);
        item = NULL;
        pthread_mutex_unlock(&m);
        break;
    case CLEARED:
        pthread_mutex_lock(&m);
        drop(item);
        item = NULL;
        pthread_mutex_unlock(&m);
        break;
    case COUNTED_EARLY:
    case COUNTED: release(); break;
    case COUNTED_ATOMIC: release_atomic(); break;
    case HANDED_OVER_EARLY:
        item = take();
        pthread_mutex_lock(&m);
        drop(item);
        pthread_mutex_unlock(&m);
        break;
    case HANDED_OVER: drop(take()); break;
    case POSTED:
        sem_wait(&posted);
        drop(item);
        break;
    case BARRED:
        pthread_barrier_wait(&barrier);
        drop(item);
        break;
    case FLAGGED:
        while (atomic_load_explicit(&flag, memory_order_acquire) == 0) {
            usleep(100);
        }
        drop(item);
        break;
    case PIPED: {
        struct item *mine = NULL;
        assert(read(pipe_of[0], &mine, sizeof mine) == sizeof mine);
        drop(mine);
        break;
    }
    case UNLINKED: {
        pthread_mutex_lock(&m);
        struct item *mine = queue;
        queue = mine->next;
        pthread_mutex_unlock(&m);
        drop(mine);
        break;
    }
    default: break;
    }
    tell(1);
    return unused;
}

int main(int count_of_words, char **words)
{
    assert(count_of_words > 1);
    while (strcmp(names[way], words[1]) != 0) {
        way++;
        assert(way < WAY_COUNT);
    }
    early = count_of_words < 3 ? -1 : strcmp(words[2], "owner") == 0;
    pthread_t a, b;
    item = calloc(1, sizeof *item); /* made */
    item->next = calloc(1, sizeof *item);
    queue = way == UNLINKED ? item : NULL;
    sem_init(&posted, 0, 0);
    pthread_barrier_init(&barrier, NULL, 2);
    assert(pipe(pipe_of) == 0);
    pthread_create(&a, NULL, user, NULL);
    pthread_create(&b, NULL, owner, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    if (way == JOINED) {
        drop(item);
    }
    return 0;
}
