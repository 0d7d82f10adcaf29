"""Programs nobody here wrote, as they are explored under control: how each is built from its Debian source by clew cc, and what
is run. Libraries get a small driver each."""
import os
import subprocess

import programs

FLAGS = "-O1 -g"
DATA_SIZE = 40000

# A request and its answer between two threads, over nng's inproc transport.
NNG = """#include <assert.h>
#include <nng/nng.h>
#include <nng/protocol/reqrep0/rep.h>
#include <nng/protocol/reqrep0/req.h>
#include <pthread.h>
#include <string.h>

static void *server(void *a)
{
    nng_socket s = *(nng_socket *)a;
    char buf[16];
    size_t n = sizeof buf;
    if (nng_recv(s, buf, &n, 0) != 0) {
        return NULL;
    }
    assert(n == 5 && strcmp(buf, "ping") == 0);
    nng_send(s, "pong", 5, 0);
    return NULL;
}

int main(void)
{
    nng_socket rep, req;
    pthread_t t;
    char buf[16];
    size_t n = sizeof buf;
    if (nng_rep0_open(&rep) || nng_req0_open(&req)) {
        return 1;
    }
    if (nng_listen(rep, "inproc://x", NULL, 0) || nng_dial(req, "inproc://x", NULL, 0)) {
        return 2;
    }
    pthread_create(&t, NULL, server, &rep);
    if (nng_send(req, "ping", 5, 0) || nng_recv(req, buf, &n, 0)) {
        return 3;
    }
    assert(n == 5 && strcmp(buf, "pong") == 0);
    pthread_join(t, NULL);
    nng_close(req);
    nng_close(rep);
    return 0;
}
"""

# Two readers, and a writer that frees the old copy after a grace period.
URCU = """#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <urcu.h>

struct pair {
    int low, high;
};
static struct pair *current;

static void *reader(void *a)
{
    rcu_register_thread();
    for (int i = 0; i < 2; i++) {
        rcu_read_lock();
        struct pair *p = rcu_dereference(current);
        assert(p->high == p->low + 1);
        rcu_read_unlock();
    }
    rcu_unregister_thread();
    return a;
}

int main(void)
{
    pthread_t t[2];
    current = malloc(sizeof *current);
    *current = (struct pair){1, 2};
    for (int i = 0; i < 2; i++) {
        pthread_create(&t[i], NULL, reader, NULL);
    }
    for (int i = 0; i < 2; i++) {
        struct pair *fresh = malloc(sizeof *fresh), *old = current;
        *fresh = (struct pair){10 + i, 11 + i};
        rcu_assign_pointer(current, fresh);
        synchronize_rcu();
        free(old);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(t[i], NULL);
    }
    return 0;
}
"""

# Two threads that insert through one connection, in serialized mode.
SQLITE = """#include <assert.h>
#include <pthread.h>
#include <sqlite3.h>

static sqlite3 *db;

static void *add(void *a)
{
    for (int i = 0; i < 2; i++) {
        int r = sqlite3_exec(db, "insert into t values (1)", 0, 0, 0);
        assert(r == SQLITE_OK);
    }
    return a;
}

static int got(void *a, int n, char **v, char **k)
{
    (void)n;
    (void)k;
    *(int *)a = v[0][0] - '0';
    return 0;
}

int main(void)
{
    pthread_t t[2];
    int count = 0;
    assert(sqlite3_open_v2(":memory:", &db,
                           SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX,
                           0) == SQLITE_OK);
    assert(sqlite3_exec(db, "create table t (x)", 0, 0, 0) == SQLITE_OK);
    for (int i = 0; i < 2; i++) {
        pthread_create(&t[i], 0, add, 0);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(t[i], 0);
    }
    assert(sqlite3_exec(db, "select count(*) from t", got, &count, 0) == SQLITE_OK && count == 4);
    sqlite3_close(db);
    return 0;
}
"""

