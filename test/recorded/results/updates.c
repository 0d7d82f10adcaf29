/* Read-modify-writes in the forms that programs have. The line of each says whether the program
 * uses what it returns. Lines that say nothing may be recorded either way. With an argument the
 * program fails. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int count, lent;
static atomic_long bits;
static _Atomic unsigned char small;
static int plain;
static volatile int seen;
static long *slot;

static void update(int times)
{
    atomic_fetch_add(&count, 1);                                      /* unused */
    (void)atomic_fetch_sub_explicit(&count, 1, memory_order_release); /* unused */
    count++;                                                          /* unused */
    ++count;                                                          /* unused */
    count += 3;                                                       /* unused */
    count--;                                                          /* unused */
    bits |= 8;                                                        /* unused */
    atomic_fetch_and(&bits, ~8L);                                     /* unused */
    atomic_fetch_xor(&small, 3);                                      /* unused */
    __sync_fetch_and_add(&plain, 1);                                  /* unused */
    __sync_add_and_fetch(&plain, 1);                                  /* unused */
    __atomic_add_fetch(&plain, 1, __ATOMIC_RELAXED);                  /* unused */
    __atomic_fetch_or(&plain, 1, __ATOMIC_ACQ_REL);                   /* unused */
    atomic_exchange(&count, 7);                                       /* unused */
    for (int i = 0; i < times; i++) {
        atomic_fetch_add(&count, i); /* unused */
    }
    if (times > 1) {
        count++; /* unused */
    }
    seen = times;
}

static int returned(void)
{
    return atomic_fetch_add(&count, 1); /* used */
}

static int returned_later(void)
{
    const int before = atomic_fetch_add(&count, 1); /* used */
    seen++;
    return before;
}

static void store(volatile int *at, int value)
{
    *at = value;
}

static void look(void)
{
    if (atomic_fetch_sub(&count, 1) == 1) { /* used */
        seen = 1;
    }
    seen = ++count;                        /* used */
    seen += atomic_fetch_add(&count, 1);   /* used */
    if (__sync_sub_and_fetch(&plain, 1)) { /* used */
        seen = 2;
    }
    store(&seen, atomic_exchange(&count, 3));      /* used */
    const int index = atomic_fetch_and(&count, 1); /* used */
    slot[index & 1]++;
    int local = 0;
    int *const alias = &local;
    local = atomic_fetch_add(&count, 1); /* used */
    store(&seen, *alias);
    int expected = 5;
    atomic_compare_exchange_strong(&count, &expected, 6);
    seen = (atomic_fetch_or(&bits, 4) & 4) != 0 ? 3 : seen; /* used */
    while (atomic_exchange(&small, 1) != 1) {               /* used */
        seen = 4;
    }
}

/* What is not built by `clew cc` may read the variable. */
static const void *identity(const void *p)
{
    return p;
}
static const void *(*volatile borrow)(const void *) = identity;

static void lend(void)
{
    atomic_fetch_add(&lent, 1); /* used */
    seen = borrow(&lent) != NULL;
}

static void *run(void *unused)
{
    update(3);
    seen += returned() + returned_later();
    look();
    lend();
    return unused;
}

int main(int argc, char **argv)
{
    long slots[2] = {0};
    pthread_t other;
    slot = slots;
    if (pthread_create(&other, NULL, run, NULL) != 0) {
        return 1;
    }
    pthread_join(other, NULL);
    run(NULL);
    (void)argv;
    return argc - 1;
}
