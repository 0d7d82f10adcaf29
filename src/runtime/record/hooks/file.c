/* Regular files: opened, read, written, synced, renamed, removed. A write is recorded before the
 * call, and corrected if it was shorter. A read is recorded after the call, so that in the trace no
 * read precedes its write. Files that libc opens, reads and writes for itself (stdio) are not
 * recorded. */
#include "runtime/record/hooks/file_descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/record/hooks/fd_identity.h"
#include "runtime/shared/open_mode.h"
#include "runtime/shared/raw_text.h"
#include "runtime/shared/real.h"

static struct rt_mark record(enum event_kind kind, const struct file_transfer *t)
{
    descriptor_name(t->fd);
    if (descriptor_of(t->fd).class != DESCRIPTOR_FILE) {
        return (struct rt_mark){0}; /* its name showed that it is none */
    }
    return rt_record(
        (struct rt_event){.kind = kind,
                          .object = (const void *)(uintptr_t)descriptor_of(t->fd).number,
                          .has_size = t->has_size,
                          .size = t->size,
                          .has_value = t->offset >= 0,
                          .value = t->offset,
                          .place = t->place});
}

struct rt_mark file_record(enum event_kind kind, struct file_transfer t)
{
    if (!rt_is_recording() || descriptor_of(t.fd).class != DESCRIPTOR_FILE) {
        return (struct rt_mark){0};
    }
    const int saved = errno;
    const struct rt_mark mark = record(kind, &t);
    errno = saved;
    return mark;
}

int64_t file_offset(int fd)
{
    const int saved = errno;
    const long offset = descriptor_of(fd).class == DESCRIPTOR_FILE && rt_is_recording()
                            ? syscall(SYS_lseek, fd, 0L, SEEK_CUR)
                            : -1;
    errno = saved;
    return offset;
}

static int opened(int fd, const void *place)
{
    if (fd >= 0) {
        descriptor_made(fd, place);
        (void)file_record(EVENT_FILE_OPEN, (struct file_transfer){fd, false, 0, -1, place});
    }
    return fd;
}

RT_EXPORT int open(const char *path, int flags, ...)
{
    TAKE_MODE(mode, flags)
    return opened(REAL(open)(path, flags, mode), RT_CALLER);
}

RT_EXPORT int open64(const char *path, int flags, ...)
{
    TAKE_MODE(mode, flags)
    return opened(REAL(open64)(path, flags, mode), RT_CALLER);
}

RT_EXPORT int openat(int folder, const char *path, int flags, ...)
{
    TAKE_MODE(mode, flags)
    return opened(REAL(openat)(folder, path, flags, mode), RT_CALLER);
}

RT_EXPORT int openat64(int folder, const char *path, int flags, ...)
{
    TAKE_MODE(mode, flags)
    return opened(REAL(openat64)(folder, path, flags, mode), RT_CALLER);
}

RT_EXPORT int creat(const char *path, mode_t mode)
{
    return opened(REAL(open)(path, O_CREAT | O_WRONLY | O_TRUNC, mode), RT_CALLER);
}

RT_EXPORT int creat64(const char *path, mode_t mode)
{
    return opened(REAL(open64)(path, O_CREAT | O_WRONLY | O_TRUNC, mode), RT_CALLER);
}

static ssize_t read_at(ssize_t result, int fd, int64_t offset, const void *place)
{
    if (result >= 0) {
        (void)file_record(EVENT_FILE_READ,
                          (struct file_transfer){fd, true, (uint64_t)result, offset, place});
    }
    return result;
}

RT_EXPORT ssize_t pread(int fd, void *bytes, size_t size, off_t offset)
{
    descriptor_use(fd, RT_CALLER);
    return read_at(REAL(pread)(fd, bytes, size, offset), fd, offset, RT_CALLER);
}

RT_EXPORT ssize_t pread64(int fd, void *bytes, size_t size, off64_t offset)
{
    descriptor_use(fd, RT_CALLER);
    return read_at(REAL(pread64)(fd, bytes, size, offset), fd, offset, RT_CALLER);
}

RT_EXPORT ssize_t preadv(int fd, const struct iovec *parts, int count, off_t offset)
{
    descriptor_use(fd, RT_CALLER);
    return read_at(REAL(preadv)(fd, parts, count, offset), fd, offset, RT_CALLER);
}

RT_EXPORT ssize_t preadv64(int fd, const struct iovec *parts, int count, off64_t offset)
{
    descriptor_use(fd, RT_CALLER);
    return read_at(REAL(preadv64)(fd, parts, count, offset), fd, offset, RT_CALLER);
}

static struct rt_mark write_parts_at(int fd, const struct iovec *parts, int count, int64_t offset,
                                     const void *place)
{
    uint64_t size = 0;
    for (int i = 0; i < count; i++) {
        size += parts[i].iov_len;
    }
    return file_record(EVENT_FILE_WRITE, (struct file_transfer){fd, true, size, offset, place});
}

