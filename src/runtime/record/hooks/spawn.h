/* How a recorded process starts another program at once. */
#ifndef CLEW_RUNTIME_RECORD_HOOKS_SPAWN_H
#define CLEW_RUNTIME_RECORD_HOOKS_SPAWN_H

#include <spawn.h>

struct spawn_way {
    const posix_spawn_file_actions_t *actions;
    const posix_spawnattr_t *attributes;
    const void *place;
};

/* Does posix_spawn of `sh -c command` in this process's environment, and records it. */
int spawn_shell(pid_t *pid, const char *command, const struct spawn_way *way);

#endif
