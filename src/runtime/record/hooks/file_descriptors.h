/* Functions that the hooks of files share with those of sockets. A call on a descriptor reaches the
 * hooks of sockets first. */
#ifndef CLEW_RUNTIME_RECORD_HOOKS_FILE_DESCRIPTORS_H
#define CLEW_RUNTIME_RECORD_HOOKS_FILE_DESCRIPTORS_H

#include "runtime/record/log/recorder.h"

struct file_transfer {
    int fd;
    bool has_size;
    uint64_t size;
    int64_t offset; /* -1: not known */
    const void *place;
};

/* Records an event of the file; nothing when fd is no regular file. */
struct rt_mark file_record(enum event_kind kind, struct file_transfer t);

/* Where the next read or write of the file begins, -1 when it is no regular file. */
int64_t file_offset(int fd);

#endif
