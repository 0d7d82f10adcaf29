"""Programs of several processes: what they share is explored, in every mode that a search with processes has."""

import os
import sys
import tempfile

sys.dont_write_bytecode = True
from controlled import CLEW, FOLDER, LONG, build, build_plain, explore, needs_traps, only_finding, run, write
import tap  # pylint: disable=wrong-import-position

MODES = ("fork", "thread", "exec")

COUNTER = """
#include <assert.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
struct shared { pthread_mutex_t lock; int count; };
int main(void)
{
    struct shared *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&s->lock, &attributes);
    for (int i = 0; i < 2; i++) {
        if (fork() == 0) {
#ifdef LOCKED
            pthread_mutex_lock(&s->lock);
#endif
            const int count = s->count;
            s->count = count + 1;
#ifdef LOCKED
            pthread_mutex_unlock(&s->lock);
#endif
            _exit(0);
        }
    }
    while (wait(NULL) > 0) {
    }
    assert(s->count == 2);
    return 0;
}
"""


def test_an_update_that_another_process_overwrites_is_found():
    for mode in MODES:
        said, _ = explore(build("counter", text=COUNTER), "--mode", mode, "--budget", "200runs", "--first")
        assert "s->count == 2" in only_finding(said)["what"], (mode, said)
        assert said["stats"]["uncontrolled"] == 0, said


def test_a_search_over_processes_can_be_complete():
    said, _ = explore(build("counter_locked", "-DLOCKED", text=COUNTER), "--strategy", "dpor", "--require-exhaustive")
    assert not said["findings"] and said["stats"]["exhausted"] and said["stats"]["mode"] == "fork", said


FORK_HANDLER = """
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void use(void)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
}
__attribute__((constructor)) static void start(void)
{
    pthread_atfork(0, 0, use);
}
void fork_handler(void)
{
}
"""

FORKS_BESIDE = """
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
void fork_handler(void);
static int ends[2];
static void *idle(void *unused)
{
    char byte;
    return read(ends[0], &byte, 1) == 1 ? unused : 0;
}
int main(void)
{
    pthread_t thread;
    char byte = 0;
    fork_handler();
    if (pipe(ends) != 0) {
        return 2;
    }
    if (fork() == 0) {
        _exit(read(ends[0], &byte, 1) != 1);
    }
    pthread_create(&thread, 0, idle, 0);
    if (fork() == 0) {
        _exit(0);
    }
    int written = write(ends[1], "ab", 2);
    pthread_join(thread, 0);
    while (wait(0) > 0) {
    }
    return written != 2;
}
"""


def test_a_fork_handler_of_a_library_does_not_choose_in_a_child_that_is_not_adopted():
    """The library's constructor runs before the runtime's own."""
    library = os.path.join(FOLDER.name, "libhandler.so")
    source = write("handler.c", FORK_HANDLER)
    done = run(["cc", "-shared", "-fPIC", source, "-o", library])
    assert done.returncode == 0, done.stderr
    program = build("forks_beside", "-Wl,--no-as-needed", library, "-Wl,-rpath," + FOLDER.name, text=FORKS_BESIDE, with_clew=False)
    said, _ = explore(program, "--fail-on", "exit", "--strategy", "random", "--budget", "100runs")
    assert not said["findings"] and said["stats"]["runs"] == 100 and said["stats"]["unlike"] == 0, said


def test_the_first_fork_of_a_run_with_fibers_is_no_run():
    said, _ = explore(build("counter_locked", "-DLOCKED", text=COUNTER), "--strategy", "random", "--budget", "20runs")
    assert said["stats"]["runs"] == 20 and not said["findings"] and said["stats"]["unlike"] == 0, said


INVERSION = """
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
int main(void)
{
    pthread_mutex_t *locks = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_t shared;
    pthread_mutexattr_init(&shared);
    pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&locks[0], &shared);
    pthread_mutex_init(&locks[1], &shared);
    pthread_mutex_lock(&own);
    const int is_child = fork() == 0;
    pthread_mutex_unlock(&own); /* each its own copy, held by whoever forked */
    pthread_mutex_lock(&locks[is_child]);
    pthread_mutex_lock(&locks[!is_child]);
    pthread_mutex_unlock(&locks[!is_child]);
    pthread_mutex_unlock(&locks[is_child]);
    return is_child ? 0 : wait(NULL) < 0;
}
"""


def test_processes_that_lock_in_opposite_order_are_in_a_deadlock():
    for mode in MODES:
        said, _ = explore(build("process_inversion", text=INVERSION), "--mode", mode, "--budget", "200runs", "--first")
        found = only_finding(said)
        assert found["kind"] == "deadlock" and "held by main.1" in found["what"], (mode, said)


def test_a_wait_for_no_child_in_particular_is_named():
    said, _ = explore(build("awaited", text="""
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
    int ends[2];
    char byte;
    if (pipe(ends) == 0 && fork() == 0) {
        _exit(read(ends[0], &byte, 1) == 1);
    }
    return wait(NULL) < 0;
}
"""), "--first")
    assert "main waits for the end of a child process at awaited.c:11" in only_finding(said)["what"], said


CRASH = """
#include <sys/wait.h>
#include <unistd.h>
static int *volatile nowhere;
int main(void)
{
    if (fork() == 0) {
        *nowhere = 1;
    }
    wait(NULL);
    return 0;
}
"""


def test_a_crash_of_a_child_is_found():
    said, _ = explore(build("child_crash", text=CRASH), "--budget", "3runs")
    assert only_finding(said)["kind"] == "crash" and "main.1: signal SIGSEGV" in only_finding(said)["what"], said


