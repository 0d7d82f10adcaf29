/* The program's own allocator locks a mutex. Copies of text come from it too, and go back to it.
 *
 * expect: 1 thread-create
 * expect: 4+ lock lock */
#include "early/allocator.c"

#include "early/allocate.h"

int main(void)
{
    allocate_in_all_ways();
    return 0;
}
