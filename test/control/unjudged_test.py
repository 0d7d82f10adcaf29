"""What explore says of programs that it cannot judge: a run that does not end, a server without clients, code that it cannot
interrupt, calls that it does not control, runs that differ. None of it is "no violation", none of it is a bug."""
import platform
import re
import sys

sys.dont_write_bytecode = True
from controlled import CLEW, MODES, build, explore, first_schedule, needs_traps, only_finding, run
import tap  # pylint: disable=wrong-import-position

COMPUTES = """
int main(void) { unsigned s = 1; for (;;) { s = s * 1664525u + 1013904223u; __asm__ volatile("" ::"r"(s)); } return s == 42; }
"""


def check_cut(said, *words):
    """A run that did not end is a note, and the verdict is unknown."""
    finding = only_finding(said)
    assert (finding["kind"], finding["severity"], finding["status"]) == ("hang", "note", "unknown"), finding
    assert said["verdict"] == "unknown" and said["stats"]["violating_runs"] == 0 and not said["stats"]["exhausted"], said
    for word in words:
        assert word in finding["what"], (word, finding)


def test_a_long_computation_is_a_note():
    program = build("computes", text=COMPUTES)
    for mode in ("fiber", "thread"):
        said, _ = explore(program, "--mode", mode, "--hang", "1", "--budget", "1runs", status=(3,))
        check_cut(said, "did not end within 1 s", "main runs without a scheduling point at computes.c:2")


def test_a_hang_tells_where_every_thread_stands():
    program = build("stuck", text="#include <pthread.h>\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
                    "static void *work(void *a) { pthread_mutex_lock(&m);\nfor (;;) __asm__ volatile(\"\"); return a; }\n"
                    "static void *wait_for(void *a) { pthread_mutex_lock(&m);\nreturn a; }\n"
                    "int main(void) { pthread_t t, u; pthread_create(&t, 0, work, 0); pthread_create(&u, 0, wait_for, 0);\n"
                    "pthread_join(t, 0); pthread_join(u, 0); return 0; }\n")
    said, folder = explore(program, "--strategy", "random", "--hang", "4", "--budget", "1runs", status=(3,))
    check_cut(said, "main/1 runs without a scheduling point at stuck.c:4", "; main/2 ")
    done = run([CLEW, "replay", "--hang", "1", first_schedule(folder), "--", program])
    assert done.returncode == 3 and "hang" in done.stdout, done.stdout + done.stderr


SERVER = """
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <unistd.h>
int main(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int s = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(s, (void *)&a, sizeof a) != 0 || listen(s, 5) != 0) return 3;
#if defined ACCEPT
    accept(s, NULL, NULL);
#elif defined POLL
    struct pollfd p = {.fd = s, .events = POLLIN};
    while (poll(&p, 1, 100) == 0) {
    }
#elif defined EPOLL
    struct epoll_event e = {.events = EPOLLIN};
    const int set = epoll_create1(0);
    epoll_ctl(set, EPOLL_CTL_ADD, s, &e);
    epoll_wait(set, &e, 1, -1);
#elif defined SELECT
    fd_set set;
    FD_ZERO(&set);
    FD_SET(s, &set);
    select(s + 1, &set, NULL, NULL, NULL);
#endif
    return 0;
}
"""


def test_a_server_that_nobody_reaches_says_so():
    needs_traps()
    for kind in ("ACCEPT", "POLL", "EPOLL", "SELECT"):
        program = build("server_" + kind, "-D" + kind, text=SERVER)
        done = run([CLEW, "explore", "--hang", "1", "--depth", "300", "--budget", "1runs", "-o", program + ".campaign", "--", program])
        assert done.returncode == 3 and "the program waited for connections and no client connected: nothing was tested" in done.stdout, done.stdout
        assert "no violation" not in done.stdout, done.stdout


def test_a_server_that_serves_itself_is_judged():
    program = build("serves", "-DSELF", text="#include <netinet/in.h>\n#include <pthread.h>\n#include <sys/socket.h>\n#include <unistd.h>\n"
                    "static struct sockaddr_in a = {.sin_family = AF_INET};\n"
                    "static void *ask(void *x) { const int c = socket(AF_INET, SOCK_STREAM, 0); connect(c, (void *)&a, sizeof a); close(c); return x; }\n"
                    "int main(void) { pthread_t t; socklen_t size = sizeof a; a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);\n"
                    "const int s = socket(AF_INET, SOCK_STREAM, 0); if (bind(s, (void *)&a, sizeof a) || listen(s, 5)) return 3;\n"
                    "getsockname(s, (void *)&a, &size); pthread_create(&t, 0, ask, 0); close(accept(s, 0, 0)); close(s);\n"
                    "return pthread_join(t, 0); }\n")
    said, _ = explore(program, "--fail-on", "exit", "--budget", "20runs", status=(0,))
    assert not said["findings"] and not said["stats"]["unreached"], said


SPINS = """
#include <pthread.h>
#include <unistd.h>
static int go;
static void *spin(void *a)
{
    __asm__ volatile("1: cmpl $0, %0; je 1b" ::"m"(go) : "memory");
    return a;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, spin, NULL);
    BEFORE;
    __asm__ volatile("movl $1, %0" : "=m"(go));
    pthread_join(t, NULL);
    return 0;
}
"""


