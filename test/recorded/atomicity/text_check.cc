/* found: a length of std::string. At -O0 both locks are taken at one line of a header. */
#include <mutex>
#include <string>
#include <thread>
static std::mutex m;
static std::string text;
static bool is_full()
{
    std::lock_guard<std::mutex> lock(m);
    return text.size() > 10;
}
static void add(const char *more)
{
    std::lock_guard<std::mutex> lock(m);
    text += more;
}
static void add_once(const char *more)
{
    if (!is_full())
        add(more);
}
int main()
{
    std::thread a([] { add_once("one"); });
    std::thread b([] { add_once("two"); });
    a.join();
    b.join();
    return 0;
}
