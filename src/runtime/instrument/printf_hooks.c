/* Wrappers of the printf family. They report the bytes read of string arguments (%s) and the bytes
 * written into a buffer. */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include "runtime/instrument/wrap.h"

extern int __real_vsnprintf(char *to, size_t size, const char *format, va_list list);

/* The size of a conversion's argument, from its length modifier. */
enum length {
    LENGTH_INT,
    LENGTH_LONG,
    LENGTH_LONG_LONG,
    LENGTH_MAX,
    LENGTH_SIZE,
    LENGTH_DIFFERENCE
};

static const char *length_read(const char *at, enum length *length)
{
    *length = LENGTH_INT;
    for (;; at++) {
        switch (*at) {
        case 'h': break; /* promoted to int */
        case 'l': *length = *length == LENGTH_LONG ? LENGTH_LONG_LONG : LENGTH_LONG; break;
        case 'q':
        case 'L': *length = LENGTH_LONG_LONG; break;
        case 'j': *length = LENGTH_MAX; break;
        case 'z': *length = LENGTH_SIZE; break;
        case 't': *length = LENGTH_DIFFERENCE; break;
        default: return at;
        }
    }
}

/* A va_list in a struct, so that a called function can consume arguments from it. */
struct arguments {
    va_list list;
};

static void integer_skip(struct arguments *arguments, enum length length)
{
    switch (length) {
    case LENGTH_INT: (void)va_arg(arguments->list, int); return;
    case LENGTH_LONG: (void)va_arg(arguments->list, long); return;
    case LENGTH_LONG_LONG: (void)va_arg(arguments->list, long long); return;
    case LENGTH_MAX: (void)va_arg(arguments->list, intmax_t); return;
    case LENGTH_SIZE: (void)va_arg(arguments->list, size_t); return;
    case LENGTH_DIFFERENCE: (void)va_arg(arguments->list, ptrdiff_t); return;
    }
}

static size_t number_size(enum length length)
{
    return length == LENGTH_INT ? sizeof(int) : sizeof(long);
}

/* A width or a precision: a number, or * for an argument. A negative precision counts as none. */
static const char *number_read(const char *at, struct arguments *arguments, int *number)
{
    *number = 0;
    if (*at == '*') {
        *number = va_arg(arguments->list, int);
        return at + 1;
    }
    for (; *at >= '0' && *at <= '9'; at++) {
        *number = *number < 100000000 ? *number * 10 + (*at - '0') : *number;
    }
    return at;
}

static void text_read(const char *text, int precision, const void *place)
{
    if (text != NULL && precision != 0) {
        const size_t size = precision > 0 ? (size_t)precision : SIZE_MAX;
        const size_t length = __real_strnlen(text, size);
        hook_read(text, length < size ? length + 1 : size, place);
    }
}

/* Consumes the argument of a conversion and reports the bytes that it reads. False for an unknown
 * conversion. */
static bool argument_take(struct arguments *arguments, char conversion, enum length length,
                          int precision, const void *place)
{
    switch (conversion) {
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X':
    case 'c': integer_skip(arguments, length); return true;
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
        if (length == LENGTH_LONG_LONG) {
            (void)va_arg(arguments->list, long double);
        } else {
            (void)va_arg(arguments->list, double);
        }
        return true;
    case 's':
        if (length == LENGTH_INT) {
            text_read(va_arg(arguments->list, const char *), precision, place);
        } else {
            (void)va_arg(arguments->list, const wchar_t *);
        }
        return true;
    case 'n': hook_write(va_arg(arguments->list, void *), number_size(length), place); return true;
    case 'p': (void)va_arg(arguments->list, void *); return true;
    case 'm':
    case '%': return true;
    default: return false;
    }
}

/* The address after the % of the next conversion; NULL if there is none. */
static const char *percent(const char *format)
{
    const char *at = format + __real_strcspn(format, "%");
    return *at != 0 ? at : NULL;
}

