// A vector that grows while another thread holds a reference into it: its elements have moved.
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

namespace
{

std::mutex lock;
std::vector<int> values{1};

void look()
{
    std::unique_lock<std::mutex> guard(lock);
    const int &first = values.front();
#ifndef FIXED
    guard.unlock();
#endif
    assert(first == 1);
}

void grow()
{
    const std::lock_guard<std::mutex> guard(lock);
    for (int i = 0; i < 4; i++) {
        values.push_back(i);
    }
}

} // namespace

int main()
{
    std::thread looker(look);
    std::thread grower(grow);
    looker.join();
    grower.join();
}
