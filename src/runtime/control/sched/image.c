#include "runtime/control/sched/image.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/control/hooks/syscall_dispatch.h"
#include "runtime/control/model/proc_paths.h"
#include "runtime/control/sched/run_control.h"
#include "runtime/shared/raw_syscall.h"
#include "runtime/shared/raw_text.h"
#include "wire/must.h"

enum { FD_LEAST = 1000, WORD_MAX = 64 };

static int page_fd = -1;

/* The number that all processes that run this program have, in all runs. */
static uint64_t number_of_image(void)
{
    static char path[CONTROL_PATH_MAX]; /* before other threads start */
    char(*images)[CONTROL_PATH_MAX] = control_region(CONTROL_PLACE(IMAGES));
    (void)sys(SYS_readlink, "/proc/self/exe", path, sizeof path - 1);
    uint32_t at = 0;
    while (at < control->image_count && strcmp(images[at], path) != 0) {
        at++;
    }
    must(at < CONTROL_IMAGES_MAX);
    if (at == control->image_count) {
        text_copy(images[at], sizeof images[at], path);
        control->image_count++;
    }
    return at + 1;
}

void image_keep_page(int fd)
{
    const char *word = getenv(CONTROL_VARIABLE);
    const bool is_first = strchr(word, ':') == NULL;
    page_fd = fd;
    if (is_first) {
        const int moved = (int)sys(SYS_fcntl, fd, F_DUPFD_CLOEXEC, FD_LEAST);
        (void)sys(SYS_close, fd);
        page_fd = moved;
    } else {
        (void)sys(SYS_fcntl, fd, F_SETFD, FD_CLOEXEC);
        control_image = number_of_image() << CONTROL_IMAGE_SHIFT;
    }
}

bool image_is_page(int fd)
{
    return fd >= 0 && fd == page_fd;
}

/* The path of clew's own library. */
static const char *own_path(void)
{
    Dl_info own = {0};
    return dladdr((const void *)(uintptr_t)own_path, &own) != 0 ? own.dli_fname : "";
}

/* What the program had in it stands behind clew's library. */
void image_unset_preload(void)
{
    const char *all = getenv("LD_PRELOAD");
    const size_t size = strlen(own_path());
    const bool is_first = all != NULL && strncmp(all, own_path(), size) == 0;
    if (is_first && all[size] == ':') {
        (void)setenv("LD_PRELOAD", all + size + 1, 1);
    } else {
        (void)unsetenv("LD_PRELOAD");
    }
}

/* What is ours in the next program's environment. One task runs at a time, and none lets another go
 * on between making it and using it. */
static struct next {
    char preload[2 * PATH_MAX], variable[WORD_MAX];
    char bind[sizeof "LD_BIND_NOW=1"];
} next;

static bool is_variable(const char *entry, const char *name)
{
    const size_t size = strlen(name);
    return strncmp(entry, name, size) == 0 && entry[size] == '=';
}

/* A list in memory of its own; NULL when there is none. `size` is of that memory. */
static char **make_environment(struct next *n, char *const given[], size_t *size)
{
    enum { OURS = 3 };
    size_t count = 0;
    while (given != NULL && given[count] != NULL) {
        count++;
    }
    *size = (count + OURS + 1) * sizeof *given;
    char **list = (char **)sys(SYS_mmap, NULL, *size, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
    if ((long)list == -1) {
        return NULL;
    }
    const char *end = n->preload + sizeof n->preload - 1;
    char *at = text_append(text_append(n->preload, end, "LD_PRELOAD="), end, own_path());
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (is_variable(given[i], "LD_PRELOAD")) {
            at = text_append(text_append(at, end, ":"), end, given[i] + sizeof "LD_PRELOAD=" - 1);
        } else if (!is_variable(given[i], CONTROL_VARIABLE) &&
                   !is_variable(given[i], "LD_BIND_NOW")) {
            list[kept++] = given[i];
        }
    }
    *at = 0;
    const char *last = n->variable + sizeof n->variable - 1;
    at = text_append(n->variable, last, CONTROL_VARIABLE "=");
    at = text_append(text_append_number(at, last, (uint64_t)page_fd), last, ":");
    *text_append_number(at, last, process_self->number) = 0;
    text_copy(n->bind, sizeof n->bind, "LD_BIND_NOW=1");
    list[kept++] = n->variable;
    list[kept++] = n->preload;
    list[kept++] = n->bind;
    list[kept] = NULL;
    return list;
}