/* Reports the bytes of string arguments that a call of printf reads. Stops at a numbered argument
 * (%1$s). Always returns -1: the caller has to print. */
static int arguments_read(const char *format, va_list list, const void *place)
{
    struct arguments arguments;
    if (clew_rt_read == NULL) {
        return -1;
    }
    va_copy(arguments.list, list);
    bool is_known = true;
    for (const char *at = percent(format); at != NULL && is_known; at = percent(at)) {
        int width = 0;
        int precision = -1;
        enum length length = LENGTH_INT;
        at += 1 + __real_strspn(at + 1, "-+ #0'I");
        at = number_read(at, &arguments, &width);
        if (*at == '.') {
            at = number_read(at + 1, &arguments, &precision);
        }
        at = length_read(at, &length);
        is_known = argument_take(&arguments, *at, length, precision, place);
        at += is_known;
    }
    va_end(arguments.list);
    return -1;
}

static int format_again(char *to, size_t size, const char *format, va_list list)
{
    va_list again;
    va_copy(again, list);
    const int length = __real_vsnprintf(to, size, format, again);
    va_end(again);
    return length;
}

/* Reports the accesses of printing into a buffer of `size` bytes. Returns the length of the text if
 * control has stored it already, in parts; -1 if the caller has to print. */
static int printed(char *to, size_t size, const char *format, va_list list, const void *place)
{
    if (clew_rt_write == NULL) {
        return -1;
    }
    (void)arguments_read(format, list, place);
    const int length = format_again(NULL, 0, format, list);
    if (length < 0 || size == 0) {
        return -1;
    }
    const size_t written = (size_t)length < size ? (size_t)length + 1 : size;
    char *text = clew_rt_scratch != NULL ? clew_rt_scratch((size_t)length + 1) : NULL;
    if (text == NULL) {
        hook_write(to, written, place);
        return -1;
    }
    (void)format_again(text, (size_t)length + 1, format, list);
    text[written - 1] = 0;
    return hook_store(to, text, written, place) ? length : -1;
}

/* Functions with arguments behind the format call those with a list of them. */
#define WITH_LIST(report, call)                                     \
    va_list list;                                                   \
    va_start(list, format);                                         \
    const int printed_length = report;                              \
    const int length = printed_length >= 0 ? printed_length : call; \
    va_end(list);                                                   \
    return length

WRAPPED(int, vsnprintf, (char *to, size_t size, const char *format, va_list list))
{
    const int length = printed(to, size, format, list, PLACE);
    return length >= 0 ? length : __real_vsnprintf(to, size, format, list);
}

WRAPPED(int, snprintf, (char *to, size_t size, const char *format, ...))
{
    WITH_LIST(printed(to, size, format, list, PLACE), __real_vsnprintf(to, size, format, list));
}

WRAPPED(int, vsprintf, (char *to, const char *format, va_list list))
{
    const int length = printed(to, SIZE_MAX, format, list, PLACE);
    return length >= 0 ? length : __real_vsprintf(to, format, list);
}

WRAPPED(int, sprintf, (char *to, const char *format, ...))
{
    WITH_LIST(printed(to, SIZE_MAX, format, list, PLACE), __real_vsprintf(to, format, list));
}

/* The variants of _FORTIFY_SOURCE. If the text does not fit, libc's own function reports that and
 * ends the program. */
static bool is_within(size_t room, const char *format, va_list list)
{
    const int length = format_again(NULL, 0, format, list);
    return length >= 0 && (size_t)length < room;
}

WRAPPED(int, __vsnprintf_chk,
        (char *to, size_t size, int flag, size_t room, const char *format, va_list list))
{
    const int length = size <= room ? printed(to, size, format, list, PLACE) : -1;
    return length >= 0 ? length : __real___vsnprintf_chk(to, size, flag, room, format, list);
}

WRAPPED(int, __snprintf_chk,
        (char *to, size_t size, int flag, size_t room, const char *format, ...))
{
    WITH_LIST(size <= room ? printed(to, size, format, list, PLACE) : -1,
              __real___vsnprintf_chk(to, size, flag, room, format, list));
}

