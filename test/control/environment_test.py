"""What a controlled program meets outside of itself: process ids, signals of children, files, constructors of libraries. None of
it may look different from a run without control, or be taken for a bug of the program."""
import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from controlled import (CLEW, FOLDER, HERE, MODES, build, check_every_mode_passes, explore, first_schedule, needs_traps, only_finding, run,
                        write)
import tap  # pylint: disable=wrong-import-position


def test_process_ids_agree_in_every_call():
    needs_traps()
    check_every_mode_passes(build("pids"), "--budget", "3runs")


# A handler that blocks everything, for a signal that comes from another process.
CHILD = """
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile sig_atomic_t count;
static void handle(int s) { (void)s; count++; }
int main(void)
{
    struct sigaction a = {.sa_handler = handle, .sa_flags = FLAGS};
    const pid_t me = getpid();
    sigfillset(&a.sa_mask);
    sigaction(SIGNAL, &a, NULL);
    const pid_t child = fork();
    if (child == 0) { SEND; _exit(0); }
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
    }
    return !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
"""


def test_a_handler_may_block_every_signal():
    for name, signal, flags, send in (("chld_all", "SIGCHLD", "0", "usleep(1000)"), ("chld_restart", "SIGCHLD", "SA_RESTART", "usleep(1)"),
                                      ("usr1_sent", "SIGUSR1", "SA_RESTART", "if (kill(me, SIGUSR1) != 0) _exit(4)"),
                                      ("usr1_parent", "SIGUSR1", "0", "if (kill(getppid(), SIGUSR1) != 0) _exit(4)")):
        program = build(name, f"-DSIGNAL={signal}", f"-DFLAGS={flags}", f"-DSEND={send}", text=CHILD)
        said, _ = explore(program, "--fail-on", "exit", "--budget", "8runs", status=(0, 3))
        assert not said["findings"], (name, said)


def make_files():
    """A directory as files.c wants it; its path."""
    place = tempfile.mkdtemp(dir=FOLDER.name)
    os.makedirs(os.path.join(place, "dir", "sub"))
    for name, text in (("old", "old\n"), ("big", "0" * 100000), ("dir/one", "one\n"), ("dir/two", "two\n"), ("dir/sub/three", "three\n")):
        with open(os.path.join(place, name), "w", encoding="utf-8") as file:
            file.write(text)
    os.symlink("dir/one", os.path.join(place, "link"))
    return place


def listing(place):
    """Every file below a directory with what it has."""
    found = {}
    for folder, _, names in os.walk(place):
        for name in names:
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, place)] = file.read()
    return found


def explore_in(place, program, *options):
    folder = tempfile.mkdtemp(suffix=".campaign", dir=FOLDER.name)
    os.rmdir(folder)
    done = subprocess.run([CLEW, "explore", *options, "-o", folder, "--", *([program] if isinstance(program, str) else program)], cwd=place,
                          capture_output=True, text=True, timeout=200, check=False)
    return done, folder


def test_each_run_has_its_own_files():
    needs_traps()
    program = build("files")
    place = make_files()
    before = listing(place)
    for options in (["--mode", "fiber"], ["--mode", "thread"], ["--mode", "exec"], ["--jobs", "2"]):
        done, _ = explore_in(place, program, "--strategy", "random", "--budget", "4runs", *options)
        assert done.returncode == 0 and "no violation" in done.stdout, done.stdout + done.stderr
        assert listing(place) == before


def test_a_file_that_a_run_makes_is_not_there_in_the_next():
    needs_traps()
    program = build("makes_file", text="#include <assert.h>\n#include <fcntl.h>\n#include <pthread.h>\n#include <unistd.h>\n"
                    "static void *t(void *p) { return p; }\n"
                    "int main(void) { pthread_t x; pthread_create(&x, 0, t, 0); assert(access(\"flag\", F_OK) != 0);\n"
                    "close(open(\"flag\", O_CREAT | O_WRONLY, 0600)); assert(access(\"flag\", F_OK) == 0); return pthread_join(x, 0); }\n")
    place = make_files()
    done, _ = explore_in(place, program, "--budget", "20runs")
    assert done.returncode == 0 and "no violation" in done.stdout, done.stdout
    assert not os.path.exists(os.path.join(place, "flag"))
    done, _ = explore_in(place, program, "--files", "shared", "--budget", "20runs")
    assert done.returncode == 1 and os.path.exists(os.path.join(place, "flag")), done.stdout


