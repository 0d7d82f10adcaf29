/* Who is still there, and does what it did. */
#include "proc/record/process_alive.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scratch.h"
#include "test.h"

TEST(a_process_that_only_has_the_number_is_not_the_one_that_recorded)
{
    const char *path = scratch_path("mapped");
    const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    CHECK(fd >= 0);
    CHECK_INT(ftruncate(fd, 4096), 0);
    char whole[4096];
    CHECK(realpath(path, whole) != NULL);
    CHECK(!process_is_recording((uint32_t)getpid(), whole));
    void *mapped = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
    CHECK(mapped != MAP_FAILED);
    CHECK(process_is_recording((uint32_t)getpid(), whole));
    CHECK_INT(munmap(mapped, 4096), 0);
    CHECK_INT(close(fd), 0);
}

TEST(one_that_has_ended_does_nothing_more)
{
    const pid_t pid = fork();
    if (pid == 0) {
        _exit(0);
    }
    siginfo_t info;
    CHECK_INT(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
    CHECK(!task_is_alive((uint32_t)pid, (uint32_t)pid));
    CHECK(!process_is_recording((uint32_t)pid, "/"));
    CHECK_INT(waitpid(pid, NULL, 0), pid);
}
