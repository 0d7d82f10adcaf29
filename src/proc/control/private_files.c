#include "proc/control/private_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/directory_tree.h"
#include "base/mem.h"
#include "base/names.h"
#include "base/sort.h"

enum { LINKS_MAX = 40, BYTES_MAX_MIB = 1024, ENTRIES_MAX = 100000 };

/* The directory that holds what is private, and the process that removes it. */
struct place {
    char path[PATH_MAX / 4];
    pid_t owner;   /* the process it belongs to; 0: there is none */
    pid_t janitor; /* waits for the end of the owner */
    int alive_fd;  /* which closes this then */
};

struct private_files {
    char root[PATH_MAX / 2];  /* as the process knows it */
    char lower[PATH_MAX / 2]; /* where unchanged files are */
    char upper[PATH_MAX / 2]; /* where changed ones are; "" before the first */
    struct place template;    /* of `lower`, where a command prepared it */
    struct place own;         /* of `upper` */
    bool has_root;            /* the root is taken over */
    struct names names;       /* paths below the root ... */
    VEC(bool) is_stand_in;    /* ... that exist in `upper` only as stand-ins */
    struct tree_room room;    /* that this run may still copy */
    VEC(char *) outside;      /* paths outside that this run opened for writing or made */
};

struct text {
    char at[PATH_MAX];
};

/* The private directory */

/* The process that makes the directory and removes it once the owner has ended, however that comes.
 * It makes the directory itself, so that no signal to the owner falls between making it and having
 * a process that removes it. It sends back the number of the error, or 0, and then the path. */
static _Noreturn void keep_place(struct place *p, int owner_fd, int answer_fd)
{
    enum { TRIES = 100, PAUSE_NS = 20000000 };
    char byte = 0;
    (void)setsid();
    (void)signal(SIGTERM, SIG_IGN);
    (void)signal(SIGHUP, SIG_IGN);
    (void)signal(SIGINT, SIG_IGN);
    (void)signal(SIGPIPE, SIG_IGN);
    for (int fd = 0; fd < 256; fd++) {
        if (fd != owner_fd && fd != answer_fd) {
            (void)close(fd);
        }
    }
    const int problem = mkdtemp(p->path) == NULL ? errno : 0;
    const bool is_told = write(answer_fd, &problem, sizeof problem) == sizeof problem &&
                         write(answer_fd, p->path, sizeof p->path) == sizeof p->path;
    (void)close(answer_fd);
    while (is_told && read(owner_fd, &byte, 1) < 0 && errno == EINTR) {
    }
    /* The program may live a moment longer than its owner, and write meanwhile. */
    for (int i = 0; problem == 0 && i < TRIES; i++) {
        tree_remove(p->path);
        if (access(p->path, F_OK) < 0) {
            break;
        }
        (void)nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
    }
    _exit(0);
}

static bool read_whole(int fd, void *to, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t count = read(fd, (char *)to + done, size - done);
        if (count == 0 || (count < 0 && errno != EINTR)) {
            return false;
        }
        done += count < 0 ? 0 : (size_t)count;
    }
    return true;
}

/* The number of the error; 0: none. */
static int start_keeper(struct place *p)
{
    int alive[2];
    int answer[2];
    int problem = 0;
    if (pipe2(alive, O_CLOEXEC) < 0) {
        return errno;
    }
    if (pipe2(answer, O_CLOEXEC) < 0) {
        problem = errno;
        (void)close(alive[0]);
        (void)close(alive[1]);
        return problem;
    }
    p->janitor = fork();
    if (p->janitor == 0) {
        (void)close(alive[1]);
        keep_place(p, alive[0], answer[1]);
    }
    problem = p->janitor < 0 ? errno : 0;
    (void)close(alive[0]);
    (void)close(answer[1]);
    p->alive_fd = alive[1];
    if (problem == 0 && (!read_whole(answer[0], &problem, sizeof problem) ||
                         !read_whole(answer[0], p->path, sizeof p->path))) {
        problem = EPIPE;
    }
    (void)close(answer[0]);
    return problem;
}

