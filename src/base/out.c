#include "base/out.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fault_injection.h"
#include "base/mem.h"

enum { BUFFER_SIZE = 1 << 16, UNFINISHED_MAX = 16 };

/* The names of unfinished files, for out_abandon_all. Only this thread writes it. */
static char *volatile unfinished[UNFINISHED_MAX];

static void remember(char *path)
{
    for (int i = 0; i < UNFINISHED_MAX; i++) {
        if (unfinished[i] == NULL) {
            unfinished[i] = path;
            return;
        }
    }
}

static void forget(const char *path)
{
    for (int i = 0; i < UNFINISHED_MAX; i++) {
        if (unfinished[i] == path) {
            unfinished[i] = NULL;
        }
    }
}

void out_abandon_all(void)
{
    for (int i = 0; i < UNFINISHED_MAX; i++) {
        if (unfinished[i] != NULL) {
            (void)unlink(unfinished[i]);
        }
    }
}

/* The descriptor of standard output. */
static int stdout_fd = STDOUT_FILENO;

int out_set_apart(int fd, struct err *e)
{
    (void)fflush(stdout); /* earlier output keeps its destination */
    if (stdout_fd == STDOUT_FILENO) {
        const int kept = seam_fails() ? seam_failure(EMFILE)
                                      : fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        if (kept < 0) {
            return err_set(e, "standard output: cannot be duplicated: %s", strerror(errno));
        }
        stdout_fd = kept;
    }
    if ((seam_fails() ? seam_failure(EBUSY) : dup2(fd, STDOUT_FILENO)) < 0) {
        return err_set(e, "standard output: cannot be redirected: %s", strerror(errno));
    }
    return 0;
}

void out_rejoin(void)
{
    (void)dup2(stdout_fd, STDOUT_FILENO);
}

/* Its other names would open the target of descriptor 1, which may be elsewhere. */
static bool is_stdout(const char *path)
{
    static const char *const names[] = {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(path, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

static char *copied(const char *path, const char *suffix)
{
    const size_t size = strlen(path) + strlen(suffix) + 1;
    char *copy = mem_resize(NULL, size);
    (void)snprintf(copy, size, "%s%s", path, suffix);
    return copy;
}

static void init(struct out *o, int fd)
{
    *o = (struct out){.fd = fd};
    o->buffer = mem_resize(NULL, BUFFER_SIZE);
    o->capacity = BUFFER_SIZE;
}

void out_open_fd(struct out *o, int fd)
{
    must(fd >= 0);
    init(o, fd);
    o->name = copied(fd == STDOUT_FILENO   ? "standard output"
                     : fd == STDERR_FILENO ? "standard error"
                                           : "output",
                     "");
}

void out_open_memory(struct out *o)
{
    init(o, -1);
}

static int open_for_writing(const char *path, int flags)
{
    if (seam_fails()) {
        errno = ENOSPC;
        return -1;
    }
    return open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666);
}

int out_open_in_place(struct out *o, const char *path, struct err *e)
{
    if (is_stdout(path)) {
        out_open_fd(o, STDOUT_FILENO);
        return 0;
    }
    const int fd = open_for_writing(path, O_TRUNC);
    if (fd < 0) {
        return err_set(e, "%s: cannot be written: %s", path, strerror(errno));
    }
    init(o, fd);
    o->owns_fd = true;
    o->name = copied(path, "");
    return 0;
}

int out_open(struct out *o, const char *path, struct err *e)
{
    if (is_stdout(path)) {
        out_open_fd(o, STDOUT_FILENO);
        return 0;
    }
    struct stat status;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
        return out_open_in_place(o, path, e);
    }
    char real[PATH_MAX];
    if (lstat(path, &status) == 0 && S_ISLNK(status.st_mode) && realpath(path, real) != NULL) {
        path = real; /* replaces the target of the link, not the link */
    }
    char suffix[32];
    (void)snprintf(suffix, sizeof suffix, ".%ld.part", (long)getpid());
    char *beside = copied(path, suffix);
    remember(beside); /* first, so that a signal between the two leaves no file */
    const int fd = open_for_writing(beside, O_TRUNC);
    if (fd < 0) {
        const int reason = errno;
        forget(beside);
        mem_free(beside);
        return err_set(e, "%s: cannot be written: %s", path, strerror(reason));
    }
    init(o, fd);
    o->owns_fd = true;
    o->beside = beside;
    o->name = copied(path, "");
    return 0;
}

static void fail(struct out *o, const char *what, int reason)
{
    if (!o->failed) {
        o->failed = true;
        (void)err_set(&o->failure, "%s: cannot be %s: %s", o->name, what, strerror(reason));
        o->failure.reason = reason;
    }
}

static void drain(struct out *o, const char *bytes, size_t size)
{
    const int fd = o->fd == STDOUT_FILENO ? stdout_fd : o->fd;
    while (size > 0 && !o->failed) {
        const ssize_t done = seam_fails() ? seam_failure(ENOSPC) : write(fd, bytes, size);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done < 0) {
            fail(o, "written", errno);
            return;
        }
        bytes += done;
        size -= (size_t)done;
        o->written += (uint64_t)done;
    }
}