RT_EXPORT ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset)
{
    descriptor_use(fd, RT_CALLER);
    const struct rt_mark mark = write_parts_at(fd, parts, count, offset, RT_CALLER);
    return rt_amend_sent(mark, REAL(pwritev)(fd, parts, count, offset));
}

RT_EXPORT ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t offset)
{
    descriptor_use(fd, RT_CALLER);
    const struct rt_mark mark = write_parts_at(fd, parts, count, offset, RT_CALLER);
    return rt_amend_sent(mark, REAL(pwritev64)(fd, parts, count, offset));
}

RT_EXPORT ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset)
{
    descriptor_use(fd, RT_CALLER);
    const struct rt_mark mark =
        file_record(EVENT_FILE_WRITE, (struct file_transfer){fd, true, size, offset, RT_CALLER});
    return rt_amend_sent(mark, REAL(pwrite)(fd, bytes, size, offset));
}

RT_EXPORT ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t offset)
{
    descriptor_use(fd, RT_CALLER);
    const struct rt_mark mark =
        file_record(EVENT_FILE_WRITE, (struct file_transfer){fd, true, size, offset, RT_CALLER});
    return rt_amend_sent(mark, REAL(pwrite64)(fd, bytes, size, offset));
}

static int synced(int result, int fd, const void *place)
{
    if (result == 0) {
        (void)file_record(EVENT_FILE_SYNC, (struct file_transfer){fd, false, 0, -1, place});
    }
    return result;
}

RT_EXPORT int fsync(int fd)
{
    descriptor_use(fd, RT_CALLER);
    return synced(REAL(fsync)(fd), fd, RT_CALLER);
}

RT_EXPORT int fdatasync(int fd)
{
    descriptor_use(fd, RT_CALLER);
    return synced(REAL(fdatasync)(fd), fd, RT_CALLER);
}

/* Names of files go with the record: "path", or "old" 0 "new", each as the program gave it when it
 * is absolute and below the folder given otherwise. */
enum { PATHS_SIZE = 1000 };

static size_t print_path(char *to, size_t size, int folder, const char *path)
{
    long used = 0;
    if (path[0] != '/') {
        char link[64] = "";
        if (folder == AT_FDCWD) {
            used = syscall(SYS_readlink, "/proc/self/cwd", to, size - 1);
        } else {
            char *at = text_append(link, link + sizeof link - 1, "/proc/self/fd/");
            *text_append_number(at, link + sizeof link - 1, (uint64_t)folder) = 0;
            used = syscall(SYS_readlink, link, to, size - 1);
        }
        used = used < 0 ? 0 : used;
        to[used++] = '/';
    }
    for (; *path != 0 && (size_t)used < size; path++) {
        to[used++] = *path;
    }
    return (size_t)used;
}

static struct rt_mark record_paths(enum event_kind kind, const char *text, size_t size,
                                   const void *place)
{
    return rt_record(
        (struct rt_event){.kind = kind, .place = place, .more = text, .more_size = size});
}

static struct rt_mark record_unlink(int folder, const char *path, const void *place)
{
    char text[PATHS_SIZE];
    if (!rt_is_recording()) {
        return (struct rt_mark){0};
    }
    const int saved = errno;
    const size_t size = print_path(text, sizeof text, folder, path);
    const struct rt_mark mark = record_paths(EVENT_FILE_UNLINK, text, size, place);
    errno = saved;
    return mark;
}

RT_EXPORT int unlink(const char *path)
{
    return rt_amend_done(record_unlink(AT_FDCWD, path, RT_CALLER), REAL(unlink)(path));
}

RT_EXPORT int unlinkat(int folder, const char *path, int flags)
{
    if ((flags & AT_REMOVEDIR) != 0) {
        return REAL(unlinkat)(folder, path, flags);
    }
    return rt_amend_done(record_unlink(folder, path, RT_CALLER),
                         REAL(unlinkat)(folder, path, flags));
}

struct renaming {
    int old_folder;
    const char *old;
    int new_folder;
    const char *new;
};

static struct rt_mark record_rename(struct renaming r, const void *place)
{
    char text[PATHS_SIZE];
    if (!rt_is_recording()) {
        return (struct rt_mark){0};
    }
    const int saved = errno;
    size_t size = print_path(text, sizeof text / 2 - 1, r.old_folder, r.old);
    text[size++] = 0;
    size += print_path(text + size, sizeof text / 2, r.new_folder, r.new);
    const struct rt_mark mark = record_paths(EVENT_FILE_RENAME, text, size, place);
    errno = saved;
    return mark;
}

RT_EXPORT int rename(const char *old, const char *new)
{
    const struct rt_mark mark =
        record_rename((struct renaming){AT_FDCWD, old, AT_FDCWD, new}, RT_CALLER);
    return rt_amend_done(mark, REAL(rename)(old, new));
}

RT_EXPORT int renameat(int old_folder, const char *old, int new_folder, const char *new)
{
    const struct rt_mark mark =
        record_rename((struct renaming){old_folder, old, new_folder, new}, RT_CALLER);
    return rt_amend_done(mark, REAL(renameat)(old_folder, old, new_folder, new));
}
