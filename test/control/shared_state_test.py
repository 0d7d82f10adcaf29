"""State that threads share where no access of theirs shows it: inside libc, in files, and in objects that clew cc did not compile."""
import os
import sys

sys.dont_write_bytecode = True
from controlled import CLEW, FOLDER, MODES, build, explore, needs_traps, only_finding, run, write
import tap  # pylint: disable=wrong-import-position

PAIR = """
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#define NAME "shared-state-file"
static FILE *stream;
static int fd, pair[2], made[2], result, order;
static pthread_t self;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t keys[2];
static void once_more(void) { order = 10 * order + 1; assert(order != 21); }
static void at_last(void) { order = 10 * order + 2; }
static char left[] = "a b", right[] = "c d";
static void *first(void *p) { FIRST; return p; }
static void *second(void *p) { SECOND; return p; }
int main(void)
{
    pthread_t threads[2];
    unlink(NAME);
    BEFORE;
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    AFTER;
    unlink(NAME);
    return 0;
}
"""

# What both threads do, and what is done before and after: an assertion fails in one order alone.
PAIRS = {
    "environment": ("assert(getenv(\"K\") == NULL)", "setenv(\"K\", \"1\", 1)", "unsetenv(\"K\")", ""),
    "putenv": ("assert(getenv(\"K\") == NULL)", "putenv(\"K=1\")", "unsetenv(\"K\")", ""),
    "strtok": ("strtok(left, \" \"); char *q = strtok(NULL, \" \"); assert(q && *q == 'b')",
               "strtok(right, \" \"); char *q = strtok(NULL, \" \"); assert(q && *q == 'd')", "", ""),
    "localtime": ("time_t t = 0; struct tm *at = gmtime(&t); assert(at->tm_year == 70)",
                  "time_t t = 86400 * 3650; gmtime(&t)", "", ""),
    "file": ("int fd = open(NAME, O_RDONLY); assert(fd < 0)", "int fd = open(NAME, O_CREAT | O_WRONLY, 0600); close(fd)", "", ""),
    "access": ("assert(access(NAME, F_OK) != 0)", "int fd = open(\"./\" NAME, O_CREAT | O_WRONLY, 0600); close(fd)", "", ""),
    "unlink": ("struct stat s; assert(stat(NAME, &s) == 0)", "unlink(NAME)", "close(open(NAME, O_CREAT | O_WRONLY, 0600))", ""),
    "rename": ("assert(access(NAME, F_OK) == 0)", "rename(NAME, NAME \"2\")", "close(open(NAME, O_CREAT | O_WRONLY, 0600))", "unlink(NAME \"2\")"),
    "content": ("char c = 0; int fd = open(NAME, O_RDONLY); assert(read(fd, &c, 1) == 0); close(fd)",
                "int fd = open(NAME, O_WRONLY); (void)!write(fd, \"x\", 1); close(fd)", "close(open(NAME, O_CREAT | O_WRONLY, 0600))", ""),
    "stream": ("fputc('a', stream); fputc('a', stream)", "fputc('b', stream); fputc('b', stream)", "stream = fopen(NAME, \"w+\")",
               "char b[4] = \"\"; rewind(stream); assert(fread(b, 1, 4, stream) == 4 && b[0] == b[1] && b[2] == b[3]); fclose(stream)"),
}


