/* The functions of libc that read or write memory for their caller: one row for each. `clew cc`
 * links with --wrap for every name here (proc/build/compiler.c), and the rows become the functions
 * that report the accesses (runtime/instrument/libc_call_hooks.c), to the recorder as to control.
 * To add a function is to add a row.
 *
 *     CALL(result, name, parameters, arguments, before, after)
 *
 * `before` and `after` are statements made of
 *
 *     READS(address, size)   the function reads these bytes; nothing where the address is NULL
 *     WRITES(address, size)  it writes them
 *     TEXT(text)             it reads the text with its NUL
 *     STREAM(file)           it uses the stream
 *     FD(fd)                 it uses the descriptor
 *     WHEN(condition, ...)   only then
 *     EACH(i, count, ...)    for each i below count
 *
 * and of helpers that runtime/instrument/libc_call_hooks.c defines for a few rows. They name the
 * parameters; `after` can also name the function's result, `got`. Reads, and writes that the
 * function always makes, belong into `before`. A write that depends on the result, and every access
 * of a call that may block, belong into `after`. */
#ifndef CLEW_WIRE_LIBC_CALLS_H
#define CLEW_WIRE_LIBC_CALLS_H

#include <stddef.h>

/* Functions whose wrappers are not generated from a row: copy_hooks.c, string_hooks.c,
 * printf_hooks.c and scanf_hooks.c of runtime/instrument/ define them. */
#define LIBC_CALLS_BY_HAND(NAME) \
    NAME(memcpy)                 \
    NAME(memmove)                \
    NAME(memset)                 \
    NAME(mempcpy)                \
    NAME(bzero)                  \
    NAME(explicit_bzero)         \
    NAME(bcopy)                  \
    NAME(__memcpy_chk)           \
    NAME(__memmove_chk)          \
    NAME(__memset_chk)           \
    NAME(memcmp)                 \
    NAME(memchr)                 \
    NAME(strlen)                 \
    NAME(strnlen)                \
    NAME(strcmp)                 \
    NAME(strncmp)                \
    NAME(strcasecmp)             \
    NAME(strncasecmp)            \
    NAME(strchr)                 \
    NAME(strrchr)                \
    NAME(strstr)                 \
    NAME(strcpy)                 \
    NAME(__strcpy_chk)           \
    NAME(stpcpy)                 \
    NAME(strncpy)                \
    NAME(__strncpy_chk)          \
    NAME(strcat)                 \
    NAME(__strcat_chk)           \
    NAME(strncat)                \
    NAME(strdup)                 \
    NAME(strndup)                \
    NAME(vsnprintf)              \
    NAME(snprintf)               \
    NAME(vsprintf)               \
    NAME(sprintf)                \
    NAME(__vsnprintf_chk)        \
    NAME(__snprintf_chk)         \
    NAME(__vsprintf_chk)         \
    NAME(__sprintf_chk)          \
    NAME(vfprintf)               \
    NAME(fprintf)                \
    NAME(vprintf)                \
    NAME(printf)                 \
    NAME(__vfprintf_chk)         \
    NAME(__fprintf_chk)          \
    NAME(__vprintf_chk)          \
    NAME(__printf_chk)           \
    NAME(vdprintf)               \
    NAME(dprintf)                \
    NAME(vasprintf)              \
    NAME(asprintf)               \
    NAME(__vasprintf_chk)        \
    NAME(__asprintf_chk)         \
    NAME(vsscanf)                \
    NAME(sscanf)                 \
    NAME(vfscanf)                \
    NAME(fscanf)                 \
    NAME(vscanf)                 \
    NAME(scanf)                  \
    NAME(__isoc99_vsscanf)       \
    NAME(__isoc99_sscanf)        \
    NAME(__isoc99_vfscanf)       \
    NAME(__isoc99_fscanf)        \
    NAME(__isoc99_vscanf)        \
    NAME(__isoc99_scanf)         \
    NAME(__isoc23_vsscanf)       \
    NAME(__isoc23_sscanf)        \
    NAME(__isoc23_vfscanf)       \
    NAME(__isoc23_fscanf)        \
    NAME(__isoc23_vscanf)        \
    NAME(__isoc23_scanf)         \
    NAME(open)                   \
    NAME(open64)                 \
    NAME(openat)                 \
    NAME(openat64)               \
    NAME(ioctl)                  \
    NAME(qsort)                  \
    NAME(qsort_r)                \
    NAME(arc4random_buf)         \
    NAME(rewind)                 \
    NAME(perror)                 \
    NAME(swab)                   \
    NAME(__cxa_guard_acquire)    \
    NAME(__cxa_guard_release)    \
    NAME(__cxa_guard_abort)

/* Functions of libstdc++ that link the nodes of a container. */
#define LIBSTDCXX_CALLS_BY_HAND(NAME)                                       \
    NAME(_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_) \
    NAME(_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_)      \
    NAME(_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base)                   \
    NAME(_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base)                  \
    NAME(_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base)                   \
    NAME(_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base)                  \
    NAME(_ZNSt8__detail15_List_node_base7_M_hookEPS0_)                      \
    NAME(_ZNSt8__detail15_List_node_base9_M_unhookEv)                       \
    NAME(_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_)              \
    NAME(_ZNSt8__detail15_List_node_base4swapERS0_S1_)                      \
    NAME(_ZNSt8__detail15_List_node_base10_M_reverseEv)

