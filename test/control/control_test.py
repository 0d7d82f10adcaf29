"""Programs under control: what explore finds in them, that replay shows it again every time, and that all modes agree.
Nothing here depends on how fast anything is."""
import json
import os
import platform
import re
import shutil
import socket
import sys
import threading

sys.dont_write_bytecode = True
import executions  # pylint: disable=wrong-import-position
from controlled import (CLEW, FOLDER, HERE, LONG, MODES, build, build_broken, build_case, build_plain, check_every_mode_passes,
                        check_every_mode_replays, explore, first_schedule, needs_traps, only_finding, run, write)
import tap  # pylint: disable=wrong-import-position


def test_a_lost_update_is_found_and_replayed_in_every_mode():
    program = build("lost_update")
    said, folder = explore(program, "--strategy", "random", "--budget", "200runs")
    finding = only_finding(said)
    assert finding["kind"] == "assertion" and "counter == 2" in finding["what"], finding
    assert "lost_update.c:" in finding["what"], finding
    schedule = first_schedule(folder)
    for mode in MODES:
        times = "100" if mode != "exec" or LONG else "10"
        done = run([CLEW, "replay", "--mode", mode, "--verify", times, schedule, "--", program])
        assert done.returncode == 1 and "as recorded" in done.stdout and "all the same" in done.stdout, done.stdout + done.stderr


def test_names_survive_a_recompilation():
    """Other addresses, another file before it, the same lines: the same schedule."""
    _, folder = explore(build("lost_update"), "--strategy", "random", "--budget", "200runs")
    os.makedirs(os.path.join(FOLDER.name, "other"), exist_ok=True)
    with open(os.path.join(HERE, "lost_update.c"), encoding="utf-8") as file:
        text = file.read() + "int something_else[1000] = {1};\nint more(int x) { return something_else[x & 7] + x; }\n"
    moved = build(os.path.join("other", "lost_update"), text=text)
    done = run([CLEW, "replay", first_schedule(folder), "--", moved])
    assert done.returncode == 1 and "as recorded" in done.stdout and "not as" not in done.stdout, done.stdout + done.stderr


def test_a_deadlock_says_who_waits_for_what():
    for program in (build("deadlock"), build_plain("deadlock")):
        said, _ = explore(program, "--budget", "200runs")
        finding = only_finding(said)
        assert finding["kind"] == "deadlock", finding
        assert re.search(r"main/1 waits to lock second held by main/2", finding["what"]), finding
        assert re.search(r"main/2 waits to lock first held by main/1", finding["what"]), finding


def test_dpor_counts_the_executions_there_are():
    for name, executions in (("lost_update", 4), ("deadlock", 3)):
        folder = os.path.join(FOLDER.name, name + ".all")
        done = run([CLEW, "explore", "--strategy", "dpor", "-o", folder, "--", build(name)])
        assert f"all {executions} executions explored" in done.stdout, done.stdout + done.stderr