# A request and its answer between two threads, over libzmq's inproc transport.
ZMQ = """#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <zmq.h>

static void *context;

static void *server(void *a)
{
    char buf[16];
    void *s = zmq_socket(context, ZMQ_REP);
    assert(zmq_connect(s, "inproc://x") == 0);
    assert(zmq_recv(s, buf, sizeof buf, 0) == 5 && strcmp(buf, "ping") == 0);
    assert(zmq_send(s, "pong", 5, 0) == 5);
    zmq_close(s);
    return a;
}

int main(void)
{
    pthread_t t;
    char buf[16];
    context = zmq_ctx_new();
    void *s = zmq_socket(context, ZMQ_REQ);
    assert(zmq_bind(s, "inproc://x") == 0);
    pthread_create(&t, NULL, server, NULL);
    assert(zmq_send(s, "ping", 5, 0) == 5);
    assert(zmq_recv(s, buf, sizeof buf, 0) == 5 && strcmp(buf, "pong") == 0);
    pthread_join(t, NULL);
    zmq_close(s);
    zmq_ctx_term(context);
    return 0;
}
"""

# Tests of libuv that do not take a sleep for an order: semaphore_1, condvar_3 and condvar_4 do.
LIBUV_TESTS = ("thread_create", "thread_mutex", "thread_rwlock", "thread_local_storage", "thread_equal", "semaphore_2", "semaphore_3",
               "condvar_1", "condvar_2", "condvar_5", "barrier_1", "barrier_2", "barrier_3", "barrier_serial_thread", "async",
               "async_null_cb", "threadpool_queue_work_simple", "threadpool_cancel_work", "embed", "metrics_idle_time")


def data_in(tree):
    """The name of a file in the tree, the same in every run."""
    whole = programs.text_of(tree, 1)
    with open(os.path.join(tree, whole), "rb") as source, open(os.path.join(tree, "tiny"), "wb") as file:
        file.write(source.read(DATA_SIZE))
    return "tiny"


def driver(tree, compiler, text, *words):
    """Builds a driver in the tree."""
    with open(os.path.join(tree, "driver.c"), "w", encoding="utf-8") as file:
        file.write(text)
    programs.run([*compiler.split(), "-D_GNU_SOURCE", "-g", "-O1", "-pthread", "driver.c", *words, "-o", "driver"], tree)


def cmake(tree, compiler, target, *options):
    os.makedirs(os.path.join(tree, "clew-build"))
    programs.run(["cmake", "-DCMAKE_BUILD_TYPE=None", f"-DCMAKE_C_FLAGS={FLAGS}", f"-DCMAKE_CXX_FLAGS={FLAGS}", *options, ".."],
                 os.path.join(tree, "clew-build"), env=dict(os.environ, CC=compiler, CXX=f"{compiler[:-2]}c++"))
    programs.run(["make", target], os.path.join(tree, "clew-build"))


class Pigz(programs.Pigz):
    @staticmethod
    def commands(tree):
        return [("pigz", ["./pigz", "-p", "3", "-b", "32", "-k", "-c", data_in(tree)])]


class Pbzip2(programs.Pbzip2):
    @staticmethod
    def commands(tree):
        return [("pbzip2", ["./pbzip2", "-p3", "-b1", "-k", "-c", data_in(tree)])]


class Lbzip2:
    name = "lbzip2"
    needs = ()

    @staticmethod
    def build(tree, compiler):
        programs.run(["./configure", "--disable-dependency-tracking"], tree, env=dict(os.environ, CC=compiler, CFLAGS=FLAGS))
        # Its copy of gnulib is older than today's stdio.h, in which this macro is gone.
        programs.run(["make", "-C", "lib", f"CFLAGS={FLAGS} -D_IO_ftrylockfile"], tree)
        programs.run(["make", "-C", "src"], tree)

    @staticmethod
    def commands(tree):
        return [("lbzip2", ["src/lbzip2", "-n2", "-k", "-c", data_in(tree)])]


