#include "runtime/control/hooks/libc_behind.h"

#include <string.h>

struct libc_functions libc_functions;

static void find(void *slot, const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    memcpy(slot, &found, sizeof found);
}

void libc_find(void)
{
#define FUNCTION(result, name, parameters) find(&libc_functions.name, #name);
    LIBC_LIST(FUNCTION)
#undef FUNCTION
    find(&libc_functions.call_tls_dtors, "__call_tls_dtors");
    libc_functions.is_found = true;
}
