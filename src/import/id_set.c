#include "import/id_set.h"

#include "wire/must.h"

bool id_set_add(struct id_set *s, int64_t number)
{
    bool is_new = false;
    const uint32_t page =
        *map_slot(&s->page_of, (uint64_t)number / 64, (uint32_t)s->pages.count, &is_new);
    if (is_new) {
        vec_push(&s->pages, 0);
    }
    must(page < s->pages.count);
    const uint64_t bit = UINT64_C(1) << ((uint64_t)number % 64);
    const bool was_there = (s->pages.at[page] & bit) != 0;
    s->pages.at[page] |= bit;
    return !was_there;
}

bool id_set_add_text(struct id_set *s, const char *text, size_t size)
{
    const size_t before = s->texts.list.count;
    (void)names_intern(&s->texts, text, size);
    return s->texts.list.count > before;
}

void id_set_release(struct id_set *s)
{
    map_release(&s->page_of);
    vec_release(&s->pages);
    names_release(&s->texts);
}
