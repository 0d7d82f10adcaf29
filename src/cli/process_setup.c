#include "cli/process_setup.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/out.h"
#include "cli/verb.h"

static void end_by_signal(int signal_number)
{
    out_abandon_all();
    _exit(128 + signal_number);
}

static void end_by_memory(size_t size)
{
    out_abandon_all();
    char text[128];
    const int length = snprintf(
        text, sizeof text,
        "clew: out of memory (asking for %zu bytes); clew slice takes a part of a trace\n", size);
    /* The status tells the same when standard error is full, too. */
    const ssize_t written = length < 0 ? 0 : write(STDERR_FILENO, text, (size_t)length);
    (void)written;
    _exit(EXIT_UNABLE);
}

static void replace_closed_stream(int fd, int flags)
{
    if (fcntl(fd, F_GETFD) < 0) {
        const int got = open("/dev/null", flags);
        must(got < 0 || got == fd); /* lower ones are open, so it is the lowest free number */
    }
}

void process_prepare(void)
{
    replace_closed_stream(STDIN_FILENO, O_WRONLY);
    replace_closed_stream(STDOUT_FILENO, O_RDONLY);
    replace_closed_stream(STDERR_FILENO, O_RDONLY);

    struct sigaction action = {.sa_handler = end_by_signal};
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    (void)sigaction(SIGHUP, &action, NULL);
    action.sa_handler = SIG_IGN;
    (void)sigaction(SIGPIPE, &action, NULL);

    mem_on_failure(end_by_memory);
}

uint32_t process_processors(uint32_t wanted)
{
    cpu_set_t allowed;
    const int count = sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
    return wanted < (uint32_t)count ? wanted : (uint32_t)count;
}
