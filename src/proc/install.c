#include "proc/install.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/seam.h"

/* One layout, relative to the folder of the program. */
struct layout {
    const char *runtime, *hooks, *includes;
};

static const struct layout layouts[] = {
    {"src/runtime/libclew_rt.so", "src/runtime/libclew_hooks.a", "../include"},
    {"src/runtime/libclew_rt.so", "src/runtime/libclew_hooks.a", "../../include"},
    {"../lib/clew/libclew_rt.so", "../lib/clew/libclew_hooks.a", "../include"},
};

static bool find(char path[static PATH_MAX], const char *folder, const char *name)
{
    const int size = snprintf(path, PATH_MAX, "%s/%s", folder, name);
    return size > 0 && size < PATH_MAX && access(path, R_OK) == 0;
}

/* The folder of the running program. */
static int find_own(char own[static PATH_MAX], struct err *e)
{
    const ssize_t size = seam_fails() ? -1 : readlink("/proc/self/exe", own, PATH_MAX - 1);
    if (size <= 0) {
        return err_set(e, "/proc/self/exe: cannot be read: %s", strerror(errno));
    }
    own[size] = 0;
    *strrchr(own, '/') = 0;
    return 0;
}

int install_find_cases(char folder[static PATH_MAX], struct err *e)
{
    char own[PATH_MAX];
    if (find_own(own, e) < 0) {
        return -1;
    }
    return find(folder, own, "cases") || find(folder, own, "../lib/clew/cases")
               ? 0
               : err_set(e, "the case studies are not beside %s; build them (make)", own);
}

int install_find(struct install *i, struct err *e)
{
    char own[PATH_MAX];
    if (find_own(own, e) < 0) {
        return -1;
    }
    for (size_t at = 0; at < sizeof layouts / sizeof *layouts; at++) {
        const struct layout *l = &layouts[at];
        if (find(i->runtime, own, l->runtime) && find(i->hooks, own, l->hooks) &&
            find(i->includes, own, l->includes)) {
            return 0;
        }
    }
    return err_set(e, "libclew_rt.so is not beside %s; install clew whole (make install)", own);
}
