#include "mutate.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "scratch.h"
#include "test.h"

enum { MUTANT_SIZE_MAX = 1 << 20, CHANGES_MAX = 8, SPAN_MAX = 64, PATH_SIZE = 4096 };

/* Where readers go wrong: the edges of every width, and lengths that look like sizes. */
static const uint64_t interesting[] = {
    0,
    1,
    2,
    7,
    8,
    0x7f,
    0x80,
    0xff,
    0x100,
    0x7fff,
    0x8000,
    0xffff,
    0x10000,
    0x7fffffff,
    0x80000000,
    0xffffffff,
    0xfffffffe,
    1u << 20,
    1u << 30,
    UINT64_C(1) << 32,
    UINT64_C(1) << 62,
    INT64_MAX,
    UINT64_MAX,
    UINT64_C(1) << 63,
};

static const char *const interesting_texts[] = {
    "0",
    "-1",
    "18446744073709551615",
    "18446744073709551616",
    "9223372036854775808",
    "-9223372036854775809",
    "1e999",
    "\"",
    "\\",
    "{",
    "}",
    "[",
    "]",
    "\n",
    "@",
    "=",
    "#",
    "\xff\xfe",
    "\xed\xa0\x80",
    "null",
    ",",
    ":",
};

void mutator_init(struct mutator *m, uint64_t seed)
{
    *m = (struct mutator){0};
    prng_init(&m->prng, seed);
}

void mutator_release(struct mutator *m)
{
    vec_each (&m->inputs, input) {
        mem_free(input->bytes);
    }
    vec_release(&m->inputs);
    vec_release(&m->buffer);
}

void mutator_add(struct mutator *m, const void *bytes, size_t size)
{
    uint8_t *copy = mem_resize(NULL, size + 1);
    memcpy(copy, bytes, size);
    vec_push(&m->inputs, (struct mutant){copy, size});
}

void mutator_add_folder(struct mutator *m, const char *path)
{
    struct dirent **entries = NULL;
    const int count = scandir(path, &entries, NULL, alphasort);
    if (count < 0) {
        fail_msg("%s: no such folder", path);
    }
    for (int i = 0; i < count; i++) {
        if (entries[i]->d_name[0] != '.') {
            char file[PATH_SIZE];
            (void)snprintf(file, sizeof file, "%s/%s", path, entries[i]->d_name);
            size_t size = 0;
            char *bytes = scratch_read(file, &size);
            must(bytes != NULL);
            mutator_add(m, bytes, size);
            mem_free(bytes);
        }
        free(entries[i]); /* scandir's own, not from base/mem */
    }
    free(entries);
    if (m->inputs.count == 0) {
        fail_msg("%s: no inputs to start from", path);
    }
}

static size_t below(struct mutator *m, size_t bound)
{
    return (size_t)prng_below(&m->prng, bound);
}

/* Replaces buffer[at .. at + old_size) by size bytes. */
static void replace(struct mutator *m, size_t at, size_t old_size, const void *bytes, size_t size)
{
    must(at + old_size <= m->buffer.count);
    const size_t tail = m->buffer.count - at - old_size;
    vec_reserve(&m->buffer, m->buffer.count - old_size + size + 1);
    memmove(m->buffer.at + at + size, m->buffer.at + at + old_size, tail);
    if (size > 0) {
        memcpy(m->buffer.at + at, bytes, size);
    }
    m->buffer.count += size - old_size;
}

/* The length of a span at `at`: mostly short, sometimes all the rest. */
static size_t span_size(struct mutator *m, size_t at, size_t whole)
{
    const size_t rest = whole - at;
    if (rest == 0) {
        return 0;
    }
    return 1 + below(m, below(m, 8) == 0 || rest < SPAN_MAX ? rest : SPAN_MAX);
}

