/* found: the same in members. */
#include <atomic>
#include <chrono>
#include <thread>
struct Gauge {
    std::atomic<int> v{3};
    bool low() const
    {
        return v.load(std::memory_order_acquire) < 2;
    }
    void take()
    {
        v.store(v.load() - 1);
    }
};
static Gauge g;
static int n[2];
static void use(int i)
{
    if (!g.low()) {
        g.take();
        n[i]++;
    }
}
int main()
{
    std::thread a([] { use(0); });
    std::thread b([] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        use(1);
    });
    a.join();
    b.join();
    return 0;
}
