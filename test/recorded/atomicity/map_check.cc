/* found: std::map's root, which libstdc++ writes. */
#include <map>
#include <mutex>
#include <shared_mutex>
#include <thread>
static std::shared_timed_mutex m;
static std::map<int, int> numbers;
static bool has(int key)
{
    std::shared_lock<std::shared_timed_mutex> lock(m);
    return numbers.find(key) != numbers.end();
}
static void put(int key)
{
    std::unique_lock<std::shared_timed_mutex> lock(m);
    numbers[key] = key;
}
static void put_once(int key)
{
    if (!has(key))
        put(key);
}
int main()
{
    std::thread a([] { put_once(1); });
    std::thread b([] { put_once(2); });
    a.join();
    b.join();
    return 0;
}