# The same of descriptors: their numbers, copies and connections, and of what the kernel keeps beside them.
DESCRIPTORS = {
    "numbers": ("made[0] = open(\"/dev/null\", O_RDONLY)", "made[1] = socket(AF_UNIX, SOCK_STREAM, 0)", "", "assert(made[0] < made[1])"),
    "freed": ("made[0] = dup(fd)", "close(STDIN_FILENO)", "fd = open(\"/dev/null\", O_RDONLY)", "assert(made[0] != STDIN_FILENO)"),
    "closed_twice": ("close(fd); close(fd)", "int f = open(\"/dev/null\", O_RDONLY); result = fcntl(f, F_GETFD)", "fd = open(\"/dev/zero\", O_RDONLY)", "assert(result >= 0)"),
    "number_of_another": ("char c; assert(read(fd, &c, 1) < 0)", "result = open(\"/dev/null\", O_RDONLY)", "fd = open(\"/dev/null\", O_RDONLY); close(fd)", ""),
    "flags": ("result = fcntl(fd, F_GETFD)", "close(fd)", "fd = dup(0)", "assert(result >= 0)"),
    "replaced": ("result = write(pair[1], \"x\", 1)", "dup2(2, pair[1])", "pipe2(pair, O_NONBLOCK)", "char c; assert(read(pair[0], &c, 1) == 1)"),
    "member": ("struct epoll_event e; assert(epoll_wait(fd, &e, 1, 0) == 0)", "struct epoll_event e = {.events = EPOLLIN}; epoll_ctl(fd, EPOLL_CTL_ADD, pair[0], &e)", "pipe(pair); (void)!write(pair[1], \"x\", 1); fd = epoll_create1(0)", ""),
    "peer": ("result = send(pair[0], \"x\", 1, MSG_NOSIGNAL)", "close(pair[1])", "socketpair(AF_UNIX, SOCK_STREAM, 0, pair)", "assert(result == 1)"),
    "pipe_size": ("result = fcntl(pair[1], F_GETPIPE_SZ)", "fcntl(pair[1], F_SETPIPE_SZ, 4096)", "pipe(pair)", "assert(result == 65536)"),
    "symbolic_link": ("char c; int f = open(\"target\", O_RDONLY); assert(read(f, &c, 1) == 0)", "int f = open(\"link\", O_WRONLY); (void)!write(f, \"x\", 1)", "", ""),
    "exit_handlers": ("atexit(at_last)", "atexit(once_more)", "", ""),
    "several_calls": ("result = syscall(SYS_umask, 077)", "syscall(SYS_getpriority, PRIO_PROCESS, 0); syscall(SYS_umask, 022)", "umask(0)", "assert(result == 0)"),
    "mutex_life": ("result = pthread_mutex_lock(&lock); order++; result = pthread_mutex_unlock(&lock)", "pthread_mutex_init(&lock, NULL); pthread_mutex_lock(&lock); order++; pthread_mutex_unlock(&lock)", "", "assert(order == 2)"),
    "mutex_end": ("pthread_mutex_lock(&lock); pthread_mutex_unlock(&lock)", "result = pthread_mutex_destroy(&lock)", "", "assert(result == 0)"),
    "keys": ("pthread_key_create(&keys[0], NULL)", "pthread_key_create(&keys[1], NULL)", "", "assert(keys[0] < keys[1])"),
    "cancellation": ("self = pthread_self(); pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL); order = 1; pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL); pthread_testcancel(); result = 1",
                     "if (order) pthread_cancel(self)", "", "assert(result || !order)"),
}


def test_descriptors_links_and_cancellations_are_explored_in_both_orders():
    needs_traps()
    write("target", "")
    os.symlink("target", os.path.join(FOLDER.name, "link"))
    check_pairs(DESCRIPTORS)


def test_a_copy_of_an_inherited_descriptor_shares_its_position():
    with open(write("inherited", "text"), encoding="utf-8") as file:
        number = file.fileno()
        flags = ("-DFIRST=result = lseek(fd, 0, SEEK_CUR)", f"-DSECOND=lseek({number}, 1, SEEK_CUR)", f"-DBEFORE=lseek({number}, 0, SEEK_SET); fd = dup({number})",
                 "-DAFTER=assert(result == 0)")
        program = build("state_copy", "-w", *flags, text=PAIR)
        done = run([CLEW, "explore", "--strategy", "dpor", "-o", program + ".all", "--", program], pass_fds=(number,))
    assert done.returncode == 1 and "assertion result == 0 fails" in done.stdout, done.stdout


def test_a_write_to_a_file_with_several_links_is_not_controlled():
    needs_traps()
    os.link(write("one", ""), os.path.join(FOLDER.name, "another"))
    flags = ("-DFIRST=close(open(\"one\", O_RDONLY))", "-DSECOND=close(open(\"another\", O_WRONLY))", "-DBEFORE=", "-DAFTER=")
    said, _ = explore(build("state_links", "-w", *flags, text=PAIR), "--strategy", "dpor", "--require-exhaustive", "--budget", "20runs", status=(3,))
    assert said["stats"]["uncontrolled"] > 0, said