#define LIBC_NUMBERS(CALL)                                                                         \
    CALL(int, atoi, (const char *text), (text), NUMBER(text, 10), )                                \
    CALL(long, atol, (const char *text), (text), NUMBER(text, 10), )                               \
    CALL(long long, atoll, (const char *text), (text), NUMBER(text, 10), )                         \
    CALL(double, atof, (const char *text), (text), REAL_NUMBER(text), )                            \
    CALL(long, strtol, (const char *text, char **end, int base), (text, end, base),                \
         NUMBER(text, base) WRITES(end, sizeof *end), )                                            \
    CALL(unsigned long, strtoul, (const char *text, char **end, int base), (text, end, base),      \
         NUMBER(text, base) WRITES(end, sizeof *end), )                                            \
    CALL(long long, strtoll, (const char *text, char **end, int base), (text, end, base),          \
         NUMBER(text, base) WRITES(end, sizeof *end), )                                            \
    CALL(unsigned long long, strtoull, (const char *text, char **end, int base),                   \
         (text, end, base), NUMBER(text, base) WRITES(end, sizeof *end), )                         \
    CALL(intmax_t, strtoimax, (const char *text, char **end, int base), (text, end, base),         \
         NUMBER(text, base) WRITES(end, sizeof *end), )                                            \
    CALL(uintmax_t, strtoumax, (const char *text, char **end, int base), (text, end, base),        \
         NUMBER(text, base) WRITES(end, sizeof *end), )                                            \
    CALL(long, __isoc23_strtol, (const char *text, char **end, int base), (text, end, base),       \
         NUMBER(text, base) WRITES(end, sizeof *end), )                                            \
    CALL(unsigned long, __isoc23_strtoul, (const char *text, char **end, int base),                \
         (text, end, base), NUMBER(text, base) WRITES(end, sizeof *end), )                         \
    CALL(long long, __isoc23_strtoll, (const char *text, char **end, int base), (text, end, base), \
         NUMBER(text, base) WRITES(end, sizeof *end), )                                            \
    CALL(unsigned long long, __isoc23_strtoull, (const char *text, char **end, int base),          \
         (text, end, base), NUMBER(text, base) WRITES(end, sizeof *end), )                         \
    CALL(double, strtod, (const char *text, char **end), (text, end),                              \
         REAL_NUMBER(text) WRITES(end, sizeof *end), )                                             \
    CALL(float, strtof, (const char *text, char **end), (text, end),                               \
         REAL_NUMBER(text) WRITES(end, sizeof *end), )                                             \
    CALL(long double, strtold, (const char *text, char **end), (text, end),                        \
         REAL_NUMBER(text) WRITES(end, sizeof *end), )                                             \
    CALL(double, frexp, (double number, int *to), (number, to), WRITES(to, sizeof *to), )          \
    CALL(float, frexpf, (float number, int *to), (number, to), WRITES(to, sizeof *to), )           \
    CALL(double, modf, (double number, double *to), (number, to), WRITES(to, sizeof *to), )        \
    CALL(float, modff, (float number, float *to), (number, to), WRITES(to, sizeof *to), )          \
    CALL(double, remquo, (double a, double b, int *to), (a, b, to), WRITES(to, sizeof *to), )      \
    CALL(double, lgamma_r, (double number, int *to), (number, to), WRITES(to, sizeof *to), )

