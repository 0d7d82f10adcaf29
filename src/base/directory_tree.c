#include "base/directory_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ALL_BITS = 07777 };

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static void remove_at(int folder, const char *name)
{
    if (unlinkat(folder, name, 0) == 0 || (errno != EISDIR && errno != EPERM)) {
        return;
    }
    const int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    if (d != NULL) {
        for (const struct dirent *entry = readdir(d); entry != NULL; entry = readdir(d)) {
            if (!is_dots(entry->d_name)) {
                remove_at(dirfd(d), entry->d_name);
            }
        }
        (void)closedir(d);
    } else if (fd >= 0) {
        (void)close(fd);
    }
    (void)unlinkat(folder, name, AT_REMOVEDIR);
}

void tree_remove(const char *path)
{
    remove_at(AT_FDCWD, path);
}

/* Files */

static int copy_bytes(int from, int to, uint64_t size)
{
    uint64_t done = 0;
    char buffer[1 << 14];
    while (done < size) {
        ssize_t moved = copy_file_range(from, NULL, to, NULL, size - done, 0);
        if (moved < 0 && (errno == EXDEV || errno == EINVAL || errno == ENOSYS || errno == EPERM ||
                          errno == EOPNOTSUPP)) {
            moved = read(from, buffer, sizeof buffer);
            if (moved > 0 && write(to, buffer, (size_t)moved) != moved) {
                return -1;
            }
        }
        if (moved < 0) {
            return -1;
        }
        if (moved == 0) {
            return 0; /* it became shorter meanwhile */
        }
        done += (uint64_t)moved;
    }
    return 0;
}

static int fail(const char *path, const char *what, struct err *e)
{
    return err_set(e, "%s: cannot be %s: %s", path, what, strerror(errno));
}

int tree_copy_file(const char *from, const char *to, struct tree_room *room, struct err *e)
{
    struct stat s;
    const int source = open(from, O_RDONLY | O_CLOEXEC);
    if (source < 0 || fstat(source, &s) < 0) {
        const int result = fail(from, "copied", e);
        if (source >= 0) {
            (void)close(source);
        }
        return result;
    }
    if (s.st_size < 0 || (uint64_t)s.st_size > room->bytes || room->entries == 0) {
        (void)close(source);
        return err_set(e, "%s: has %lld bytes, more than a private copy may have", from,
                       (long long)s.st_size);
    }
    room->bytes -= (uint64_t)s.st_size;
    room->entries--;
    (void)unlink(to);
    const int copy = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int result = copy < 0 || copy_bytes(source, copy, (uint64_t)s.st_size) < 0 ||
                         fchmod(copy, s.st_mode & ALL_BITS) < 0
                     ? fail(to, "written", e)
                     : 0;
    if (copy >= 0) {
        const struct timespec times[2] = {s.st_atim, s.st_mtim};
        (void)futimens(copy, times);
        result = close(copy) < 0 && result == 0 ? fail(to, "written", e) : result;
    }
    (void)close(source);
    return result;
}

int tree_make_like(const char *from, const struct stat *s, const char *to, struct err *e)
{
    int made = -1;
    if (S_ISDIR(s->st_mode)) {
        made = mkdir(to, (s->st_mode & ALL_BITS) | S_IRWXU);
    } else if (S_ISLNK(s->st_mode)) {
        char target[PATH_MAX];
        const ssize_t size = readlink(from, target, sizeof target - 1);
        target[size < 0 ? 0 : size] = '\0';
        made = size < 0 ? -1 : symlink(target, to);
    } else if (S_ISFIFO(s->st_mode)) {
        made = mkfifo(to, s->st_mode & ALL_BITS);
    } else {
        made = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, s->st_mode & ALL_BITS);
        made = made < 0 ? -1 : close(made);
    }
    return made < 0 && errno != EEXIST ? fail(to, "made", e) : 0;
}

/* Trees */

static int copy_entry(const struct tree_copy *c, const char *name, struct err *e);

static int copy_entries(const struct tree_copy *c, struct err *e)
{
    DIR *d = opendir(c->from);
    if (d == NULL) {
        return fail(c->from, "read", e);
    }
    int result = 0;
    for (const struct dirent *entry = readdir(d); entry != NULL && result == 0;
         entry = readdir(d)) {
        result = is_dots(entry->d_name) ? 0 : copy_entry(c, entry->d_name, e);
    }
    (void)closedir(d);
    return result;
}

static int copy_entry(const struct tree_copy *c, const char *name, struct err *e)
{
    char from[PATH_MAX];
    char to[PATH_MAX];
    struct stat s;
    const int sizes[] = {snprintf(from, sizeof from, "%s/%s", c->from, name),
                         snprintf(to, sizeof to, "%s/%s", c->to, name)};
    if (sizes[0] >= (int)sizeof from || sizes[1] >= (int)sizeof to) {
        return err_set(e, "%s: its path is too long to be copied", c->from);
    }
    if ((c->is_left_out != NULL && c->is_left_out(c->context, from)) || lstat(from, &s) < 0) {
        return 0;
    }
    if (S_ISREG(s.st_mode)) {
        return tree_copy_file(from, to, c->room, e);
    }
    if (c->room->entries == 0) {
        return err_set(e, "%s: has more entries than a private copy may have", c->from);
    }
    c->room->entries--;
    if (tree_make_like(from, &s, to, e) < 0) {
        return -1;
    }
    struct tree_copy below = *c;
    below.from = from;
    below.to = to;
    return S_ISDIR(s.st_mode) ? copy_entries(&below, e) : 0;
}

int tree_copy(const struct tree_copy *c, struct err *e)
{
    if (mkdir(c->to, S_IRWXU) < 0 && errno != EEXIST) {
        return fail(c->to, "made", e);
    }
    return copy_entries(c, e);
}
