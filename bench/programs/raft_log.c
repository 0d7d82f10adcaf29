#include "raft_log.h"

#include <stdlib.h>
#include <string.h>

void *allocate(size_t size)
{
    void *block = calloc(1, size == 0 ? 1 : size);
    if (block == NULL) {
        abort();
    }
    return block;
}

void *grow(void *block, size_t size)
{
    void *grown = realloc(block, size);
    if (grown == NULL) {
        abort();
    }
    return grown;
}

/* Bytes */

void write_bytes(struct writer *w, const void *bytes, size_t size)
{
    if (w->used + size > w->room) {
        w->room = 2 * (w->used + size) + 64;
        w->bytes = grow(w->bytes, w->room);
    }
    if (size > 0) {
        memcpy(w->bytes + w->used, bytes, size);
        w->used += size;
    }
}

void write_number(struct writer *w, uint64_t number)
{
    char bytes[10];
    size_t size = 0;
    do {
        bytes[size] = (char)(number & 0x7f);
        number >>= 7;
        bytes[size] = (char)(bytes[size] | (number > 0 ? 0x80 : 0));
        size++;
    } while (number > 0);
    write_bytes(w, bytes, size);
}

void write_block(struct writer *w, const void *bytes, size_t size)
{
    write_number(w, size);
    write_bytes(w, bytes, size);
}

struct reader reader_of(const void *bytes, size_t size)
{
    return (struct reader){bytes, size == 0 ? bytes : (const unsigned char *)bytes + size, false};
}

uint64_t read_number(struct reader *r)
{
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (r->at == r->end) {
            r->is_broken = true;
            return 0;
        }
        const unsigned char byte = *r->at++;
        number |= (uint64_t)(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0) {
            return number;
        }
    }
    r->is_broken = true;
    return 0;
}

const void *read_bytes(struct reader *r, size_t size)
{
    if ((size_t)(r->end - r->at) < size) {
        r->is_broken = true;
        return NULL;
    }
    const void *bytes = r->at;
    r->at += size;
    return bytes;
}

const void *read_block(struct reader *r, size_t *size)
{
    *size = (size_t)read_number(r);
    return read_bytes(r, *size);
}

uint64_t mix(uint64_t hash, uint64_t more)
{
    hash = (hash ^ more) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

uint64_t mix_bytes(uint64_t hash, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        hash = mix(hash, (unsigned char)bytes[i]);
    }
    return hash;
}

/* The log */

uint64_t log_last(const struct log *l)
{
    return l->snapshot_index + l->count;
}

bool log_has(const struct log *l, uint64_t index)
{
    return index > l->snapshot_index && index <= log_last(l);
}

struct entry *log_at(const struct log *l, uint64_t index)
{
    return &l->at[index - l->snapshot_index - 1];
}

uint64_t log_term(const struct log *l, uint64_t index)
{
    if (index == l->snapshot_index) {
        return l->snapshot_term;
    }
    return log_has(l, index) ? log_at(l, index)->term : 0;
}

void log_append(struct log *l, const struct entry *e)
{
    if (l->count == l->room) {
        l->room = l->room == 0 ? 8 : 2 * l->room;
        l->at = grow(l->at, l->room * sizeof *l->at);
    }
    struct entry *own = &l->at[l->count++];
    *own = *e;
    own->bytes = allocate(e->size);
    if (e->size > 0) {
        memcpy(own->bytes, e->bytes, e->size);
    }
}

void log_truncate(struct log *l, uint64_t last)
{
    while (log_last(l) > last && l->count > 0) {
        free(l->at[--l->count].bytes);
    }
}

/* Forgets the first entries, which are in a snapshot. */
void log_compact(struct log *l, uint64_t index, uint64_t term)
{
    size_t gone = 0;
    while (gone < l->count && l->snapshot_index + gone + 1 <= index) {
        free(l->at[gone++].bytes);
    }
    l->count -= gone;
    if (l->count > 0) {
        memmove(l->at, l->at + gone, l->count * sizeof *l->at);
    }
    l->snapshot_index = index;
    l->snapshot_term = term;
}

void log_clear(struct log *l)
{
    log_truncate(l, l->snapshot_index);
    free(l->at);
    l->at = NULL;
    l->room = 0;
}

void log_write(const struct log *l, uint64_t first, uint64_t last, struct writer *w)
{
    write_number(w, last + 1 - first);
    for (uint64_t i = first; i <= last; i++) {
        const struct entry *e = log_at(l, i);
        write_number(w, e->term);
        write_number(w, e->kind);
        write_block(w, e->bytes, e->size);
    }
}

bool log_read(struct reader *r, struct entry *e)
{
    e->term = read_number(r);
    const uint64_t kind = read_number(r);
    e->bytes = (char *)(uintptr_t)read_block(r, &e->size);
    e->kind = kind <= ENTRY_MEMBERS ? (enum entry_kind)kind : ENTRY_NOTHING;
    return !r->is_broken && kind <= ENTRY_MEMBERS;
}

uint64_t entry_hash(const struct entry *e)
{
    return mix_bytes(mix(mix(1, e->term), e->kind), e->bytes, e->size);
}