# Programs of the literature on partial order reduction, and how many executions they are known to have: lastzero, filesystem and
# indexer of Abdulla et al. (JACM 2017) and Flanagan and Godefroid (POPL 2005), with fields of 4 bytes beside each other.
THREADS = """
#include <pthread.h>
#include <stdatomic.h>
#define START(f, from) for (long i = from; i < COUNT; i++) pthread_create(&threads[i], NULL, f, (void *)i)
#define JOIN() for (int i = 0; i < COUNT; i++) pthread_join(threads[i], NULL)
static pthread_t threads[64];
"""
LASTZERO = THREADS + """
static int array[COUNT];
static void *look(void *a) { int i = COUNT - 1; while (array[i] != 0) i--; return a; }
static void *count(void *a) { long j = (long)a; array[j] = array[j - 1] + 1; return a; }
int main(void) { pthread_create(&threads[0], NULL, look, NULL); START(count, 1); JOIN(); return 0; }
"""
FILESYSTEM = THREADS + """
static pthread_mutex_t inode_lock[32], block_lock[26];
static int inode[32], busy[26];
static void *allocate(void *a)
{
    int i = (int)(long)a % 32;
    pthread_mutex_lock(&inode_lock[i]);
    for (int b = i * 2 % 26; inode[i] == 0; b = (b + 1) % 26) {
        pthread_mutex_lock(&block_lock[b]);
        if (!busy[b]) { busy[b] = 1; inode[i] = b + 1; }
        pthread_mutex_unlock(&block_lock[b]);
    }
    pthread_mutex_unlock(&inode_lock[i]);
    return a;
}
int main(void) { START(allocate, 0); JOIN(); return 0; }
"""
INDEXER = THREADS + """
static atomic_int table[128];
static void *enter(void *a)
{
    for (int m = 1; m <= 4; m++) {
        int word = m * 11 + (int)(long)a, at = word * 7 % 128, none = 0;
        while (!atomic_compare_exchange_strong(&table[at], &none, word)) { at = (at + 1) % 128; none = 0; }
    }
    return a;
}
int main(void) { START(enter, 0); JOIN(); return 0; }
"""
STORE_BUFFER = THREADS + """
static int x, y, seen[2];
static void *left(void *a) { x = 1; seen[0] = y; return a; }
static void *right(void *a) { y = 1; seen[1] = x; return a; }
int main(void) { pthread_create(&threads[0], NULL, left, NULL); pthread_create(&threads[1], NULL, right, NULL); JOIN(); return seen[0] + seen[1] == 0; }
"""
READERS = THREADS + """
static int x;
static void *set(void *a) { x = 1; return a; }
static void *look(void *a) { return x ? a : NULL; }
int main(void) { pthread_create(&threads[0], NULL, set, NULL); START(look, 1); JOIN(); return 0; }
"""
# Two algorithms for mutual exclusion, whose loops end after BOUND looks: there the thread gives up. executions.py has them too.
EXCLUSION = """
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
static atomic_int flag[2], turn, inside;
static bool is_met(int other, bool (*met)(int))
{
    for (int i = 0; i < BOUND; i++) { if (met(atomic_load(&flag[other]))) return true; }
    return false;
}
static void *take_turns(void *a)
{
    const int own = (int)(long)a, other = 1 - own;
    ALGORITHM
    return a;
}
int main(void)
{
    pthread_t threads[2];
    for (long i = 0; i < 2; i++) pthread_create(&threads[i], NULL, take_turns, (void *)i);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return (long)(void *)is_met == 0;
}
"""
PETERSON = EXCLUSION.replace("ALGORITHM", """
    atomic_store(&flag[own], 1);
    atomic_store(&turn, other);
    for (int i = 0; atomic_load(&flag[other]) && atomic_load(&turn) == other; i++) { if (i == BOUND) return a; }
    atomic_store(&inside, own);
    (void)atomic_load(&inside);
    atomic_store(&flag[own], 0);
""")
SZYMANSKI = EXCLUSION.replace("static void *take", """
static bool is_outside(int f) { return f < 3; }
static bool is_through(int f) { return f == 4; }
static bool is_before(int f) { return f < 2; }
static bool is_past(int f) { return f < 2 || f > 3; }
static void *take""").replace("ALGORITHM", """
    atomic_store(&flag[own], 1);
    if (!is_met(other, is_outside)) return a;
    atomic_store(&flag[own], 3);
    if (atomic_load(&flag[other]) == 1) {
        atomic_store(&flag[own], 2);
        if (!is_met(other, is_through)) return a;
    }
    atomic_store(&flag[own], 4);
    if (own == 1 && !is_met(other, is_before)) return a;
    atomic_store(&inside, own);
    (void)atomic_load(&inside);
    if (own == 0 && !is_met(other, is_past)) return a;
    atomic_store(&flag[own], 0);
""")


def test_dpor_makes_as_many_runs_as_brute_force_counts_executions():
    for name, text, threads in (("peterson", PETERSON, executions.peterson), ("szymanski", SZYMANSKI, executions.szymanski)):
        for bound in range(1, 5 if LONG else 4):
            counted = executions.executions([threads(own, bound) for own in range(2)])
            folder = os.path.join(FOLDER.name, f"{name}_{bound}.all")
            program = build(f"{name}_{bound}", f"-DBOUND={bound}", text=text)
            done = run([CLEW, "explore", "--strategy", "dpor", "-o", folder, "--", program])
            assert f"all {counted} executions explored" in done.stdout, f"{name} {bound}: {counted}; " + done.stdout + done.stderr


