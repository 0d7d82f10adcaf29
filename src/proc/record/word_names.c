#include "proc/record/word_names.h"

#include <stddef.h>
#include <string.h>

#include "wire/must.h"

enum {
    WORD_BITS = 3,
    PAGE_BITS = 12,
    PAGE_WORDS = 1 << (PAGE_BITS - WORD_BITS),
    PAGES_MAX = 1 << 17, /* 256 MiB of names; then the cache starts empty again */
};

#define NAME_MAX_KNOWN (UINT32_MAX >> WORD_BITS)

/* The cache holds whole pages, and every page in the map. */
static bool labels_are_whole(const struct labels *l)
{
    return l->names.count == l->page_of.entries.count * PAGE_WORDS;
}

static uint32_t *find_page(struct labels *l, uint64_t page)
{
    if (l->names_last == NULL || l->page_last != page) {
        const uint32_t *at = map_get(&l->page_of, page);
        l->page_last = page;
        l->names_last = at == NULL ? NULL : &l->names.at[(size_t)*at * PAGE_WORDS];
    }
    return l->names_last;
}

static uint32_t *make_page(struct labels *l, uint64_t page)
{
    if (l->page_of.entries.count >= PAGES_MAX) {
        map_clear(&l->page_of);
        vec_clear(&l->names);
    }
    const size_t used = l->names.count;
    map_put(&l->page_of, page, (uint32_t)(used / PAGE_WORDS));
    vec_reserve(&l->names, used + PAGE_WORDS);
    l->names.count = used + PAGE_WORDS;
    memset(&l->names.at[used], 0, PAGE_WORDS * sizeof *l->names.at);
    l->page_last = page;
    l->names_last = &l->names.at[used];
    return l->names_last;
}

static size_t word_of(uint64_t address)
{
    return address >> WORD_BITS & (PAGE_WORDS - 1);
}

static uint32_t offset_of(uint64_t address)
{
    return (uint32_t)(address & ((1 << WORD_BITS) - 1));
}

uint32_t labels_get(struct labels *l, uint64_t address)
{
    const uint32_t *names = find_page(l, address >> PAGE_BITS);
    const uint32_t known = names == NULL ? 0 : names[word_of(address)];
    return (known & ((1 << WORD_BITS) - 1)) == offset_of(address) ? known >> WORD_BITS : 0;
}

void labels_put(struct labels *l, uint64_t address, uint32_t name)
{
    if (name > NAME_MAX_KNOWN) {
        return;
    }
    uint32_t *names = find_page(l, address >> PAGE_BITS);
    names = names != NULL ? names : make_page(l, address >> PAGE_BITS);
    must(labels_are_whole(l));
    names[word_of(address)] = name << WORD_BITS | offset_of(address);
}

/* Forgets the names of words of the page between the two addresses, both included. */
static void forget_in_page(struct labels *l, uint64_t page, uint64_t first, uint64_t last)
{
    uint32_t *names = find_page(l, page);
    if (names == NULL) {
        return;
    }
    const size_t from = first >> PAGE_BITS < page ? 0 : word_of(first);
    const size_t to = last >> PAGE_BITS > page ? PAGE_WORDS - 1 : word_of(last);
    must(from <= to);
    memset(&names[from], 0, (to - from + 1) * sizeof *names);
}

void labels_forget(struct labels *l, uint64_t start, uint64_t size)
{
    const uint64_t last = start + size - 1;
    const uint64_t page_last = last >> PAGE_BITS;
    if (size == 0 || last < start) {
        return;
    }
    if (page_last - (start >> PAGE_BITS) < l->page_of.entries.count) {
        for (uint64_t page = start >> PAGE_BITS; page <= page_last; page++) {
            forget_in_page(l, page, start, last);
        }
        return;
    }
    vec_each (&l->page_of.entries, entry) {
        if (entry->key >= start >> PAGE_BITS && entry->key <= page_last) {
            forget_in_page(l, entry->key, start, last);
        }
    }
}

void labels_release(struct labels *l)
{
    map_release(&l->page_of);
    vec_release(&l->names);
}
