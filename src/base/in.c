#include "base/in.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fault_injection.h"
#include "base/mem.h"

enum { BLOCK_SIZE = 1 << 18 };

int in_open(struct in *in, const char *path, struct err *e)
{
    *in = (struct in){.fd = STDIN_FILENO};
    if (strcmp(path, "-") != 0) {
        in->fd = seam_fails() ? seam_failure(EMFILE) : open(path, O_RDONLY | O_CLOEXEC);
    }
    if (in->fd < 0) {
        return err_set(e, "cannot be opened: %s", strerror(errno));
    }
    struct stat status;
    if ((seam_fails() ? seam_failure(EIO) : fstat(in->fd, &status)) < 0) {
        const int reason = errno;
        in_close(in);
        return err_set(e, "cannot be examined: %s", strerror(reason));
    }
    if (S_ISDIR(status.st_mode)) {
        in_close(in);
        return err_set(e, "is a directory, not a file");
    }
    in->size = S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0;
    return 0;
}

void in_open_fd(struct in *in, int fd)
{
    *in = (struct in){.fd = fd};
}

void in_open_memory(struct in *in, const void *bytes, size_t size)
{
    *in = (struct in){.at = bytes, .available = size, .size = size, .is_end = true, .fd = -1};
}

/* Moves the window to the front of a buffer with space for a block behind it. */
static void make_room(struct in *in, size_t wanted)
{
    size_t needed = (wanted > in->available ? wanted : in->available) + BLOCK_SIZE;
    if (in->at != in->buffer && in->available > 0) {
        memmove(in->buffer, in->at, in->available);
    }
    if (needed > in->capacity) {
        needed = needed < in->capacity * 2 ? in->capacity * 2 : needed;
        in->buffer = mem_resize(in->buffer, needed);
        in->capacity = needed;
    }
    in->at = in->buffer;
}

/* Waits for bytes; false when a stop was requested. Polls periodically, since a signal may arrive
 * just before the wait. */
static bool wait_for_bytes(const struct in *in)
{
    enum { LOOK_UP_MS = 100 };
    struct pollfd wanted = {.fd = in->fd, .events = POLLIN};
    while (in->is_stopped != NULL && *in->is_stopped == 0 && poll(&wanted, 1, LOOK_UP_MS) <= 0) {
    }
    return in->is_stopped == NULL || *in->is_stopped == 0;
}

/* Ends the input here: an incomplete last line is dropped. */
static void end_at_line(struct in *in)
{
    const char *end = in->available == 0 ? NULL : memrchr(in->at, '\n', in->available);
    in->available = end == NULL ? 0 : (size_t)(end - in->at) + 1;
    in->is_end = true;
}

ssize_t in_fill(struct in *in, size_t wanted, struct err *e)
{
    while (in->available < wanted && !in->is_end) {
        make_room(in, wanted);
        if (!wait_for_bytes(in)) {
            end_at_line(in);
            break;
        }
        ssize_t got = seam_fails()
                          ? seam_failure(EIO)
                          : read(in->fd, in->buffer + in->available, in->capacity - in->available);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return err_set(e, "byte %llu: cannot be read: %s",
                           (unsigned long long)(in->offset + in->available), strerror(errno));
        }
        in->available += (size_t)got;
        in->is_end = got == 0;
    }
    return (ssize_t)in->available;
}

bool in_is_slow(const struct in *in, int milliseconds)
{
    struct pollfd wanted = {.fd = in->fd, .events = POLLIN};
    return !in->is_end && in->fd >= 0 && poll(&wanted, 1, milliseconds) == 0;
}

int in_fill_all(struct in *in, size_t size_max, struct err *e)
{
    while (!in->is_end && in->available <= size_max) {
        if (in_fill(in, in->available + 1, e) < 0) {
            return -1;
        }
    }
    return in->available <= size_max ? 0 : err_set(e, "is larger than %zu bytes", size_max);
}

void in_skip(struct in *in, size_t count)
{
    must(count <= in->available);
    in->at += count;
    in->available -= count;
    in->offset += count;
}

void in_close(struct in *in)
{
    if (in->fd > STDIN_FILENO) {
        (void)close(in->fd); /* read only: nothing can be lost */
    }
    mem_free(in->buffer);
    *in = (struct in){.fd = -1};
}
