#include "proc/alive.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

bool process_is_alive(uint32_t pid)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%u/stat", pid);
    return is_alive(path);
}
