#include "base/demangle.h"

#include <stdio.h>
#include <string.h>

#include "base/fault_injection.h"
#include "base/mem.h"

/* The C++ ABI's own demangler, from libstdc++; its header is for C++ only. */
char *__cxa_demangle(const char *mangled, char *buffer, size_t *size, int *status);

enum { MANGLED_SIZE_MAX = 2000 };

size_t demangle(const char *text, size_t size, char *to, size_t to_size)
{
    char mangled[MANGLED_SIZE_MAX + 1];
    size_t length = 0;
    while (length < size && demangle_is_of_name(text[length])) {
        length++;
    }
    if (length < sizeof "_Z" || length > MANGLED_SIZE_MAX || memcmp(text, "_Z", 2) != 0) {
        return 0;
    }
    memcpy(mangled, text, length);
    mangled[length] = '\0';
    char *name = seam_fails() ? NULL : __cxa_demangle(mangled, NULL, NULL, NULL);
    if (name == NULL) {
        return 0;
    }
    (void)snprintf(to, to_size, "%s", name);
    mem_free(name); /* the demangler allocated it with malloc */
    return length;
}
