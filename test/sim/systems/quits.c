/* A system whose second node ends the process that it runs in, as QUIT says; or only one that it
 * has made itself, with FORKS. */
#include <clew/sim.h>
#include <err.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const messages[] = {"ping", NULL};

static void setup(void)
{
    clew_request(0, 0, NULL, 0);
    clew_request(1, 0, NULL, 0);
}

static void message(void *state, const struct clew_message *m)
{
    (void)state;
    (void)m;
    if (clew_self() == 0) {
        return;
    }
#ifdef FORKS
    int status = 0;
    const pid_t process = fork();
    if (process == 0) {
        _exit(4);
    }
    if (waitpid(process, &status, 0) != process || WEXITSTATUS(status) != 4) {
        clew_fail("it has ended with its own status");
    }
#else
    QUIT;
#endif
}

CLEW_SYSTEM(.name = "quits", .node_count = 2, .messages = messages, .setup = setup,
            .message = message);
