"""Systems that call libc: what clew cc --sim routes to the simulator, what it refuses, and what a search says of a system that
was linked some other way."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
SOURCE = os.environ["CLEW_SOURCE"]
CLEW = os.environ["CLEW"]
HERE = os.path.join(SOURCE, "test", "sim", "systems")
sys.path.insert(0, os.path.join(SOURCE, "test", "harness"))
import tap  # pylint: disable=wrong-import-position

SECONDS_MAX = 300
FOLDER = tempfile.mkdtemp()
COMPILERS = [name for name in ("gcc", "clang") if shutil.which(name)]


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, timeout=SECONDS_MAX, check=False, cwd=FOLDER)


def done(*words):
    result = run(*words)
    assert result.returncode == 0, result.stdout + result.stderr
    return result


def write(name, text):
    with open(os.path.join(FOLDER, name), "w", encoding="utf-8") as file:
        file.write(text)
    return name


def explore(library, *options):
    result = run(CLEW, "explore", "--json", "-o", tempfile.mkdtemp(dir=FOLDER) + "/own", *options, library)
    assert result.returncode in (0, 1, 3), result.stderr
    return json.loads(result.stdout), result.returncode


def source(name):
    return os.path.join(HERE, name + ".c")


def only_finding(result):
    assert len(result["findings"]) == 1, result
    return result["findings"][0]


PLACES = ["IN_MALLOC", "IN_CALLOC", "IN_REALLOC", "IN_ALIGNED", "IN_MEMALIGN", "IN_STRDUP", "IN_ASPRINTF", "IN_THREAD_LOCAL", "IN_SETUP"]


def check_counts(library):
    """Each strategy sees the count, and every run begins at 0: the violation is after three steps, always."""
    for strategy in ("dpor", "random", "auto"):
        result, _ = explore(library, "--strategy", strategy, "--budget", "30runs")
        finding = only_finding(result)
        assert finding["what"] == "few does not hold: 3 messages", finding
        assert "after 3 steps" in finding["why"], finding
        words = finding["replay"].split()
        again = run(CLEW, "replay", "--verify", "5", *words[2:])
        assert "as recorded\n5 replays, all the same\n" in again.stdout, again.stdout + again.stderr


def test_what_a_system_keeps_in_libcs_memory_is_part_of_its_state():
    for place in PLACES:
        compiler = COMPILERS[PLACES.index(place) % len(COMPILERS)]
        done(CLEW, "cc", "--sim", "--with", compiler, "-O1", "-Wall", "-D_GNU_SOURCE", "-DKEEP=" + place, source("counts"), "-o", place + ".so")
        check_counts("./" + place + ".so")


def test_undefined_behaviour_while_a_system_is_loaded_ends_the_command():
    write("early.c", """#include <limits.h>
