/* A folder of this program's own for the files a test makes; removed when the program ends. */
#ifndef CLEW_TEST_SCRATCH_H
#define CLEW_TEST_SCRATCH_H

#include <stddef.h>

/* The folder. */
const char *scratch_folder(void);

/* The path of a file of this name in the folder, whether it exists or not; valid to the end. */
const char *scratch_path(const char *name);

/* Writes a file into the folder and returns its path. */
const char *scratch_write(const char *name, const void *bytes, size_t size);

/* The bytes of the file at path, with a 0 behind, and their number (size may be NULL); NULL when
 * there is no such file. The caller gives it back with mem_free. */
char *scratch_read(const char *path, size_t *size);

#endif