def test_dpor_makes_one_run_of_each_execution():
    for name, text, count, executions in (("store_buffer", STORE_BUFFER, 2, 3), ("readers_2", READERS, 3, 4), ("readers_8", READERS, 9, 256),
                                          ("lastzero_5", LASTZERO, 6, 64), ("lastzero_10", LASTZERO, 11, 3328),
                                          ("filesystem_14", FILESYSTEM, 14, 2), ("filesystem_16", FILESYSTEM, 16, 8),
                                          ("filesystem_20", FILESYSTEM, 20, 128), ("indexer_12", INDEXER, 12, 8), ("indexer_14", INDEXER, 14, 512)):
        folder = os.path.join(FOLDER.name, name + ".all")
        done = run([CLEW, "explore", "--strategy", "dpor", "-o", folder, "--", build(name, f"-DCOUNT={count}", text=text)])
        assert f"all {executions} executions explored" in done.stdout, name + ": " + done.stdout + done.stderr


INCREMENTS = """
#include <assert.h>
#include <pthread.h>
static long x;
static void *add(void *a) { x++; return a; }
int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, add, NULL);
    pthread_create(&threads[1], NULL, add, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(x == 2);
    return 0;
}
"""


def test_a_search_over_code_that_is_not_seen_is_not_exhaustive():
    program = build("increments", text=INCREMENTS, with_clew=False)
    for jobs in ("1", "2"):
        said, _ = explore(program, "--strategy", "dpor", "--jobs", jobs)
        assert said["verdict"] == "unknown", said
        assert said["assumptions"] == ["memory accesses of increments are not visible"], said
    explore(program, "--strategy", "dpor", "--require-exhaustive", status=(3,))
    done = run([CLEW, "explore", "--strategy", "dpor", "-o", os.path.join(FOLDER.name, "unseen.all"), "--", program])
    assert "at synchronization points explored; memory accesses of increments were not visible" in done.stdout, done.stdout
    seen = build("increments_seen", text=INCREMENTS)
    assert only_finding(explore(seen, "--strategy", "dpor")[0])["kind"] == "assertion"


def test_code_that_is_optimized_is_seen():
    """At -O2 the module's constructor, and the hook it calls, might be left by tail calls."""
    for level in ("-O0", "-O2", "-O3"):
        program = build("increments" + level, level, text=INCREMENTS.replace("assert(x == 2);", ""))
        said, _ = explore(program, "--strategy", "dpor")
        assert said["stats"]["runs"] == 4 and not any("visible" in text for text in said["assumptions"]), (level, said)


CLOCK_SPIN = """
#include <pthread.h>
#include <time.h>
static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}
static void *spin(void *a) { const double begin = seconds(); while (seconds() - begin < SECONDS) { } return a; }
int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, spin, NULL);
    pthread_create(&threads[1], NULL, spin, NULL);
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
"""


def test_a_loop_that_waits_for_a_moment_reaches_it():
    """Time passes for a task that does nothing but look at a clock: it is no livelock."""
    for wait in ("0.6", "3"):
        said, _ = explore(build("clock_spin" + wait, f"-DSECONDS={wait}", text=CLOCK_SPIN), "--strategy", "random", "--budget", "20runs")
        assert said["findings"] == [] and said["stats"]["steps"] < 20 * 2000, said


# One thread goes through a loop and then sets x; the other fails if it sees that. Nobody changes the loop's bound.
LOOP = """
#include <pthread.h>
#include <stdlib.h>
static volatile int bound = 5;
static int table[5], x;
static void *first(void *a) { int sum = 0; for (int i = 0; i < bound; i++) { sum += BODY; } x = 1 + sum; return a; }
static void *second(void *a) { if (x) abort(); return a; }
int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
"""


