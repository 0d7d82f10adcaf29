/* A thread pool whose workers count finished jobs without the lock; with FIXED, under it. */
#include <cassert>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

class pool {
public:
    explicit pool(int size)
    {
        for (int i = 0; i < size; i++) {
            workers.emplace_back([this] { work(); });
        }
    }
    void submit(std::function<void()> job)
    {
        {
            std::lock_guard<std::mutex> hold(m);
            jobs.push_back(std::move(job));
        }
        ready.notify_one();
    }
    int finish()
    {
        {
            std::lock_guard<std::mutex> hold(m);
            closing = true;
        }
        ready.notify_all();
        for (auto &worker : workers) {
            worker.join();
        }
        return done;
    }

private:
    void work()
    {
        for (;;) {
            std::function<void()> job;
            {
                std::unique_lock<std::mutex> hold(m);
                ready.wait(hold, [this] { return closing || !jobs.empty(); });
                if (jobs.empty()) {
                    return;
                }
                job = std::move(jobs.front());
                jobs.pop_front();
            }
            job();
#ifdef FIXED
            std::lock_guard<std::mutex> hold(m);
#endif
            done++;
        }
    }
    std::mutex m;
    std::condition_variable ready;
    std::deque<std::function<void()>> jobs;
    std::vector<std::thread> workers;
    bool closing = false;
    int done = 0;
};

int main()
{
    int sums[4] = {0};
    pool p(2);
    for (int i = 0; i < 4; i++) {
        p.submit([&sums, i] { sums[i] = i * i; });
    }
    int done = p.finish();
    assert(done == 4);
    return 0;
}
