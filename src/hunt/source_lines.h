/* Lines of source files that traces and findings name by their base names: "account.c:11".
 *
 *     struct source_lines s = {.folders = folders, .folder_count = 2};
 *     const char *line = source_line(&s, "account.c:11");
 *     source_lines_release(&s);
 *
 * A file is looked for in each folder in turn, by its name as given. Files are read once. */
#ifndef CLEW_HUNT_SOURCE_LINES_H
#define CLEW_HUNT_SOURCE_LINES_H

#include <stddef.h>

#include "base/arena.h"
#include "base/names.h"
#include "base/vec.h"

struct source_file {
    const char *text; /* NULL: not found */
    size_t size;
};

/* Zero but for the folders. */
struct source_lines {
    const char *const *folders;
    size_t folder_count;
    struct arena arena;
    struct names names; /* of files; parallel to `files` */
    VEC(struct source_file) files;
};

void source_lines_init(struct source_lines *s, const char *const *folders, size_t folder_count);
void source_lines_release(struct source_lines *s);

/* The line at a location, without the blanks around it; "" when the location is no line of a file,
 * or the file is in none of the folders. O(size of the file). */
const char *source_line(struct source_lines *s, const char *location);

/* The file of the name's first `size` bytes, with the blanks that it has. */
struct source_file source_file_of(struct source_lines *s, const char *name, size_t size);

#endif