def check_pairs(pairs):
    for name, (first, second, before, after) in pairs.items():
        flags = [f"-D{key}={value}" for key, value in (("FIRST", first), ("SECOND", second), ("BEFORE", before), ("AFTER", after))]
        program = build("state_" + name, "-w", *flags, text=PAIR)
        said, _ = explore(program, "--strategy", "dpor", "--first", "--budget", "500runs")
        assert [finding["kind"] for finding in said["findings"]] == ["assertion"], (name, said)


def test_calls_of_libc_that_share_state_are_explored_in_both_orders():
    check_pairs(PAIRS)


def test_the_numbers_of_rand_depend_on_the_order_of_its_callers():
    flags = ("-DFIRST=int mine = rand()\\; assert(mine == drawn)", "-DSECOND=rand()", "-DBEFORE=srand(1)\\; drawn = rand()\\; srand(1)", "-DAFTER=")
    text = PAIR.replace("static FILE *stream;", "static FILE *stream;\nstatic int drawn;")
    program = build("state_rand", "-w", *(flag.replace("\\;", ";") for flag in flags), text=text)
    said, _ = explore(program, "--strategy", "dpor", "--first", "--budget", "500runs")
    assert only_finding(said)["kind"] == "assertion", said


def test_what_an_initializer_did_is_before_whoever_finds_it_done():
    flags = ("-DFIRST=pthread_once(&once, start); assert(order == 1)", "-DSECOND=pthread_once(&once, start); assert(order == 1)", "-DBEFORE=", "-DAFTER=")
    text = PAIR.replace("static FILE *stream;", "static FILE *stream;\nstatic int order;\nstatic pthread_once_t once;\nstatic void start(void) { order++; }")
    said, _ = explore(build("state_once", "-w", *flags, text=text), "--strategy", "dpor", "--require-exhaustive", status=(0,))
    assert said["stats"]["runs"] == 2 and not said["assumptions"], said


def test_other_files_and_variables_are_other_objects():
    flags = ("-DFIRST=close(open(NAME, O_CREAT | O_WRONLY, 0600))", "-DSECOND=access(NAME \"2\", F_OK)", "-DBEFORE=", "-DAFTER=")
    said, _ = explore(build("state_apart", "-w", *flags, text=PAIR), "--strategy", "dpor")
    assert said["stats"]["runs"] == 1, said


COUNTER = "extern long x;\nlong get(void) { return x; }\nvoid add(void) { x++; }\n"
ASSEMBLER = """
.section .note.GNU-stack,"",@progbits
.text
.globl add
.type add,@function
add: incq x(%rip)
 ret
.size add,.-add
.globl get
.type get,@function
get: movq x(%rip),%rax
 ret
.size get,.-get
"""
USER = """
#include <assert.h>
#include <pthread.h>
long x, get(void);
void add(void);
static int of_table(int i) { static const int table[4] = {1, 2, 3, 4}; return table[i & 3]; }
static void *run(void *p) { add(); return of_table(1) ? p : NULL; }
int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    assert(get() == 2);
    return 0;
}
"""


def plain_object(name, *words):
    path = os.path.join(FOLDER.name, name)
    done = run([*words, "-o", path])
    assert done.returncode == 0, done.stderr
    return path


def test_a_plain_object_among_others_is_named():
    counter = write("counter.c", COUNTER)
    assembler = write("counter.s", ASSEMBLER)
    archive = os.path.join(FOLDER.name, "libcounter.a")
    run(["ar", "rc", archive, plain_object("archived.o", "cc", "-g", "-O2", "-c", counter)])
    objects = {"gcc": (plain_object("gcc.o", "gcc", "-g", "-O1", "-c", counter), "counter.c"),
               "clang": (plain_object("clang.o", "clang", "-g", "-O1", "-c", counter), "counter.c"),
               "bare": (plain_object("bare.o", "gcc", "-g0", "-O1", "-c", counter), "add, get"),
               "assembler": (plain_object("assembler.o", "cc", "-c", assembler), "add, get"),
               "archive": (archive, "counter.c")}
    pulls = ("-Wl,-u,add", "-Wl,-u,get")
    for name, (path, named) in objects.items():
        program = build("with_" + name, *pulls, path, text=USER, compiler=("--with", "clang") if name == "clang" else ())
        done = run([CLEW, "explore", "--strategy", "dpor", "-o", program + ".all", "--require-exhaustive", "--", program])
        said = f"at synchronization points explored; memory accesses of {named} were not visible"
        assert done.returncode == 3 and said in done.stdout, (name, done.stdout, done.stderr)
        said, _ = explore(program, "--strategy", "dpor", status=(3,))
        assert said["verdict"] == "unknown" and any("not visible" in text for text in said["assumptions"]), (name, said)