def test_code_that_spins_unseen_is_preempted():
    if platform.machine() != "x86_64":
        raise tap.Skip("the program is written for x86-64")
    program = build("spins", "-DBEFORE=usleep(1000)", text=SPINS)
    for mode in MODES:
        said, _ = explore(program, "--mode", mode, "--strategy", "random", "--budget", "12runs", status=(0,))
        assert not said["findings"] and said["stats"]["unlike"] == 0, said
        assert any("preempted by processor time, first at spins.c:" in a for a in said["assumptions"]), said
    said, _ = explore(program, "--strategy", "dpor", "--budget", "4runs", "--require-exhaustive", status=(3,))
    assert not said["findings"] and not said["stats"]["exhausted"], said


MOVES = """
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void)
{
    int fds[2];
    (void)pipe(fds);
    (void)syscall(SYS_tee, fds[0], fds[1], 1, SPLICE_F_NONBLOCK);
    (void)syscall(SYS_splice, fds[0], NULL, fds[1], NULL, 1, SPLICE_F_NONBLOCK);
    return 0;
}
"""


def test_uncontrolled_calls_end_with_3_unless_allowed():
    program = build("moves", text=MOVES)
    said, _ = explore(program, "--budget", "3runs", status=(3,))
    assert said["verdict"] == "unknown" and said["stats"]["uncontrolled"] > 0, said
    explore(program, "--allow-uncontrolled", "--budget", "3runs", status=(0,))
    explore(program, "--allow-uncontrolled", "--require-exhaustive", "--budget", "3runs", status=(3,))


def test_uncontrolled_calls_are_told_by_every_process_of_a_search():
    program = build("moves", text=MOVES)
    said, _ = explore(program, "--jobs", "2", "--budget", "6runs", status=(3,))
    assert {"tee is not controlled", "splice is not controlled"} <= set(said["assumptions"]), said


CHANCE = """
#include <pthread.h>
#include <x86intrin.h>
static pthread_mutex_t odd = PTHREAD_MUTEX_INITIALIZER, even = PTHREAD_MUTEX_INITIALIZER;
static long count;
static void *work(void *a)
{
    for (int i = 0; i < 60; i++) {
        pthread_mutex_t *lock = __rdtsc() / 16 % 2 ? &odd : &even;
        pthread_mutex_lock(lock);
        count++;
        pthread_mutex_unlock(lock);
    }
    return a;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    return pthread_join(t, NULL);
}
"""


def test_runs_that_differ_are_found_without_being_asked():
    if platform.machine() != "x86_64":
        raise tap.Skip("only x86-64 has a counter that a program reads without a call")
    program = build("differs", text=CHANCE)
    for jobs in ("1", "2"):
        said, _ = explore(program, "--jobs", jobs, "--strategy", "random", "--budget", "20runs", status=(1,))
        finding = only_finding(said)
        assert finding["kind"] == "not-deterministic" and "not deterministic: step " in finding["what"], finding
        assert "differs.c:" in finding["what"] and said["verdict"] == "found", said


LONG_RUN = """
#include <pthread.h>
static volatile long mine[2];
static long shared;
static void *work(void *p)
{
    for (int i = 0; i < 8000; i++) {
        mine[p != 0] += i;
    }
    __atomic_fetch_add(&shared, 1, __ATOMIC_SEQ_CST);
    return p;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, &shared);
    work(0);
    return pthread_join(t, 0);
}
"""


def test_a_run_of_more_steps_than_choices_is_the_same_again():
    program = build("long_run", text=LONG_RUN)
    said, _ = explore(program, "--strategy", "random", "--verify", "--budget", "6runs", status=(0,))
    assert not said["findings"] and said["stats"]["unlike"] == 0 and said["stats"]["verified"] > 0, said
    assert said["stats"]["steps"] > 6 * 20000, said["stats"] # the limit of choices is smaller than a run


def test_one_run_in_a_hundred_is_made_twice():
    program = build("lost_update")
    said, _ = explore(program, "--strategy", "random", "--budget", "250runs")
    assert (said["stats"]["verified"], said["stats"]["unlike"]) == (3, 0), said["stats"]


def test_the_steps_of_a_violation_are_an_interleaving():
    program = build("lost_update")
    folder = program + ".steps"
    done = run([CLEW, "explore", "--first", "--strategy", "random", "-o", folder, "--", program])
    assert re.search(r"the last \d+ of \d+ steps:\n", done.stdout), done.stdout
    assert re.search(r"-> +\d+\. main/\d read counter at lost_update.c:10 = 0   const int before = counter;\n", done.stdout), done.stdout
    done = run([CLEW, "replay", "--step", first_schedule(folder), "--", program])
    assert done.returncode == 1 and re.search(r"^ +1\. main thread-create main/1 at lost_update.c:19 ", done.stdout, re.MULTILINE), done.stdout


def test_a_depth_that_no_run_can_have_is_refused():
    done = run([CLEW, "explore", "--depth", "100000000", "--", build("lost_update")])
    assert done.returncode == 2 and "--depth: at most " in done.stderr, done.stderr


def test_the_time_of_the_program_counts():
    program = build("busy", text="#include <sys/resource.h>\nint main(void) { struct rusage used = {0};\n"
                    "while (used.ru_utime.tv_sec == 0 && used.ru_utime.tv_usec < 300000) { for (volatile unsigned i = 0; i < 1000000; i++) { }\n"
                    "getrusage(RUSAGE_SELF, &used); } return 0; }\n", with_clew=False)
    said, _ = explore(program, "--budget", "1runs")
    assert said["stats"]["cpu_seconds"] > 0.25, said["stats"]


if __name__ == "__main__":
    sys.exit(tap.run(tap.claims(globals())))