def test_a_loop_that_makes_progress_is_not_passed_over():
    for name, body in (("loop_reads", "table[i]"), ("loop_counts", "i & 1")):
        program = build(name, f"-DBODY={body}", text=LOOP)
        for strategy in ("auto", "random", "pos", "pct", "dpor"):
            said, _ = explore(program, "--strategy", strategy, "--budget", "200runs")
            assert only_finding(said)["kind"] == "assertion", (name, strategy, said)


SPIN = """
#include <pthread.h>
#include <stdatomic.h>
static atomic_int flag;
static volatile int plain;
static void *await(void *a) { while (!atomic_load(&flag)) { } while (!plain) { } return a; }
static void *set(void *a) { atomic_store(&flag, 1); plain = 1; return a; }
int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, await, NULL);
    pthread_create(&threads[1], NULL, set, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
"""


def test_a_task_that_spins_is_passed_over():
    program = build("spins", text=SPIN)
    for strategy in ("random", "pct", "dpor"):
        said, _ = explore(program, "--strategy", strategy, "--budget", "200runs")
        assert not said["findings"], said
        assert said["stats"]["steps"] < 40 * said["stats"]["runs"], said["stats"]


def check_modes_agree(program, strategy):
    told = {}
    for mode in MODES:
        said, _ = explore(program, "--fail-on", "exit", "--mode", mode, "--strategy", strategy, "--depth", "4000",
                          "--budget", "200runs" if LONG else "8runs")
        stats = said["stats"]
        assert stats["mode"] == mode, stats
        told[mode] = ([stats[key] for key in ("runs", "steps", "violating_runs", "first_violation_run")],
                      sorted(finding["key"] for finding in said["findings"]))
    assert all(told[mode] == told["fiber"] for mode in MODES), f"{program} {strategy}: {told}"


def test_all_modes_do_the_same():
    strategies = ["random", "pct", "pos", "surw", "delay", "auto"]
    cases = ["philosophers", "use_after_free", "condition_if", "timeout", "cancel", "vector_grow", "ticket_lock"]
    programs = [*map(build, ("lost_update", "deadlock", "everything")), *map(build_case, cases)]
    tap.for_each([(program, strategy) for number, program in enumerate(programs)
                  for strategy in (strategies if LONG else [strategies[number % len(strategies)]])], lambda row: check_modes_agree(*row))


def test_every_operation_does_what_it_says():
    for program in (build("everything"), build_plain("everything")):
        for strategy in ("random", "pct", "pos"):
            said, _ = explore(program, "--fail-on", "exit", "--strategy", strategy, "--budget", "300runs")
            assert not said["findings"], said["findings"]
            assert said["stats"]["runs"] == 300, said["stats"]


def test_a_run_becomes_a_trace_that_other_verbs_read():
    program = build("lost_update")
    _, folder = explore(program, "--strategy", "random", "--budget", "200runs")
    trace = os.path.join(FOLDER.name, "run.clew")
    done = run([CLEW, "replay", "--trace", trace, first_schedule(folder), "--", program])
    assert done.returncode == 1, done.stderr
    info = run([CLEW, "info", trace])
    assert "exact" in info.stdout, info.stdout
    races = run([CLEW, "races", "--json", trace])
    assert any("counter" in finding["what"] for finding in json.loads(races.stdout)["findings"]), races.stdout


def test_a_schedule_is_minimized():
    program = build("lost_update")
    _, folder = explore(program, "--strategy", "random", "--budget", "200runs")
    small = os.path.join(FOLDER.name, "small.sched")
    done = run([CLEW, "minimize", first_schedule(folder), "-o", small, "--", program])
    assert done.returncode == 0, done.stdout + done.stderr
    again = run([CLEW, "replay", small, "--", program])
    assert again.returncode == 1 and "assertion" in again.stdout, again.stdout + again.stderr


def test_workers_have_a_program_each():
    said, _ = explore(build("lost_update"), "-j", "2", "--strategy", "random", "--budget", "2000runs")
    assert only_finding(said)["kind"] == "assertion" and said["stats"]["runs"] == 2000, said