#define LIBC_TEXTS(CALL)                                                                           \
    CALL(size_t, strspn, (const char *text, const char *set), (text, set),                         \
         TEXT(set) READS(text, __real_strspn(text, set) + 1), )                                    \
    CALL(size_t, strcspn, (const char *text, const char *set), (text, set),                        \
         TEXT(set) READS(text, __real_strcspn(text, set) + 1), )                                   \
    CALL(char *, strpbrk, (const char *text, const char *set), (text, set),                        \
         TEXT(set) TEXT(text), )                                                                   \
    CALL(char *, strcasestr, (const char *text, const char *part), (text, part),                   \
         TEXT(part) TEXT(text), )                                                                  \
    CALL(char *, strchrnul, (const char *text, int letter), (text, letter),                        \
         READS(text, (size_t)(__real_strchrnul(text, letter) - text) + 1), )                       \
    CALL(void *, rawmemchr, (const void *bytes, int byte), (bytes, byte),                          \
         READS(bytes,                                                                              \
               (size_t)((const char *)__real_rawmemchr(bytes, byte) - (const char *)bytes) + 1), ) \
    CALL(void *, memrchr, (const void *bytes, int byte, size_t size), (bytes, byte, size),         \
         READS(bytes, size), )                                                                     \
    CALL(void *, memmem, (const void *bytes, size_t size, const void *part, size_t part_size),     \
         (bytes, size, part, part_size), READS(part, part_size) READS(bytes, size), )              \
    CALL(void *, memccpy, (void *to, const void *from, int byte, size_t size),                     \
         (to, from, byte, size), ,                                                                 \
         READS(from, got != NULL ? (size_t)((char *)got - (char *)to) : size)                      \
             WRITES(to, got != NULL ? (size_t)((char *)got - (char *)to) : size))                  \
    CALL(int, strverscmp, (const char *a, const char *b), (a, b), TEXT(a) TEXT(b), )               \
    CALL(int, strcoll, (const char *a, const char *b), (a, b), TEXT(a) TEXT(b), )                  \
    CALL(size_t, strxfrm, (char *to, const char *from, size_t size), (to, from, size), TEXT(from), \
         WRITES(to, got < size ? got + 1 : size))                                                  \
    CALL(char *, stpncpy, (char *to, const char *from, size_t size), (to, from, size),             \
         READS(from, text_size(from, size)) WRITES(to, size), )                                    \
    CALL(char *, strsep, (char **text, const char *set), (text, set),                              \
         TEXT(set) READS(text, sizeof *text) TEXT(*text),                                          \
         WRITES(text, sizeof *text) WHEN(got != NULL && *text != NULL, WRITES(*text - 1, 1)))      \
    CALL(char *, strtok, (char *text, const char *set), (text, set),                               \
         TEXT(set) TEXT(text) WRITES(&strtok_rest, sizeof strtok_rest),                            \
         WHEN(got != NULL, WRITES(got + size_of_text(got) - 1, 1)))                                \
    CALL(char *, strtok_r, (char *text, const char *set, char **rest), (text, set, rest),          \
         TEXT(set) READS(rest, text == NULL ? sizeof *rest : 0) TEXT(text),                        \
         WRITES(rest, sizeof *rest) WHEN(got != NULL, WRITES(got + size_of_text(got) - 1, 1)))     \
    CALL(char *, __strtok_r, (char *text, const char *set, char **rest), (text, set, rest),        \
         TEXT(set) READS(rest, text == NULL ? sizeof *rest : 0) TEXT(text),                        \
         WRITES(rest, sizeof *rest) WHEN(got != NULL, WRITES(got + size_of_text(got) - 1, 1)))     \
    CALL(char *, strerror_r, (int number, char *to, size_t size), (number, to, size), ,            \
         WHEN(got == to, WRITES(to, text_size(to, size))))                                         \
    CALL(int, __xpg_strerror_r, (int number, char *to, size_t size), (number, to, size), ,         \
         WHEN(got == 0, WRITES(to, text_size(to, size))))                                          \
    CALL(size_t, mbstowcs, (wchar_t * to, const char *from, size_t count), (to, from, count),      \
         TEXT(from),                                                                               \
         WHEN(got != (size_t)-1, WRITES(to, (got < count ? got + 1 : got) * sizeof *to)))          \
    CALL(size_t, wcstombs, (char *to, const wchar_t *from, size_t size), (to, from, size),         \
         WIDE_TEXT(from), WHEN(got != (size_t)-1, WRITES(to, got < size ? got + 1 : got)))         \
    CALL(int, mbtowc, (wchar_t * to, const char *from, size_t size), (to, from, size), ,           \
         WHEN(got > 0, READS(from, (size_t)got) WRITES(to, sizeof *to)))                           \
    CALL(size_t, wcslen, (const wchar_t *text), (text), WIDE_TEXT(text), )                         \
    CALL(int, wcscmp, (const wchar_t *a, const wchar_t *b), (a, b), WIDE_TEXT(a) WIDE_TEXT(b), )   \
    CALL(wchar_t *, wcscpy, (wchar_t * to, const wchar_t *from), (to, from),                       \
         WIDE_TEXT(from) WRITES(to, size_of_wide(from)), )                                         \
    CALL(wchar_t *, wmemcpy, (wchar_t * to, const wchar_t *from, size_t count), (to, from, count), \
         READS(from, count * sizeof *from) WRITES(to, count * sizeof *to), )                       \
    CALL(wchar_t *, wmemset, (wchar_t * to, wchar_t letter, size_t count), (to, letter, count),    \
         WRITES(to, count * sizeof *to), )                                                         \
    CALL(int, regcomp, (regex_t * to, const char *text, int flags), (to, text, flags),             \
         TEXT(text) WRITES(to, sizeof *to), )                                                      \
    CALL(int, regexec,                                                                             \
         (const regex_t *pattern, const char *text, size_t count, regmatch_t *to, int flags),      \
         (pattern, text, count, to, flags), READS(pattern, sizeof *pattern) TEXT(text),            \
         WHEN(got == 0, WRITES(to, count * sizeof *to)))                                           \
    CALL(int, fnmatch, (const char *pattern, const char *text, int flags), (pattern, text, flags), \
         TEXT(pattern) TEXT(text), )                                                               \
    CALL(char *, getenv, (const char *name), (name),                                               \
         TEXT(name) READS(&environment, sizeof environment), )                                     \
    CALL(int, setenv, (const char *name, const char *value, int replaces),                         \
         (name, value, replaces),                                                                  \
         TEXT(name) TEXT(value) WRITES(&environment, sizeof environment), )                        \
    CALL(int, unsetenv, (const char *name), (name),                                                \
         TEXT(name) WRITES(&environment, sizeof environment), )                                    \
    CALL(int, putenv, (char *text), (text), TEXT(text) WRITES(&environment, sizeof environment), ) \
    CALL(int, clearenv, (void), (), WRITES(&environment, sizeof environment), )                    \
    CALL(int, rand_r, (unsigned *seed), (seed),                                                    \
         READS(seed, sizeof *seed) WRITES(seed, sizeof *seed), )                                   \
    CALL(void *, bsearch,                                                                          \
         (const void *key, const void *base, size_t count, size_t size,                            \
          int (*compare)(const void *, const void *)),                                             \
         (key, base, count, size, compare), READS(base, count *size), )                            \
    CALL(size_t, iconv,                                                                            \
         (iconv_t converter, char **from, size_t *from_size, char **to, size_t *to_size),          \
         (converter, from, from_size, to, to_size),                                                \
         const char *from_begin = from != NULL ? *from : NULL;                                     \
         char *to_begin = to != NULL ? *to : NULL;                                                 \
         , WHEN(from_begin != NULL, READS(from_begin, (size_t)(*from - from_begin)) WRITES(        \
                                        from, sizeof *from) WRITES(from_size, sizeof *from_size))  \
               WHEN(to_begin != NULL, WRITES(to_begin, (size_t)(*to - to_begin)) WRITES(           \
                                          to, sizeof *to) WRITES(to_size, sizeof *to_size)))

