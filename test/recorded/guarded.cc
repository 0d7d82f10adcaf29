/* A variable that is static in a function is made once, and whoever finds it made comes later; one
 * that could not be made is tried again by somebody else.
 * no race */
#include <thread>

struct table {
    explicit table(bool is_to_fail)
    {
        size = ++made;
        if (is_to_fail) {
            throw 1;
        }
    }
    static int made;
    int size;
};
int table::made;

static const table &first()
{
    static const table only(false);
    return only;
}

static const table &second()
{
    static bool has_failed;
    static const table only(!has_failed && (has_failed = true));
    return only;
}

static int use()
{
    int size = first().size;
    for (int tries = 0; tries < 2; tries++) {
        try {
            size += second().size;
            break;
        } catch (int) {
        }
    }
    return size;
}

int main()
{
    int sizes[2] = {};
    std::thread a([&] { sizes[0] = use(); });
    std::thread b([&] { sizes[1] = use(); });
    a.join();
    b.join();
    return sizes[0] != sizes[1];
}
