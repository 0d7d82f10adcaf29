/* Wrappers of the scanf family. They report the bytes written for each conversion that the call
 * made. */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include "runtime/instrument/wrap.h"

struct conversion {
    bool is_kept;      /* it has no *: it stores through an argument */
    bool is_allocated; /* %ms: the argument receives the address of new memory */
    bool is_wide;
    size_t width;       /* 0: none */
    size_t number_size; /* of an integer */
    size_t real_size;   /* of a number with a fraction */
    char kind;
};

static const char *modifiers_read(const char *at, struct conversion *c)
{
    c->number_size = sizeof(int);
    c->real_size = sizeof(float);
    for (;; at++) {
        switch (*at) {
        case 'h':
            c->number_size = c->number_size == sizeof(int) ? sizeof(short) : sizeof(char);
            break;
        case 'l':
            c->number_size = sizeof(long);
            c->real_size = sizeof(double);
            c->is_wide = true;
            break;
        case 'L':
            c->real_size = sizeof(long double);
            c->number_size = sizeof(long long);
            break;
        case 'q':
        case 'j':
        case 'z':
        case 't': c->number_size = sizeof(long long); break;
        case 'm': c->is_allocated = true; break;
        default: return at;
        }
    }
}

/* The address after the set of a conversion %[...]. */
static const char *set_skip(const char *at)
{
    at += *at == '^';
    at += *at == ']';
    while (*at != 0 && *at != ']') {
        at++;
    }
    return at + (*at == ']');
}

/* Parses the conversion after a %. Returns the address after it, or NULL if its arguments are
 * numbered. */
static const char *conversion_read(const char *at, struct conversion *c)
{
    *c = (struct conversion){.is_kept = *at != '*'};
    at += !c->is_kept;
    for (; (*at >= '0' && *at <= '9') || *at == '\''; at++) {
        c->width = *at == '\'' ? c->width : c->width * 10 + (size_t)(*at - '0');
    }
    if (*at == '$') {
        return NULL;
    }
    at = modifiers_read(at, c);
    c->kind = *at;
    if (*at == 0) {
        return at;
    }
    return c->kind == '[' ? set_skip(at + 1) : at + 1;
}

static size_t text_written(const struct conversion *c, const void *to)
{
    if (c->is_wide || c->kind == 'S') {
        const wchar_t *text = to;
        size_t length = 0;
        while (text[length] != 0) {
            length++;
        }
        return (length + 1) * sizeof *text;
    }
    return __real_strlen(to) + 1;
}

static size_t size_written(const struct conversion *c, const void *to)
{
    if (c->is_allocated || c->kind == 'p') {
        return sizeof(void *);
    }
    switch (c->kind) {
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X':
    case 'n': return c->number_size;
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G': return c->real_size;
    case 'c':
    case 'C':
        return (c->width > 0 ? c->width : 1) *
               (c->is_wide || c->kind == 'C' ? sizeof(wchar_t) : sizeof(char));
    case 's':
    case 'S':
    case '[': return text_written(c, to);
    default: return 0;
    }
}

/* Reports the writes of a call that made `made` conversions. */
static void scanned(const char *format, va_list list, int made, const void *place)
{
    struct conversion c;
    const char *at = format;
    while (clew_rt_write != NULL && *(at += __real_strcspn(at, "%")) != 0) {
        at = conversion_read(at + 1, &c);
        if (at == NULL || c.kind == 0) {
            return;
        }
        if (c.kind == '%' || !c.is_kept) {
            continue;
        }
        if (made <= 0 && c.kind != 'n') {
            return;
        }
        const void *to = va_arg(list, void *);
        hook_write(to, size_written(&c, to), place);
        made -= c.kind != 'n';
    }
}

static void input_read(const char *text, const void *place)
{
    if (clew_rt_read != NULL) {
        hook_read(text, __real_strlen(text) + 1, place);
    }
}

#define WITH_COPY(call)                  \
    va_list again;                       \
    va_copy(again, list);                \
    const int made = call;               \
    scanned(format, again, made, PLACE); \
    va_end(again)

#define WITH_LIST(call)     \
    va_list list;           \
    va_start(list, format); \
    WITH_COPY(call);        \
    va_end(list);           \
    return made

/* The six functions of one version of C. */
#define FAMILY(version)                                                                  \
    WRAPPED(int, version##vsscanf, (const char *text, const char *format, va_list list)) \
    {                                                                                    \
        input_read(text, PLACE);                                                         \
        WITH_COPY(__real_##version##vsscanf(text, format, list));                        \
        return made;                                                                     \
    }                                                                                    \
    WRAPPED(int, version##sscanf, (const char *text, const char *format, ...))           \
    {                                                                                    \
        input_read(text, PLACE);                                                         \
        WITH_LIST(__real_##version##vsscanf(text, format, list));                        \
    }                                                                                    \
    WRAPPED(int, version##vfscanf, (FILE * file, const char *format, va_list list))      \
    {                                                                                    \
        stream_used(file, PLACE);                                                        \
        WITH_COPY(__real_##version##vfscanf(file, format, list));                        \
        return made;                                                                     \
    }                                                                                    \
    WRAPPED(int, version##fscanf, (FILE * file, const char *format, ...))                \
    {                                                                                    \
        stream_used(file, PLACE);                                                        \
        WITH_LIST(__real_##version##vfscanf(file, format, list));                        \
    }                                                                                    \
    WRAPPED(int, version##vscanf, (const char *format, va_list list))                    \
    {                                                                                    \
        WITH_COPY(__real_##version##vfscanf(stdin, format, list));                       \
        return made;                                                                     \
    }                                                                                    \
    WRAPPED(int, version##scanf, (const char *format, ...))                              \
    {                                                                                    \
        WITH_LIST(__real_##version##vfscanf(stdin, format, list));                       \
    }
FAMILY()
FAMILY(__isoc99_)
FAMILY(__isoc23_)