WRAPPED(int, __vsprintf_chk, (char *to, int flag, size_t room, const char *format, va_list list))
{
    const int length =
        is_within(room, format, list) ? printed(to, SIZE_MAX, format, list, PLACE) : -1;
    return length >= 0 ? length : __real___vsprintf_chk(to, flag, room, format, list);
}

WRAPPED(int, __sprintf_chk, (char *to, int flag, size_t room, const char *format, ...))
{
    WITH_LIST(is_within(room, format, list) ? printed(to, SIZE_MAX, format, list, PLACE) : -1,
              __real___vsprintf_chk(to, flag, room, format, list));
}

WRAPPED(int, vfprintf, (FILE * file, const char *format, va_list list))
{
    stream_used(file, PLACE);
    (void)arguments_read(format, list, PLACE);
    return __real_vfprintf(file, format, list);
}

WRAPPED(int, fprintf, (FILE * file, const char *format, ...))
{
    stream_used(file, PLACE);
    WITH_LIST(arguments_read(format, list, PLACE), __real_vfprintf(file, format, list));
}

WRAPPED(int, vprintf, (const char *format, va_list list))
{
    (void)arguments_read(format, list, PLACE);
    return __real_vfprintf(stdout, format, list);
}

WRAPPED(int, printf, (const char *format, ...))
{
    WITH_LIST(arguments_read(format, list, PLACE), __real_vfprintf(stdout, format, list));
}

WRAPPED(int, __vfprintf_chk, (FILE * file, int flag, const char *format, va_list list))
{
    stream_used(file, PLACE);
    (void)arguments_read(format, list, PLACE);
    return __real___vfprintf_chk(file, flag, format, list);
}

WRAPPED(int, __fprintf_chk, (FILE * file, int flag, const char *format, ...))
{
    stream_used(file, PLACE);
    WITH_LIST(arguments_read(format, list, PLACE), __real___vfprintf_chk(file, flag, format, list));
}

WRAPPED(int, __vprintf_chk, (int flag, const char *format, va_list list))
{
    (void)arguments_read(format, list, PLACE);
    return __real___vfprintf_chk(stdout, flag, format, list);
}

WRAPPED(int, __printf_chk, (int flag, const char *format, ...))
{
    WITH_LIST(arguments_read(format, list, PLACE),
              __real___vfprintf_chk(stdout, flag, format, list));
}

WRAPPED(int, vdprintf, (int fd, const char *format, va_list list))
{
    hook_use(fd, PLACE);
    (void)arguments_read(format, list, PLACE);
    return __real_vdprintf(fd, format, list);
}

WRAPPED(int, dprintf, (int fd, const char *format, ...))
{
    hook_use(fd, PLACE);
    WITH_LIST(arguments_read(format, list, PLACE), __real_vdprintf(fd, format, list));
}

/* Only the store of the pointer is reported: no other thread knows the new text. */
WRAPPED(int, vasprintf, (char **to, const char *format, va_list list))
{
    (void)arguments_read(format, list, PLACE);
    hook_write(to, sizeof *to, PLACE);
    return __real_vasprintf(to, format, list);
}

WRAPPED(int, asprintf, (char **to, const char *format, ...))
{
    hook_write(to, sizeof *to, PLACE);
    WITH_LIST(arguments_read(format, list, PLACE), __real_vasprintf(to, format, list));
}

WRAPPED(int, __vasprintf_chk, (char **to, int flag, const char *format, va_list list))
{
    (void)arguments_read(format, list, PLACE);
    hook_write(to, sizeof *to, PLACE);
    return __real___vasprintf_chk(to, flag, format, list);
}

WRAPPED(int, __asprintf_chk, (char **to, int flag, const char *format, ...))
{
    hook_write(to, sizeof *to, PLACE);
    WITH_LIST(arguments_read(format, list, PLACE), __real___vasprintf_chk(to, flag, format, list));
}
