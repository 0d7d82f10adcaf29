#include "runtime/libc.h"

#include <string.h>

struct libc libc;

static void find(void *slot, const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    memcpy(slot, &found, sizeof found);
}

void libc_find(void)
{
    if (libc.exit != NULL) {
        return;
    }
#define FUNCTION(result, name, parameters) find(&libc.name, #name);
    LIBC_LIST(FUNCTION)
#undef FUNCTION
    find(&libc.call_tls_dtors, "__call_tls_dtors");
}
