/* Objects made by new: named by where that was, and their fields told apart.
 * race: first second */
#include <thread>

struct account {
    long balance = 0;
    long count = 0;
};

int main()
{
    auto *account = new struct account;
    std::thread a([=] {
        account->balance = 1; /* first */
    });
    std::thread b([=] {
        account->count = 1;
        account->balance = 2; /* second */
    });
    a.join();
    b.join();
    delete account;
    return 0;
}