#define LIBC_TIMES(CALL)                                                                           \
    CALL(int, clock_gettime, (clockid_t clock, struct timespec * to), (clock, to),                 \
         WRITES(to, sizeof *to), )                                                                 \
    CALL(int, clock_getres, (clockid_t clock, struct timespec * to), (clock, to),                  \
         WRITES(to, sizeof *to), )                                                                 \
    CALL(int, clock_settime, (clockid_t clock, const struct timespec *time), (clock, time),        \
         READS(time, sizeof *time), )                                                              \
    CALL(int, gettimeofday, (struct timeval * to, void *zone), (to, zone),                         \
         WRITES(to, sizeof *to), )                                                                 \
    CALL(time_t, time, (time_t * to), (to), WRITES(to, sizeof *to), )                              \
    CALL(int, timespec_get, (struct timespec * to, int base), (to, base),                          \
         WRITES(to, sizeof *to), )                                                                 \
    CALL(struct tm *, localtime_r, (const time_t *time, struct tm *to), (time, to),                \
         READS(time, sizeof *time) WRITES(to, sizeof *to), )                                       \
    CALL(struct tm *, gmtime_r, (const time_t *time, struct tm *to), (time, to),                   \
         READS(time, sizeof *time) WRITES(to, sizeof *to), )                                       \
    CALL(struct tm *, localtime, (const time_t *time), (time), READS(time, sizeof *time),          \
         WRITES(got, sizeof *got))                                                                 \
    CALL(struct tm *, gmtime, (const time_t *time), (time), READS(time, sizeof *time),             \
         WRITES(got, sizeof *got))                                                                 \
    CALL(char *, asctime, (const struct tm *time), (time), READS(time, sizeof *time),              \
         WRITES(got, size_of_text(got)))                                                           \
    CALL(char *, ctime, (const time_t *time), (time), READS(time, sizeof *time),                   \
         WRITES(got, size_of_text(got)))                                                           \
    CALL(char *, asctime_r, (const struct tm *time, char *to), (time, to),                         \
         READS(time, sizeof *time), WRITES(got, size_of_text(got)))                                \
    CALL(char *, ctime_r, (const time_t *time, char *to), (time, to), READS(time, sizeof *time),   \
         WRITES(got, size_of_text(got)))                                                           \
    CALL(time_t, mktime, (struct tm * time), (time),                                               \
         READS(time, sizeof *time) WRITES(time, sizeof *time), )                                   \
    CALL(time_t, timegm, (struct tm * time), (time),                                               \
         READS(time, sizeof *time) WRITES(time, sizeof *time), )                                   \
    CALL(size_t, strftime, (char *to, size_t size, const char *format, const struct tm *time),     \
         (to, size, format, time), TEXT(format) READS(time, sizeof *time),                         \
         WHEN(got > 0, WRITES(to, got + 1)))                                                       \
    CALL(char *, strptime, (const char *text, const char *format, struct tm *to),                  \
         (text, format, to), TEXT(text) TEXT(format) WRITES(to, sizeof *to), )                     \
    CALL(int, nanosleep, (const struct timespec *time, struct timespec *rest), (time, rest),       \
         READS(time, sizeof *time), WHEN(got != 0, WRITES(rest, sizeof *rest)))                    \
    CALL(int, clock_nanosleep,                                                                     \
         (clockid_t clock, int flags, const struct timespec *time, struct timespec *rest),         \
         (clock, flags, time, rest), READS(time, sizeof *time),                                    \
         WHEN(got == EINTR && flags == 0, WRITES(rest, sizeof *rest)))                             \
    CALL(int, getitimer, (int which, struct itimerval *to), (which, to), WRITES(to, sizeof *to), ) \
    CALL(clock_t, times, (struct tms * to), (to), WRITES(to, sizeof *to), )                        \
    CALL(int, getrusage, (int who, struct rusage *to), (who, to), WRITES(to, sizeof *to), )        \
    CALL(int, getrlimit, (int which, struct rlimit *to), (which, to), WRITES(to, sizeof *to), )    \
    CALL(int, getloadavg, (double *to, int count), (to, count), ,                                  \
         WHEN(got > 0, WRITES(to, (size_t)got * sizeof *to)))                                      \
    CALL(int, uname, (struct utsname * to), (to), WRITES(to, sizeof *to), )                        \
    CALL(int, sysinfo, (struct sysinfo * to), (to), WRITES(to, sizeof *to), )                      \
    CALL(int, gethostname, (char *to, size_t size), (to, size), ,                                  \
         WHEN(got == 0, WRITES(to, text_size(to, size))))                                          \
    CALL(ssize_t, getrandom, (void *to, size_t size, unsigned flags), (to, size, flags), ,         \
         WHEN(got > 0, WRITES(to, (size_t)got)))                                                   \
    CALL(int, getentropy, (void *to, size_t size), (to, size), WRITES(to, size), )

