#include "base/vec.h"

#include "base/mem.h"

void *vec_grown(void *at, size_t *capacity, size_t wanted, size_t element_size)
{
    size_t grown = *capacity + *capacity / 2;
    grown = grown < 8 ? 8 : grown;
    grown = grown < wanted ? wanted : grown;
    at = mem_resize(at, mem_product(grown, element_size));
    *capacity = grown;
    return at;
}

void vec_free(void *at)
{
    mem_free(at);
}