def test_a_status_is_a_violation_when_asked():
    program = build("status", text="int main(void) { return 5; }\n")
    assert not explore(program, "--budget", "3runs")[0]["findings"]
    finding = only_finding(explore(program, "--fail-on", "exit", "--budget", "3runs")[0])
    assert finding["kind"] == "exit" and "5" in finding["what"], finding


def test_what_cannot_be_controlled_is_refused():
    done = run([CLEW, "explore", "--", "./no-such-program"])
    assert done.returncode == 2 and "no-such-program" in done.stderr, done.stderr
    program = build("static", "-static", text="int main(void) { return 0; }\n", with_clew=False)
    done = run([CLEW, "explore", "--", program])
    assert done.returncode == 2 and "static" in done.stderr, done.stderr
    done = run([CLEW, "explore", "--"])
    assert done.returncode == 2 and "program behind --" in done.stderr, done.stderr
    done = run([CLEW, "explore", "--net", "fifo", "--", program])
    assert done.returncode == 2 and "not for programs" in done.stderr, done.stderr


def test_what_reaches_outside_is_forked_and_named():
    program = build("outside", text="#include <fcntl.h>\n#include <sys/mman.h>\n#include <sys/syscall.h>\n#include <unistd.h>\n"
                    "int main(void) { int fds[2]; (void)pipe(fds); (void)mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);\n"
                    "(void)syscall(SYS_tee, fds[0], fds[1], 1, SPLICE_F_NONBLOCK); return 0; }\n")
    said, _ = explore(program, "--budget", "5runs")
    assert said["stats"]["mode"] == "fork" and said["stats"]["uncontrolled"] >= 1, said["stats"]
    assert said["verdict"] == "unknown", said


def test_programs_nobody_here_wrote_come_to_their_end_the_same_twice():
    lines = [f"{(number * 7919) % 300007}\n" for number in range(300000 if LONG else 140000)]
    text = write("lines.txt", "".join(lines))
    small = write("small.txt", "".join(lines[:20000]))
    result = os.path.join(FOLDER.name, "sorted.txt")
    commands = [["sort", "--parallel=4", "-S", "100M", "-o", result, text],
                ["xz", "-T2", "-k", "-f", "--block-size=32KiB", small],
                ["pigz", "-k", "-f", "-p", "3", "-b", "32", small]]
    runs = 20 if LONG else 4
    tried = 0
    for command in commands:
        if shutil.which(command[0]) is None:
            continue
        tried += 1
        folder = os.path.join(FOLDER.name, command[0] + ".campaign")
        done = run([CLEW, "explore", "--json", "--verify", "--files", "shared", "--fail-on", "exit", "--strategy", "random", "--budget",
                    f"{runs}runs", "-o", folder, "--", *command], env={**os.environ, "LC_ALL": "C"})
        assert done.returncode == 0, done.stdout + done.stderr
        stats = json.loads(done.stdout)["stats"]
        assert stats["verified"] == runs and stats["unlike"] == 0, (command, stats)
    if tried == 0:
        raise tap.Skip("none of them is installed")
    with open(result, encoding="ascii") as file:
        assert file.readlines() == sorted(lines)


def test_futexes_are_modelled_behind_their_system_call():
    check_every_mode_passes(build("futex"), "--strategy", "pos", "--budget", "30runs")
    check_every_mode_passes(build("futex"), "--strategy", "pos", "--budget", "300runs", modes=MODES if LONG else MODES[:1])
    said, _ = explore(build_broken("futex"), "--budget", "300runs")
    assert only_finding(said)["kind"] == "deadlock", said


def test_descriptors_inside_a_process_are_waited_for_by_turns():
    for program in (build("streams"), build_plain("streams")):
        assert check_every_mode_passes(program, "--strategy", "random", "--budget", "200runs" if LONG else "10runs") == MODES


def test_who_waits_for_an_empty_pipe_is_in_a_deadlock():
    assert not explore(build("tokens"), "--budget", "300runs")[0]["findings"]
    said, folder = explore(build_broken("tokens"), "--budget", "300runs")
    finding = only_finding(said)
    assert finding["kind"] == "deadlock" and "waits to read from pipe#1" in finding["what"], finding
    check_every_mode_replays(first_schedule(folder), build_broken("tokens"))


