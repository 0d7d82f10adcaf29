#include "runtime/control/model/proc_paths.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "runtime/control/model/libc_objects.h"
#include "runtime/control/model/virtual_pid.h"
#include "runtime/control/sched/run_control.h"
#include "runtime/shared/raw_syscall.h"
#include "runtime/shared/raw_text.h"

enum { ARGUMENTS = 6, PATHS_MAX = 2, NONE = -1 };

/* How a call uses a path: the arguments that are the directory it begins at and the path, and what
 * is done with it. */
struct path_use {
    int8_t directory; /* NONE: the current one */
    int8_t path;      /* NONE: the call has no such path */
    uint8_t use;      /* enum control_path_use */
};

struct path_uses {
    struct path_use of[PATHS_MAX];
};

#define ONE(directory, path, use)                  \
    {                                              \
        {                                          \
            {directory, path, CONTROL_PATH_##use}, \
            {                                      \
                NONE, NONE, 0                      \
            }                                      \
        }                                          \
    }
#define TWO(directory, path, use, directory2, path2, use2) \
    {                                                      \
        {                                                  \
            {directory, path, CONTROL_PATH_##use},         \
            {                                              \
                directory2, path2, CONTROL_PATH_##use2     \
            }                                              \
        }                                                  \
    }

/* Calls that take paths: PATH(name, uses). Whether those that open a file write to it, and whether
 * those with flags follow links, is seen in `adjust`. */
#define PATH_LIST(PATH)                             \
    PATH(openat, ONE(0, 1, READ))                   \
    PATH(openat2, ONE(0, 1, READ))                  \
    PATH(newfstatat, ONE(0, 1, READ))               \
    PATH(statx, ONE(0, 1, READ))                    \
    PATH(faccessat, ONE(0, 1, READ))                \
    PATH(faccessat2, ONE(0, 1, READ))               \
    PATH(readlinkat, ONE(0, 1, READ_LINK))          \
    PATH(chdir, ONE(NONE, 0, READ))                 \
    PATH(statfs, ONE(NONE, 0, READ))                \
    PATH(truncate, ONE(NONE, 0, WRITE))             \
    PATH(mkdirat, ONE(0, 1, MAKE))                  \
    PATH(mknodat, ONE(0, 1, MAKE))                  \
    PATH(symlinkat, ONE(1, 2, MAKE))                \
    PATH(unlinkat, ONE(0, 1, REMOVE))               \
    PATH(renameat2, TWO(0, 1, MOVE, 2, 3, REPLACE)) \
    PATH(linkat, TWO(0, 1, WRITE_LINK, 2, 3, MAKE)) \
    PATH(fchmodat, ONE(0, 1, WRITE))                \
    PATH(fchownat, ONE(0, 1, WRITE))                \
    PATH(utimensat, ONE(0, 1, WRITE))               \
    PATH(setxattr, ONE(NONE, 0, WRITE))             \
    PATH(lsetxattr, ONE(NONE, 0, WRITE_LINK))       \
    PATH(removexattr, ONE(NONE, 0, WRITE))          \
    PATH(getxattr, ONE(NONE, 0, READ))              \
    PATH(lgetxattr, ONE(NONE, 0, READ_LINK))        \
    PATH(listxattr, ONE(NONE, 0, READ))             \
    PATH(llistxattr, ONE(NONE, 0, READ_LINK))       \
    PATH(inotify_add_watch, ONE(NONE, 1, READ))     \
    PATH(execve, ONE(NONE, 0, READ))

/* Those of older names, which not every machine has. */
#ifdef __x86_64__
#define OLD_PATH_LIST(PATH)                             \
    PATH(open, ONE(NONE, 0, READ))                      \
    PATH(creat, ONE(NONE, 0, WRITE))                    \
    PATH(stat, ONE(NONE, 0, READ))                      \
    PATH(lstat, ONE(NONE, 0, READ_LINK))                \
    PATH(access, ONE(NONE, 0, READ))                    \
    PATH(readlink, ONE(NONE, 0, READ_LINK))             \
    PATH(mkdir, ONE(NONE, 0, MAKE))                     \
    PATH(rmdir, ONE(NONE, 0, REMOVE))                   \
    PATH(mknod, ONE(NONE, 0, MAKE))                     \
    PATH(symlink, ONE(NONE, 1, MAKE))                   \
    PATH(unlink, ONE(NONE, 0, REMOVE))                  \
    PATH(rename, TWO(NONE, 0, MOVE, NONE, 1, REPLACE))  \
    PATH(renameat, TWO(0, 1, MOVE, 2, 3, REPLACE))      \
    PATH(link, TWO(NONE, 0, WRITE_LINK, NONE, 1, MAKE)) \
    PATH(chmod, ONE(NONE, 0, WRITE))                    \
    PATH(chown, ONE(NONE, 0, WRITE))                    \
    PATH(lchown, ONE(NONE, 0, WRITE_LINK))              \
    PATH(utime, ONE(NONE, 0, WRITE))                    \
    PATH(utimes, ONE(NONE, 0, WRITE))                   \
    PATH(futimesat, ONE(0, 1, WRITE))
#else
#define OLD_PATH_LIST(PATH)
#endif

static struct path_uses uses_of(long number)
{
    static const struct path_uses none = ONE(NONE, NONE, READ);
    switch (number) {
#define PATH(name, ...)                                   \
    case SYS_##name: {                                    \
        static const struct path_uses uses = __VA_ARGS__; \
        return uses;                                      \
    }
        PATH_LIST(PATH)
        OLD_PATH_LIST(PATH)
#undef PATH
    default: return none;
    }
}

/* What opening a file with these flags does. */
static uint8_t use_of_flags(uint64_t flags)
{
    const bool writes = (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)) != 0;
    const bool is_link =
        (flags & O_NOFOLLOW) != 0 || (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL);
    if (!writes || (flags & O_PATH) != 0) {
        return is_link ? CONTROL_PATH_READ_LINK : CONTROL_PATH_READ;
    }
    return is_link ? CONTROL_PATH_WRITE_LINK : CONTROL_PATH_WRITE;
}

