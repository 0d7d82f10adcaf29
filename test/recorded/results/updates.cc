/* The same in C++, where code that is not optimized has the operators as functions. */
#include <atomic>
#include <thread>

static std::atomic<int> count;
static std::atomic<long> bits;
static std::atomic<bool> flag;
static std::atomic<unsigned> number;
static volatile int seen;

static void update()
{
    count++;                                     /* unused */
    count += 2;                                  /* unused */
    count.fetch_add(1);                          /* unused */
    bits.fetch_or(4, std::memory_order_relaxed); /* unused */
    bits ^= 1;                                   /* unused */
    bits.exchange(3);                            /* unused */
}

static void look()
{
    if (--count == 0) { /* used */
        seen = 1;
    }
    seen = static_cast<int>(number++); /* used */
    while (flag.exchange(true)) {      /* used */
        flag.store(false);
    }
}

int main()
{
    std::thread other(update);
    other.join();
    update();
    look();
    return 0;
}
