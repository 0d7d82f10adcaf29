/* The same in C++: the caller of new, also where it is a container's.
 *
 * race: made made
 * race: held held
 * race: static_member static_member */
#include <memory>
#include <vector>

#include "program.h"

struct item {
    int key;
    long value;
};

namespace shop
{
struct all {
    int count;
    item items[3];
} state;
} // namespace shop

static item *single;
static std::vector<int> *list;

static void *touch(void *unused)
{
    single->value = 1;              /* made */
    (*list)[2] = 1;                 /* held */
    shop::state.items[1].value = 1; /* static_member */
    return unused;
}

int main()
{
    single = new item();
    list = new std::vector<int>(10);
    run_both(touch, touch);
    delete list;
    delete single;
    return 0;
}