/* The call's own flags say more. */
static void adjust(struct path_use *u, long number, const long *a)
{
    switch (number) {
#ifdef SYS_open
    case SYS_open: u->use = use_of_flags((uint64_t)a[1]); break;
#endif
    case SYS_openat: u->use = use_of_flags((uint64_t)a[2]); break;
    case SYS_openat2: u->use = use_of_flags(*(const uint64_t *)a[2]); break;
    case SYS_newfstatat:
        u->use = (a[3] & AT_SYMLINK_NOFOLLOW) != 0 ? CONTROL_PATH_READ_LINK : CONTROL_PATH_READ;
        break;
    case SYS_statx:
        u->use = (a[2] & AT_SYMLINK_NOFOLLOW) != 0 ? CONTROL_PATH_READ_LINK : CONTROL_PATH_READ;
        break;
    case SYS_fchownat:
        u->use = (a[4] & AT_SYMLINK_NOFOLLOW) != 0 ? CONTROL_PATH_WRITE_LINK : CONTROL_PATH_WRITE;
        break;
    case SYS_utimensat:
        u->use = (a[3] & AT_SYMLINK_NOFOLLOW) != 0 ? CONTROL_PATH_WRITE_LINK : CONTROL_PATH_WRITE;
        break;
    default: break;
    }
}

static bool is_read(uint8_t use)
{
    return use == CONTROL_PATH_READ || use == CONTROL_PATH_READ_LINK;
}

static bool makes_descriptor(long number)
{
#ifdef SYS_open
    if (number == SYS_open || number == SYS_creat) {
        return true;
    }
#endif
    return number == SYS_openat || number == SYS_openat2;
}