def test_messages_through_a_pipe_are_counted():
    """Each write is a message, delivered with its last byte."""
    for claim, holds in (("always forall p. p.received <= p.sent and p.sent_pipe_1 <= 2", True),
                         ("always forall p. p.sent_pipe_1 < 2", False), ("always forall p. p.received_pipe_1 < 2", False)):
        said, _ = explore(build("tokens"), "--spec", write("pipe.spec", f"claim: {claim}\n"), "--budget", "50runs")
        assert (not said["findings"]) == holds, (claim, said)


def test_somebody_outside_is_waited_for_in_a_set():
    """A server is in no deadlock because all its clients are outside."""
    program = build("outside_set", text="#include <string.h>\n#include <sys/epoll.h>\n#include <sys/socket.h>\n#include <sys/un.h>\n"
                    "#include <unistd.h>\n"
                    "int main(int count, char **words) { char byte = 0; int all = socket(AF_UNIX, SOCK_STREAM, 0), set = epoll_create1(0);\n"
                    "struct sockaddr_un own = {.sun_family = AF_UNIX}; struct epoll_event wanted = {.events = EPOLLIN}, found;\n"
                    "strncpy(own.sun_path, words[count - 1], sizeof own.sun_path - 1); unlink(own.sun_path);\n"
                    "if (bind(all, (void *)&own, sizeof own) != 0 || listen(all, 5) != 0) return 4;\n"
                    "epoll_ctl(set, EPOLL_CTL_ADD, all, &wanted); if (epoll_wait(set, &found, 1, -1) != 1) return 5;\n"
                    "return read(accept(all, NULL, NULL), &byte, 1) == 1 ? 0 : 3; }\n")
    path = os.path.join(FOLDER.name, "server")
    is_over = threading.Event()

    def ask():
        while not is_over.is_set():
            try:
                with socket.socket(socket.AF_UNIX) as client:
                    client.settimeout(1)
                    client.connect(path)
                    client.sendall(b"x")
                    client.recv(1)
            except OSError:
                is_over.wait(0.01)

    client = threading.Thread(target=ask)
    client.start()
    try:
        said, _ = explore([program, path], "--fail-on", "exit", "--budget", "3runs")
    finally:
        is_over.set()
        client.join()
    assert not said["findings"] and said["verdict"] == "unknown" and "accept is not controlled" in said["assumptions"], said


UNMODELLED = {
    # A call that has no model: what is done with it, and what it gives.
    "timer_create": ("#include <signal.h>\n#include <time.h>\n", "timer_t made; struct sigevent event = {.sigev_notify = SIGEV_THREAD};\n"
                     "struct sigevent usual = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};\n"
                     "return timer_create(CLOCK_MONOTONIC, &event, &made) == -1 && errno == ENOTSUP\n"
                     "    && timer_create(CLOCK_PROCESS_CPUTIME_ID, &usual, &made) == -1 && errno == ENOTSUP ? 0 : 3;"),
    "signalfd": ("#include <signal.h>\n#include <sys/signalfd.h>\n#include <sys/syscall.h>\n", "sigset_t all; sigfillset(&all);\n"
                 "return signalfd(-1, &all, 0) == -1 && errno == ENOSYS\n"
                 "    && syscall(SYS_signalfd4, -1, &all, 8, 0) == -1 && errno == ENOSYS ? 0 : 3;"),
    "setitimer": ("#include <sys/time.h>\n", "struct itimerval never = {0}; return setitimer(ITIMER_PROF, &never, NULL) == 0 ? 0 : 3;"),
    "sendto, recvfrom": ("#include <arpa/inet.h>\n#include <sys/socket.h>\n", "struct sockaddr_in to = {.sin_family = AF_INET};\n"
                         "socklen_t size = sizeof to; char byte = 0; int fd = socket(AF_INET, SOCK_DGRAM, 0);\n"
                         "to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);\n"
                         "if (bind(fd, (void *)&to, size) != 0 || getsockname(fd, (void *)&to, &size) != 0) { return 4; }\n"
                         "return sendto(fd, \"x\", 1, 0, (void *)&to, size) == 1 && recvfrom(fd, &byte, 1, 0, NULL, NULL) == 1 ? 0 : 3;"),
}