#define LIBC_FILES(CALL)                                                                          \
    CALL(ssize_t, pread, (int fd, void *to, size_t size, off_t offset), (fd, to, size, offset), , \
         WHEN(got > 0, WRITES(to, (size_t)got)))                                                  \
    CALL(ssize_t, pread64, (int fd, void *to, size_t size, off64_t offset),                       \
         (fd, to, size, offset), , WHEN(got > 0, WRITES(to, (size_t)got)))                        \
    CALL(ssize_t, __pread_chk, (int fd, void *to, size_t size, off_t offset, size_t room),        \
         (fd, to, size, offset, room), , WHEN(got > 0, WRITES(to, (size_t)got)))                  \
    CALL(ssize_t, __pread64_chk, (int fd, void *to, size_t size, off64_t offset, size_t room),    \
         (fd, to, size, offset, room), , WHEN(got > 0, WRITES(to, (size_t)got)))                  \
    CALL(ssize_t, pwrite, (int fd, const void *bytes, size_t size, off_t offset),                 \
         (fd, bytes, size, offset), READS(bytes, size), )                                         \
    CALL(ssize_t, pwrite64, (int fd, const void *bytes, size_t size, off64_t offset),             \
         (fd, bytes, size, offset), READS(bytes, size), )                                         \
    CALL(ssize_t, preadv, (int fd, const struct iovec *parts, int count, off_t offset),           \
         (fd, parts, count, offset), READS(parts, (size_t)count * sizeof *parts),                 \
         WHEN(got > 0, PARTS(WRITES, parts, count, (size_t)got)))                                 \
    CALL(ssize_t, preadv64, (int fd, const struct iovec *parts, int count, off64_t offset),       \
         (fd, parts, count, offset), READS(parts, (size_t)count * sizeof *parts),                 \
         WHEN(got > 0, PARTS(WRITES, parts, count, (size_t)got)))                                 \
    CALL(ssize_t, pwritev, (int fd, const struct iovec *parts, int count, off_t offset),          \
         (fd, parts, count, offset),                                                              \
         READS(parts, (size_t)count * sizeof *parts) PARTS(READS, parts, count, SIZE_MAX), )      \
    CALL(ssize_t, pwritev64, (int fd, const struct iovec *parts, int count, off64_t offset),      \
         (fd, parts, count, offset),                                                              \
         READS(parts, (size_t)count * sizeof *parts) PARTS(READS, parts, count, SIZE_MAX), )      \
    CALL(int, stat, (const char *path, struct stat *to), (path, to), TEXT(path),                  \
         WHEN(got == 0, WRITES(to, sizeof *to)))                                                  \
    CALL(int, lstat, (const char *path, struct stat *to), (path, to), TEXT(path),                 \
         WHEN(got == 0, WRITES(to, sizeof *to)))                                                  \
    CALL(int, fstat, (int fd, struct stat *to), (fd, to), FD(fd),                                 \
         WHEN(got == 0, WRITES(to, sizeof *to)))                                                  \
    CALL(int, fstatat, (int folder, const char *path, struct stat *to, int flags),                \
         (folder, path, to, flags), TEXT(path), WHEN(got == 0, WRITES(to, sizeof *to)))           \
    CALL(int, stat64, (const char *path, struct stat64 *to), (path, to), TEXT(path),              \
         WHEN(got == 0, WRITES(to, sizeof *to)))                                                  \
    CALL(int, lstat64, (const char *path, struct stat64 *to), (path, to), TEXT(path),             \
         WHEN(got == 0, WRITES(to, sizeof *to)))                                                  \
    CALL(int, fstat64, (int fd, struct stat64 *to), (fd, to), FD(fd),                             \
         WHEN(got == 0, WRITES(to, sizeof *to)))                                                  \
    CALL(int, fstatat64, (int folder, const char *path, struct stat64 *to, int flags),            \
         (folder, path, to, flags), TEXT(path), WHEN(got == 0, WRITES(to, sizeof *to)))           \
    CALL(int, statx, (int folder, const char *path, int flags, unsigned mask, struct statx *to),  \
         (folder, path, flags, mask, to), TEXT(path), WHEN(got == 0, WRITES(to, sizeof *to)))     \
    CALL(int, statvfs, (const char *path, struct statvfs *to), (path, to), TEXT(path),            \
         WHEN(got == 0, WRITES(to, sizeof *to)))                                                  \
    CALL(int, fstatvfs, (int fd, struct statvfs *to), (fd, to), FD(fd),                           \
         WHEN(got == 0, WRITES(to, sizeof *to)))                                                  \
    CALL(char *, getcwd, (char *to, size_t size), (to, size), ,                                   \
         WHEN(got != NULL && to != NULL, WRITES(to, size_of_text(to))))                           \
    CALL(char *, __getcwd_chk, (char *to, size_t size, size_t room), (to, size, room), ,          \
         WHEN(got != NULL && to != NULL, WRITES(to, size_of_text(to))))                           \
    CALL(ssize_t, readlink, (const char *path, char *to, size_t size), (path, to, size),          \
         TEXT(path), WHEN(got > 0, WRITES(to, (size_t)got)))                                      \
    CALL(ssize_t, __readlink_chk, (const char *path, char *to, size_t size, size_t room),         \
         (path, to, size, room), TEXT(path), WHEN(got > 0, WRITES(to, (size_t)got)))              \
    CALL(ssize_t, readlinkat, (int folder, const char *path, char *to, size_t size),              \
         (folder, path, to, size), TEXT(path), WHEN(got > 0, WRITES(to, (size_t)got)))            \
    CALL(char *, realpath, (const char *path, char *to), (path, to), TEXT(path),                  \
         WHEN(got != NULL && to != NULL, WRITES(to, size_of_text(to))))                           \
    CALL(char *, __realpath_chk, (const char *path, char *to, size_t room), (path, to, room),     \
         TEXT(path), WHEN(got != NULL && to != NULL, WRITES(to, size_of_text(to))))               \
    CALL(int, mkstemp, (char *path), (path), TEXT(path), WRITES(path, size_of_text(path)))        \
    CALL(int, mkstemp64, (char *path), (path), TEXT(path), WRITES(path, size_of_text(path)))      \
    CALL(char *, mkdtemp, (char *path), (path), TEXT(path), WRITES(path, size_of_text(path)))     \
    CALL(FILE *, fopen, (const char *path, const char *mode), (path, mode),                       \
         TEXT(path) TEXT(mode), )                                                                 \
    CALL(FILE *, fopen64, (const char *path, const char *mode), (path, mode),                     \
         TEXT(path) TEXT(mode), )                                                                 \
    CALL(int, unlink, (const char *path), (path), TEXT(path), )                                   \
    CALL(int, remove, (const char *path), (path), TEXT(path), )                                   \
    CALL(int, rename, (const char *from, const char *to), (from, to), TEXT(from) TEXT(to), )      \
    CALL(int, link, (const char *from, const char *to), (from, to), TEXT(from) TEXT(to), )        \
    CALL(int, symlink, (const char *from, const char *to), (from, to), TEXT(from) TEXT(to), )     \
    CALL(int, mkdir, (const char *path, mode_t mode), (path, mode), TEXT(path), )                 \
    CALL(int, rmdir, (const char *path), (path), TEXT(path), )                                    \
    CALL(int, chdir, (const char *path), (path), TEXT(path), )                                    \
    CALL(int, access, (const char *path, int mode), (path, mode), TEXT(path), )                   \
    CALL(int, chmod, (const char *path, mode_t mode), (path, mode), TEXT(path), )                 \
    CALL(int, truncate, (const char *path, off_t size), (path, size), TEXT(path), )               \
    CALL(DIR *, opendir, (const char *path), (path), TEXT(path), )                                \
    CALL(off_t, lseek, (int fd, off_t offset, int whence), (fd, offset, whence), FD(fd), )        \
    CALL(off64_t, lseek64, (int fd, off64_t offset, int whence), (fd, offset, whence), FD(fd), )  \
    CALL(int, ftruncate, (int fd, off_t size), (fd, size), FD(fd), )                              \
    CALL(int, ftruncate64, (int fd, off64_t size), (fd, size), FD(fd), )                          \
    CALL(int, fallocate, (int fd, int mode, off_t offset, off_t size), (fd, mode, offset, size),  \
         FD(fd), )                                                                                \
    CALL(int, fchmod, (int fd, mode_t mode), (fd, mode), FD(fd), )                                \
    CALL(int, fchown, (int fd, uid_t user, gid_t group), (fd, user, group), FD(fd), )             \
    CALL(int, fchdir, (int fd), (fd), FD(fd), )                                                   \
    CALL(int, isatty, (int fd), (fd), FD(fd), )                                                   \
    CALL(FILE *, fdopen, (int fd, const char *mode), (fd, mode), FD(fd) TEXT(mode), )             \
    CALL(DIR *, fdopendir, (int fd), (fd), FD(fd), )                                              \
    CALL(struct dirent *, readdir, (DIR * folder), (folder), ,                                    \
         WHEN(got != NULL, WRITES(got, sizeof got->d_ino)))                                       \
    CALL(struct dirent64 *, readdir64, (DIR * folder), (folder), ,                                \
         WHEN(got != NULL, WRITES(got, sizeof got->d_ino)))                                       \
    CALL(ssize_t, sendfile, (int to, int from, off_t *offset, size_t size),                       \
         (to, from, offset, size), READS(offset, sizeof *offset),                                 \
         WHEN(got >= 0, WRITES(offset, sizeof *offset)))                                          \
    CALL(ssize_t, sendfile64, (int to, int from, off64_t *offset, size_t size),                   \
         (to, from, offset, size), READS(offset, sizeof *offset),                                 \
         WHEN(got >= 0, WRITES(offset, sizeof *offset)))                                          \
    CALL(int, pipe, (int fds[2]), (fds), , WHEN(got == 0, WRITES(fds, 2 * sizeof *fds)))          \
    CALL(int, pipe2, (int fds[2], int flags), (fds, flags), ,                                     \
         WHEN(got == 0, WRITES(fds, 2 * sizeof *fds)))