bool path_touch(long number, const long *a, const void *place)
{
    struct path_uses uses = uses_of(number);
    struct path_use *u = &uses.of[0];
    if (u->path == NONE) {
        return false;
    }
    const char *path = (const char *)a[u->path];
    if (path == NULL || path[0] == '\0') {
        return false; /* what is meant is the descriptor */
    }
    adjust(u, number, a);
    const int folder = u->directory == NONE ? AT_FDCWD : (int)a[u->directory];
    if (uses.of[1].path != NONE || u->use == CONTROL_PATH_MAKE || u->use == CONTROL_PATH_REMOVE) {
        state_touch_all(place); /* what all paths below it begin with, if it is a directory */
    } else if (makes_descriptor(number)) {
        state_open_path(folder, path, !is_read(u->use), !is_read(u->use), place);
    } else {
        state_touch_path(folder, path, !is_read(u->use), place);
    }
    return true;
}

/* /proc */

/* Reads the number that the text begins with; 0 when it begins with none. */
static pid_t take_number(const char **text)
{
    enum { DIGITS_MAX = 9 };
    pid_t number = 0;
    for (int digits = 0; **text >= '0' && **text <= '9' && digits < DIGITS_MAX; digits++) {
        number = number * 10 + (*(*text)++ - '0');
    }
    return number;
}

static bool take_word(const char **text, const char *word)
{
    const size_t size = strlen(word);
    if (strncmp(*text, word, size) != 0) {
        return false;
    }
    *text += size;
    return true;
}

/* Appends the id at the beginning of *text as the kernel knows it. */
static char *append_id(char *to, const char *end, const char **text)
{
    const pid_t id = take_number(text);
    const bool is_whole = **text == '/' || **text == '\0';
    const pid_t real = is_whole && pid_is_virtual(id) ? pid_real(id) : id;
    return text_append_number(to, end, (uint64_t)real);
}

static bool begins_with_digit(const char *text)
{
    return *text >= '1' && *text <= '9';
}

/* How much memory the kernel has given a process for what, which depends on the machine. Nodes find
 * nothing there. */
static bool is_of_pages(const char *rest)
{
    const size_t size = strcspn(rest, "/");
    return process_self->node != 0 && strncmp(rest + size, "/smaps", strlen("/smaps")) == 0;
}

/* The path with ids of processes and threads below /proc as the kernel knows them; NULL when it is
 * not below /proc. */
static const char *translate_proc(const char *path, char *to, size_t size)
{
    const char *rest = path;
    const char *end = to + size - 1;
    if (!take_word(&rest, "/proc/") || strlen(path) + 2 * sizeof "4194304" > size) {
        return NULL;
    }
    if (is_of_pages(rest)) {
        return "/dev/null";
    }
    char *at = text_append(to, end, "/proc/");
    if (begins_with_digit(rest)) {
        at = append_id(at, end, &rest);
    } else if (take_word(&rest, "self/")) {
        at = text_append(at, end, "self");
        rest--;
    }
    if (take_word(&rest, "/task/")) {
        at = text_append(at, end, "/task/");
        at = begins_with_digit(rest) ? append_id(at, end, &rest) : at;
    }
    *text_append(at, end, rest) = '\0';
    return to;
}

/* Private files */

/* The directory that a relative path begins at, as the kernel has it. */
static bool put_base(long directory)
{
    char *base = control->files.base;
    char link[40] = "/proc/self/cwd";
    if ((int)directory != AT_FDCWD) {
        const char *end = link + sizeof link - 1;
        char *at = text_append(link, end, "/proc/self/fd/");
        *text_append_number(at, end, (uint64_t)(uint32_t)directory) = '\0';
    }
    const long size =
        sys(SYS_readlinkat, (long)AT_FDCWD, link, base, (long)sizeof control->files.base - 1);
    base[size < 0 ? 0 : size] = '\0';
    return size > 0 && base[0] == '/';
}