SERVER = """
#include <assert.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
static void serve(int all)
{
    int set = epoll_create1(0);
    struct epoll_event wanted = {.events = EPOLLIN, .data.fd = all};
    epoll_ctl(set, EPOLL_CTL_ADD, all, &wanted);
    while (1) {
        struct epoll_event found;
        char byte = 0;
        if (epoll_wait(set, &found, 1, -1) != 1) {
            _exit(4);
        }
        if (found.data.fd == all) {
            wanted.data.fd = accept(all, NULL, NULL);
            epoll_ctl(set, EPOLL_CTL_ADD, wanted.data.fd, &wanted);
        } else if (read(found.data.fd, &byte, 1) == 1) {
            byte++;
            assert(write(found.data.fd, &byte, 1) == 1);
        } else {
            close(found.data.fd);
        }
    }
}
int main(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int all = socket(AF_INET, SOCK_STREAM, 0);
    assert(bind(all, (void *)&address, size) == 0 && listen(all, 5) == 0 && getsockname(all, (void *)&address, &size) == 0);
    const pid_t server = fork();
    if (server == 0) {
        serve(all);
    }
    for (int i = 0; i < 2; i++) {
        if (fork() == 0) {
            char byte = (char)i;
            int fd = socket(AF_INET, SOCK_STREAM, 0);
            assert(connect(fd, (void *)&address, size) == 0);
            assert(write(fd, &byte, 1) == 1 && read(fd, &byte, 1) == 1 && byte == i + 1);
            _exit(0);
        }
    }
    int status = 0;
    assert(wait(&status) > 0 && status == 0 && wait(&status) > 0 && status == 0);
    assert(kill(server, SIGTERM) == 0 && waitpid(server, &status, 0) == server);
    assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    return 0;
}
"""


CLOSER = """
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
    if (fork() == 0) {
        for (int fd = 3; fd < 30000; fd++) {
            close(fd);
        }
        _exit(0);
    }
    return wait(NULL) < 0;
}
"""


def test_numbers_that_nothing_is_behind_are_closed_without_steps():
    said, _ = explore(build("closer", text=CLOSER), "--budget", "3runs")
    assert said["stats"]["steps"] < 3000 and not said["findings"], said


def test_a_server_and_its_clients_are_controlled():
    for mode in MODES:
        said, _ = explore(build("server", text=SERVER), "--mode", mode, "--strategy", "random", "--verify", "--budget", "40runs")
        assert not said["findings"] and said["stats"]["unlike"] == 0 and said["stats"]["runs"] == 40, (mode, said)
        assert said["stats"]["uncontrolled"] == 0, said


BECOMES = """
#include <assert.h>
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
int main(int count, char **words)
{
    int status = 0, ends[2];
    pid_t child = 0;
    char text[8] = "";
    char *again[] = {words[0], (char *)"seven", NULL}, *none[] = {(char *)"none", NULL};
    if (count > 1) {
        return getenv("LD_PRELOAD") != NULL ? 9 : write(1, "seven", 5) == 5 ? 7 : 8;
    }
    posix_spawn_file_actions_t actions;
    assert(pipe(ends) == 0 && posix_spawn_file_actions_init(&actions) == 0);
    assert(posix_spawn_file_actions_adddup2(&actions, ends[1], 1) == 0);
    assert(posix_spawn_file_actions_addclose(&actions, ends[0]) == 0);
    assert(posix_spawn(&child, "./no-such-program", NULL, NULL, none, environ) == ENOENT);
    assert(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
    assert(posix_spawn(&child, words[0], &actions, NULL, again, environ) == 0);
    assert(read(ends[0], text, 5) == 5 && waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7);
    if ((child = vfork()) == 0) {
        execv(words[0], again);
        _exit(1);
    }
    assert(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7);
    assert(system("exit 3") == 3 << 8);
    execl("/bin/sh", "sh", "-c", "exit 5", (char *)NULL);
    return 1;
}
"""


def test_other_programs_take_their_turns():
    needs_traps()
    for mode in MODES:
        said, _ = explore(build("becomes", text=BECOMES, with_clew=False), "--mode", mode, "--fail-on", "exit", "--budget", "5runs")
        assert only_finding(said)["what"] == "the program ends with status 5", (mode, said)
        assert said["stats"]["uncontrolled"] == 0 and said["stats"]["unlike"] == 0, said


def test_a_script_is_followed_into_its_programs():
    needs_traps()
    script = write("pipeline.sh", "#!/bin/sh\nfor i in 1 2 3; do echo $i; done | { sort -r | head -n 1; } >out\n[ \"$(cat out)\" = 3 ]\n")
    os.chmod(script, 0o755)
    said, _ = explore(script, "--strategy", "random", "--verify", "--fail-on", "exit", "--budget", "20runs")
    assert not said["findings"] and said["stats"]["unlike"] == 0 and said["stats"]["uncontrolled"] == 0, said


def test_calls_about_processes_return_what_the_kernel_returns():
    """Sequences drawn at random: waits, signals, groups, pipes, passed descriptors, orphans, commands."""
    needs_traps()
    program = build_plain("process_calls")
    each = 20
    for first in range(0, 2000 if LONG else 100, each):
        written = []
        for words in ([program], [CLEW, "explore", "-q", "--strategy", "random", "--seed", str(first + 1), "--budget", "1runs",
                                  "--fail-on", "exit", "-o", tempfile.mkdtemp() + "/own", "--", program]):
            with tempfile.NamedTemporaryFile("r", encoding="utf-8") as file:
                done = run([*words, str(first), str(each), file.name])
                assert done.returncode in (0, 3), done.stdout + done.stderr
                written.append(file.read().splitlines())
        assert len(written[0]) > 6 * each and written[0] == written[1], (first, [pair for pair in zip(*written) if pair[0] != pair[1]][:3])


if __name__ == "__main__":
    sys.exit(tap.run(tap.claims(globals())))
