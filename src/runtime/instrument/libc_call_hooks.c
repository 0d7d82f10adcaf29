/* A wrapper for each row of wire/libc_calls.h. It reports the accesses that the function of libc
 * makes on its caller's behalf, and calls it. */
#include <arpa/inet.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <iconv.h>
#include <inttypes.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <regex.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include "runtime/instrument/wrap.h"
#include "runtime/shared/open_mode.h"
#include "wire/libc_calls.h"

enum {
    POLL_ASKED = offsetof(struct pollfd, revents),
    KERNEL_SET = _NSIG / 8, /* bytes of a signal set that the kernel knows */
};

_Static_assert(POLL_ASKED == 6, "poll reads fd and events, and writes revents");
_Static_assert(KERNEL_SET <= sizeof(sigset_t), "the kernel's set is a part of libc's");

/* What libc keeps for itself: where strtok stopped, and the variables of the environment. A call
 * accesses the one that it uses. (The symbol environ is not named here: every program would then
 * share it with libc.) */
static char *strtok_rest;
static char environment;

/* The bytes that a function reads which stops after the NUL, or after `size` bytes. */
static size_t text_size(const char *text, size_t size)
{
    const size_t length = text != NULL ? __real_strnlen(text, size) : 0;
    return length < size ? length + 1 : size;
}

static size_t size_of_text(const char *text)
{
    return text_size(text, SIZE_MAX);
}

static size_t size_of_wide(const wchar_t *text)
{
    size_t length = 0;
    while (text[length] != 0) {
        length++;
    }
    return (length + 1) * sizeof *text;
}

static size_t skip_to_digits(const char *text)
{
    size_t at = 0;
    while (isspace((unsigned char)text[at])) {
        at++;
    }
    return at + (text[at] == '+' || text[at] == '-');
}

/* The bytes of a number in this base, and the byte after it. */
static size_t number_size(const char *text, int base)
{
    size_t at = skip_to_digits(text);
    const bool is_hexadecimal = text[at] == '0' && (text[at + 1] == 'x' || text[at + 1] == 'X') &&
                                (base == 0 || base == 16);
    const int digits = is_hexadecimal ? 16 : base == 0 ? 10 : base;
    for (at += is_hexadecimal ? 2 : 0; isalnum((unsigned char)text[at]); at++) {
        const int letter = tolower((unsigned char)text[at]);
        if ((isdigit(letter) ? letter - '0' : letter - 'a' + 10) >= digits) {
            break;
        }
    }
    return at + 1;
}

/* The same for a floating-point number: all characters that can belong to one, names (inf, nan)
 * included. */
static size_t real_number_size(const char *text)
{
    size_t at = skip_to_digits(text);
    while (isalnum((unsigned char)text[at]) || text[at] == '.' ||
           ((text[at] == '-' || text[at] == '+') && isalpha((unsigned char)text[at - 1]))) {
        at++;
    }
    return at + 1;
}

static size_t set_size(int count)
{
    enum { WORD_BITS = 64 };
    return ((size_t)count + WORD_BITS - 1) / WORD_BITS * sizeof(uint64_t);
}

static void reads(const void *address, size_t size, const void *place)
{
    if (address != NULL && size != 0) {
        hook_read(address, size, place);
    }
}

static void writes(const void *address, size_t size, const void *place)
{
    if (address != NULL && size != 0 && clew_rt_write != NULL) {
        (clew_rt_result != NULL ? clew_rt_result : clew_rt_write)(address, size, place);
    }
}

/* ---- macros that the rows use ---- */

#define READS(address, size) reads(address, size, place);
#define WRITES(address, size) writes(address, size, place);
#define TEXT(text) reads(text, size_of_text(text), place);
#define WIDE_TEXT(text) reads(text, size_of_wide(text), place);
#define NUMBER(text, base) reads(text, number_size(text, base), place);
#define REAL_NUMBER(text) reads(text, real_number_size(text), place);
#define STREAM(file) stream_used(file, place);
#define FD(fd) hook_use(fd, place);
#define WHEN(condition, ...) \
    if (condition) {         \
        __VA_ARGS__          \
    }
#define EACH(i, count, ...)                  \
    for (size_t i = 0; i < (count); (i)++) { \
        __VA_ARGS__                          \
    }
