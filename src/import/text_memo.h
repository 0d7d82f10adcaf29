/* A memo of recent names and tasks, by their text. It saves the tables most look-ups, because logs
 * repeat few texts. A slot per hash; the newer text wins. */
#ifndef CLEW_IMPORT_TEXT_MEMO_H
#define CLEW_IMPORT_TEXT_MEMO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "trace/tables.h"
#include "wire/must.h"

enum { MEMO_BITS = 12 };
_Static_assert(MEMO_BITS < 32, "the upper bits of a hash choose the slot");

/* The two words at the ends of a text. With the size they determine a text up to 16 bytes; so only
 * longer texts are compared in full. */
struct memo_key {
    uint64_t front, back;
    uint32_t size;
};

struct memo_entry {
    struct memo_key key; /* all 0: free, or the empty text, whose number is 0 too */
    uint32_t number;
};

/* {0} is empty; either for names or for tasks. */
struct memo {
    struct memo_entry entries[1 << MEMO_BITS];
};

/* The words overlap where the text is shorter than both, so that no byte outside it is read. */
static inline struct memo_key memo_key(const char *text, size_t size)
{
    struct memo_key key = {.size = (uint32_t)size};
    if (size >= 8) {
        memcpy(&key.front, text, 8);
        memcpy(&key.back, text + size - 8, 8);
    } else if (size >= 4) {
        uint32_t front = 0;
        uint32_t back = 0;
        memcpy(&front, text, 4);
        memcpy(&back, text + size - 4, 4);
        key.front = front;
        key.back = back;
    } else if (size > 0) {
        key.front = (uint64_t)(unsigned char)text[0] |
                    (uint64_t)(unsigned char)text[size / 2] << 8 |
                    (uint64_t)(unsigned char)text[size - 1] << 16;
    }
    return key;
}

/* The slot of the key. */
static inline struct memo_entry *memo_slot(struct memo *m, const struct memo_key *key)
{
    const uint64_t mixed = (key->front ^ (key->back << 24 | key->back >> 40) ^ key->size) *
                           UINT64_C(0x9e3779b97f4a7c15);
    return &m->entries[mixed >> (64 - MEMO_BITS)];
}

static inline bool memo_key_is(const struct memo_key *a, const struct memo_key *b)
{
    return a->front == b->front && a->back == b->back && a->size == b->size;
}

/* The number of the name with this text, new ones last. */
static inline uint32_t memo_name(struct memo *m, struct names *n, const char *text, size_t size)
{
    const struct memo_key key = memo_key(text, size);
    struct memo_entry *entry = memo_slot(m, &key);
    if (!memo_key_is(&entry->key, &key) ||
        (size > 16 && memcmp(names_text(n, entry->number), text, size) != 0)) {
        must(size <= UINT32_MAX);
        *entry = (struct memo_entry){key, names_intern(n, text, size)};
    }
    return entry->number;
}

/* Whether the task has this text. Long names without a node are not recognized: few have them. */
static inline bool memo_task_is(const struct tables *t, uint32_t task, const char *text,
                                size_t size)
{
    const struct name *name = &t->names.list.at[t->tasks.at[task].name];
    must(task < t->tasks.count);
    const struct name *node = &t->names.list.at[t->tasks.at[task].node];
    return size == (size_t)name->size + 1 + node->size && text[name->size] == '@' &&
           memcmp(text, name->text, name->size) == 0 &&
           memcmp(text + name->size + 1, node->text, node->size) == 0;
}

/* The number of the task written "name@node" or "name", new ones last. */
static inline uint32_t memo_task(struct memo *m, struct tables *t, const char *text, size_t size)
{
    const struct memo_key key = memo_key(text, size);
    struct memo_entry *entry = memo_slot(m, &key);
    if (!memo_key_is(&entry->key, &key) ||
        (size > 16 && !memo_task_is(t, entry->number, text, size))) {
        *entry = (struct memo_entry){key, tables_task_text(t, text, size)};
    }
    return entry->number;
}

#endif
