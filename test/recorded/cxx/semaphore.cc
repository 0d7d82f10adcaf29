/* Whoever is let in by a semaphore of C++20 has heard of one release only: of the first task's, or
 * of the second one's. After two it has heard of both.
 *
 *     semaphore COUNT
 */
#include <cstdlib>
#include <semaphore>
#include <thread>
#include <unistd.h>

static std::counting_semaphore<4> released(0);
static int news;
volatile int copy;

int main(int argc, char **argv)
{
    std::thread first([] {
        news = 1;
        released.release();
    });
    std::thread second([] {
        usleep(50000);
        released.release();
    });
    for (int left = argc == 2 ? std::atoi(argv[1]) : 1; left > 0; left--) {
        released.acquire();
    }
    copy = news;
    first.join();
    second.join();
    return 0;
}
