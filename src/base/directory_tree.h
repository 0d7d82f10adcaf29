/* Directory trees on disk: recursive removal and copy. */
#ifndef CLEW_BASE_DIRECTORY_TREE_H
#define CLEW_BASE_DIRECTORY_TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/err.h"

/* The remaining budget of a copy. */
struct tree_room {
    uint64_t bytes;
    uint64_t entries;
};

/* Removes the file or directory recursively. Entries that cannot be removed stay. O(entries). */
void tree_remove(const char *path);

/* Copies one regular file, with its permissions and times, over `to` if that exists. Fails when it
 * exceeds the budget. */
MUST_USE int tree_copy_file(const char *from, const char *to, struct tree_room *room,
                            struct err *e);

/* Creates, where there is none, an entry of the same kind as `s` describes: a directory, a symbolic
 * link with the target of `from`, else an empty file or pipe. */
MUST_USE int tree_make_like(const char *from, const struct stat *s, const char *to, struct err *e);

/* Copies the directory `from` recursively to `to`. Entries for which `is_left_out` returns true,
 * called with their path, are left out; NULL: none are. */
struct tree_copy {
    const char *from, *to;
    bool (*is_left_out)(void *context, const char *path);
    void *context;
    struct tree_room *room;
};
MUST_USE int tree_copy(const struct tree_copy *c, struct err *e);

#endif