#define LIBC_STREAMS(CALL)                                                                      \
    CALL(int, puts, (const char *text), (text), TEXT(text), )                                   \
    CALL(int, fputs, (const char *text, FILE *file), (text, file), STREAM(file) TEXT(text), )   \
    CALL(int, fputc, (int letter, FILE *file), (letter, file), STREAM(file), )                  \
    CALL(int, putc, (int letter, FILE *file), (letter, file), STREAM(file), )                   \
    CALL(int, fgetc, (FILE * file), (file), STREAM(file), )                                     \
    CALL(int, getc, (FILE * file), (file), STREAM(file), )                                      \
    CALL(int, ungetc, (int letter, FILE *file), (letter, file), STREAM(file), )                 \
    CALL(int, fflush, (FILE * file), (file), STREAM(file), )                                    \
    CALL(int, fseek, (FILE * file, long offset, int whence), (file, offset, whence),            \
         STREAM(file), )                                                                        \
    CALL(int, fseeko, (FILE * file, off_t offset, int whence), (file, offset, whence),          \
         STREAM(file), )                                                                        \
    CALL(long, ftell, (FILE * file), (file), STREAM(file), )                                    \
    CALL(off_t, ftello, (FILE * file), (file), STREAM(file), )                                  \
    CALL(int, feof, (FILE * file), (file), STREAM(file), )                                      \
    CALL(int, ferror, (FILE * file), (file), STREAM(file), )                                    \
    CALL(int, fileno, (FILE * file), (file), STREAM(file), )                                    \
    CALL(size_t, fwrite, (const void *bytes, size_t size, size_t count, FILE *file),            \
         (bytes, size, count, file), STREAM(file) READS(bytes, size *count), )                  \
    CALL(size_t, fread, (void *to, size_t size, size_t count, FILE *file),                      \
         (to, size, count, file), STREAM(file), WRITES(to, size *got))                          \
    CALL(size_t, __fread_chk, (void *to, size_t room, size_t size, size_t count, FILE *file),   \
         (to, room, size, count, file), STREAM(file), WRITES(to, size *got))                    \
    CALL(char *, fgets, (char *to, int size, FILE *file), (to, size, file), STREAM(file),       \
         WHEN(got != NULL, WRITES(to, size_of_text(to))))                                       \
    CALL(char *, __fgets_chk, (char *to, size_t room, int size, FILE *file),                    \
         (to, room, size, file), STREAM(file), WHEN(got != NULL, WRITES(to, size_of_text(to)))) \
    CALL(ssize_t, getline, (char **line, size_t *size, FILE *file), (line, size, file),         \
         STREAM(file) READS(line, sizeof *line) READS(size, sizeof *size), LINE(line, size))    \
    CALL(ssize_t, getdelim, (char **line, size_t *size, int end, FILE *file),                   \
         (line, size, end, file),                                                               \
         STREAM(file) READS(line, sizeof *line) READS(size, sizeof *size), LINE(line, size))    \
    CALL(ssize_t, __getdelim, (char **line, size_t *size, int end, FILE *file),                 \
         (line, size, end, file),                                                               \
         STREAM(file) READS(line, sizeof *line) READS(size, sizeof *size), LINE(line, size))

