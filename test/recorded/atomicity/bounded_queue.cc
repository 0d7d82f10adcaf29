/* nothing: a monitor, and threads that are lambdas with a loop. */
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>
class Monitor
{
    std::mutex m;
    std::condition_variable not_full, not_empty;
    std::deque<int> q;
    size_t cap;
    bool closed = false;

  public:
    explicit Monitor(size_t c) : cap(c)
    {
    }
    bool put(int v)
    {
        std::unique_lock<std::mutex> l(m);
        not_full.wait(l, [&] { return q.size() < cap || closed; });
        if (closed)
            return false;
        q.push_back(v);
        not_empty.notify_one();
        return true;
    }
    bool get(int &v)
    {
        std::unique_lock<std::mutex> l(m);
        not_empty.wait(l, [&] { return !q.empty() || closed; });
        if (q.empty())
            return false;
        v = q.front();
        q.pop_front();
        not_full.notify_one();
        return true;
    }
    void close()
    {
        std::lock_guard<std::mutex> l(m);
        closed = true;
        not_full.notify_all();
        not_empty.notify_all();
    }
};
int main()
{
    Monitor mon(3);
    long sum[2] = {};
    std::thread p([&] {
        for (int i = 0; i < 20; i++)
            mon.put(i);
        mon.close();
    });
    std::thread c1([&] {
        int v;
        while (mon.get(v))
            sum[0] += v;
    });
    std::thread c2([&] {
        int v;
        while (mon.get(v))
            sum[1] += v;
    });
    p.join();
    c1.join();
    c2.join();
    return sum[0] + sum[1] != 190;
}
