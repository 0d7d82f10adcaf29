"""clew races -- PROGRAM: the races of one run under control, whatever its schedule."""
import json
import os
import sys

sys.dont_write_bytecode = True
from controlled import CLEW, FOLDER, LONG, SOURCE, build, build_plain, run, write
import tap  # pylint: disable=wrong-import-position

SEEDS = range(1, 33) if LONG else range(1, 5)

FREED = """
#include <pthread.h>
#include <stdlib.h>
static int *shared;
static void *use(void *unused) { *shared = 3; return unused; }
int main(void)
{
    pthread_t user;
    shared = malloc(sizeof *shared);
    *shared = 1;
    pthread_create(&user, NULL, use, NULL);
    free(shared);
    return pthread_join(user, NULL);
}
"""

STREAM_LOCK = """
#include <pthread.h>
#include <stdio.h>
static int shared;
static FILE *stream;
static void *add(void *unused)
{
    flockfile(stream);
    shared++;
    funlockfile(stream);
    return unused;
}
int main(void)
{
    pthread_t first, second;
    stream = fopen("/dev/null", "w");
    pthread_create(&first, NULL, add, NULL);
    pthread_create(&second, NULL, add, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return fclose(stream);
}
"""

FORK = """
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
    int *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (fork() == 0) {
        shared[0]++;
        _exit(0);
    }
    shared[0]++;
    return wait(NULL) < 0;
}
"""

READER_WRITER = """
#include <pthread.h>
#include <semaphore.h>
static sem_t units;
static int data, sums[2];
static void *reads(void *sum)
{
    for (int i = 0; i < 3; i++) {
        sem_wait(&units);
        *(int *)sum += data;
        sem_post(&units);
    }
    return NULL;
}
static void *writes(void *unused)
{
    for (int i = 0; i < 3; i++) {
        sem_wait(&units);
        sem_wait(&units);
        data++;
        sem_post(&units);
        sem_post(&units);
    }
    return unused;
}
int main(void)
{
    pthread_t threads[3];
    sem_init(&units, 0, 2);
    pthread_create(&threads[0], NULL, reads, &sums[0]);
    pthread_create(&threads[1], NULL, reads, &sums[1]);
    pthread_create(&threads[2], NULL, writes, NULL);
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
    }
    return 0;
}
"""

INVERSION = """
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *one(void *unused)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    n++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return unused;
}
static void *two(void *unused)
{
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    n++;
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return unused;
}
int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, one, NULL);
    pthread_create(&second, NULL, two, NULL);
    pthread_join(first, NULL);
    return pthread_join(second, NULL);
}
"""


def races(program, *options, words=()):
    """The exit status, and the findings file."""
    done = run([CLEW, "races", "-q", "--json", *options, "--", program, *words])
    return done.returncode, json.loads(done.stdout)


def recorded(name):
    folder = os.path.join(SOURCE, "test", "recorded")
    return build(name, "-I", folder, path=os.path.join(folder, name + ".c"))


def test_a_correct_pool_is_clean_under_every_schedule():
    for seed in SEEDS:
        status, found = races(recorded("pool"), "--seed", str(seed))
        assert (status, found["verdict"], found["findings"]) == (0, "clean", []), (seed, found)


def test_a_race_is_found_without_options():
    status, found = races(recorded("bank"))
    assert status == 1 and found["verdict"] == "found", found


def test_the_observed_order_of_a_run_is_judged_by_itself():
    """Happens-before of the one run, without prediction: the judge of what the other models predict."""
    status, found = races(recorded("bank"), "--model", "observed")
    assert status == 1 and "nothing observed orders them" in found["findings"][0]["what"], found
    for seed in SEEDS:
        status, found = races(recorded("pool"), "--model", "observed", "--seed", str(seed))
        assert (status, found["verdict"], found["findings"]) == (0, "clean", []), (seed, found)


def test_a_run_that_ends_early_is_never_clean():
    """Where the memory is freed first, the run ends at the use: its trace has no second access."""
    program = build("freed_early", text=FREED)
    statuses = {races(program, "--seed", str(seed))[0] for seed in SEEDS}
    assert statuses <= {1, 3} and 1 in statuses, statuses


def test_a_lock_order_inversion_is_found_whether_or_not_the_run_deadlocks():
    program = build("inversion", text=INVERSION)
    statuses = set()
    for seed in range(1, 9):
        status, found = races(program, "--seed", str(seed))
        assert status == 1 and [finding["kind"] for finding in found["findings"]] == ["deadlock"], (seed, found)
        statuses.add(found["findings"][0]["status"])
    assert statuses == {"confirmed", "predicted"}, statuses


def test_the_lock_of_a_stream_orders():
    _, found = races(build("stream_lock", text=STREAM_LOCK))
    assert found["verdict"] == "clean" and found["stats"]["data_candidates"] > 0, found


DATAGRAM = """
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>
static int shared, sockets[2];
static struct sockaddr_un names[2];
static void *send_one(void *unused)
{
    shared++;
    sendto(sockets[0], "x", 1, 0, (void *)&names[1], sizeof(sa_family_t) + 6);
    return unused;
}
int main(void)
{
    pthread_t sender;
    char byte;
    for (int i = 0; i < 2; i++) {
        names[i] = (struct sockaddr_un){.sun_family = AF_UNIX, .sun_path = {0, 'c', 'l', 'e', 'w', (char)('a' + i)}};
        sockets[i] = socket(AF_UNIX, SOCK_DGRAM, 0);
        bind(sockets[i], (void *)&names[i], sizeof(sa_family_t) + 6);
    }
    pthread_create(&sender, NULL, send_one, NULL);
    recvfrom(sockets[1], &byte, 1, 0, NULL, NULL);
    shared++;
    return pthread_join(sender, NULL);
}
"""


