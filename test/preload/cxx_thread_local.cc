/* Destructors of thread_local objects still belong to their thread.
 *
 * expect: 1 lock
 * order: main/1@n lock
 * order: main/1@n unlock
 * order: main/1@n thread-end */

#include <mutex>
#include <thread>

static std::mutex m;

struct guard {
    int used = 0;
    ~guard()
    {
        const std::lock_guard<std::mutex> held(m);
    }
};

static thread_local guard own;

int main()
{
    std::thread thread([] { own.used = 1; });
    thread.join();
    return 0;
}
