/* Synchronization told by ThreadSanitizer's annotations: built with -DSILENT it is not told. What
 * races is not covered by any. With -DFAIL it fails at its end.
 * race: bare_left bare_right */
#include <sanitizer/tsan_interface.h>
#include <stdint.h>

#include "program.h"

void AnnotateHappensBefore(const char *file, int line, const volatile void *address);
void AnnotateHappensAfter(const char *file, int line, const volatile void *address);
void AnnotateRWLockCreate(const char *file, int line, const volatile void *lock);
void AnnotateRWLockAcquired(const char *file, int line, const volatile void *lock, long is_write);
void AnnotateRWLockReleased(const char *file, int line, const volatile void *lock, long is_write);
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
void AnnotateBenignRaceSized(const char *file, int line, const volatile void *address, size_t size,
                             const char *reason);

#ifdef SILENT
#define __tsan_acquire(address) (void)(address)
#define __tsan_release(address) (void)(address)
#endif

/* Nothing here is ordered by what the operations are: all of them are relaxed. */
static int load(const int *word)
{
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static void store(int *word, int value)
{
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
}

static void spin_until(const int *word)
{
    while (load(word) == 0) {
    }
}

/* ---- a lock ---- */

static int lock_word;

static void lock(unsigned flags)
{
    __tsan_mutex_pre_lock(&lock_word, flags);
    while (__atomic_exchange_n(&lock_word, 1, __ATOMIC_RELAXED) != 0) {
    }
    __tsan_mutex_post_lock(&lock_word, flags, 0);
}

static void unlock(unsigned flags)
{
    (void)__tsan_mutex_pre_unlock(&lock_word, flags);
    store(&lock_word, 0);
    __tsan_mutex_post_unlock(&lock_word, flags);
}

static long counted;

/* ---- a lock of readers and writers, whose own code is not annotated ---- */

static int second_word;
static long listed;

static void second_lock(long is_write)
{
    while (__atomic_exchange_n(&second_word, 1, __ATOMIC_RELAXED) != 0) {
    }
    AnnotateRWLockAcquired(__FILE__, __LINE__, &second_word, is_write);
}

static void second_unlock(long is_write)
{
    AnnotateRWLockReleased(__FILE__, __LINE__, &second_word, is_write);
    store(&second_word, 0);
}

/* ---- words that are handed on ---- */

static long published, told, bare, guess, hits;
static int is_published, is_told;

static void *left(void *unused)
{
    published = 42; /* published_left */
    __tsan_release(&is_published);
    store(&is_published, 1);
    told = 43;
    AnnotateHappensBefore(__FILE__, __LINE__, &is_told);
    store(&is_told, 1);
    for (int i = 0; i < 10; i++) {
        lock(0);
        counted++;
        unlock(0);
        second_lock(1);
        listed++;
        second_unlock(1);
    }
    guess = 1;
    hits = 1;
    bare = 1; /* bare_left */
    return unused;
}

static void *right(void *unused)
{
    spin_until(&is_published);
    __tsan_acquire(&is_published);
    CLAIM(published == 42); /* published_right */
    spin_until(&is_told);
    AnnotateHappensAfter(__FILE__, __LINE__, &is_told);
    CLAIM(told == 43);
    for (int i = 0; i < 10; i++) {
        lock(0);
        counted++;
        unlock(0);
        second_lock(0);
        CLAIM(listed <= 10);
        second_unlock(0);
    }
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    CLAIM(guess <= 1);
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
    hits = 2;
    bare = 2; /* bare_right */
    return unused;
}

int main(void)
{
    AnnotateRWLockCreate(__FILE__, __LINE__, &second_word);
    AnnotateBenignRaceSized(__FILE__, __LINE__, &hits, sizeof hits, "counts are rough");
    __tsan_mutex_create(&lock_word, 0);
    CLAIM(__tsan_get_current_fiber() != NULL);
    run_both(left, right);
    CLAIM(bare > 0 && hits > 0 && counted == 20);
    __tsan_mutex_destroy(&lock_word, 0);
#ifdef FAIL
    abort(); /* for a trace of a run under control */
#endif
    return 0;
}
