/* An allocator in a library locks a mutex, and is first used by the constructors of other
 * libraries.
 *
 * expect: 1 thread-create
 * expect: 4+ lock lock */
#include "early/allocate.h"

int main(void)
{
    allocate_in_all_ways();
    return 0;
}
