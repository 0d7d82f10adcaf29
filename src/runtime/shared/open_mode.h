/* The third argument of open and openat, which callers pass only if the call may create a file.
 *
 *     int open(const char *path, int flags, ...)
 *     {
 *         TAKE_MODE(mode, flags)
 *         return REAL(open)(path, flags, mode);
 *     }
 */
#ifndef CLEW_RUNTIME_SHARED_OPEN_MODE_H
#define CLEW_RUNTIME_SHARED_OPEN_MODE_H

#include <fcntl.h>
#include <stdarg.h>
#include <sys/types.h>

/* Declares `mode`; 0 when the caller gave none. */
#define TAKE_MODE(mode, flags)                                        \
    mode_t mode = 0;                                                  \
    if (((flags)&O_CREAT) != 0 || ((flags)&O_TMPFILE) == O_TMPFILE) { \
        va_list rest;                                                 \
        va_start(rest, flags);                                        \
        mode = va_arg(rest, mode_t);                                  \
        va_end(rest);                                                 \
    }

#endif
