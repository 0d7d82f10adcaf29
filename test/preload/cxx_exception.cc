/* Exceptions pass through frames of the recorder and undo what they pass.
 *
 * expect: 2 lock
 * expect: 2 unlock
 * expect: 1 once o
 * expect: 1 thread-end */

#include <mutex>
#include <stdexcept>
#include <thread>

static std::mutex m;
static std::once_flag o;

static void refuse()
{
    const std::lock_guard<std::mutex> held(m);
    throw std::runtime_error("refused");
}

static bool is_refused()
{
    try {
        std::call_once(o, refuse);
    } catch (const std::runtime_error &) {
        return true;
    }
    return false;
}

int main()
{
    bool was_refused = false;
    std::thread thread([&] { was_refused = is_refused(); });
    thread.join();
    std::call_once(o, [] { const std::lock_guard<std::mutex> held(m); });
    return was_refused ? 0 : 1;
}