#define LIBC_NETWORK(CALL)                                                                         \
    CALL(int, socketpair, (int family, int type, int protocol, int fds[2]),                        \
         (family, type, protocol, fds), , WHEN(got == 0, WRITES(fds, 2 * sizeof *fds)))            \
    CALL(int, bind, (int fd, const struct sockaddr *address, socklen_t size), (fd, address, size), \
         FD(fd) READS(address, size), )                                                            \
    CALL(int, connect, (int fd, const struct sockaddr *address, socklen_t size),                   \
         (fd, address, size), READS(address, size), )                                              \
    CALL(int, accept, (int fd, struct sockaddr *to, socklen_t *size), (fd, to, size), ,            \
         WHEN(got >= 0, ADDRESS(to, size)))                                                        \
    CALL(int, accept4, (int fd, struct sockaddr *to, socklen_t *size, int flags),                  \
         (fd, to, size, flags), , WHEN(got >= 0, ADDRESS(to, size)))                               \
    CALL(ssize_t, recvfrom,                                                                        \
         (int fd, void *bytes, size_t count, int flags, struct sockaddr *to, socklen_t *size),     \
         (fd, bytes, count, flags, to, size), , WHEN(got >= 0, ADDRESS(to, size)))                 \
    CALL(ssize_t, sendto,                                                                          \
         (int fd, const void *bytes, size_t count, int flags, const struct sockaddr *address,      \
          socklen_t size),                                                                         \
         (fd, bytes, count, flags, address, size), READS(address, size), )                         \
    CALL(int, getsockname, (int fd, struct sockaddr *to, socklen_t *size), (fd, to, size), FD(fd), \
         WHEN(got == 0, ADDRESS(to, size)))                                                        \
    CALL(int, getpeername, (int fd, struct sockaddr *to, socklen_t *size), (fd, to, size), FD(fd), \
         WHEN(got == 0, ADDRESS(to, size)))                                                        \
    CALL(int, getsockopt, (int fd, int level, int name, void *to, socklen_t *size),                \
         (fd, level, name, to, size), FD(fd), WHEN(got == 0, ADDRESS(to, size)))                   \
    CALL(int, listen, (int fd, int length), (fd, length), FD(fd), )                                \
    CALL(int, setsockopt, (int fd, int level, int name, const void *value, socklen_t size),        \
         (fd, level, name, value, size), FD(fd) READS(value, size), )                              \
    CALL(int, inet_pton, (int family, const char *text, void *to), (family, text, to), TEXT(text), \
         WHEN(got == 1, WRITES(to, family == AF_INET ? 4 : 16)))                                   \
    CALL(const char *, inet_ntop, (int family, const void *from, char *to, socklen_t size),        \
         (family, from, to, size), READS(from, family == AF_INET ? 4 : 16),                        \
         WHEN(got != NULL, WRITES(to, size_of_text(to))))                                          \
    CALL(int, inet_aton, (const char *text, struct in_addr *to), (text, to), TEXT(text),           \
         WHEN(got != 0, WRITES(to, sizeof *to)))                                                   \
    CALL(in_addr_t, inet_addr, (const char *text), (text), TEXT(text), )                           \
    CALL(char *, inet_ntoa, (struct in_addr from), (from), , WRITES(got, size_of_text(got)))       \
    CALL(int, getaddrinfo,                                                                         \
         (const char *name, const char *service, const struct addrinfo *hints,                     \
          struct addrinfo **to),                                                                   \
         (name, service, hints, to), TEXT(name) TEXT(service) READS(hints, sizeof *hints),         \
         WHEN(got == 0, WRITES(to, sizeof *to)))                                                   \
    CALL(int, getnameinfo,                                                                         \
         (const struct sockaddr *address, socklen_t size, char *name, socklen_t name_size,         \
          char *service, socklen_t service_size, int flags),                                       \
         (address, size, name, name_size, service, service_size, flags), READS(address, size),     \
         WHEN(got == 0, WRITES(name, text_size(name, name_size))                                   \
                            WRITES(service, text_size(service, service_size))))                    \
    CALL(int, poll, (struct pollfd * list, nfds_t count, int timeout), (list, count, timeout),     \
         EACH(i, count, READS(&list[i].fd, POLL_ASKED)),                                           \
         WHEN(got >= 0, EACH(i, count, WRITES(&list[i].revents, sizeof list[i].revents))))         \
    CALL(int, __poll_chk, (struct pollfd * list, nfds_t count, int timeout, size_t room),          \
         (list, count, timeout, room), EACH(i, count, READS(&list[i].fd, POLL_ASKED)),             \
         WHEN(got >= 0, EACH(i, count, WRITES(&list[i].revents, sizeof list[i].revents))))         \
    CALL(int, ppoll,                                                                               \
         (struct pollfd * list, nfds_t count, const struct timespec *timeout,                      \
          const sigset_t *signals),                                                                \
         (list, count, timeout, signals),                                                          \
         EACH(i, count, READS(&list[i].fd, POLL_ASKED)) READS(timeout, sizeof *timeout),           \
         WHEN(got >= 0, EACH(i, count, WRITES(&list[i].revents, sizeof list[i].revents))))         \
    CALL(int, select,                                                                              \
         (int count, fd_set *read, fd_set *write, fd_set *special, struct timeval *timeout),       \
         (count, read, write, special, timeout),                                                   \
         READS(timeout, sizeof *timeout) READS(read, set_size(count))                              \
             READS(write, set_size(count)) READS(special, set_size(count)),                        \
         WHEN(got >= 0, WRITES(timeout, sizeof *timeout) WRITES(read, set_size(count))             \
                            WRITES(write, set_size(count)) WRITES(special, set_size(count))))      \
    CALL(int, pselect,                                                                             \
         (int count, fd_set *read, fd_set *write, fd_set *special, const struct timespec *timeout, \
          const sigset_t *signals),                                                                \
         (count, read, write, special, timeout, signals),                                          \
         READS(timeout, sizeof *timeout) READS(read, set_size(count))                              \
             READS(write, set_size(count)) READS(special, set_size(count)),                        \
         WHEN(got >= 0, WRITES(read, set_size(count)) WRITES(write, set_size(count))               \
                            WRITES(special, set_size(count))))                                     \
    CALL(int, epoll_ctl, (int set, int operation, int fd, struct epoll_event *event),              \
         (set, operation, fd, event),                                                              \
         WHEN(operation != EPOLL_CTL_DEL, READS(event, sizeof *event)), )                          \
    CALL(int, epoll_wait, (int set, struct epoll_event *to, int room, int timeout),                \
         (set, to, room, timeout), , WHEN(got > 0, WRITES(to, (size_t)got * sizeof *to)))          \
    CALL(int, epoll_pwait,                                                                         \
         (int set, struct epoll_event *to, int room, int timeout, const sigset_t *signals),        \
         (set, to, room, timeout, signals), , WHEN(got > 0, WRITES(to, (size_t)got * sizeof *to)))

