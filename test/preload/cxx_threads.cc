/* C++ threads, locks and conditions are the POSIX ones underneath.
 *
 * expect: 1 thread-create
 * expect: 1 thread-join
 * expect: 2+ lock
 * expect: 1 once */

#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex m;
static std::condition_variable c;
static std::once_flag o;
static bool is_ready;

int main()
{
    std::unique_lock<std::mutex> held(m);
    std::thread thread([] {
        std::call_once(o, [] {});
        const std::lock_guard<std::mutex> inner(m);
        is_ready = true;
        c.notify_one();
    });
    c.wait(held, [] { return is_ready; });
    held.unlock();
    thread.join();
    return 0;
}
