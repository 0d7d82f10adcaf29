/* A private view of a directory, for a process whose paths somebody translates: what the process
 * changes below the directory goes into a directory of its own, and the original stays as it is.
 *
 *     struct private_files *f = NULL;
 *     if (private_files_open(&f, NULL, NULL, e) < 0) { ... }       of the current directory
 *     private_files_begin(f);                                a run begins, with nothing changed
 *     ... for each path that the process gives to the kernel:
 *     struct private_path p = {.base = "/srv/app", .path = "log", .use = CONTROL_PATH_WRITE};
 *     if (private_files_translate(f, &p, e) < 0) { ... }     p.real is the path to use
 *     private_files_keep(f, "1.files", e)                    what the run changed, for people
 *     private_files_close(f);
 *
 * The view is made as an overlay is. A directory is taken over when something in it is changed: the
 * private directory then has an entry for each of its entries. An entry that was not changed is
 * only a stand-in, so that listings are right, and paths to it lead to the original:
 *
 *     original  log  data/1  data/2           taken over: . and data
 *     private   log  data/1  data/2           "log" is a stand-in, "data/2" was written
 *     seen      original/log  original/data/1  private/data/2
 *
 * A file is copied when it is opened for writing. Nothing is made before the first change, so that
 * processes which only read cost nothing. All of it is removed when the owner ends, even by a
 * signal.
 *
 * With a command to prepare the view, the original is a copy of the directory in which that command
 * was run once. */
#ifndef CLEW_PROC_CONTROL_PRIVATE_FILES_H
#define CLEW_PROC_CONTROL_PRIVATE_FILES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "wire/control.h"

struct private_files;

/* Begins a view of the directory, NULL for the current one; `setup`, if not NULL, is a command for
 * the shell that prepares it. Fails when that command does, or the directory has more than can be
 * copied for it.
 */
MUST_USE int private_files_open(struct private_files **f, const char *root, const char *setup,
                                struct err *e);
void private_files_close(struct private_files *f);

/* The directory as the process knows it, and where the process is to begin. */
const char *private_files_root(const struct private_files *f);
const char *private_files_lower(const struct private_files *f);
/* Where changed files lie; "" as long as there are none. */
const char *private_files_upper(const struct private_files *f);

/* A run begins: changes of the run before are gone. */
void private_files_begin(struct private_files *f);

struct private_path {
    const char
        *base; /* the directory that a relative path begins at, absolute, as the kernel has it */
    const char *path;
    enum control_path_use use;
    const char *writable; /* what is changed must lie below it, or be a device; NULL: anywhere */
    const char *writable_file; /* or be this */
    bool is_refused;           /* the answer: it does not */
    char real[PATH_MAX];       /* the answer: the path to use instead, absolute */
};

/* Translates a path, and prepares what the call will change. Fails when too much would have to be
 * copied, or that fails. */
MUST_USE int private_files_translate(struct private_files *f, struct private_path *p,
                                     struct err *e);

/* Whether the run changed anything below the directory. */
bool private_files_is_changed(const struct private_files *f);

/* Something outside of the directory that the run made or changed, and that is still there; NULL:
 * there is nothing. */
const char *private_files_left(struct private_files *f);

/* Copies what the run changed or made to a directory, which is made. */
MUST_USE int private_files_keep(struct private_files *f, const char *folder, struct err *e);

#endif