static void splice(struct mutator *m, size_t at)
{
    const struct mutant *from = &m->inputs.at[below(m, m->inputs.count)];
    const size_t start = below(m, from->size + 1);
    const size_t size = span_size(m, start, from->size);
    const size_t old_size = below(m, 2) == 0 ? 0 : span_size(m, at, m->buffer.count);
    replace(m, at, old_size, from->bytes + start, size);
}

static void repeat(struct mutator *m, size_t at)
{
    const size_t size = span_size(m, at, m->buffer.count);
    uint8_t *copy = mem_resize(NULL, size + 1);
    memcpy(copy, m->buffer.at + at, size);
    for (size_t times = 1 + below(m, 3); times > 0 && m->buffer.count < MUTANT_SIZE_MAX; times--) {
        replace(m, at, 0, copy, size);
    }
    mem_free(copy);
}

static void put_number(struct mutator *m, size_t at)
{
    const uint64_t number = interesting[below(m, sizeof interesting / sizeof *interesting)];
    const size_t rest = m->buffer.count - at;
    const size_t width = (size_t)1 << below(m, 4);
    memcpy(m->buffer.at + at, &number, width < rest ? width : rest);
}

/* Replaces the run of digits at or behind `at`, so that text formats see odd numbers too. */
static void put_text(struct mutator *m, size_t at)
{
    const char *text =
        interesting_texts[below(m, sizeof interesting_texts / sizeof *interesting_texts)];
    size_t digits = 0;
    for (size_t i = at; i < m->buffer.count && i < at + SPAN_MAX; i++) {
        if (m->buffer.at[i] >= '0' && m->buffer.at[i] <= '9') {
            at = i;
            break;
        }
    }
    while (at + digits < m->buffer.count && m->buffer.at[at + digits] >= '0' &&
           m->buffer.at[at + digits] <= '9') {
        digits++;
    }
    replace(m, at, digits, text, strlen(text));
}

static void change(struct mutator *m)
{
    const size_t at = below(m, m->buffer.count + 1);
    if (at == m->buffer.count) {
        splice(m, at);
        return;
    }
    switch (below(m, 9)) {
    case 0:
    case 1: m->buffer.at[at] ^= (uint8_t)(1u << below(m, 8)); return;
    case 2: m->buffer.at[at] = (uint8_t)below(m, 256); return;
    case 3: replace(m, at, span_size(m, at, m->buffer.count), NULL, 0); return;
    case 4: repeat(m, at); return;
    case 5: splice(m, at); return;
    case 6: put_number(m, at); return;
    case 7: put_text(m, at); return;
    case 8: m->buffer.count = below(m, 4) == 0 ? at : m->buffer.count; return;
    default: bug("a change that is not there");
    }
}

struct mutant mutator_next(struct mutator *m)
{
    must(m->inputs.count > 0);
    const struct mutant *input = &m->inputs.at[below(m, m->inputs.count)];
    vec_clear(&m->buffer);
    vec_reserve(&m->buffer, input->size + 1);
    memcpy(m->buffer.at, input->bytes, input->size);
    m->buffer.count = input->size;
    for (size_t changes = 1 + below(m, CHANGES_MAX); changes > 0; changes--) {
        change(m);
    }
    m->buffer.capacity = m->buffer.count > 0 ? m->buffer.count : 1;
    m->buffer.at = mem_resize(m->buffer.at, m->buffer.capacity);
    return (struct mutant){m->buffer.at, m->buffer.count};
}

void mutate_entry(const char *name, void (*entry)(const uint8_t *bytes, size_t size))
{
    char path[PATH_SIZE];
    (void)snprintf(path, sizeof path, "%s/test/fuzz/corpus/%s", getenv("CLEW_SOURCE"), name);
    struct mutator m;
    mutator_init(&m, 1);
    mutator_add_folder(&m, path);
    vec_each (&m.inputs, seed) {
        entry(seed->bytes, seed->size);
    }
    for (uint64_t count = test_count(2000, 200000); count > 0; count--) {
        const struct mutant mutant = mutator_next(&m);
        entry(mutant.bytes, mutant.size);
    }
    mutator_release(&m);
}
