/* Plain reads in the forms that programs have. The line of each says whether the program uses the
 * value for anything but the write that follows. Lines that say nothing may be recorded either way.
 * With an argument the program fails. */
#include <pthread.h>
#include <stdint.h>
#include <string.h>

struct stats {
    int id;
    long bytes;
    unsigned char small;
    short narrow;
    unsigned flags;
    long table[8];
};

/* Stands for a function that `clew cc` has not built. */
static const void *identity(const void *p)
{
    return p;
}

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct stats stats;
static struct stats *shared = &stats;
static long sum, other, scaled, source, negated, opposite, doubled, tripled, shifted, passed, cut,
    taken;
static double real;
static unsigned set, clear, flip;
static long less, down, more, loop, rare;
static long shown, lent;
static const void *(*volatile borrow)(const void *) = identity;
static volatile int seen;
static volatile long three = 3;

__attribute__((noinline)) static void update(struct stats *s, long n, int times)
{
    sum++;                /* unused */
    less -= n;            /* unused */
    --down;               /* unused */
    more = more + 2 * n;  /* unused */
    set |= 8;             /* unused */
    clear &= ~8U;         /* unused */
    flip ^= (unsigned)n;  /* unused */
    s->narrow++;          /* unused */
    s->flags |= 1U << 3;  /* unused */
    s->bytes += n;        /* unused */
    s->table[times] += n; /* unused */
    shared->table[3]++;
    for (int i = 0; i < times; i++) {
        loop += i; /* unused */
    }
    if (times > 1) {
        rare++; /* unused */
    }
}

__attribute__((noinline)) static void update_small(struct stats *s)
{
    s->small++; /* unused */
}

__attribute__((noinline)) static long returned(void)
{
    return ++sum; /* used */
}

__attribute__((noinline)) static long twice(long value)
{
    return value * 2;
}

__attribute__((noinline)) static void look(struct stats *s, struct stats *to, long n)
{
    if (++sum == 3) { /* used */
        seen = 1;
    }
    negated = -negated;       /* used */
    opposite = 10 - opposite; /* used */
    doubled += doubled;
    tripled *= 3;           /* used */
    shifted <<= 1;          /* used */
    passed = twice(passed); /* used */
    scaled = source + 1;    /* used */
    cut = (int)(cut + 1);   /* used */
    real += 1;              /* used */
    other += sum;
    to->bytes = s->bytes;                            /* used */
    s->table[s->id] = n;                             /* used */
    s->small = (unsigned char)(s->small / 2 + 1);    /* used */
    memcpy(s->table, to->table, (size_t)other & 15); /* used */
    const long before = taken++;                     /* used */
    seen = (int)before;
}

/* Others read the sum where no report tells of it. */
__attribute__((noinline)) static void show(void)
{
    long copy = 0;
    shown++; /* used */
    __asm__ volatile("mov %1, %0" : "=r"(copy) : "m"(shown));
    lent++; /* used */
    seen = (int)copy + (borrow(&lent) != NULL);
}

static void *work(void *p)
{
    struct stats own = {.id = 2};
    pthread_mutex_lock(&m);
    update(p, three, (int)three - 1);
    update_small(p);
    seen = (int)returned();
    look(p, &own, three);
    show();
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(int count, char **words)
{
    (void)words;
    pthread_t a;
    pthread_t b;
    pthread_create(&a, NULL, work, &stats);
    pthread_create(&b, NULL, work, &stats);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return count > 1;
}
