/* Two who clean up: both see the block before either has forgotten it. */
#include <stdatomic.h>

#include "threads.h"

static void *_Atomic block;

static void *clean_up(void *unused)
{
#ifdef FIXED
    free(atomic_exchange(&block, NULL));
#else
    void *own = atomic_load(&block);
    if (own != NULL) {
        free(own);
        atomic_store(&block, NULL);
    }
#endif
    return unused;
}

int main(void)
{
    block = malloc(16);
    RUN(clean_up, clean_up);
    return 0;
}
