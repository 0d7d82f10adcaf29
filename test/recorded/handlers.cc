/* Two senders, one receiver whose functions handle what comes: only `--handler` shows that the two
 * messages could have come in the other order.
 * no race */
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include "program.h"

static int inbox;
static struct sockaddr_in address;
static volatile int stock = 10;

namespace
{
struct shop {
    __attribute__((noinline)) void sell(int count) const
    {
        if (count > 5) {
            throw count;
        }
        stock = stock - count; /* sell */
    }
};
} // namespace

extern "C" __attribute__((noinline)) void take_stock(int count)
{
    stock = stock + count; /* take */
}

static void *send_order(void *count)
{
    const char byte = (char)(long)count;
    const int out = socket(AF_INET, SOCK_DGRAM, 0);
    CLAIM(sendto(out, &byte, 1, 0, (struct sockaddr *)&address, sizeof address) == 1);
    CLAIM(close(out) == 0);
    return nullptr;
}

static void receive(void)
{
    const shop here;
    char count = 0;
    CLAIM(recv(inbox, &count, 1, 0) == 1);
    try {
        here.sell(count);
    } catch (int) {
        return;
    }
}

int main()
{
    socklen_t size = sizeof address;
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    inbox = socket(AF_INET, SOCK_DGRAM, 0);
    CLAIM(bind(inbox, (struct sockaddr *)&address, size) == 0);
    CLAIM(getsockname(inbox, (struct sockaddr *)&address, &size) == 0);
    pthread_t senders[3];
    for (long i = 0; i < 3; i++) {
        CLAIM(pthread_create(&senders[i], nullptr, send_order, (void *)(2 * i + 2)) == 0);
    }
    receive();
    receive();
    receive();
    for (pthread_t sender : senders) {
        CLAIM(pthread_join(sender, nullptr) == 0);
    }
    take_stock(1);
    return 0;
}