# Functions whose accesses no hook reports, although clew cc compiles them or their names are those of a compiler or of clew.
HIDDEN = {
    "excepted": ("", "__attribute__((no_sanitize(\"thread\"))) void add(void) { x++; }"),
    "locked": ("", "void add(void) { get(); __asm__ volatile(\"lock incq %0\" : \"+m\"(*(volatile long *)&x)); }"),
    "assembly": ("", "void add(void) { __asm__ volatile(\"incq x(%rip)\"); }"),
    "reserved_name": ("long x; void __add(void) { x++; }", "void __add(void); void add(void) { __add(); }"),
    "wrapper_name": ("long x; void __wrap_add(void) { x++; } void AnnotateAdd(void) { __wrap_add(); }", "void AnnotateAdd(void); void add(void) { AnnotateAdd(); }"),
    "file_name": ("long x; static __attribute__((noinline)) void more(long *at) { (*at)++; } void add_more(void) { more(&x); }", "void add_more(void); void add(void) { add_more(); }"),
    "same_name": ("long x; static __attribute__((noinline)) void more(long *at) { (*at)++; } void add_more(void) { more(&x); }",
                  "void add_more(void); static __attribute__((noinline)) void seen(long *at) { __atomic_fetch_add(at, 1, __ATOMIC_SEQ_CST); } "
                  "void add(void) { static long y; seen(&y); add_more(); }"),
}
# Their files are called like one of clew's, and like an instrumented one of the program.
HIDDEN_FILES = {"file_name": "tsan_hooks.c", "same_name": "hidden_rest.c"}


def test_accesses_without_a_hook_are_named_whatever_the_function_is_called():
    for name, (plain, visible) in HIDDEN.items():
        objects = []
        if plain:
            objects = [plain_object("hidden.o", "cc", "-O1", "-c", write(HIDDEN_FILES.get(name, "string_hooks.c"), plain))]
            visible = visible.replace("void", "extern long x; void", 1)
        else:
            visible = "long x, get(void); " + visible
        rest = write("hidden_rest.c", visible + "\nlong get(void) { return x; }\n")
        program = build("hidden_" + name, rest, *objects, text=USER.replace("long x, get(void)", "long get(void)"))
        said, _ = explore(program, "--strategy", "dpor", "--require-exhaustive", status=(3,))
        assert any("not visible" in text for text in said["assumptions"]), (name, said)


CLASSES = """
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>
struct base { virtual ~base() {} virtual int value() = 0; };
struct left : virtual base { int value() override { return 1; } };
struct lower : left { int value() override { return 2; } };
static std::mutex lock;
static std::vector<int> list;
static std::map<std::string, int> counts;
static void run() { std::lock_guard<std::mutex> guard(lock); std::unique_ptr<base> b(new lower); list.push_back(b->value()); counts["x"]++; }
int main() { std::thread a(run), b(run); a.join(); b.join(); return list.size() != 2; }
"""


def test_a_program_built_whole_by_clew_is_seen_whole():
    counter = write("counted.c", COUNTER.replace("x++", "__atomic_fetch_add(&x, 1, __ATOMIC_SEQ_CST)"))
    classes = write("classes.cc", CLASSES)
    for compiler in ((), ("--with", "clang")):
        for level in ("-O0", "-O2"):
            name = "_".join(("whole", *compiler[1:], level.strip("-")))
            for program in (build(name, level, counter, text=USER, compiler=compiler), build(name + "_classes", level, path=classes, compiler=compiler)):
                said, _ = explore(program, "--strategy", "dpor", "--budget", "200runs")
                assert not any("not visible" in text for text in said["assumptions"]), (name, said)


