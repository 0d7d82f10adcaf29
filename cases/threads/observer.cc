// An observer leaves while it is being told: it was found in the list under the lock, and is called
// after the lock was given back.
#include <memory>
#include <mutex>
#include <thread>

namespace
{

struct observer {
    virtual ~observer() = default;
    virtual void tell()
    {
        told++;
    }
    int told = 0;
};

std::mutex lock;
#ifdef FIXED
using held = std::shared_ptr<observer>;
#else
using held = observer *;
#endif
held only;

void notify()
{
    held found;
    {
        const std::lock_guard<std::mutex> guard(lock);
        found = only;
    }
    if (found) {
        found->tell();
    }
}

void leave()
{
    const std::lock_guard<std::mutex> guard(lock);
#ifndef FIXED
    delete only;
#endif
    only = nullptr;
}

} // namespace

int main()
{
    only = held(new observer);
    std::thread teller(notify);
    std::thread leaver(leave);
    teller.join();
    leaver.join();
}
