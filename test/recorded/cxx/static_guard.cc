/* Two tasks need a variable that is static in a function. What the first did before its call is not
 * ordered with what the second does after its own: the second may be the one that makes the
 * variable. What the initialization did is ordered.
 *
 *     static_guard before|inside
 */
#include <cstring>
#include <thread>
#include <unistd.h>

static int news;
static bool is_inside;
volatile int copy;

static int make()
{
    if (is_inside) {
        news = 1;
    }
    return 1;
}

static int use()
{
    static const int made = make();
    return made;
}

int main(int argc, char **argv)
{
    is_inside = argc == 2 && std::strcmp(argv[1], "inside") == 0;
    std::thread first([] {
        if (!is_inside) {
            news = 1;
        }
        use();
    });
    std::thread second([] {
        usleep(20000);
        use();
        copy = news;
    });
    first.join();
    second.join();
    return 0;
}
