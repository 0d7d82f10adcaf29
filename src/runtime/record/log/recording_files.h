/* Files in the recording's folder, and mappings: by raw system calls, because the libc functions of
 * these names are our own hooks. errno changes. */
#ifndef CLEW_RUNTIME_RECORD_LOG_RECORDING_FILES_H
#define CLEW_RUNTIME_RECORD_LOG_RECORDING_FILES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The recorder's files are named by numbers, of which a name has three at most, and a suffix. */
enum { FOLDER_NAME_SIZE = 48 };

/* mmap, past the hook. */
static inline void *folder_map(void *wanted, size_t size, int protection, int flags, int fd,
                               int64_t offset)
{
    const long at = syscall(SYS_mmap, wanted, size, protection, flags, fd, offset);
    return (void *)at;
}

/* Memory that is zero; NULL when there is none. */
void *folder_memory(size_t size);

/* The folder, for the functions below and for no longer than one task needs it: the program would
 * find the descriptor. -1 when there is none. */
int folder_open(void);
void folder_close(int fd);

/* Creates a new file for `size` bytes; returns its descriptor, or -1. Also -1 if RLIMIT_FSIZE is
 * smaller: the kernel would send SIGXFSZ. */
int folder_make(int folder, const char *name, size_t size);

/* Creates a file of this size and maps it shared; NULL if that fails, and then no file is left. */
void *folder_make_mapped(const char *name, size_t size);

/* The process's own file with this suffix. */
void *folder_make_table(const char *suffix, size_t size);

#endif
