/* The same in C++: the caller of new, also where it is a container's.
 *
 * race: made made
 * race: held held
 * race: static_member static_member
 * race: mapped mapped
 * race: letter letter
 * race: counted counted
 * race: grown grown */
#include <map>
#include <memory>
#include <string>
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
static std::vector<long> *rows;
static long *node; /* in a map */
static std::string *text;
static std::shared_ptr<item> counted;

static void *touch(void *unused)
{
    single->value = 1;              /* made */
    (*list)[2] = 1;                 /* held */
    shop::state.items[1].value = 1; /* static_member */
    *node = 1;                      /* mapped */
    (*text)[40] = 'x';              /* letter */
    counted->value = 1;             /* counted */
    (*rows)[1] = 1;                 /* grown */
    return unused;
}

int main()
{
    single = new item();
    list = new std::vector<int>(10);
    std::map<int, long> table;
    table[7] = 1;
    node = &table[7];
    text = new std::string(60, 'a');
    counted = std::make_shared<item>();
    rows = new std::vector<long>();
    rows->reserve(8);
    rows->push_back(1);
    rows->push_back(2);
    run_both(touch, touch);
    counted.reset();
    delete rows;
    delete text;
    delete list;
    delete single;
    return 0;
}
