"""What a search that ended may claim: assumptions are named, and an answer that rests on one is unknown, not clean."""
import os
import sys

sys.dont_write_bytecode = True
from controlled import CLEW, FOLDER, build, explore, only_finding, run
import tap  # pylint: disable=wrong-import-position

THREADS = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
static pthread_t threads[8];
static int thread_count;
static void start(void *(*f)(void *)) { pthread_create(&threads[thread_count++], NULL, f, NULL); }
static void join(void) { while (thread_count > 0) pthread_join(threads[--thread_count], NULL); }
"""


def summary(program, *options):
    """The last line that dpor prints about a program."""
    folder = os.path.join(FOLDER.name, f"{os.path.basename(program)}.said")
    done = run([CLEW, "explore", "--strategy", "dpor", "-o", folder, *options, "--", program])
    run(["rm", "-rf", folder])
    return done.stdout


def check_assumes(program, words, said_so):
    """The search ends, assumes what the words say, and is not clean."""
    said, _ = explore(program, "--strategy", "dpor")
    assert said["verdict"] == "unknown" and said["stats"]["exhausted"], said
    assert any(words in assumption for assumption in said["assumptions"]), said
    explore(program, "--strategy", "dpor", "--require-exhaustive", status=(3,))
    assert said_so in summary(program), summary(program)


STORES = THREADS + """
static atomic_int x, y;
static int a, b;
static void *left(void *p) { atomic_store_explicit(&x, 1, ORDER); a = atomic_load_explicit(&y, ORDER); return p; }
static void *right(void *p) { atomic_store_explicit(&y, 1, ORDER); b = atomic_load_explicit(&x, ORDER); return p; }
int main(void) { start(left); start(right); join(); assert(a || b); return 0; }
"""
PLAIN_STORES = THREADS + """
static int x, y, a, b;
static void *left(void *p) { x = 1; a = y; return p; }
static void *right(void *p) { y = 1; b = x; return p; }
int main(void) { start(left); start(right); join(); assert(a || b); return 0; }
"""


def test_weak_orders_and_data_races_assume_sequential_consistency():
    acquire_release = STORES.replace("store_explicit(&x, 1, ORDER", "store_explicit(&x, 1, memory_order_release")
    acquire_release = acquire_release.replace("store_explicit(&y, 1, ORDER", "store_explicit(&y, 1, memory_order_release")
    for name, text, order in (("relaxed", STORES, "memory_order_relaxed"), ("acquire", acquire_release, "memory_order_acquire"),
                              ("plain", PLAIN_STORES, "none")):
        program = build("stores_" + name, f"-DORDER={order}", text=text)
        check_assumes(program, "sequentially consistent", "executions explored under sequential consistency, no violation")


LOCKED = THREADS + """
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void *add(void *p) { pthread_mutex_lock(&lock); x++; pthread_mutex_unlock(&lock); return p; }
int main(void) { start(add); start(add); join(); assert(x == 2); return 0; }
"""


def test_a_program_without_data_races_needs_no_assumption():
    for name, text in (("stores_seq_cst", STORES), ("locked", LOCKED)):
        program = build(name, "-DORDER=memory_order_seq_cst", text=text)
        said, _ = explore(program, "--strategy", "dpor", "--require-exhaustive")
        assert said["verdict"] == "clean" and not said["assumptions"], (name, said)


RANDOM = THREADS + """
static void *draw(void *p) { unsigned char byte; DRAW; assert(byte != 77); return p; }
int main(void) { start(draw); join(); return 0; }
"""


def test_random_numbers_are_those_of_a_seed():
    draws = {"getrandom": "getrandom(&byte, 1, 0)", "getentropy": "(void)!getentropy(&byte, 1)",
             "device": "int fd = open(\"/dev/urandom\", O_RDONLY); (void)!read(fd, &byte, 1); close(fd)"}
    for name, draw in draws.items():
        program = build("draws_" + name, text="#include <fcntl.h>\n#include <unistd.h>\n" + RANDOM.replace("DRAW", draw))
        said, _ = explore(program, "--strategy", "dpor")
        assert said["verdict"] == "unknown", said
        assert any("random numbers are those of seed 1" in assumption for assumption in said["assumptions"]), said
        assert "with the random numbers of seed 1, no violation" in summary(program)
    # Sampling draws other numbers in every run.
    said, _ = explore(build("draws_getrandom"), "--strategy", "random", "--budget", "2000runs")
    assert only_finding(said)["kind"] == "assertion", said


WAITS = THREADS + """
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int is_ready;
static void *await(void *p)
{
    pthread_mutex_lock(&lock);
    LOOK (!is_ready) pthread_cond_wait(&condition, &lock);
    assert(is_ready);
    pthread_mutex_unlock(&lock);
    return p;
}
static void *announce(void *p)
{
    pthread_mutex_lock(&lock);
    is_ready = 1;
    INSIDE;
    pthread_mutex_unlock(&lock);
    OUTSIDE;
    return p;
}
int main(void) { start(await); start(announce); join(); return 0; }
"""
SIGNALS = ("-DINSIDE=pthread_cond_signal(&condition)", "-DOUTSIDE=")
BROADCASTS = ("-DINSIDE=", "-DOUTSIDE=pthread_cond_broadcast(&condition)")


def test_spurious_wake_ups_are_explored_or_assumed_away():
    for name, flags in (("signal", SIGNALS), ("broadcast", BROADCASTS)):
        wrong = build("waits_once_" + name, "-DLOOK=if", *flags, text=WAITS)
        check_assumes(wrong, "without a signal", "without spurious wake-ups (--spurious-wakeups 1 explores them), no violation")
        for strategy in ("dpor", "auto"):
            said, folder = explore(wrong, "--strategy", strategy, "--spurious-wakeups", "1", "--budget", "500runs")
            assert only_finding(said)["kind"] == "assertion", (name, strategy, said)
        replay = only_finding(said)["replay"].split()
        done = run([CLEW, *replay[1:]])
        assert ", as recorded" in done.stdout, done.stdout + done.stderr
        right = build("waits_" + name, "-DLOOK=while", *flags, text=WAITS)
        for count in ("1", "2"):
            said, _ = explore(right, "--strategy", "dpor", "--spurious-wakeups", count, "--require-exhaustive")
            assert said["verdict"] == "clean" and not said["assumptions"], said
        assert os.path.isdir(folder)


def test_a_spurious_wake_up_saves_nobody_from_a_lost_signal():
    lost = build("waits_for_nothing", "-DLOOK=while", "-DINSIDE=", "-DOUTSIDE=", text=WAITS)
    for count in ("0", "1"):
        said, _ = explore(lost, "--strategy", "dpor", "--spurious-wakeups", count)
        assert "deadlock" in {finding["kind"] for finding in said["findings"]}, said


if __name__ == "__main__":
    sys.exit(tap.run(tap.claims(globals())))