def test_what_has_no_model_is_listed_by_its_call():
    for calls, (includes, body) in UNMODELLED.items():
        program = build(calls.split(",", maxsplit=1)[0] + "_used",
                        text=f"#include <errno.h>\n#include <stddef.h>\n#include <unistd.h>\n{includes}int main(void)\n{{\n{body}\n}}\n")
        said, folder = explore(program, "--fail-on", "exit", "--budget", "3runs")
        assert not said["findings"] and said["verdict"] == "unknown" and said["stats"]["uncontrolled"] >= 1, (calls, said)
        done = run([CLEW, "explore", "--budget", "3runs", "-o", folder + ".again", "--", program])
        assert f"not controlled: {calls}\n" in done.stdout, done.stdout + done.stderr


def test_large_arrays_are_put_back_too():
    """And a process that is larger than what can be copied: what nobody touched is not."""
    program = build("large", text="#include <pthread.h>\n#include <stdlib.h>\n#include <string.h>\n"
                    "static char large[700 << 20];\n"
                    "static void *touch(void *at) { large[(size_t)at << 20] = 1; return at; }\n"
                    "int main(void) { pthread_t thread; char *more = malloc(100 << 20);\n"
                    "if (more == NULL || more[1 << 20] != 0 || large[5000] != 0 || large[300 << 20] != 0) { return 3; }\n"
                    "memset(large, 1, 10000); memset(more, 1, 2 << 20);\n"
                    "if (pthread_create(&thread, NULL, touch, (void *)300) != 0) { return 4; }\n"
                    "return pthread_join(thread, NULL); }\n")
    assert check_every_mode_passes(program, "--strategy", "random", "--budget", "20runs", modes=MODES[:3]) == MODES[:3]


def test_system_calls_without_a_name_are_modelled():
    needs_traps()
    for program in (build("raw"), build_plain("raw")):
        check_every_mode_passes(program, "--strategy", "pos", "--verify", "--budget", "300runs" if LONG else "10runs")
    said, _ = explore(build_broken("raw"), "--budget", "300runs")
    assert only_finding(said)["kind"] == "deadlock", said


def test_signals_and_timers_come_by_turns():
    for program in (build("signals"), build_plain("signals")):
        assert check_every_mode_passes(program, "--strategy", "random", "--budget", "1000runs" if LONG else "30runs") == MODES


def test_a_handler_runs_where_it_was_not_expected():
    assert not explore(build("handler"), "--fail-on", "exit", "--budget", "500runs")[0]["findings"]
    said, folder = explore(build_broken("handler"), "--fail-on", "exit", "--budget", "500runs")
    assert only_finding(said)["kind"] == "exit", said
    check_every_mode_replays(first_schedule(folder), build_broken("handler"), "--fail-on", "exit")


def test_what_is_not_determined_is_named():
    if platform.machine() != "x86_64":
        raise tap.Skip("only x86-64 has a counter that a program reads without a call")
    program = build("chance", text="#include <pthread.h>\n#include <x86intrin.h>\n"
                    "static pthread_mutex_t odd = PTHREAD_MUTEX_INITIALIZER, even = PTHREAD_MUTEX_INITIALIZER;\n"
                    "int main(void) { for (int i = 0; i < 100; i++) {\n"
                    "pthread_mutex_t *lock = __rdtsc() / 16 % 2 ? &odd : &even;\n"
                    "pthread_mutex_lock(lock); pthread_mutex_unlock(lock); } return 0; }\n")
    done = run([CLEW, "explore", "--verify", "--budget", "20runs", "-o", program + ".campaign", "--", program])
    assert "not deterministic: step " in done.stdout and done.returncode == 1, done.stdout + done.stderr


if __name__ == "__main__":
    sys.exit(tap.run(tap.claims(globals())))
