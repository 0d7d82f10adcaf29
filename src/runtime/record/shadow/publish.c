#include "runtime/record/shadow/publish.h"

#include <linux/membarrier.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/record/shadow/deferred_records.h"
#include "wire/must.h"

enum { WAITING_WORDS_MAX = 512 };

/* A word that was made shared, and the trails of it that are recorded already. */
struct waiting_word {
    struct region *region;
    uintptr_t word;
    uint64_t halves[2][HALVES];
    uint64_t bytes[2][WORD_SIZE];
};

static bool has_barrier;

/* The words of the calling task that wait for the barrier. */
static __thread struct {
    struct waiting_word *words; /* made when first needed */
    uint32_t count;
    bool is_busy; /* a signal handler that finds it so settles its words at once */
} own;

bool publish_start(void)
{
    has_barrier = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
    return has_barrier;
}

/* Collects the trails that are not recorded yet. */
static void find_fresh(_Atomic uint64_t *slots, uint64_t *recorded, uint64_t *fresh, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t now = atomic_load(&slots[i]);
        fresh[i] = now == recorded[i] ? 0 : now;
        recorded[i] = now;
    }
}

/* Records two rows, by is_write; the last access is recorded last. */
static void record_rows(uintptr_t word, uint64_t fresh[2][WORD_SIZE], size_t count)
{
    uint64_t next[WORD_SIZE];
    while (deferred_next(fresh, count, next)) {
        deferred_record(word, next, count);
        deferred_record_lost(word, next, count);
    }
}

/* Records the trails that are not recorded yet. */
static void record_fresh(struct waiting_word *d)
{
    const size_t index = shadow_index(d->word);
    uint64_t fresh[2][WORD_SIZE];
    for (int is_write = 0; is_write < 2; is_write++) {
        find_fresh(d->region->trails[index].last[is_write], d->halves[is_write], fresh[is_write],
                   HALVES);
    }
    record_rows(d->word, fresh, HALVES);
    if (shadow_has_bytes(d->region, index)) {
        for (int is_write = 0; is_write < 2; is_write++) {
            find_fresh(d->region->bytes[index].last[is_write], d->bytes[is_write], fresh[is_write],
                       WORD_SIZE);
        }
        record_rows(d->word, fresh, WORD_SIZE);
    }
}

static void settle(struct waiting_word *words, uint32_t count)
{
    (void)syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
    for (uint32_t i = 0; i < count; i++) {
        record_fresh(&words[i]);
    }
}

static void put_off(struct waiting_word *d)
{
    const bool was_busy = own.is_busy;
    own.is_busy = true;
    atomic_signal_fence(memory_order_seq_cst);
    if (!was_busy && own.words == NULL) {
        own.words = shadow_memory(WAITING_WORDS_MAX * sizeof *own.words);
    }
    if (was_busy || own.words == NULL) {
        settle(d, 1);
    } else {
        must(own.count < WAITING_WORDS_MAX);
        own.words[own.count++] = *d;
        if (own.count == WAITING_WORDS_MAX) {
            settle(own.words, own.count);
            own.count = 0;
        }
    }
    atomic_signal_fence(memory_order_seq_cst);
    own.is_busy = was_busy;
}

void publish_reveal(struct region *region, uintptr_t word)
{
    struct waiting_word d = {.region = region, .word = word};
    record_fresh(&d);
    if (has_barrier) {
        put_off(&d);
    }
}

void publish_forget(void)
{
    if (own.words != NULL) {
        (void)syscall(SYS_munmap, own.words, WAITING_WORDS_MAX * sizeof *own.words);
    }
    memset(&own, 0, sizeof own);
}

void publish_settle(void)
{
    if (own.count > 0) {
        settle(own.words, own.count);
    }
    publish_forget();
}
