/* Where clew's own files are, seen from the running program: beside it in a build, under the same
 * prefix when installed. */
#ifndef CLEW_PROC_BUILD_INSTALL_PATHS_H
#define CLEW_PROC_BUILD_INSTALL_PATHS_H

#include <limits.h>

#include "base/err.h"

struct install {
    char runtime[PATH_MAX];  /* libclew_rt.so */
    char control[PATH_MAX];  /* libclew_control.so */
    char launcher[PATH_MAX]; /* clew-launcher, which starts the programs of clusters */
    char hooks[PATH_MAX];    /* libclew_hooks.a */
    char sim[PATH_MAX];      /* libclew_sim.a */
    char includes[PATH_MAX]; /* the folder that has clew/clew.h */
};

MUST_USE int install_find(struct install *i, struct err *e);

/* The folder of the case studies. */
MUST_USE int install_find_cases(char folder[static PATH_MAX], struct err *e);

#endif
