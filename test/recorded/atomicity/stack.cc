/* found: members that the compiler inlines, is empty and pop. */
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>
class Stack
{
    std::mutex m;
    int items[8];
    int n = 0;

  public:
    bool empty()
    {
        std::lock_guard<std::mutex> g(m);
        return n == 0;
    }
    void push(int v)
    {
        std::lock_guard<std::mutex> g(m);
        items[n++] = v;
    }
    int pop()
    {
        std::lock_guard<std::mutex> g(m);
        return items[--n];
    }
};
static Stack s;
static int sum;
static void drain()
{
    if (!s.empty())
        sum += s.pop();
}
int main()
{
    s.push(1);
    s.push(2);
    s.push(3);
    std::thread a([] { drain(); });
    std::thread b([] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        drain();
    });
    a.join();
    b.join();
    return 0;
}
