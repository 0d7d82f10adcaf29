#include "race/alike.h"

#include <ctype.h>

/* The start of the digits that the first `size` bytes end in. */
static size_t digits_start(const char *name, size_t size)
{
    while (size > 0 && isdigit((unsigned char)name[size - 1])) {
        size--;
    }
    return size;
}

size_t alike_size(const char *name, size_t size)
{
    size_t at = digits_start(name, size);
    if (at > 0 && at < size && name[at - 1] == '+') {
        const size_t block_end = at - 1;
        at = digits_start(name, block_end);
        return at > 1 && at < block_end && name[at - 1] == '#' ? at - 1 : size;
    }
    return at > 1 && at < size && name[at - 1] == '#' ? at - 1 : size;
}

void alike_init(struct alike *a)
{
    *a = (struct alike){0};
    names_init(&a->stems);
}

void alike_release(struct alike *a)
{
    names_release(&a->stems);
    map_release(&a->stem_of);
    map_release(&a->number_of);
}

uint32_t alike_number(struct alike *a, const struct names *names, uint32_t node, uint32_t object)
{
    bool is_new = false;
    uint32_t *stem = map_slot(&a->stem_of, object, 0, &is_new);
    if (is_new) {
        const char *name = names_text(names, object);
        *stem = names_intern(&a->stems, name, alike_size(name, names_size(names, object)));
    }
    return *map_slot(&a->number_of, map_pair(node, *stem), (uint32_t)a->number_of.entries.count,
                     NULL);
}
