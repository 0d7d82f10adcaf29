/* Sixteen bytes at once.
 * no race */
#include <stdatomic.h>

#include "program.h"

static _Alignas(16) _Atomic __int128 wide;

static void *raise_it(void *unused)
{
    for (int i = 0; i < 100; i++) {
        (void)__atomic_fetch_add((__int128 *)&wide, ((__int128)1 << 64) + 1, __ATOMIC_SEQ_CST);
    }
    return unused;
}

int main(void)
{
    run_both(raise_it, raise_it);
    CLAIM(atomic_load(&wide) == (((__int128)200 << 64) + 200));
    return 0;
}
