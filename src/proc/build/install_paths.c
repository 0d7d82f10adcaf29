#include "proc/build/install_paths.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fault_injection.h"

/* One layout, relative to the folder of the program. */
struct layout {
    const char *libraries, *includes;
};

static const struct layout layouts[] = {
    {"src/runtime", "../include"},
    {"src/runtime", "../../include"},
    {"../lib/clew", "../include"},
    {"../src/runtime", "../../include"}, /* of programs below the folder of a build */
    {"../src/runtime", "../../../include"},
};

static bool find(char path[static PATH_MAX], const char *folder, const char *name)
{
    const int size = snprintf(path, PATH_MAX, "%s/%s", folder, name);
    return size > 0 && size < PATH_MAX && access(path, R_OK) == 0;
}

static bool find_in(char path[static PATH_MAX], const char *own, const char *folder,
                    const char *name)
{
    char inner[PATH_MAX];
    const int size = snprintf(inner, sizeof inner, "%s/%s", folder, name);
    return size > 0 && size < PATH_MAX && find(path, own, inner);
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
        if (find_in(i->runtime, own, l->libraries, "libclew_rt.so") &&
            find_in(i->control, own, l->libraries, "libclew_control.so") &&
            find_in(i->launcher, own, l->libraries, "clew-launcher") &&
            find_in(i->hooks, own, l->libraries, "libclew_hooks.a") &&
            find_in(i->sim, own, l->libraries, "libclew_sim.a") &&
            find(i->includes, own, l->includes)) {
            return 0;
        }
    }
    return err_set(e, "libclew_rt.so is not beside %s; install clew whole (make install)", own);
}