/* Where the path leads in the view of this run; NULL: nowhere, errno says why. */
static const char *translate_private(const struct path_use *u, const long *a, const char *path,
                                     char *to)
{
    struct control_files *f = &control->files;
    const long directory = u->directory == NONE ? AT_FDCWD : a[u->directory];
    if (f->is_private == 0 || (is_read(u->use) && f->is_changed == 0) || path[0] == '\0' ||
        strlen(path) >= sizeof f->path || (path[0] != '/' && !put_base(directory))) {
        return path;
    }
    f->use = u->use;
    f->node = process_self->node;
    text_copy(f->path, sizeof f->path, path);
    control_ask(CONTROL_ASK_PATH);
    if (f->error != 0) {
        errno = f->error;
        return NULL;
    }
    text_copy(to, CONTROL_PATH_MAX, f->real);
    return to;
}

/* Puts the directory's name as the program knows it back into a path that the kernel returned; how
 * long it is then. */
static long rename_back(char *path, long size, size_t room, const char *physical)
{
    const size_t from = strlen(physical);
    const size_t to = strlen(control->files.root);
    const size_t all = (size_t)size;
    if (from == 0 || all < from || memcmp(path, physical, from) != 0 ||
        (all > from && path[from] != '/' && path[from] != '\0') || all - from + to > room) {
        return size;
    }
    memmove(path + to, path + from, all - from);
    memcpy(path, control->files.root, to);
    return (long)(all - from + to);
}

size_t path_as_known(char *path, size_t size, size_t room)
{
    const long length = (long)size;
    if (control->files.is_private == 0 || size == 0) {
        return size;
    }
    const long known = rename_back(path, length, room, control->files.upper);
    return (size_t)(known != length ? known
                                    : rename_back(path, length, room, control->files.lower));
}

static long tell_path(long number, const long *a, long result)
{
    const bool is_link = number == SYS_readlinkat;
#ifdef SYS_readlink
    const bool is_old_link = number == SYS_readlink;
#else
    const bool is_old_link = false;
#endif
    if (control->files.is_private == 0 || result <= 0 ||
        (number != SYS_getcwd && !is_link && !is_old_link)) {
        return result;
    }
    char *path = (char *)a[is_link ? 2 : is_old_link ? 1 : 0];
    const size_t room = (size_t)a[is_link ? 3 : is_old_link ? 2 : 1];
    const long size = rename_back(path, result, room, control->files.upper);
    return size != result ? size : rename_back(path, result, room, control->files.lower);
}

/* One task runs at a time, and nothing here lets another go on. Not part of the memory that is put
 * back, which each run would copy. */
static struct {
    char proc[PATHS_MAX][PATH_MAX];
    char real[PATHS_MAX][CONTROL_PATH_MAX];
} * own;

void path_start(void)
{
    own = rewind_exempt(sizeof *own);
}

long path_call(long number, const long *given)
{
    if (!control_is_on) {
        return pid_call(number, given);
    }
    struct path_uses uses = uses_of(number);
    long a[ARGUMENTS];
    memcpy(a, given, sizeof a);
    for (int i = 0; i < PATHS_MAX && uses.of[i].path != NONE; i++) {
        struct path_use *u = &uses.of[i];
        const char *path = (const char *)given[u->path];
        if (path == NULL) {
            continue;
        }
        adjust(u, number, given);
        const char *in_proc = translate_proc(path, own->proc[i], sizeof own->proc[i]);
        a[u->path] =
            (long)(in_proc != NULL ? in_proc : translate_private(u, given, path, own->real[i]));
        if (a[u->path] == 0) {
            return -1;
        }
    }
    return tell_path(number, given, pid_call(number, a));
}

const char *path_translate(const char *path, enum control_path_use use, char to[CONTROL_PATH_MAX])
{
    const struct path_use u = {NONE, 0, (uint8_t)use};
    const long none[ARGUMENTS] = {0};
    return translate_private(&u, none, path, to);
}
