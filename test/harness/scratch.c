#include "scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/mem.h"

static char folder[64];
static pid_t owner; /* children made by fork must not remove it */
static struct arena paths;

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *where)
{
    (void)status;
    (void)type;
    (void)where;
    return remove(path);
}

static void remove_folder(void)
{
    arena_release(&paths);
    if (getpid() == owner) {
        (void)nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    }
}

const char *scratch_folder(void)
{
    if (folder[0] == '\0') {
        (void)snprintf(folder, sizeof folder, "/tmp/clew-test-XXXXXX");
        must(mkdtemp(folder) != NULL);
        owner = getpid();
        (void)atexit(remove_folder);
    }
    return folder;
}

const char *scratch_path(const char *name)
{
    const size_t size = strlen(scratch_folder()) + strlen(name) + 2;
    char *path = arena_take(&paths, size, 1);
    (void)snprintf(path, size, "%s/%s", scratch_folder(), name);
    return path;
}

const char *scratch_write(const char *name, const void *bytes, size_t size)
{
    const char *path = scratch_path(name);
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    must(fd >= 0);
    for (size_t done = 0; done < size;) {
        const ssize_t some = write(fd, (const char *)bytes + done, size - done);
        must(some > 0);
        done += (size_t)some;
    }
    must(close(fd) == 0);
    return path;
}

char *scratch_read(const char *path, size_t *size)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        must(errno == ENOENT);
        return NULL;
    }
    struct stat status;
    must(fstat(fd, &status) == 0);
    const size_t whole = (size_t)status.st_size;
    char *bytes = mem_zero(whole + 1, 1);
    for (size_t done = 0; done < whole;) {
        const ssize_t some = read(fd, bytes + done, whole - done);
        must(some > 0);
        done += (size_t)some;
    }
    (void)close(fd);
    if (size != NULL) {
        *size = whole;
    }
    return bytes;
}
