/* Directory trees on disk: removed and copied whole. */
#ifndef CLEW_BASE_DIRECTORY_TREE_H
#define CLEW_BASE_DIRECTORY_TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/err.h"

/* How much may still be copied. */
struct tree_room {
    uint64_t bytes;
    uint64_t entries;
};

/* Removes the file or directory with all it has. What cannot be removed stays. O(entries). */
void tree_remove(const char *path);

/* Copies one regular file, with its permissions and times, over `to` if that exists. Fails when
 * there is no room for it. */
MUST_USE int tree_copy_file(const char *from, const char *to, struct tree_room *room,
                            struct err *e);

/* Makes, where there is none, an entry of the same kind as `s` describes: a directory, a symbolic
 * link to where `from` points, else an empty file or pipe. */
MUST_USE int tree_make_like(const char *from, const struct stat *s, const char *to, struct err *e);

/* Copies the directory `from` with all below it to `to`. Entries for which `is_left_out` answers
 * true, asked with their path, are left out; NULL: none are. */
struct tree_copy {
    const char *from, *to;
    bool (*is_left_out)(void *context, const char *path);
    void *context;
    struct tree_room *room;
};
MUST_USE int tree_copy(const struct tree_copy *c, struct err *e);

#endif
