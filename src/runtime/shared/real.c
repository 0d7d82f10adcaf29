#include "runtime/shared/real.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

struct real rt_real;

__thread unsigned real_lookups;

/* glibc for x86-64 has two versions of these functions, and plain dlsym may answer with the old
 * one, whose conditions have another layout. pthread_cond_clockwait is younger than both. */
static bool has_old_version(const char *name)
{
    static const char prefix[] = "pthread_cond_";
    return strncmp(name, prefix, sizeof prefix - 1) == 0 &&
           strcmp(name, "pthread_cond_clockwait") != 0;
}

static void *find_object(const char *name)
{
    void *found = has_old_version(name) ? dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2") : NULL;
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
    real_lookups++;
#define FUNCTION(result, name, parameters) find_one((void (**)(void)) & rt_real.name, #name);
    REAL_LIST(FUNCTION)
#undef FUNCTION
    real_lookups--;
}