def test_nothing_is_sound_where_a_call_is_not_controlled():
    """Datagrams are the kernel's: what they order looks unordered."""
    _, found = races(build("datagram", text=DATAGRAM))
    assert all(finding["grade"] != "sound" for finding in found["findings"]), found
    assert found["verdict"] != "clean", found


# Words of descriptor_races.c: threads that race, and threads that do not.
RACING = ("read", "readv", "recv", "recvmsg", "write", "send", "sendmsg", "token", "token-of-socket", "token-of-counter", "fstat", "lseek", "fcntl",
          "ftruncate", "mmap", "ioctl", "dprintf", "pread", "pwrite", "fsync", "fdopen", "listen", "setsockopt", "pipe", "alias", "move")
ORDERED = ("read-less", "write-then-set", "set-then-read", "message", "part", "duplicates", "poll", "select", "epoll", "peek", "ask", "end",
           "end-of-socket", "shut", "poll-end", "broken", "timer", "flock", "range", "unmap-alias")


def test_races_through_descriptors_are_found():
    """Buffers, equal messages that change places, and the use of a descriptor against its close."""
    program = build("descriptor_races")
    for word in RACING:
        status, found = races(program, words=[word])
        assert status == 1 and {finding["grade"] for finding in found["findings"]} == {"sound"}, (word, found)


def test_what_descriptors_order_is_ordered():
    """A message that is seen but not received, the end of what comes, a timer; a number that two threads get is two descriptors."""
    program = build("descriptor_races")
    for word in ORDERED:
        status, found = races(program, words=[word])
        assert (status, found["findings"]) == (0, []), (word, found)


def test_locks_that_nobody_knows_are_not_controlled():
    """One open file excludes no thread that uses the same; a file that two make where there must be none is a lock of their own."""
    for word in ("same-flock", "lock-file"):
        _, found = races(build("descriptor_races"), words=[word])
        assert found["verdict"] != "clean" and all(finding["grade"] != "sound" for finding in found["findings"]), (word, found)


def test_processes_race_on_memory_that_they_share():
    _, found = races(build("fork_alone", text=FORK))
    assert [finding["kind"] for finding in found["findings"]] == ["data-race"], found


def test_what_is_not_known_says_why():
    """A few events are not too many."""
    _, found = races(build("reader_writer", text=READER_WRITER))
    assert not any("too many events" in reason for reason in found["assumptions"]), found


TIMER = """
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>
static int n;
static volatile sig_atomic_t got;
static void count(int signal) { (void)signal; n++; got = 1; }
static void *add(void *unused)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    n++;
    return unused;
}
int main(void)
{
    pthread_t thread;
    struct sigaction action = {.sa_handler = count};
    struct itimerval timer = {.it_value = {0, 200000}};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
    pthread_create(&thread, NULL, add, NULL);
    pthread_join(thread, NULL);
    while (!got) {
        pause();
    }
    return 0;
}
"""


def test_a_handler_that_ran_alone_is_never_clean():
    """Its accesses are not in the trace, and another schedule may run it while the thread counts."""
    program = build("timer", text=TIMER)
    alone = [found for status, found in (races(program, "--seed", str(seed)) for seed in range(2, 5)) if status == 3]
    assert any("a signal handler ran when its task was alone" in reason for found in alone for reason in found["assumptions"]), alone


def predicted(program, *options, words=()):
    """The findings of the first run that ends by itself; a deadlock that a run is in has the key of clew explore."""
    for seed in range(1, 9):
        _, found = races(program, "--seed", str(seed), *options, words=words)
        if not any("the run, and its trace, ended" in words for words in found["assumptions"]):
            return found["findings"]
    raise AssertionError("every run ended early")


def test_keys_and_functions_are_those_of_a_recording():
    """A baseline or a suppression that was made for the one is good for the other."""
    programs = (("inversion", build("inversion", text=INVERSION), []), ("freed", build("freed_early", text=FREED), []),
                ("pipe", build("descriptor_races"), ["pipe"]))
    for name, program, words in programs:
        recording = os.path.join(FOLDER.name, name + ".clew")
        run([CLEW, "record", "-q", "-o", recording, "--", program, *words])
        pair = [[(finding["key"], {event["stack"] for event in finding["events"]}) for finding in findings]
                for findings in (json.loads(run([CLEW, "races", "-q", "--json", recording]).stdout)["findings"], predicted(program, words=words))]
        assert pair[0] and pair[0] == pair[1], (name, pair)


def test_functions_suppress_what_is_found_under_control():
    for program, words, line in ((build("inversion", text=INVERSION), [], "deadlock:^two$"), (build("descriptor_races"), ["pipe"], "race:^use_pipe$")):
        findings = predicted(program, "--suppress", write("rules.supp", line + "\n"), words=words)
        assert not findings, (line, findings)


def test_a_program_without_visible_accesses_is_unknown():
    status, found = races(build_plain("sync"))
    assert (status, found["verdict"]) == (3, "unknown"), found


if __name__ == "__main__":
    sys.exit(tap.run(tap.claims(globals())))
