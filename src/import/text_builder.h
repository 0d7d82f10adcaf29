/* Text under construction (struct text), and borrowed pieces of text (struct piece). */
#ifndef CLEW_IMPORT_TEXT_BUILDER_H
#define CLEW_IMPORT_TEXT_BUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "base/vec.h"
#include "wire/must.h"

/* Borrowed bytes. {0} is empty. */
struct piece {
    const char *at;
    size_t size;
};

/* Owned bytes, which grow. {0} is empty. */
struct text {
    VEC(char) chars;
};

static inline struct piece piece_of(const char *text)
{
    return (struct piece){text, strlen(text)};
}

static inline bool piece_is(struct piece p, const char *text)
{
    return p.size == strlen(text) && (p.size == 0 || memcmp(p.at, text, p.size) == 0);
}

/* The same, ignoring the case of ASCII letters. */
static inline bool piece_is_like(struct piece p, const char *text)
{
    return p.size == strlen(text) && (p.size == 0 || strncasecmp(p.at, text, p.size) == 0);
}

static inline bool piece_equals(struct piece a, struct piece b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.at, b.at, a.size) == 0);
}

static inline bool piece_begins(struct piece p, const char *text)
{
    const size_t size = strlen(text);
    return p.size >= size && memcmp(p.at, text, size) == 0;
}

/* The piece without its first `count` bytes. */
static inline struct piece piece_after(struct piece p, size_t count)
{
    must(count <= p.size);
    return count == 0 ? p : (struct piece){p.at + count, p.size - count};
}

/* The number of bytes before the first c: all of them when there is none. */
static inline size_t piece_until(struct piece p, char c)
{
    const char *found = p.size == 0 ? NULL : memchr(p.at, c, p.size);
    return found == NULL ? p.size : (size_t)(found - p.at);
}

/* Without blanks at its ends. */
static inline struct piece piece_trimmed(struct piece p)
{
    while (p.size > 0 && (*p.at == ' ' || *p.at == '\t')) {
        p = piece_after(p, 1);
    }
    while (p.size > 0 && strchr(" \t\r\n", p.at[p.size - 1]) != NULL) {
        p.size--;
    }
    return p;
}

static inline void text_add(struct text *t, struct piece p)
{
    if (p.size > 0) {
        vec_reserve(&t->chars, t->chars.count + p.size);
        memcpy(t->chars.at + t->chars.count, p.at, p.size);
        t->chars.count += p.size;
    }
}

static inline void text_add_char(struct text *t, char c)
{
    vec_push(&t->chars, c);
}

static inline void text_clear(struct text *t)
{
    vec_clear(&t->chars);
}

static inline void text_set(struct text *t, struct piece p)
{
    text_clear(t);
    text_add(t, p);
}

/* Valid until the text changes. */
static inline struct piece text_piece(const struct text *t)
{
    return (struct piece){t->chars.at, t->chars.count};
}

static inline void text_release(struct text *t)
{
    vec_release(&t->chars);
}

#endif
