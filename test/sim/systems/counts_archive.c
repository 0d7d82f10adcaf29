/* A library that was compiled plainly, by somebody who knows nothing of clew. */
#include <stdlib.h>

int *archive_counter(void);

int *archive_counter(void)
{
    void *(*take)(size_t count, size_t size) = calloc; /* through a pointer, as libraries do */
    return take(1, sizeof(int));
}