def test_the_files_of_a_violation_are_kept_and_replayed():
    needs_traps()
    program = build("files_fail", "-DFAIL", path=os.path.join(HERE, "files.c"))
    place = make_files()
    before = listing(place)
    done, folder = explore_in(place, program, "--budget", "3runs")
    assert done.returncode == 1, done.stdout
    kept = listing(os.path.join(folder, "violations", "1.files"))
    assert kept["moved/one"] == b"through" and kept["made/inside"] == b"in" and kept["new"] == b"new", kept
    assert kept["big"] == b"small" and "dir/two" not in kept, kept
    schedule = os.path.join(folder, "violations", "1.sched")
    done = subprocess.run([CLEW, "replay", "--verify", "3", schedule, "--", program], cwd=place, capture_output=True, text=True,
                          timeout=200, check=False)
    assert done.returncode == 1 and "all the same" in done.stdout and listing(place) == before, done.stdout + done.stderr


MAKES_AND_LOSES = """
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static int x;
static void *count(void *p)
{
    FILE *f = fopen("old", "a");
    fputs("more\\n", f);
    fclose(f);
    const int before = x;
    x = before + 1;
    return p;
}
int main(void)
{
    pthread_t t;
    assert(access("flag", F_OK) != 0);
    close(open("flag", O_CREAT | O_WRONLY, 0600));
    pthread_create(&t, 0, count, 0);
    count(0);
    pthread_join(t, 0);
    assert(x == 2);
    return 0;
}
"""


def test_files_are_private_when_a_violation_is_looked_into():
    """By minimize, by replay --trace, --step and in gdb, also where the program is started again there."""
    needs_traps()
    program = build("makes_and_loses", text=MAKES_AND_LOSES)
    place = make_files()
    before = listing(place)
    done, folder = explore_in(place, program, "--first", "--strategy", "random", "--budget", "200runs")
    schedule = os.path.join(folder, "violations", "1.sched")
    assert done.returncode == 1 and "x == 2" in done.stdout, done.stdout
    for words in (["minimize", "--budget", "40runs"], ["replay", "--trace", os.path.join(FOLDER.name, "looked.clew")], ["replay", "--step"],
                  ["replay", "--verify", "3"]):
        done = subprocess.run([CLEW, *words, schedule, "--", program], cwd=place, capture_output=True, text=True, timeout=200, check=False)
        assert "flag" not in done.stdout and done.returncode in (0, 1, 3), (words, done.stdout + done.stderr)
        assert listing(place) == before, words
    if shutil.which("gdb") is not None:
        done = subprocess.run([CLEW, "replay", "--gdb", schedule, "--", program], cwd=place, input="continue\nrun\ncontinue\nquit\n",
                              capture_output=True, text=True, timeout=200, check=False)
        assert "went otherwise" not in done.stderr and listing(place) == before, done.stdout + done.stderr


WRITES = """
#include <assert.h>
#include <stdio.h>
#include <unistd.h>
int main(int count, char **words)
{
    FILE *f = fopen(words[1], count > 2 && words[2][0] == '+' ? "r+" : "w");
    assert(f != NULL);
    assert(words[2] == NULL || words[2][0] != '+' || fgetc(f) == 'a');
    rewind(f);
    fputc('b', f);
    fclose(f);
    return count > 2 && words[2][0] == '-' ? unlink(words[1]) : 0;
}
"""