class Xz:
    name = "xz-utils"
    needs = ()

    @staticmethod
    def build(tree, compiler):
        programs.run(["./configure", "--disable-shared", "--disable-nls", "--disable-dependency-tracking", "--disable-assembler"], tree,
                     env=dict(os.environ, CC=compiler, CFLAGS=FLAGS))
        programs.run(["make", "-C", "src/liblzma"], tree)
        programs.run(["make", "-C", "src/xz"], tree)

    @staticmethod
    def commands(tree):
        return [("xz", ["src/xz/xz", "-T2", "--block-size=16384", "-1", "-k", "-c", data_in(tree)])]


class Zstd:
    name = "libzstd"
    needs = ()

    @staticmethod
    def build(tree, compiler):
        programs.run(["make", "-C", "programs", "zstd-release", f"CC={compiler}", f"MOREFLAGS={FLAGS}", "HAVE_THREAD=1", "HAVE_ZLIB=0",
                      "HAVE_LZMA=0", "HAVE_LZ4=0", "ZSTD_LEGACY_SUPPORT=0"], tree)

    @staticmethod
    def commands(tree):
        return [("zstd", ["programs/zstd", "-T2", "-B16384", "-q", "-1", "-c", data_in(tree)])]


class Libuv:
    name = "libuv1"
    needs = ("cmake",)

    @staticmethod
    def build(tree, compiler):
        cmake(tree, compiler, "uv_run_tests_a", "-DLIBUV_BUILD_TESTS=ON")

    @staticmethod
    def commands(_):
        return [(f"libuv {name}", ["clew-build/uv_run_tests_a", name, name]) for name in LIBUV_TESTS]


class Nng:
    name = "nng"
    needs = ("cmake",)

    @staticmethod
    def build(tree, compiler):
        cmake(tree, compiler, "nng", "-DNNG_TESTS=OFF", "-DNNG_TOOLS=OFF")
        driver(tree, compiler, NNG, "-Iinclude", "clew-build/libnng.a")

    @staticmethod
    def commands(_):
        return [("nng inproc", ["./driver"])]


class Zmq:
    name = "zeromq3"
    needs = ("cmake", "g++")

    @staticmethod
    def build(tree, compiler):
        cmake(tree, compiler, "libzmq-static", "-DBUILD_TESTS=OFF", "-DBUILD_SHARED=OFF", "-DWITH_LIBSODIUM=OFF", "-DENABLE_CURVE=OFF",
              "-DWITH_PERF_TOOL=OFF", "-DWITH_DOCS=OFF")
        driver(tree, compiler, ZMQ, "-Iinclude", "clew-build/lib/libzmq.a", "-lstdc++", "-lm")

    @staticmethod
    def commands(_):
        return [("libzmq inproc", ["./driver"])]


class Liburcu:
    name = "liburcu"
    needs = ()

    @staticmethod
    def build(tree, compiler):
        programs.run(["./configure", "--disable-shared", "--disable-dependency-tracking"], tree,
                     env=dict(os.environ, CC=compiler, CFLAGS=FLAGS))
        programs.run(["make", "-C", "src"], tree)
        driver(tree, compiler, URCU, "-Iinclude", "-DRCU_MB", "src/.libs/liburcu-mb.a", "src/.libs/liburcu-common.a")

    @staticmethod
    def commands(_):
        return [("liburcu", ["./driver"])]


ALL = (Pigz, Pbzip2, Lbzip2, Xz, Zstd, Libuv, Nng, Zmq, Liburcu)


def build_sqlite(folder, compiler):
    """Debian's library, with a driver; its command. None where it is not installed."""
    os.makedirs(folder, exist_ok=True)
    try:
        driver(folder, compiler, SQLITE, "-lsqlite3")
    except (AssertionError, subprocess.TimeoutExpired):
        return None
    return ["./driver"]