/* Which programs clew's library is loaded into */

static bool has_loader(int fd, const Elf64_Ehdr *header)
{
    for (int i = 0; i < header->e_phnum; i++) {
        Elf64_Phdr part;
        if (sys(SYS_pread64, fd, &part, sizeof part,
                (long)(header->e_phoff + (uint64_t)i * sizeof part)) != (long)sizeof part) {
            return false;
        }
        if (part.p_type == PT_INTERP) {
            return true;
        }
    }
    return false;
}

/* The interpreter that a script names; false when it names none. */
static bool read_interpreter(const char *head, char *path)
{
    const char *at = head + 2;
    while (*at == ' ' || *at == '\t') {
        at++;
    }
    const size_t size = strcspn(at, " \t\n");
    memcpy(path, at, size);
    path[size] = 0;
    return size > 0;
}

/* Whether the program can be controlled; true also where it cannot be read, which the kernel says.
 */
static bool is_controllable(int folder, const char *path, int depth)
{
    enum { DEPTH_MAX = 4, HEAD_SIZE = 256 };
    union {
        Elf64_Ehdr elf;
        char text[HEAD_SIZE];
    } head;
    char interpreter[HEAD_SIZE];
    struct stat s;
    const int fd =
        (int)path_call(SYS_openat, (const long[6]){folder, (long)path, O_RDONLY | O_CLOEXEC, 0});
    if (fd < 0) {
        return true;
    }
    memset(&head, 0, sizeof head);
    const long size = sys(SYS_pread64, fd, &head, sizeof head - 1, 0L);
    const bool is_elf = size >= (long)sizeof head.elf && memcmp(&head, ELFMAG, SELFMAG) == 0;
    const bool has_own_rights = sys(SYS_fstat, fd, &s) != 0 ||
                                ((s.st_mode & (S_ISUID | S_ISGID)) != 0 && s.st_uid != getuid());
    const bool is_ours = is_elf && head.elf.e_ident[EI_CLASS] == ELFCLASS64 &&
                         has_loader(fd, &head.elf) && !has_own_rights;
    (void)sys(SYS_close, fd);
    if (is_elf || size < 2 || memcmp(&head, "#!", 2) != 0) {
        return is_ours || !is_elf;
    }
    return depth == DEPTH_MAX || !read_interpreter(head.text, interpreter) ||
           is_controllable(AT_FDCWD, interpreter, depth + 1);
}

/* A program that clew's library cannot be loaded into goes on by itself. */
static void refuse(const char *path)
{
    char text[CONTROL_TEXT_SIZE] = "";
    const char *end = text + sizeof text - 1;
    char *at = text_append(text, end, "it becomes ");
    at = text_append(at, end, path);
    *text_append(at, end, ", which is static, 32-bit or setuid") = 0;
    control_end(&(struct ending){.end = CONTROL_REFUSED, .text = text});
}

long image_exec(int folder, const char *path, char *const arguments[], char *const environment[],
                int flags)
{
    size_t size = 0;
    const long probe[6] = {folder, (long)path, X_OK, 0};
    if (path_call(SYS_faccessat, probe) == 0 && !is_controllable(folder, path, 0)) {
        refuse(path);
    }
    char **list = make_environment(&next, environment, &size);
    if (list == NULL) {
        errno = ENOMEM;
        return -1;
    }
    process_exec_begins();
    (void)sys(SYS_fcntl, page_fd, F_SETFD, 0);
    trap_off();
    const long result =
        flags == 0 && folder == AT_FDCWD
            ? path_call(SYS_execve, (const long[6]){(long)path, (long)arguments, (long)list})
            : path_call(SYS_execveat,
                        (const long[6]){folder, (long)path, (long)arguments, (long)list, flags});
    const int reason = errno;
    trap_on();
    (void)sys(SYS_fcntl, page_fd, F_SETFD, FD_CLOEXEC);
    (void)sys(SYS_munmap, list, size);
    errno = reason;
    return result;
}
