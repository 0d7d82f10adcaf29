#include "cli/input/spool.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fault_injection.h"
#include "base/in.h"

bool spool_is_needed(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
}

static int write_all(int fd, const char *bytes, size_t size, struct err *e)
{
    while (size > 0) {
        const ssize_t done = seam_fails() ? seam_failure(ENOSPC) : write(fd, bytes, size);
        if (done < 0 && errno != EINTR) {
            return err_set(e, "cannot be kept: %s", strerror(errno));
        }
        bytes += done > 0 ? done : 0;
        size -= done > 0 ? (size_t)done : 0;
    }
    return 0;
}

static int copy(struct in *in, int fd, const struct limit *l, struct err *e)
{
    ssize_t available;
    while ((available = in_fill(in, 1, e)) > 0) {
        if (limit_is_spent(l, 0) || (l->bytes != 0 && in->offset > l->bytes)) {
            return SPOOL_CUT;
        }
        if (write_all(fd, in->at, (size_t)available, e) < 0) {
            return -1;
        }
        in_skip(in, (size_t)available);
    }
    return (int)available;
}

int spool_keep(const char *path, char kept[SPOOL_PATH_SIZE], const struct limit *l, struct err *e)
{
    struct in in;
    if (in_open(&in, path, e) < 0) {
        return err_wrap(e, "%s", path);
    }
    const int fd = seam_fails() ? seam_failure(EMFILE) : memfd_create("clew", MFD_CLOEXEC);
    const int result =
        fd < 0 ? err_set(e, "cannot be kept: %s", strerror(errno)) : copy(&in, fd, l, e);
    in_close(&in);
    (void)snprintf(kept, SPOOL_PATH_SIZE, "/proc/self/fd/%d", fd);
    return result < 0 ? err_wrap(e, "%s", path) : result;
}