void out_bytes(struct out *o, const void *bytes, size_t size)
{
    if (o->capacity - o->used < size) {
        if (o->fd < 0) {
            size_t wanted = o->capacity * 2;
            wanted = wanted < o->used + size ? o->used + size : wanted;
            o->buffer = mem_resize(o->buffer, wanted);
            o->capacity = wanted;
        } else {
            drain(o, o->buffer, o->used);
            o->used = 0;
            if (size >= o->capacity) {
                drain(o, bytes, size);
                return;
            }
        }
    }
    if (size > 0) {
        memcpy(o->buffer + o->used, bytes, size);
    }
    o->used += size;
}

void out_text(struct out *o, const char *text)
{
    out_bytes(o, text, strlen(text));
}

void out_quoted(struct out *o, const char *text)
{
    out_char(o, '\'');
    for (; *text != '\0'; text++) {
        if (*text == '\'') {
            out_text(o, "'\\''");
        } else {
            out_char(o, *text);
        }
    }
    out_char(o, '\'');
}

void out_char(struct out *o, char c)
{
    out_bytes(o, &c, 1);
}

void out_u64(struct out *o, uint64_t number)
{
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    out_bytes(o, digits + at, sizeof digits - at);
}

void out_i64(struct out *o, int64_t number)
{
    if (number < 0) {
        out_char(o, '-');
        out_u64(o, -(uint64_t)number);
    } else {
        out_u64(o, (uint64_t)number);
    }
}

void out_format(struct out *o, const char *format, ...)
{
    char small[256];
    va_list arguments;
    va_start(arguments, format);
    const int needed = vsnprintf(small, sizeof small, format, arguments);
    va_end(arguments);
    must(needed >= 0);
    if ((size_t)needed < sizeof small) {
        out_bytes(o, small, (size_t)needed);
        return;
    }
    char *large = mem_resize(NULL, (size_t)needed + 1);
    va_start(arguments, format);
    (void)vsnprintf(large, (size_t)needed + 1, format, arguments);
    va_end(arguments);
    out_bytes(o, large, (size_t)needed);
    mem_free(large);
}

int out_flush(struct out *o, struct err *e)
{
    if (o->fd >= 0) {
        drain(o, o->buffer, o->used);
        o->used = 0;
    }
    if (o->failed) {
        *e = o->failure;
        return -1;
    }
    return 0;
}

static void release(struct out *o)
{
    if (o->beside != NULL) {
        forget(o->beside);
    }
    mem_free(o->beside);
    mem_free(o->name);
    mem_free(o->buffer);
    *o = (struct out){.fd = -1};
}

int out_close(struct out *o, struct err *e)
{
    if (out_flush(o, e) < 0) {
        out_abandon(o);
        return -1;
    }
    if (o->owns_fd) {
        const int closed = close(o->fd);
        o->owns_fd = false;
        if ((seam_fails() ? seam_failure(EIO) : closed) < 0) {
            fail(o, "written", errno);
        }
    }
    if (o->beside != NULL && !o->failed &&
        (seam_fails() ? seam_failure(EACCES) : rename(o->beside, o->name)) < 0) {
        fail(o, "put in place", errno);
    }
    if (o->failed) {
        *e = o->failure;
        out_abandon(o);
        return -1;
    }
    release(o);
    return 0;
}

void out_abandon(struct out *o)
{
    if (o->owns_fd) {
        (void)close(o->fd); /* its bytes are discarded */
    }
    if (o->beside != NULL) {
        (void)unlink(o->beside);
    }
    release(o);
}
