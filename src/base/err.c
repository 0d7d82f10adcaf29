#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *e, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(e->text, sizeof e->text, format, arguments);
    va_end(arguments);
    e->reason = 0;
    return -1;
}

int err_wrap(struct err *e, const char *format, ...)
{
    char inner[sizeof e->text];
    memcpy(inner, e->text, sizeof inner);

    va_list arguments;
    va_start(arguments, format);
    int written = vsnprintf(e->text, sizeof e->text, format, arguments);
    va_end(arguments);

    size_t used = written < 0 ? 0 : (size_t)written;
    if (used < sizeof e->text) {
        (void)snprintf(e->text + used, sizeof e->text - used, ": %s", inner);
    }
    return -1;
}