def test_a_program_without_symbols_is_not_known_to_be_seen():
    program = build("stripped", "-s", write("counted.c", COUNTER.replace("x++", "__atomic_fetch_add(&x, 1, __ATOMIC_SEQ_CST)")), text=USER)
    said, _ = explore(program, "--strategy", "dpor", "--require-exhaustive", status=(3,))
    assert any("it has no symbols" in text for text in said["assumptions"]), said


STREAM_LOCKS = """
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
static int shared;
static sem_t s;
static void *run(void *is_first)
{
#if defined EXCLUDES /* recursive: the inner pair does not release */
    flockfile(stdout);
    flockfile(stdout);
    const int before = shared;
    printf(" ");
    funlockfile(stdout);
    shared = before + 1;
    funlockfile(stdout);
#elif defined WAITS /* a call that uses the stream waits for who has locked it */
    if (is_first != NULL) {
        flockfile(stderr);
        sem_wait(&s);
        funlockfile(stderr);
    } else {
        SAY;
        sem_post(&s);
    }
#else
    if (ftrylockfile(stdout) == 0) { /* for good */
        shared++;
    }
#endif
    return is_first;
}
int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, run, &s);
    pthread_create(&second, NULL, run, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
#ifndef WAITS
    assert(shared == WANTED);
#endif
    return 0;
}
"""


def test_the_lock_of_a_stream_is_a_recursive_lock():
    def search(name, *flags, kinds=(), modes=("fiber",)):
        program = build("streams_" + name, *flags, text=STREAM_LOCKS)
        for mode in modes:
            said, _ = explore(program, "--mode", mode, "--strategy", "dpor", "--budget", "200runs", status=(1,) if kinds else (0,))
            assert [finding["kind"] for finding in said["findings"]] == list(kinds), (name, mode, said)
            assert said["stats"]["exhausted"] and said["stats"]["uncontrolled"] == 0, (name, mode, said["stats"])
    search("excludes", "-DEXCLUDES", "-DWANTED=2", modes=MODES)
    for number, call in enumerate(('fputs("x", stderr)', "putc(10, stderr)", 'fprintf(stderr, "%d", 5)')):
        search(f"waits_{number}", "-DWAITS", f"-DSAY={call}", kinds=("deadlock",))
    search("other", "-DWAITS", "-DSAY=puts(\" \")")
    search("tries", "-DWANTED=1")
    search("tries_both", "-DWANTED=2", kinds=("assertion",))


# One thread looks first by default; the other changes what it looks at.
CHANGES = """
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <search.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>
extern char **environ;
static pthread_t self;
static int taken;
static void take(int signal) { (void)signal; taken = 1; }
static void *look(void *a) { struct stat s; (void)s; LOOK; return a; }
static void *change(void *a) { CHANGE; return a; }
int main(void)
{
    pthread_t first, second;
    self = pthread_self();
    signal(SIGUSR2, take);
    pthread_create(&first, NULL, look, NULL);
    pthread_create(&second, NULL, change, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
"""


def test_what_the_kernel_keeps_for_all_threads_is_shared():
    needs_traps()
    for number, (look, change) in enumerate((
            ("assert(faccessat(AT_FDCWD, \"made\", F_OK, 0))", "close(creat(\"made\", 0600))"),
            ("assert(stat(\"below/x\", &s))", "mkdirat(AT_FDCWD, \"below\", 0700); close(creat(\"below/x\", 0600))"),
            ("assert(umask(022) != 077)", "umask(077)"),
            ("assert(!taken)", "pthread_kill(self, SIGUSR2)"))):
        program = build(f"kept_{number}", f"-DLOOK={look}", f"-DCHANGE={change}", text=CHANGES)
        said, _ = explore(program, "--strategy", "dpor", "--budget", "300runs", status=(1,))
        assert only_finding(said)["kind"] == "assertion", said


def test_a_function_without_a_model_leaves_a_search_unsure():
    program = build("unmodelled", "-DLOOK=(void)hcreate(4)", "-DCHANGE=(void)0", text=CHANGES)
    said, _ = explore(program, "--strategy", "dpor", "--require-exhaustive", "--budget", "100runs", status=(3,))
    assert said["assumptions"] == ["what threads share inside of hcreate is not seen"], said


if __name__ == "__main__":
    sys.exit(tap.run(tap.claims(globals())))
