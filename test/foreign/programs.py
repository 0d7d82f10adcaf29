"""Programs nobody here wrote, from their Debian sources: how each is built, how it tests itself, and a load for it.

    FOLDER/src/NAME-VERSION   as fetched
    FOLDER/NAME.clew          built by clew cc, with no other change
    FOLDER/NAME.native        built by gcc"""
import hashlib
import os
import random
import shutil
import socket
import subprocess
import sys

import sources

BUILD_SECONDS_MAX = 900
FLAGS = "-O2 -g"

MEMCACHED_CLIENT = """
import socket, sys, threading

def talk(first):
    with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as s:
        f = s.makefile("rb")
        for i in range(int(sys.argv[2])):
            s.sendall(b"set k%d 0 0 3\\r\\nabc\\r\\n" % (i % 50))
            assert f.readline() == b"STORED\\r\\n"
            s.sendall(b"get k%d\\r\\n" % ((first + i) % 50))
            while f.readline() != b"END\\r\\n":
                pass
            if i % 100 == 0:
                s.sendall(b"stats\\r\\n")
                while f.readline() != b"END\\r\\n":
                    pass
            s.sendall(b"incr c 1\\r\\n")
            f.readline()

if len(sys.argv) > 3:
    sys.exit(0 if socket.socket().connect_ex(("127.0.0.1", int(sys.argv[1]))) == 0 else 1)
threads = [threading.Thread(target=talk, args=(k,)) for k in range(8)]
for t in threads:
    t.start()
for t in threads:
    t.join()
"""


def run(words, folder, seconds=BUILD_SECONDS_MAX, **more):
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, errors="replace", timeout=seconds, check=False, **more)
    assert done.returncode == 0, f"{words} ended with {done.returncode}: {done.stdout[-1500:]}{done.stderr[-1500:]}"
    return done


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def repeat_until(command):
    return f"i=0; until {command}; do i=$((i + 1)); [ $i -lt 600 ] || exit 1; sleep 0.1; done"


def text_of(tree, scale):
    """The name of a file of words in the tree, about 650 KB for each unit of the scale; the same in every run."""
    name = f"data-{scale}"
    path = os.path.join(tree, name)
    if not os.path.exists(path):
        chance = random.Random(scale)
        words = [bytes(chance.choice(b"abcdefghijklmnop") for _ in range(chance.randint(2, 9))) + b" " for _ in range(5000)]
        with open(path, "wb") as file:
            for _ in range(scale):
                file.write(b"".join(chance.choices(words, k=100000)))
    return name


class Pigz:
    """Compresses with four threads that hand blocks to each other; at level 11 by code of its own."""
    name = "pigz"
    needs = ("gzip",)

    @staticmethod
    def build(tree, compiler):
        run(["make", f"CC={compiler}", f"CFLAGS={FLAGS}", "pigz"], tree)

    @staticmethod
    def test_itself(tree, compiler):
        run(["make", f"CC={compiler}", f"CFLAGS={FLAGS}", "test"], tree)

    @staticmethod
    def load(tree, scale):
        """A shell script, run in the tree."""
        data = text_of(tree, scale)
        return f"""./pigz -p 4 -c {data} > data.gz
            gzip -cd data.gz | cmp - {data}
            head -c {40000 * scale} {data} > part
            ./pigz -11 -b 32 -p 4 -c part > data.gz
            gzip -cd data.gz | cmp - part
            rm data.gz part"""


class Pbzip2:
    """Compresses and decompresses in C++: a producer, three consumers of a queue of blocks, a writer."""
    name = "pbzip2"
    needs = ("bzip2", "g++")

    @staticmethod
    def build(tree, compiler):
        run(["make", f"CXX={compiler[:-2]}c++", f"CXXFLAGS={FLAGS} -pthread", "pbzip2"], tree)

    @staticmethod
    def load(tree, scale):
        data = text_of(tree, scale)
        return f"""./pbzip2 -p3 -b1 -k -c {data} > data.bz2
            bzip2 -cd data.bz2 | cmp - {data}
            ./pbzip2 -p3 -d -c data.bz2 | cmp - {data}
            rm data.bz2"""


class Redis:
    """A server whose threads read and write its connections for it."""
    name = "redis"
    needs = ("tclsh",)

    @staticmethod
    def build(tree, compiler):
        run(["make", "-j2", f"CC={compiler}", "MALLOC=libc", f"OPTIMIZATION={FLAGS}"], tree)

    @staticmethod
    def test_itself(tree, _):
        run(["./runtest", "--single", "unit/type/string", "--single", "unit/type/list"], tree)

    @staticmethod
    def load(_, scale):
        port = free_port()
        return f"""cd src
            ./redis-server --port {port} --save '' --appendonly no --io-threads 4 --io-threads-do-reads yes >/dev/null & server=$!
            {repeat_until(f"./redis-cli -p {port} ping >/dev/null 2>&1")}
            ./redis-benchmark -p {port} -n {1000 * scale} -c 20 -P 4 -t set,get,lpush -q >/dev/null
            ./redis-cli -p {port} shutdown nosave
            wait $server"""


class Memcached:
    """A server with four threads that share a hash table."""
    name = "memcached"
    needs = ("perl", "prove")

    @staticmethod
    def build(tree, compiler):
        run(["./configure", "--disable-dependency-tracking"], tree, env=dict(os.environ, CC=compiler, CFLAGS=FLAGS))
        run(["make", "-j2", "memcached", "memcached-debug", "sizes", "testapp", "timedrun"], tree)

    @staticmethod
    def test_itself(tree, _):
        run(["prove", *(f"t/{name}.t" for name in ("getset", "incrdecr", "cas", "noreply", "binary"))], tree)

    @staticmethod
    def load(tree, scale):
        port = free_port()
        with open(os.path.join(tree, "client.py"), "w", encoding="utf-8") as file:
            file.write(MEMCACHED_CLIENT)
        client = f"{sys.executable} client.py {port} {50 * scale}"
        return f"""./memcached -l 127.0.0.1 -p {port} -U 0 -t 4 {"-u root" if os.getuid() == 0 else ""} & server=$!
            {repeat_until(f"{client} ask")}
            {client}
            kill -TERM $server
            wait $server"""


ALL = (Pigz, Redis, Memcached)


def fetched(folder, program):
    """Where the source lies. Raises sources.Unavailable."""
    missing = [word for word in ("apt-get", "dpkg-source", "make", *program.needs) if shutil.which(word) is None]
    if missing:
        raise sources.Unavailable(f"{program.name}: {', '.join(missing)} is not installed")
    return sources.fetch(os.path.join(folder, "src"), program.name)


def key_of(compiler):
    """What a tree was built by: it is built anew when the hooks have changed."""
    hooks = os.path.join(os.path.dirname(compiler.split()[0]), "src", "runtime", "libclew_hooks.a")
    text = compiler.encode()
    if os.path.exists(hooks):
        with open(hooks, "rb") as file:
            text += file.read()
    return hashlib.sha256(text).hexdigest()


def built(folder, program, kind, compiler):
    """The program's tree, built."""
    tree = os.path.join(folder, f"{program.name}.{kind}")
    mark = os.path.join(tree, "built-by")
    if os.path.exists(mark):
        with open(mark, encoding="utf-8") as file:
            if file.read() == key_of(compiler):
                return tree
    source = fetched(folder, program)
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(source, tree, symlinks=True)
    program.build(tree, compiler)
    with open(mark, "w", encoding="utf-8") as file:
        file.write(key_of(compiler))
    return tree
