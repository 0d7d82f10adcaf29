#include "runtime/shared/real.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

struct real rt_real;

__thread unsigned real_lookups;

/* glibc for x86-64 has two versions of the pthread_cond_ functions. dlsym may return the old one,
 * whose pthread_cond_t has another layout. pthread_cond_clockwait has the new version only. */
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
_Static_assert(sizeof(void *) == sizeof(void (*)(void)), "dlsym returns functions as objects");
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
