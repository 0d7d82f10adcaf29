#include "runtime/real.h"

#include <dlfcn.h>
#include <string.h>

struct real rt_real;

/* glibc for x86-64 keeps two generations of the condition functions under one name, and plain dlsym
 * may answer with the old one, whose conditions look different. */
static void *find_object(const char *name)
{
    void *found =
        strncmp(name, "pthread_cond_", 13) == 0 ? dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2") : NULL;
    return found != NULL ? found : dlsym(RTLD_NEXT, name);
}

/* POSIX lets dlsym's object pointer be a function pointer; ISO C does not, hence the union. */
static void find_one(void (**slot)(void), const char *name)
{
    union {
        void *object;
        void (*function)(void);
    } found = {.object = find_object(name)};
    *slot = found.function;
}

void real_find(void)
{
#define FUNCTION(result, name, parameters) find_one((void (**)(void)) & rt_real.name, #name);
    REAL_LIST(FUNCTION)
#undef FUNCTION
}