/* Only the owner's end removes the directory: a process that was forked off it leaves it alone. */
static void place_release(struct place *p)
{
    if (p->owner != getpid()) {
        return;
    }
    if (p->alive_fd >= 0) {
        (void)close(p->alive_fd);
    }
    if (p->janitor > 0) {
        while (waitpid(p->janitor, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    p->owner = 0;
}

static int place_make(struct place *p, struct err *e)
{
    const char *temporary = getenv("TMPDIR");
    *p = (struct place){.owner = getpid(), .alive_fd = -1};
    (void)snprintf(p->path, sizeof p->path, "%s/clew-XXXXXX",
                   temporary == NULL || temporary[0] != '/' ? "/tmp" : temporary);
    const int problem = start_keeper(p);
    if (problem != 0) {
        place_release(p);
        return err_set(e, "%s: no directory for a run's files could be made: %s", p->path,
                       strerror(problem));
    }
    return 0;
}

/* Stand-ins */

static bool is_stand_in(const struct private_files *f, const char *relative)
{
    const uint32_t name = names_find(&f->names, relative, strlen(relative));
    return name != 0 && name < f->is_stand_in.count && f->is_stand_in.at[name];
}

static void set_stand_in(struct private_files *f, const char *relative, bool is_so)
{
    const uint32_t name = names_intern_text(&f->names, relative);
    while (f->is_stand_in.count <= name) {
        vec_push(&f->is_stand_in, false);
    }
    f->is_stand_in.at[name] = is_so;
}

static void parent_of(const char *relative, struct text *parent)
{
    const char *slash = strrchr(relative, '/');
    (void)snprintf(parent->at, sizeof parent->at, "%.*s",
                   slash == NULL ? 0 : (int)(slash - relative), relative);
}

/* Whether the entry is the private one: it and all directories above it are no stand-ins. */
static bool is_own(const struct private_files *f, const char *relative)
{
    if (!f->has_root || (relative[0] != '\0' && is_stand_in(f, relative))) {
        return false;
    }
    if (relative[0] == '\0') {
        return true;
    }
    struct text parent;
    parent_of(relative, &parent);
    return is_own(f, parent.at);
}

/* The path below the directory, "" for itself; NULL when it is not below it. */
static const char *below(const char *path, const char *directory)
{
    const size_t size = strlen(directory);
    if (size == 0 || strncmp(path, directory, size) != 0 ||
        (path[size] != '/' && path[size] != '\0')) {
        return NULL;
    }
    return path[size] == '/' ? path + size + 1 : path + size;
}

static int join(struct text *to, const char *directory, const char *relative)
{
    const int size =
        snprintf(to->at, sizeof to->at, "%s%s%s", directory,
                 relative[0] == '\0' || strcmp(directory, "/") == 0 ? "" : "/", relative);
    return size < (int)sizeof to->at ? 0 : -1;
}

/* A socket is how others reach the process: its name is the original's. */
static bool is_socket(const struct private_files *f, const char *relative)
{
    struct text place;
    struct stat s;
    return join(&place, f->lower, relative) == 0 && lstat(place.at, &s) == 0 && S_ISSOCK(s.st_mode);
}

/* Where the path of the process, which is absolute and has no links above its last name, leads. */
static int locate(const struct private_files *f, const char *path, struct text *to)
{
    const char *relative = below(path, f->root);
    if (relative == NULL) {
        return join(to, path, "");
    }
    const bool is_private = is_own(f, relative) && !is_socket(f, relative);
    return join(to, is_private ? f->upper : f->lower, relative);
}

/* Paths */

/* The absolute path that the kernel knows, as the process knows it. */
static int seen_as(const struct private_files *f, const char *path, struct text *to)
{
    const char *relative = below(path, f->upper);
    relative = relative == NULL ? below(path, f->lower) : relative;
    return relative == NULL ? join(to, path, "") : join(to, f->root, relative);
}

static bool follows(enum control_path_use use)
{
    return use == CONTROL_PATH_READ || use == CONTROL_PATH_WRITE;
}

/* Takes the first name off the path. */
static bool next_name(const char **rest, struct text *name)
{
    const char *at = *rest + strspn(*rest, "/");
    const size_t size = strcspn(at, "/");
    (void)snprintf(name->at, sizeof name->at, "%.*s", (int)size, at);
    *rest = at + size;
    return size > 0;
}

static bool is_last(const char *rest)
{
    return rest[strspn(rest, "/")] == '\0';
}

/* Where the link leads, followed by the rest of the path; false when the path is none. */
static bool read_link(const struct private_files *f, const char *path, const char *rest,
                      struct text *to)
{
    struct text place;
    char target[PATH_MAX];
    if (locate(f, path, &place) < 0) {
        return false;
    }
    const ssize_t size = readlink(place.at, target, sizeof target - 1);
    if (size < 0) {
        return false;
    }
    target[size] = '\0';
    return snprintf(to->at, sizeof to->at, "%s/%s", target, rest) < (int)sizeof to->at;
}

/* Walks from the base along the path, name by name, as the kernel would: the answer is absolute,
 * and links in it were followed, the last one only where the call does. */
static int resolve(const struct private_files *f, const struct private_path *p, struct text *seen)
{
    struct text rest;
    struct text next;
    struct text name;
    int links = 0;
    if (p->path[0] == '/') {
        (void)join(seen, "", "");
    } else if (seen_as(f, p->base, seen) < 0) {
        return -1;
    }
    if (join(&rest, p->path, "") < 0) {
        return -1;
    }
    const char *at = rest.at;
    while (next_name(&at, &name)) {
        if (strcmp(name.at, ".") == 0) {
            continue;
        }
        if (strcmp(name.at, "..") == 0) {
            char *slash = strrchr(seen->at, '/');
            seen->at[slash == NULL ? 0 : slash - seen->at] = '\0';
            continue;
        }
        struct text longer;
        if (snprintf(longer.at, sizeof longer.at, "%s/%s", seen->at, name.at) >=
            (int)sizeof longer.at) {
            return -1;
        }
        const bool is_followed = !is_last(at) || follows(p->use);
        if (is_followed && links < LINKS_MAX && read_link(f, longer.at, at, &next)) {
            links++;
            rest = next;
            at = rest.at;
            seen->at[rest.at[0] == '/' ? 0 : strlen(seen->at)] = '\0';
            continue;
        }
        *seen = longer;
    }
    if (seen->at[0] == '\0') {
        (void)join(seen, "/", "");
    }
    return 0;
}

/* Taking over */

static int too_much(const struct private_files *f, struct err *e)
{
    return err_wrap(e,
                    "a run changes files below %s, and clew copies at most %d MiB for it; run the "
                    "program in a directory with less, or with --files shared",
                    f->root, BYTES_MAX_MIB);
}

static int make_upper(struct private_files *f, struct err *e)
{
    if (f->own.owner != getpid() && place_make(&f->own, e) < 0) {
        return -1;
    }
    (void)snprintf(f->upper, sizeof f->upper, "%s/files", f->own.path);
    if (mkdir(f->upper, S_IRWXU) < 0 && errno != EEXIST) {
        return err_set(e, "%s: cannot be made: %s", f->upper, strerror(errno));
    }
    return 0;
}

/* A stand-in for an entry of a directory that is taken over. */
static int stand_in(struct private_files *f, const char *directory, const char *name, struct err *e)
{
    struct text relative;
    struct text from;
    struct text to;
    struct stat s;
    if (f->room.entries == 0) {
        (void)err_set(e, "%s: it has more than %d entries", f->root, ENTRIES_MAX);
        return too_much(f, e);
    }
    f->room.entries--;
    if (snprintf(relative.at, sizeof relative.at, "%s%s%s", directory,
                 directory[0] == '\0' ? "" : "/", name) >= (int)sizeof relative.at ||
        join(&from, f->lower, relative.at) < 0 || join(&to, f->upper, relative.at) < 0 ||
        lstat(from.at, &s) < 0 || strcmp(from.at, f->own.path) == 0) {
        return 0;
    }
    if (tree_make_like(from.at, &s, to.at, e) < 0) {
        return -1;
    }
    set_stand_in(f, relative.at, true);
    return 0;
}

static int compare_names(const void *left, const void *right, const void *context)
{
    (void)context;
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* In the order of their names, so that listings are the same in every run. */
static int stand_in_all(struct private_files *f, const char *relative, struct err *e)
{
    struct text from;
    VEC(char *) names = {0};
    int result = 0;
    DIR *d = join(&from, f->lower, relative) < 0 ? NULL : opendir(from.at);
    for (const struct dirent *entry = d == NULL ? NULL : readdir(d); entry != NULL;
         entry = readdir(d)) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            vec_push(&names, mem_text(entry->d_name, strlen(entry->d_name)));
        }
    }
    if (d != NULL) {
        (void)closedir(d);
    }
    sort_stable(names.at, names.count, sizeof *names.at, compare_names, NULL);
    vec_each (&names, name) {
        result = result == 0 ? stand_in(f, relative, *name, e) : result;
        mem_free(*name);
    }
    vec_release(&names);
    return result;
}

/* Takes over the directory and all above it. What is no directory, or is not there, stays so. */
static int take_over(struct private_files *f, const char *relative, struct err *e)
{
    if (is_own(f, relative)) {
        return 0;
    }
    if (relative[0] == '\0') {
        if (make_upper(f, e) < 0) {
            return -1;
        }
        f->has_root = true;
        return stand_in_all(f, relative, e);
    }
    struct text parent;
    struct text place;
    struct stat s;
    parent_of(relative, &parent);
    if (take_over(f, parent.at, e) < 0) {
        return -1;
    }
    if (!is_stand_in(f, relative) || join(&place, f->lower, relative) < 0 ||
        lstat(place.at, &s) < 0 || !S_ISDIR(s.st_mode)) {
        return 0;
    }
    set_stand_in(f, relative, false);
    return stand_in_all(f, relative, e);
}

/* Copies a file that is still a stand-in, in a directory that was taken over. What is neither file
 * nor directory stays the original's. */
static int copy_up(struct private_files *f, const char *relative, struct err *e)
{
    struct text from;
    struct text to;
    struct stat s;
    if (!is_stand_in(f, relative) || join(&from, f->lower, relative) < 0 ||
        join(&to, f->upper, relative) < 0 || lstat(from.at, &s) < 0) {
        return 0;
    }
    if (S_ISDIR(s.st_mode)) {
        return take_over(f, relative, e);
    }
    if (S_ISLNK(s.st_mode)) {
        set_stand_in(f, relative, false); /* its stand-in is the same link */
        return 0;
    }
    if (!S_ISREG(s.st_mode)) {
        return 0;
    }
    if (tree_copy_file(from.at, to.at, &f->room, e) < 0) {
        return too_much(f, e);
    }
    set_stand_in(f, relative, false);
    return 0;
}

/* Copies everything below: the directory gets another name, under which nothing stands in. */
static int copy_up_all(struct private_files *f, const char *relative, struct err *e)
{
    struct text prefix;
    if (copy_up(f, relative, e) < 0 || join(&prefix, relative, "") < 0) {
        return -1;
    }
    for (uint32_t name = 1; name < f->is_stand_in.count; name++) {
        if (f->is_stand_in.at[name] && below(names_text(&f->names, name), prefix.at) != NULL) {
            struct text path;
            (void)join(&path, names_text(&f->names, name), "");
            if (copy_up(f, path.at, e) < 0) {
                return -1;
            }
        }
    }
    return 0;
}

/* Makes the private directory fit for what the call will do. */
static int prepare(struct private_files *f, const char *relative, enum control_path_use use,
                   struct err *e)
{
    struct text parent;
    struct text place;
    struct stat s;
    if (use == CONTROL_PATH_READ || use == CONTROL_PATH_READ_LINK || relative[0] == '\0') {
        return use == CONTROL_PATH_READ || use == CONTROL_PATH_READ_LINK
                   ? 0
                   : take_over(f, relative, e);
    }
    if (is_socket(f, relative)) {
        return 0;
    }
    parent_of(relative, &parent);
    if (take_over(f, parent.at, e) < 0) {
        return -1;
    }
    switch (use) {
    case CONTROL_PATH_WRITE:
    case CONTROL_PATH_WRITE_LINK: return copy_up(f, relative, e);
    case CONTROL_PATH_MOVE:
    case CONTROL_PATH_REPLACE: return copy_up_all(f, relative, e);
    case CONTROL_PATH_REMOVE:
        if (is_stand_in(f, relative) && join(&place, f->lower, relative) == 0 &&
            lstat(place.at, &s) == 0 && S_ISDIR(s.st_mode)) {
            return take_over(f, relative, e);
        }
        set_stand_in(f, relative, false);
        return 0;
    case CONTROL_PATH_READ:
    case CONTROL_PATH_READ_LINK:
    case CONTROL_PATH_MAKE: return 0;
    }
    return 0;
}

/* Outside */

static bool is_device(const char *path)
{
    struct stat s;
    return below(path, "/proc") != NULL || below(path, "/sys") != NULL ||
           below(path, "/dev/pts") != NULL ||
           (stat(path, &s) == 0 && (S_ISCHR(s.st_mode) || S_ISBLK(s.st_mode)));
}

static bool is_reading(enum control_path_use use)
{
    return use == CONTROL_PATH_READ || use == CONTROL_PATH_READ_LINK;
}

static void note_outside(struct private_files *f, const char *path, enum control_path_use use)
{
    if (is_reading(use) || is_device(path)) {
        return;
    }
    vec_each (&f->outside, known) {
        if (strcmp(*known, path) == 0) {
            return;
        }
    }
    vec_push(&f->outside, mem_text(path, strlen(path)));
}

const char *private_files_left(struct private_files *f)
{
    vec_each (&f->outside, path) {
        struct stat s;
        if (lstat(*path, &s) == 0) {
            return *path;
        }
    }
    return NULL;
}

int private_files_translate(struct private_files *f, struct private_path *p, struct err *e)
{
    struct text seen;
    struct text real;
    if (resolve(f, p, &seen) < 0) {
        return err_set(e, "%s: the path is too long", p->path);
    }
    const char *relative = below(seen.at, f->root);
    p->is_refused = p->writable != NULL && !is_reading(p->use) &&
                    below(seen.at, p->writable) == NULL && strcmp(seen.at, p->writable_file) != 0 &&
                    !is_device(seen.at);
    if (p->is_refused) {
        return 0;
    }
    if (relative == NULL) {
        note_outside(f, seen.at, p->use);
    } else if (prepare(f, relative, p->use, e) < 0) {
        return -1;
    }
    if (locate(f, seen.at, &real) < 0) {
        return err_set(e, "%s: the path is too long", p->path);
    }
    memcpy(p->real, real.at, sizeof p->real);
    return 0;
}

bool private_files_is_changed(const struct private_files *f)
{
    return f->has_root;
}

/* Keeping */

/* Stand-ins are the original's. A directory is kept if it was taken over. */
static bool is_unchanged(void *context, const char *path)
{
    const struct private_files *f = context;
    const char *relative = below(path, f->upper);
    return relative != NULL && is_stand_in(f, relative);
}

int private_files_keep(struct private_files *f, const char *folder, struct err *e)
{
    if (!f->has_root) {
        return 0;
    }
    struct tree_room room = {.bytes = UINT64_MAX, .entries = UINT64_MAX};
    return tree_copy(&(struct tree_copy){.from = f->upper,
                                         .to = folder,
                                         .is_left_out = is_unchanged,
                                         .context = f,
                                         .room = &room},
                     e);
}

/* Beginning and ending */

static void forget_run(struct private_files *f)
{
    vec_each (&f->outside, path) {
        mem_free(*path);
    }
    vec_clear(&f->outside);
    vec_clear(&f->is_stand_in);
    names_release(&f->names);
    names_init(&f->names);
    f->has_root = false;
    f->room =
        (struct tree_room){.bytes = UINT64_C(1048576) * BYTES_MAX_MIB, .entries = ENTRIES_MAX};
}

void private_files_begin(struct private_files *f)
{
    if (f->has_root && f->own.owner == getpid()) {
        tree_remove(f->upper);
    }
    if (f->has_root || f->outside.count > 0) {
        forget_run(f);
    }
    f->upper[f->own.owner == getpid() ? strlen(f->upper) : 0] = '\0';
}

/* What clew itself writes is not part of what it explores. */
static bool is_campaign(void *context, const char *path)
{
    (void)context;
    const char *dot = strrchr(path, '.');
    return dot != NULL && strcmp(dot, ".campaign") == 0;
}

static int run_setup(const char *command, const char *directory, struct err *e)
{
    int status = 0;
    const pid_t pid = fork();
    if (pid == 0) {
        if (chdir(directory) == 0) {
            (void)dup2(STDERR_FILENO, STDOUT_FILENO);
            (void)execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        }
        _exit(127);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (pid < 0) {
        return err_set(e, "--setup: fork: %s", strerror(errno));
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0
               ? 0
               : err_set(e, "--setup %s: it ended with status %d", command,
                         WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

static int set_up(struct private_files *f, const char *command, struct err *e)
{
    struct tree_room room = f->room;
    if (place_make(&f->template, e) < 0) {
        return -1;
    }
    (void)snprintf(f->lower, sizeof f->lower, "%s/files", f->template.path);
    if (tree_copy(
            &(struct tree_copy){
                .from = f->root, .to = f->lower, .is_left_out = is_campaign, .room = &room},
            e) < 0) {
        return err_wrap(
            e,
            "--setup copies %s, of which clew copies at most %d MiB and %d entries; run "
            "the program in a directory with less",
            f->root, BYTES_MAX_MIB, ENTRIES_MAX);
    }
    return run_setup(command, f->lower, e);
}

int private_files_open(struct private_files **opened, const char *root, const char *setup,
                       struct err *e)
{
    struct private_files *f = mem_zero(1, sizeof *f);
    names_init(&f->names);
    forget_run(f);
    *opened = NULL;
    if (root != NULL) {
        (void)snprintf(f->root, sizeof f->root, "%s", root);
    } else if (getcwd(f->root, sizeof f->root) == NULL) {
        const int result = err_set(e, "the current directory: %s", strerror(errno));
        private_files_close(f);
        return result;
    }
    (void)snprintf(f->lower, sizeof f->lower, "%s", f->root);
    if (setup != NULL && set_up(f, setup, e) < 0) {
        private_files_close(f);
        return -1;
    }
    *opened = f;
    return 0;
}

void private_files_close(struct private_files *f)
{
    if (f == NULL) {
        return;
    }
    place_release(&f->own);
    place_release(&f->template);
    forget_run(f);
    vec_release(&f->outside);
    vec_release(&f->is_stand_in);
    names_release(&f->names);
    mem_free(f);
}

const char *private_files_root(const struct private_files *f)
{
    return f->root;
}

const char *private_files_lower(const struct private_files *f)
{
    return f->lower;
}

const char *private_files_upper(const struct private_files *f)
{
    return f->upper;
}
