/* Two numbers that two threads add to each other, after the fib_bench programs of SV-COMP. Only
 * when they take turns strictly do the sums grow as Fibonacci's numbers do, and pass the bound. The
 * argument is the number of additions of each, 5 when there is none. In the twin the bound is
 * right. */
#include <stdatomic.h>

#include "threads.h"

static atomic_int a = 1, b = 1;
static size_t rounds;

static void *add_to_a(void *unused)
{
    for (size_t i = 0; i < rounds; i++) {
        atomic_store(&a, atomic_load(&a) + atomic_load(&b));
    }
    return unused;
}

static void *add_to_b(void *unused)
{
    for (size_t i = 0; i < rounds; i++) {
        atomic_store(&b, atomic_load(&a) + atomic_load(&b));
    }
    return unused;
}

static int bound(void)
{
    int before = 0;
    int number = 1;
    for (size_t i = 0; i < 2 * rounds + 1; i++) {
        const int sum = before + number;
        before = number;
        number = sum;
    }
#ifdef FIXED
    return number;
#else
    return number - 1;
#endif
}

int main(int argc, char **argv)
{
    rounds = threads_asked(argc, argv, 5);
    RUN(add_to_a, add_to_b);
    assert(atomic_load(&a) <= bound() && atomic_load(&b) <= bound());
    return 0;
}
