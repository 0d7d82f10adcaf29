#include "proc/record/process_alive.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/in.h"

enum { MAPS_SIZE_MAX = 64 << 20 };

static bool is_alive(const char *path)
{
    char text[512];
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    const ssize_t size = read(fd, text, sizeof text - 1);
    (void)close(fd);
    text[size > 0 ? size : 0] = 0;
    const char *name_end = strrchr(text, ')'); /* the name itself may hold one */
    return name_end != NULL && strncmp(name_end, ") Z", 3) != 0 && strncmp(name_end, ") X", 3) != 0;
}

bool task_is_alive(uint32_t pid, uint32_t tid)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%u/task/%u/stat", pid, tid);
    return is_alive(path);
}

bool process_is_recording(uint32_t pid, const char *folder)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%u/stat", pid);
    if (!is_alive(path)) {
        return false;
    }
    (void)snprintf(path, sizeof path, "/proc/%u/maps", pid);
    struct in maps;
    struct err ignored;
    if (in_open(&maps, path, &ignored) < 0) {
        return true;
    }
    const bool is_read = in_fill_all(&maps, MAPS_SIZE_MAX, &ignored) == 0;
    const bool is_mapped = is_read && maps.available > 0 &&
                           memmem(maps.at, maps.available, folder, strlen(folder)) != NULL;
    in_close(&maps);
    return is_mapped || !is_read;
}