/* The first `size` bytes of the parts. */
#define PARTS(access, parts, count, size)                                            \
    size_t left = size;                                                              \
    for (int i = 0; i < (count) && left > 0; i++) {                                  \
        const size_t length = (parts)[i].iov_len < left ? (parts)[i].iov_len : left; \
        access((parts)[i].iov_base, length) left -= length;                          \
    }
/* An address of a socket, or an option, and its size. */
#define ADDRESS(to, size) \
    WHEN((to) != NULL && (size) != NULL, WRITES(to, *(size)) WRITES(size, sizeof *(size)))
#define LINE(line, size)                                                    \
    WHEN(got > 0, WRITES(line, sizeof *(line)) WRITES(size, sizeof *(size)) \
                      WRITES(*(line), (size_t)got + 1))

/* clang-format off */
#define CALL(result, name, parameters, arguments, before, after)  \
    extern result __real_##name parameters __attribute__((weak)); \
    WRAPPER result __wrap_##name parameters;                      \
    WRAPPER result __wrap_##name parameters                       \
    {                                                             \
        const void *place = PLACE;                                \
        if (clew_rt_read == NULL) {                               \
            return __real_##name arguments;                       \
        }                                                         \
        before                                                    \
        result got = __real_##name arguments;                     \
        after                                                     \
        (void)place;                                              \
        return got;                                               \
    }
/* clang-format on */

LIBC_CALLS(CALL)

/* ---- the section of the wrappers ---- */

extern const char __start_clew_wrappers[] __attribute__((visibility("hidden")));
extern const char __stop_clew_wrappers[] __attribute__((visibility("hidden")));

__attribute__((constructor)) static void wrappers_told(void)
{
    if (clew_rt_wrappers != NULL) {
        clew_rt_wrappers(__start_clew_wrappers, __stop_clew_wrappers);
    }
}

/* ---- functions with variable arguments ---- */

/* A request has at most one argument, of one word. */
WRAPPED(int, ioctl, (int fd, unsigned long request, ...))
{
    va_list rest;
    va_start(rest, request);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    hook_use(fd, PLACE);
    const int result = __real_ioctl(fd, request, argument);
    if (result == 0 && request == FIONREAD) {
        writes(argument, sizeof(int), PLACE);
    } else if (result == 0 && request == FIONBIO) {
        reads(argument, sizeof(int), PLACE);
    }
    return result;
}

WRAPPED(void, qsort,
        (void *base, size_t count, size_t size, int (*compare)(const void *, const void *)))
{
    if (count > 1) {
        reads(base, count * size, PLACE);
        writes(base, count * size, PLACE);
    }
    __real_qsort(base, count, size, compare);
}

WRAPPED(void, qsort_r,
        (void *base, size_t count, size_t size, int (*compare)(const void *, const void *, void *),
         void *more))
{
    if (count > 1) {
        reads(base, count * size, PLACE);
        writes(base, count * size, PLACE);
    }
    __real_qsort_r(base, count, size, compare, more);
}

WRAPPED(void, arc4random_buf, (void *to, size_t size))
{
    writes(to, size, PLACE);
    __real_arc4random_buf(to, size);
}

WRAPPED(void, rewind, (FILE * file))
{
    stream_used(file, PLACE);
    __real_rewind(file);
}

WRAPPED(void, perror, (const char *text))
{
    reads(text, size_of_text(text), PLACE);
    __real_perror(text);
}

WRAPPED(void, swab, (const void *restrict from, void *restrict to, ssize_t size))
{
    if (size > 1) {
        reads(from, (size_t)size & ~(size_t)1, PLACE);
        writes(to, (size_t)size & ~(size_t)1, PLACE);
    }
    __real_swab(from, to, size);
}

#define OPEN(name)                                         \
    WRAPPED(int, name, (const char *path, int flags, ...)) \
    {                                                      \
        TAKE_MODE(mode, flags)                             \
        reads(path, size_of_text(path), PLACE);            \
        return __real_##name(path, flags, mode);           \
    }
OPEN(open)
OPEN(open64)

#define OPEN_AT(name)                                                  \
    WRAPPED(int, name, (int folder, const char *path, int flags, ...)) \
    {                                                                  \
        TAKE_MODE(mode, flags)                                         \
        reads(path, size_of_text(path), PLACE);                        \
        return __real_##name(folder, path, flags, mode);               \
    }
OPEN_AT(openat)
OPEN_AT(openat64)
