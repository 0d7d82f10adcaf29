#include "race/allocation_class.h"

#include <ctype.h>
#include <string.h>

#include "wire/must.h"

/* The start of the digits that the first `size` bytes end in. */
static size_t digits_start(const char *name, size_t size)
{
    while (size > 0 && isdigit((unsigned char)name[size - 1])) {
        size--;
    }
    return size;
}

/* Without the number behind this mark that the first `size` bytes end in; all of them where there
 * is none. */
static size_t without(const char *name, size_t size, char mark)
{
    const size_t at = digits_start(name, size);
    return at > 0 && at < size && name[at - 1] == mark ? at - 1 : size;
}

/* Without "@main/1/2", the task that allocated it, at the end. */
static size_t without_task(const char *name, size_t size)
{
    size_t at = size;
    while (at > 0 && (isdigit((unsigned char)name[at - 1]) || name[at - 1] == '/')) {
        at--;
    }
    static const char first[] = "@main";
    const size_t length = sizeof first - 1;
    return at < size && at > length && memcmp(name + at - length, first, length) == 0 ? at - length
                                                                                      : size;
}

size_t alike_size(const char *name, size_t size)
{
    const size_t block = without(name, without(name, size, '+'), '.');
    const size_t place = without(name, block, '#');
    must(place <= block);
    must(block <= size);
    return place == 0 || place == block ? size : without_task(name, place);
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
    must(*stem < a->stems.list.count);
    return *map_slot(&a->number_of, map_pair(node, *stem), (uint32_t)a->number_of.entries.count,
                     NULL);
}