int early = INT_MAX;
__attribute__((constructor)) static void begin(void) { early++; }
""")
    for compiler in COMPILERS:
        done(CLEW, "cc", "--sim", "--with", compiler, "-D_GNU_SOURCE", "-DKEEP=IN_MALLOC", source("counts"), "early.c", "-o", "early.so")
        said = run(CLEW, "explore", "-o", "early", "./early.so")
        assert said.returncode == 2, said
        assert "does what C leaves undefined (a sum overflows) outside its handlers" in said.stderr, said.stderr
        assert not os.path.exists(os.path.join(FOLDER, "early"))


def test_static_archives_that_were_compiled_plainly_are_routed_too():
    done("cc", "-O2", "-fPIC", "-c", source("counts_archive"), "-o", "archive.o")
    done("ar", "rcs", "libarchive.a", "archive.o")
    done(CLEW, "cc", "--sim", "-D_GNU_SOURCE", "-DHAS_ARCHIVE", "-DKEEP=IN_ARCHIVE", "-c", source("counts"), "-o", "counts.o")
    for words in (("counts.o", "libarchive.a"), ("counts.o", "-L.", "-larchive"), ("counts.o", "archive.o")):
        done(CLEW, "cc", "--sim", *words, "-o", "archived.so")
        check_counts("./archived.so")


def test_operator_new_is_routed():
    if not shutil.which("g++"):
        raise tap.Skip("no C++ compiler")
    write("grows.cc", """
        #include <clew/sim.h>
        #include <map>
        #include <memory>
        #include <vector>
        static const char *const messages[] = {"hi", nullptr};
        static std::vector<int> primes{2, 3, 5};
        struct node { std::map<int, std::vector<int>> *counts; };
        static void setup() { for (int i = 0; i < 3; i++) clew_request(0, 0, nullptr, 0); }
        static void start(void *s) { static_cast<node *>(s)->counts = new std::map<int, std::vector<int>>; }
        static void message(void *s, const clew_message *) {
            (*static_cast<node *>(s)->counts)[7].push_back(1);
            std::unique_ptr<int> gone(new int(3));
            primes.push_back(7);
        }
        static bool few(const clew_view *v) {
            const node *n = static_cast<const node *>(v->states[0]);
            const size_t count = n->counts->count(7) ? (*n->counts)[7].size() : 0;
            return (count < 3 && primes.size() == 3 + count) || clew_broken(v, "%zu messages", count);
        }
        static const clew_property properties[] = {{.name = "few", .holds = few}, {}};
        CLEW_SYSTEM(.name = "grows", .node_count = 1, .messages = messages, .state_size = sizeof(node),
                    .setup = setup, .start = start, .message = message, .properties = properties);
        """)
    done(CLEW, "c++", "--sim", "-std=c++20", "-O1", "grows.cc", "-o", "grows.so")
    check_counts("./grows.so")


ASKED = ["rand()", "random()", "(int)(1000 * drand48())", "lrand48()", "rand_r(&(unsigned){1})", "drawn_bytes()"]


def test_random_numbers_come_from_the_seed():
    for number, call in enumerate(ASKED):
        done(CLEW, "cc", "--sim", "-D_GNU_SOURCE", "-DASK=" + call, source("draws"), "-o", "draws.so")
        values = set()
        for seed in ("1", "2", "3", "1"):
            folder = f"draws{number}-{seed}-{len(values)}"
            result, _ = explore("./draws.so", "--strategy", "random", "--budget", "1runs", "--seed", seed, "-o", folder)
            finding = only_finding(result)
            values.add(finding["what"])
            again = run(CLEW, "replay", "--verify", "5", *finding["replay"].split()[2:])
            assert finding["what"] in again.stdout and "as recorded\n5 replays" in again.stdout, again.stdout
        assert len(values) == 3, (call, values)


def test_a_search_of_a_system_that_draws_is_of_one_seed():
    done(CLEW, "cc", "--sim", "-D_GNU_SOURCE", "-DASK=rand()", "-Dis_even=is_odd", source("draws"), "-o", "drawn.so")
    write("silent.c", """
        #include <clew/sim.h>
        #include <stdlib.h>
        static const char *const messages[] = {"hi", NULL};
        static void setup(void) { clew_request(0, 0, NULL, 0); }
        static void message(void *s, const struct clew_message *m) { (void)m; *(int *)s = rand() % 1000; }
        static bool low(const struct clew_view *v) { return *(const int *)v->states[0] != 999; }
        static const struct clew_property properties[] = {{.name = "low", .holds = low}, {0}};
        CLEW_SYSTEM(.name = "silent", .node_count = 1, .messages = messages, .state_size = sizeof(int), .setup = setup,
                    .message = message, .properties = properties);
        """)
    done(CLEW, "cc", "--sim", "silent.c", "-o", "silent.so")
    result, status = explore("./silent.so", "--strategy", "dpor", "--require-exhaustive")
    assert status == 3 and result["verdict"] == "unknown", result
    assert any("random numbers" in text for text in result["assumptions"]), result


def test_time_is_the_nodes_clock():
    asked = {"time(NULL)": 1700000001, "now_ms(CLOCK_REALTIME)": 1700000001500, "now_ms(CLOCK_MONOTONIC)": 2500, "day_ms()": 1700000001500,
             "clock() * 1000 / CLOCKS_PER_SEC": 1500, "getpid()": 1001}
    for call, value in asked.items():
        done(CLEW, "cc", "--sim", "-D_GNU_SOURCE", "-DASK=" + call, source("draws"), "-o", "asks.so")
        result, _ = explore("./asks.so", "--strategy", "random", "--budget", "1runs")
        assert only_finding(result)["what"] == f"unasked does not hold: asked is {value}", (call, result)


CALLS = """
    #include <clew/sim.h>
    #include <fcntl.h>
    #include <pthread.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <sys/socket.h>
    #include <dlfcn.h>
    #include <unistd.h>
    static const char *const messages[] = {"hi", NULL};
    __attribute__((unused)) static void *thread(void *x) { return x; }
    static void message(void *s, const struct clew_message *m)
    {
        (void)s;
        (void)m;
        pthread_t t;
        (void)t;
        CALL;
    }
    CLEW_SYSTEM(.name = "calls", .node_count = 2, .messages = messages, .message = message);
    """
REFUSED = {"pthread_create": ("pthread_create(&t, NULL, thread, NULL)", "starts a thread"),
           "socket": ("socket(AF_INET, SOCK_STREAM, 0)", "uses a socket"),
           "fopen": ('if (fopen("x", "r") == NULL) abort()', "opens or reads a stream"),
           "open": ('if (open("x", O_RDONLY) < 0) abort()', "uses a file"),
           "dlopen": ('if (dlopen("x", RTLD_NOW) == NULL) abort()', "loads code"),
           "usleep": ("usleep(1)", "waits for time to pass")}


def test_what_cannot_be_simulated_is_refused_by_name():
    write("calls.c", CALLS)
    for symbol, (call, why) in REFUSED.items():
        result = run(CLEW, "cc", "--sim", "-O0", "-Wno-unused-result", "-DCALL=" + call, "calls.c", "-o", "calls.so")
        assert result.returncode == 1, result.stderr
        lines = result.stderr.splitlines()
        assert len(lines) == 2 and lines[0].startswith(f"clew: calls.so: {symbol}() {why}"), result.stderr
        assert "--allow SYMBOL" in lines[1], result.stderr
        assert not os.path.exists(os.path.join(FOLDER, "calls.so"))


def test_what_is_allowed_makes_no_proof():
    write("calls.c", CALLS)
    call = "pthread_create(&t, NULL, thread, NULL)"
    done(CLEW, "cc", "--sim", "--allow", "pthread_create", "-DCALL=" + call, "calls.c", "-o", "allowed.so")
    result, status = explore("./allowed.so", "--strategy", "dpor", "--require-exhaustive")
    assert status == 3 and result["verdict"] == "unknown" and not result["stats"]["exhausted"], result
    assert any(text.startswith("not simulated: pthread_create starts a thread") for text in result["assumptions"]), result
    text = run(CLEW, "explore", "--strategy", "dpor", "-o", "allowed", "./allowed.so").stdout
    assert "not simulated: pthread_create starts a thread" in text and "explored" not in text, text


def test_a_system_that_another_linker_made_is_no_proof():
    done("cc", "-shared", "-fPIC", "-D_GNU_SOURCE", "-DKEEP=IN_CALLOC", "-I", os.path.join(SOURCE, "include"), source("counts"), "-o", "plain.so")
    result, status = explore("./plain.so", "--strategy", "dpor", "--require-exhaustive")
    assert status in (1, 3) and not result["stats"]["exhausted"], result
    remedy = "not simulated: calloc takes memory that is not rewound: link the system with clew cc --sim"
    assert remedy in result["assumptions"], result


def test_a_shared_library_behind_the_system_is_no_proof():
    done("cc", "-shared", "-fPIC", source("counts_archive"), "-o", "libshared.so")
    done(CLEW, "cc", "--sim", "-D_GNU_SOURCE", "-DHAS_ARCHIVE", "-DKEEP=IN_ARCHIVE", source("counts"), "./libshared.so", "-o", "behind.so")
    result, _ = explore("./behind.so", "--strategy", "dpor")
    assert any(text.startswith("not simulated: archive_counter is of a shared library") for text in result["assumptions"]), result


def test_a_function_that_the_system_brings_along_wins():
    write("own.c", """
        #include <clew/sim.h>
        #include <stdlib.h>
        #include <string.h>
        static const char *const messages[] = {"hi", NULL};
        char *strndup(const char *text, size_t size) { (void)text; (void)size; return NULL; }
        long random(void) { return 4; }
        static void setup(void) { clew_request(0, 0, NULL, 0); }
        static void message(void *s, const struct clew_message *m)
        {
            (void)s;
            (void)m;
            if (random() == 4 && strndup("abc", 2) == NULL && strdup("x") != NULL) { clew_fail("its own"); }
        }
        CLEW_SYSTEM(.name = "own", .node_count = 1, .messages = messages, .setup = setup, .message = message);
        """)
    done(CLEW, "cc", "--sim", "-fno-builtin", "own.c", "-o", "own.so")
    result, _ = explore("./own.so", "--budget", "1runs")
    assert only_finding(result)["what"].endswith("its own"), result


def test_memory_that_is_misused_is_a_finding():
    misuse = {"void *p = malloc(8); free(p); free(p)": ("double-free", "free() of memory that was freed before"),
              "char *p = malloc(8); free(p + 4)": ("crash", "free() of an address that malloc() did not give"),
              "char *p = malloc(8); free(p); p = realloc(p, 90)": ("double-free", "realloc() of memory that was freed before"),
              "while (malloc(1 << 20) != NULL) { }": ("crash", "malloc(1048576): the memory of a node is 67108864 bytes")}
    for call, (kind, what) in misuse.items():
        write("misuse.c", CALLS.replace("CALL;", call + ";").replace(".node_count = 2", ".node_count = 2, .setup = setup")
              .replace("    static void message", "    static void setup(void) { clew_request(0, 0, NULL, 0); }\n    static void message"))
        done(CLEW, "cc", "--sim", "-O0", "-fno-builtin", "-w", "misuse.c", "-o", "misuse.so")
        result, _ = explore("./misuse.so", "--budget", "2runs")
        finding = only_finding(result)
        assert finding["kind"] == kind and finding["what"].startswith(what), (call, result)


def main():
    try:
        return tap.run([(name[5:], test) for name, test in globals().items() if name.startswith("test_")])
    finally:
        shutil.rmtree(FOLDER)


if __name__ == "__main__":
    sys.exit(main())