def test_what_a_run_leaves_outside_is_told():
    needs_traps()
    program = build("writes", text=WRITES)
    place = make_files()
    outside = os.path.join(FOLDER.name, "outside.txt")
    done, _ = explore_in(place, [program, outside], "--budget", "3runs")
    assert f"written outside of the current directory, where the next run finds it: {outside}" in done.stdout, done.stdout
    os.unlink(outside)
    for words in ([outside, "-"], ["/dev/null"], ["new"]):
        done, _ = explore_in(place, [program, *words], "--budget", "3runs")
        assert done.returncode == 0 and "outside" not in done.stdout, (words, done.stdout)


def test_a_command_prepares_the_files():
    needs_traps()
    program = build("writes", text=WRITES)
    place = make_files()
    before = listing(place)
    done, _ = explore_in(place, [program, "prepared/db", "+"], "--setup", "mkdir prepared && echo a > prepared/db", "--budget", "4runs")
    assert done.returncode == 0 and "no violation" in done.stdout and listing(place) == before, done.stdout + done.stderr
    done, _ = explore_in(place, [program, "x"], "--setup", "exit 4")
    assert done.returncode == 2 and "--setup exit 4: it ended with status 4" in done.stderr, done.stderr


def test_private_files_go_with_clew_however_it_ends():
    needs_traps()
    temporary = tempfile.mkdtemp(dir=FOLDER.name)
    place = make_files()
    for signal_number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        with subprocess.Popen([CLEW, "explore", "--budget", "100s", "-o", os.path.join(place, f"{signal_number}.campaign"), "--",
                               build("files")], cwd=place, env={**os.environ, "TMPDIR": temporary}, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as process:
            while process.poll() is None and not os.listdir(temporary):
                time.sleep(0.01)
            process.send_signal(signal_number)
            process.wait(100)
        deadline = time.monotonic() + 100
        while os.listdir(temporary) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert not os.listdir(temporary), signal_number


EARLY = """
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t o = PTHREAD_ONCE_INIT;
static void once(void) {}
__attribute__((constructor)) static void early(void)
{
    struct timespec t;
    struct timeval v;
    struct sigaction a;
    sem_t s;
    sigset_t set;
    jmp_buf j;
    pthread_key_t key;
    clock_gettime(CLOCK_MONOTONIC, &t);
    gettimeofday(&v, NULL);
    (void)time(NULL);
    (void)clock();
    usleep(1);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_once(&o, once);
    pthread_key_create(&key, free);
    pthread_setspecific(key, malloc(3));
    sem_init(&s, 0, 1);
    sem_wait(&s);
    sem_post(&s);
    free(realloc(malloc(10), 100000));
    munmap(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096);
    sigemptyset(&set);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    sigaction(SIGCHLD, NULL, &a);
    pthread_kill(pthread_self(), 0);
    fclose(fopen("/dev/null", "r"));
    if (setjmp(j) == 0) longjmp(j, 1);
}
"""


def test_constructors_of_libraries_come_before_ours():
    place = tempfile.mkdtemp(dir=FOLDER.name)
    library = os.path.join(place, "libearly.so")
    done = run(["cc", "-fPIC", "-shared", "-pthread", write("early.c", EARLY), "-o", library])
    assert done.returncode == 0, done.stderr
    for with_clew in (True, False):
        program = build(f"late{with_clew}", library, f"-Wl,--no-as-needed,-rpath,{place}", with_clew=with_clew, text="#include <pthread.h>\nextern int x;\nint x;\n"
                        "static void *t(void *p) { x++; return p; }\n"
                        "int main(void) { pthread_t a; pthread_create(&a, 0, t, 0); return pthread_join(a, 0); }\n")
        said, _ = explore(program, "--fail-on", "exit", "--budget", "3runs", status=(0,))
        assert not said["findings"] and said["stats"]["uncontrolled"] == 0, said


# Threads that constructors make. With WAITS, the constructor goes on only when its thread has begun.
EARLY_THREAD = """
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
static sem_t begun, go;
static pthread_t thread;
static int x;
static void *count(void *p) { sem_post(&begun); sem_wait(&go); x++; return p; }
__attribute__((constructor)) static void early(void)
{
    sem_init(&begun, 0, 0);
    sem_init(&go, 0, 0);
    pthread_create(&thread, 0, count, 0);
#ifdef WAITS
    sem_wait(&begun);
#endif
}
#ifdef WITH_MAIN
int main(void) { sem_post(&go); x++; pthread_join(thread, 0); assert(x == 2); return 0; }
#else
void add(void) { sem_post(&go); x++; }
int sum(void) { pthread_join(thread, 0); return x; }
#endif
"""


def check_early(program):
    for mode in MODES:
        said, folder = explore(program, "--mode", mode, "--budget", "60runs", status=(1,))
        assert only_finding(said)["kind"] == "assertion" and said["stats"]["uncontrolled"] == 0, (mode, said)
        done = run([CLEW, "replay", "--mode", mode, "--verify", "5", first_schedule(folder), "--", program])
        assert done.returncode == 1 and "5 replays, all the same" in done.stdout, done.stdout + done.stderr
    said, _ = explore(program, "--strategy", "dpor", "--budget", "60s", status=(1,))
    assert said["stats"]["exhausted"] and said["findings"], said


def test_a_constructor_of_the_program_makes_a_thread():
    for flags in ([], ["-DWAITS"]):
        check_early(build(f"early_thread{len(flags)}", "-DWITH_MAIN", *flags, text=EARLY_THREAD))


def test_a_constructor_of_a_library_makes_a_thread():
    place = tempfile.mkdtemp(dir=FOLDER.name)
    library = os.path.join(place, "libthread.so")
    done = run([CLEW, "cc", "-g", "-DWAITS", "-fPIC", "-shared", "-pthread", write("early_thread.c", EARLY_THREAD), "-o", library])
    assert done.returncode == 0, done.stderr
    check_early(build("early_user", f"-Wl,--no-as-needed,-rpath,{place}", library, text="#include <assert.h>\nvoid add(void);\nint sum(void);\n"
                      "int main(void) { add(); assert(sum() == 2); return 0; }\n"))


def test_a_thread_that_nobody_controls_before_main_is_refused():
    program = build("early_clone", text="#include <sched.h>\n#include <sys/mman.h>\n#include <unistd.h>\n"
                    "static int t(void *p) { (void)p; for (;;) pause(); return 0; }\n"
                    "__attribute__((constructor)) static void c(void) { char *s = mmap(0, 65536, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);\n"
                    "clone(t, s + 65536, CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM, 0); }\n"
                    "int main(void) { return 0; }\n")
    done = run([CLEW, "explore", "-o", program + ".campaign", "--", program])
    assert done.returncode == 2 and "makes a thread by a system call of its own" in done.stderr, done.stderr


# An allocator looks pthread_create up behind itself.
LOOKED_UP = """
#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>
static int x;
static void *count(void *p) { x++; return p; }
int main(int count_of, char **words)
{
    void *where = count_of > 1 ? dlopen("libc.so.6", RTLD_NOW) : RTLD_NEXT;
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = dlsym(where, "pthread_create");
    pthread_t thread;
    (void)words;
    create(&thread, 0, count, 0);
    x++;
    pthread_join(thread, 0);
    assert(x == 2);
    return 0;
}
"""


def test_a_function_that_is_looked_up_is_controlled():
    if platform.machine() != "x86_64":
        raise tap.Skip("look-ups are not intercepted on this machine")
    program = build("looked_up", text=LOOKED_UP)
    for words in ([program], [program, "1"]):
        for mode in ("fiber", "thread"):
            said, _ = explore(words, "--mode", mode, "--budget", "60runs", status=(1,))
            assert only_finding(said)["kind"] == "assertion" and said["stats"]["uncontrolled"] == 0, said


def test_a_thread_inside_of_libc_is_not_controlled():
    needs_traps()
    program = build("aio", with_clew=False, text="#include <aio.h>\n#include <errno.h>\n#include <fcntl.h>\n#include <string.h>\n"
                    "int main(void) { char b[8]; struct aiocb a; memset(&a, 0, sizeof a); a.aio_fildes = open(\"/dev/zero\", O_RDONLY);\n"
                    "a.aio_buf = b; a.aio_nbytes = 5; if (aio_read(&a) != 0) return 1; const struct aiocb *all[] = {&a};\n"
                    "while (aio_error(&a) == EINPROGRESS) aio_suspend(all, 1, 0); return aio_return(&a) != 5; }\n")
    for mode in ("fiber", "thread"):
        said, _ = explore(program, "--mode", mode, "--fail-on", "exit", "--budget", "5runs", status=(3,))
        assert said["verdict"] == "unknown" and not said["stats"]["exhausted"] and said["stats"]["uncontrolled"] == 1, said


ALLOCATES = """
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static void *use(void *p)
{
    for (size_t i = 1; i < 4; i++) {
        char *block = malloc(i * 1000);
        memset(block, 1, i * 1000);
        free(realloc(block, i * 3000));
    }
    return p;
}
int main(void)
{
    pthread_t a, b;
    void *first = calloc(3, 50);
    pthread_create(&a, 0, use, 0);
    pthread_create(&b, 0, use, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    free(first);
    return 0;
}
"""


def test_programs_with_an_allocator_of_their_own_are_the_same_again():
    tried = 0
    for library in ("libjemalloc.so.2", "libmimalloc.so.2"):
        program = os.path.join(FOLDER.name, "uses_" + library)
        done = run([CLEW, "cc", "-g", "-O1", "-pthread", write("allocates.c", ALLOCATES), "-l:" + library, "-o", program])
        if done.returncode != 0:
            continue
        tried += 1
        for mode in MODES:
            said, _ = explore(program, "--mode", mode, "--verify", "--fail-on", "exit", "--budget", "6runs", status=(0,))
            assert not said["findings"] and said["stats"]["unlike"] == 0 and said["stats"]["uncontrolled"] == 0, (library, said)
    if tried == 0:
        raise tap.Skip("neither jemalloc nor mimalloc is installed")


def test_redis_that_nobody_talks_to_was_not_exercised():
    needs_traps()
    if shutil.which("redis-server") is None:
        raise tap.Skip("redis-server is not installed")
    place = tempfile.mkdtemp(dir=FOLDER.name)
    for mode in ("fiber", "thread"):
        done, _ = explore_in(place, ["redis-server", "--port", "0", "--unixsocket", os.path.join(place, "s"), "--save", ""], "--mode", mode,
                             "--verify", "--budget", "5runs")
        assert done.returncode == 3 and "the program waited for connections and no client connected: nothing was tested" in done.stdout, done.stdout + done.stderr
        assert "repeated runs were identical" in done.stdout and "not-deterministic" not in done.stdout, done.stdout


def test_a_source_in_assembly_language_is_built():
    if platform.machine() != "x86_64":
        raise tap.Skip("the source is written for x86-64")
    source = write("assembled.S", "#define RESULT 0\n.globl main\nmain: mov $RESULT, %eax\n ret\n.section .note.GNU-stack,\"\",@progbits\n")
    done = run([CLEW, "cc", "-O1", source, "-o", source + ".program"])
    assert done.returncode == 0 and run([source + ".program"]).returncode == 0, done.stderr


def test_why_main_is_not_reached_is_told():
    for name, body, words in (("early_abort", "abort();", "it ended with SIGABRT before its main, in a constructor"),
                              ("early_exit", "exit(7);", "it ended with status 7 before its main, in a constructor")):
        program = build(name, text=f"#include <stdlib.h>\n__attribute__((constructor)) static void c(void) {{ {body} }}\nint main(void) {{ return 0; }}\n")
        done = run([CLEW, "explore", "-o", program + ".campaign", "--", program])
        assert done.returncode == 2 and words in done.stderr, done.stderr
    program = build("unloaded", "-static", text="int main(void) { return 0; }\n", with_clew=False)
    done = run([CLEW, "explore", "-o", program + ".campaign", "--", program])
    assert done.returncode == 2 and "clew's library" in done.stderr and "static" in done.stderr, done.stderr


if __name__ == "__main__":
    sys.exit(tap.run(tap.claims(globals())))
