/* nothing: A map that is looked at under a shared lock, and again under the exclusive one before it
 * is written. */
#include <map>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

class Cache {
    std::shared_timed_mutex lock;
    std::map<int, int> squares;

  public:
    int square(int of)
    {
        {
            std::shared_lock<std::shared_timed_mutex> hold(lock);
            auto known = squares.find(of);
            if (known != squares.end()) {
                return known->second;
            }
        }
        std::unique_lock<std::shared_timed_mutex> hold(lock);
        return squares.emplace(of, of * of).first->second;
    }
};

int main()
{
    Cache cache;
    std::vector<std::thread> tasks;
    for (int i = 0; i < 3; i++) {
        tasks.emplace_back([&cache, i] {
            for (int k = 0; k < 2; k++) {
                (void)cache.square(k + i % 2);
            }
        });
    }
    for (auto &task : tasks) {
        task.join();
    }
    return 0;
}