#define LIBC_PROCESSES(CALL)                                                                      \
    CALL(pid_t, wait, (int *to), (to), , WHEN(got > 0, WRITES(to, sizeof *to)))                   \
    CALL(pid_t, waitpid, (pid_t pid, int *to, int flags), (pid, to, flags), ,                     \
         WHEN(got > 0, WRITES(to, sizeof *to)))                                                   \
    CALL(pid_t, wait3, (int *to, int flags, struct rusage *usage), (to, flags, usage), ,          \
         WHEN(got > 0, WRITES(to, sizeof *to) WRITES(usage, sizeof *usage)))                      \
    CALL(pid_t, wait4, (pid_t pid, int *to, int flags, struct rusage *usage),                     \
         (pid, to, flags, usage), ,                                                               \
         WHEN(got > 0, WRITES(to, sizeof *to) WRITES(usage, sizeof *usage)))                      \
    CALL(int, waitid, (idtype_t type, id_t id, siginfo_t * to, int flags), (type, id, to, flags), \
         , WHEN(got == 0, WRITES(to, sizeof *to)))                                                \
    CALL(int, sigaction, (int number, const struct sigaction *action, struct sigaction *old),     \
         (number, action, old), READS(action, sizeof *action),                                    \
         WHEN(got == 0, WRITES(old, sizeof *old)))                                                \
    CALL(int, sigprocmask, (int how, const sigset_t *set, sigset_t *old), (how, set, old),        \
         READS(set, KERNEL_SET), WHEN(got == 0, WRITES(old, KERNEL_SET)))                         \
    CALL(int, pthread_sigmask, (int how, const sigset_t *set, sigset_t *old), (how, set, old),    \
         READS(set, KERNEL_SET), WHEN(got == 0, WRITES(old, KERNEL_SET)))                         \
    CALL(int, sigpending, (sigset_t * to), (to), , WHEN(got == 0, WRITES(to, KERNEL_SET)))        \
    CALL(int, sigemptyset, (sigset_t * set), (set), WRITES(set, KERNEL_SET), )                    \
    CALL(int, sigfillset, (sigset_t * set), (set), WRITES(set, KERNEL_SET), )                     \
    CALL(int, sigaddset, (sigset_t * set, int number), (set, number),                             \
         READS(set, KERNEL_SET) WRITES(set, KERNEL_SET), )                                        \
    CALL(int, sigdelset, (sigset_t * set, int number), (set, number),                             \
         READS(set, KERNEL_SET) WRITES(set, KERNEL_SET), )                                        \
    CALL(int, sigismember, (const sigset_t *set, int number), (set, number),                      \
         READS(set, KERNEL_SET), )                                                                \
    CALL(int, sigwait, (const sigset_t *set, int *to), (set, to), READS(set, KERNEL_SET),         \
         WHEN(got == 0, WRITES(to, sizeof *to)))                                                  \
    CALL(int, sigwaitinfo, (const sigset_t *set, siginfo_t *to), (set, to),                       \
         READS(set, KERNEL_SET), WHEN(got > 0, WRITES(to, sizeof *to)))                           \
    CALL(int, sigtimedwait, (const sigset_t *set, siginfo_t *to, const struct timespec *time),    \
         (set, to, time), READS(set, KERNEL_SET) READS(time, sizeof *time),                       \
         WHEN(got > 0, WRITES(to, sizeof *to)))

#define LIBC_THREADS(CALL)                                                   \
    CALL(int, sem_getvalue, (sem_t * semaphore, int *to), (semaphore, to), , \
         WHEN(got == 0, WRITES(to, sizeof *to)))

#define LIBC_CALLS(CALL) \
    LIBC_NUMBERS(CALL)   \
    LIBC_TEXTS(CALL)     \
    LIBC_TIMES(CALL)     \
    LIBC_FILES(CALL)     \
    LIBC_STREAMS(CALL)   \
    LIBC_NETWORK(CALL)   \
    LIBC_PROCESSES(CALL) \
    LIBC_THREADS(CALL)

#endif
