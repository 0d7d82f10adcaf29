#include "runtime/record/log/recording_files.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "runtime/record/log/recorder.h"
#include "runtime/shared/raw_text.h"

void *folder_memory(size_t size)
{
    void *made = folder_map(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return made == MAP_FAILED ? NULL : made;
}

int folder_open(void)
{
    return (int)syscall(SYS_openat, AT_FDCWD, rt_folder(), O_PATH | O_DIRECTORY | O_CLOEXEC);
}

void folder_close(int fd)
{
    (void)syscall(SYS_close, fd);
}

int folder_make(int folder, const char *name, size_t size)
{
    struct rlimit64 limit;
    if (syscall(SYS_prlimit64, 0, RLIMIT_FSIZE, NULL, &limit) == 0 && limit.rlim_cur < size) {
        return -1;
    }
    return (int)syscall(SYS_openat, folder, name,
                        O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
}

/* Reserves the blocks now, so that a full disk is an error here and not a SIGBUS in the program
 * later. A file system that cannot reserve is trusted. */
static void *map_whole(int fd, size_t size)
{
    const bool has_room = syscall(SYS_fallocate, fd, 0, 0L, size) == 0 ||
                          (errno == EOPNOTSUPP && syscall(SYS_ftruncate, fd, size) == 0);
    return has_room ? folder_map(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                    : MAP_FAILED;
}

void *folder_make_mapped(const char *name, size_t size)
{
    const int folder = folder_open();
    const int fd = folder < 0 ? -1 : folder_make(folder, name, size);
    void *made = MAP_FAILED;
    if (fd >= 0) {
        made = map_whole(fd, size);
        folder_close(fd);
        if (made == MAP_FAILED) {
            (void)syscall(SYS_unlinkat, folder, name, 0);
        }
    }
    if (folder >= 0) {
        folder_close(folder);
    }
    return made == MAP_FAILED ? NULL : made;
}

void *folder_make_table(const char *suffix, size_t size)
{
    char name[FOLDER_NAME_SIZE];
    const char *end = name + sizeof name - 1;
    *text_append(text_append_number(name, end, rt_process_number()), end, suffix) = 0;
    return folder_make_mapped(name, size);
}
