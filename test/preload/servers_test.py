"""Servers nobody here wrote, recorded to their normal end under load: every message between them and their clients has
both its ends, nothing is dropped, and nothing in the trace is impossible. make deps-servers installs them."""
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
SOURCE = os.environ["CLEW_SOURCE"]
CLEW = os.environ["CLEW"]
sys.path.insert(0, os.path.join(SOURCE, "test", "harness"))
import tap  # pylint: disable=wrong-import-position

SECONDS_MAX = 240


def need(*programs):
    for program in programs:
        if shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin") is None:
            raise tap.Skip(f"{program} is not installed (make deps-servers)")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def record(folder, script, messages_min):
    """Runs a shell script under clew record in the folder and looks at what it recorded."""
    trace = os.path.join(folder, "run.clew")
    environment = dict(os.environ, PATH=os.environ["PATH"] + ":/usr/sbin")
    for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "MALLOC_PERTURB_"):
        environment.pop(name, None)
    done = subprocess.run([CLEW, "record", "-o", trace, "--json", "--", "sh", "-ec", script], cwd=folder, env=environment,
                          capture_output=True, text=True, timeout=SECONDS_MAX, check=False)
    assert done.returncode == 0, f"{done.returncode}: {done.stdout[-2000:]}{done.stderr[-2000:]}"
    stats = json.loads(done.stdout[done.stdout.index('{\n  "clew"'):])["stats"]
    assert stats["messages_matched"] >= messages_min, stats
    for count in ("messages_unmatched", "messages_external", "dropped", "uncontrolled"):
        assert stats[count] == 0, f"{count}: {stats}"
    checked = subprocess.run([CLEW, "check", "--limit", "5", trace], capture_output=True, text=True, timeout=SECONDS_MAX, check=False)
    assert checked.returncode == 0, checked.stdout


def repeat(count, command):
    return f"i=0; while [ $i -lt {count} ]; do {command}; i=$((i + 1)); done"


def until(command):
    return repeat(100, f"{command} && break; sleep 0.1")


def test_redis_under_its_benchmark():
    need("redis-server", "redis-benchmark", "redis-cli")
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        record(folder, f"""
            redis-server --port {port} --save '' --appendonly no --dir . --io-threads 2 >/dev/null & server=$!
            {until(f"redis-cli -p {port} ping >/dev/null 2>&1")}
            redis-benchmark -p {port} -n 5000 -c 20 -P 4 -t set,get,lpush -q >/dev/null
            redis-cli -p {port} shutdown nosave
            wait $server""", 5000)


CLIENT = """
import socket, sys
s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
f = s.makefile("rb")
for i in range(500):
    s.sendall(b"set k%d 0 0 3\\r\\nabc\\r\\n" % i)
    assert f.readline() == b"STORED\\r\\n"
    s.sendall(b"get k%d\\r\\n" % i)
    assert [f.readline() for _ in range(3)][1] == b"abc\\r\\n"
"""


def test_memcached_with_a_client():
    need("memcached")
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "client.py"), "w", encoding="utf-8") as file:
            file.write(CLIENT)
        client = f"{sys.executable} client.py {port}"
        record(folder, f"""
            memcached -l 127.0.0.1 -p {port} -U 0 -t 4 {"-u root" if os.getuid() == 0 else ""} & server=$!
            {until(f"{client} 2>/dev/null")}
            {client} & one=$!
            {client}
            wait $one
            kill -TERM $server
            wait $server || true""", 2000)


NGINX = """
daemon off; worker_processes 2; pid nginx.pid; error_log error.log; %s
events {}
http { access_log off; client_body_temp_path t; proxy_temp_path t; fastcgi_temp_path t; uwsgi_temp_path t; scgi_temp_path t;
  server { listen 127.0.0.1:%d; root .; sendfile on; } }
"""


def test_nginx_with_curl():
    need("nginx", "curl")
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "nginx.conf"), "w", encoding="utf-8") as file:
            file.write(NGINX % ("user root;" if os.getuid() == 0 else "", port))
        with open(os.path.join(folder, "page"), "w", encoding="utf-8") as file:
            file.write("x" * 300000)
        url = f"http://127.0.0.1:{port}/page"
        record(folder, f"""
            nginx -p . -c nginx.conf -e error.log & server=$!
            {until(f"curl -sf -o /dev/null {url}")}
            {repeat(10, f"curl -sf -o /dev/null {url} {url} {url}")}
            kill -QUIT $server
            wait $server""", 60)


if __name__ == "__main__":
    sys.exit(tap.run(tap.claims(globals())))
