#!/usr/bin/env python3
"""Measures what recording costs: three programs as they are, built by clew cc but not recorded, recorded, and under
gcc's own ThreadSanitizer, one after the other in each round. CPU time of the program itself, the best of five rounds;
what `clew record` then takes to write the trace is a column of its own and not part of the ratio. Where redis is
installed, also how many requests redis-server serves under `clew record`, as it is, against how many alone.
Then pigz and redis with I/O threads, if make test-long has fetched their sources: how long their load takes.

    bench/record_bench.py BUILD"""
import json
import os
import re
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "bench"))
sys.path.insert(0, os.path.join(ROOT, "test", "foreign"))
import programs  # pylint: disable=wrong-import-position
from table import count, seconds, size, table  # pylint: disable=wrong-import-position

PROGRAMS = ("shared_loop", "parallel_sort", "hash_table")
FLAGS = ("-g", "-O2", "-pthread")
TIMED = ("bash", "-c", 'TIMEFORMAT="cpu %U %S"; time "$0"')
ROUNDS = 5
REQUESTS = 60000
SCALE = 3


def run(words):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 0, f"{words}: {done.stderr}"
    return done, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def cpu_of(words):
    """The program's own CPU time, the whole command's, and what it said."""
    done, whole = run(words)
    user, system = re.search(r"^cpu (\S+) (\S+)", done.stderr, re.M).groups()
    return float(user) + float(system), whole, done.stderr


def measure(clew, folder, name):
    source = os.path.join(ROOT, "bench", "programs", name + ".c")
    program = {kind: os.path.join(folder, kind) for kind in ("native", "tsan", "clew")}
    run(["gcc", *FLAGS, source, "-o", program["native"]])
    run(["gcc", "-fsanitize=thread", *FLAGS, source, "-o", program["tsan"]])
    run([clew, "cc", *FLAGS, source, "-o", program["clew"]])
    trace = os.path.join(folder, "run.clew")
    commands = {"native": [*TIMED, program["native"]], "tsan": ["setarch", "-R", *TIMED, program["tsan"]],
                "built": [*TIMED, program["clew"]], "recorded": [clew, "record", "-o", trace, "--", *TIMED, program["clew"]]}
    rounds = [{kind: cpu_of(words) for kind, words in commands.items()} for _ in range(ROUNDS)]
    best = {kind: min(found[kind] for found in rounds) for kind in commands}
    native, tsan, built, recorded = (best[kind][0] for kind in ("native", "tsan", "built", "recorded"))
    collecting = min(found["recorded"][1] - found["recorded"][0] for found in rounds)
    events = int(re.search(r": (\d+) events", best["recorded"][2])[1])
    return [name, seconds(native), seconds(tsan), seconds(built), seconds(recorded), seconds(collecting),
            f"{built / native:.1f}", f"{built / tsan:.2f}", f"{recorded / tsan:.2f}", count(events), size(os.path.getsize(trace))]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def requests_per_second(prefix, operation):
    """How many requests a second redis-server serves, started behind the words of prefix."""
    port = free_port()
    ask = ["redis-cli", "-p", port]
    with subprocess.Popen([*prefix, "redis-server", "--port", port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            for _ in range(100):
                if subprocess.run([*ask, "ping"], capture_output=True, timeout=10, check=False).returncode == 0:
                    break
                time.sleep(0.1)
            done = run(["redis-benchmark", "-p", port, "-n", str(REQUESTS), "-t", operation, "--csv"])[0]
        finally:
            subprocess.run([*ask, "shutdown", "nosave"], capture_output=True, timeout=10, check=False)
            server.wait(timeout=60)
    return float(done.stdout.splitlines()[-1].split(",")[1].strip('"'))


def measure_redis(clew, folder, operation):
    found = {"alone": [], "recorded": []}
    for number in range(ROUNDS):
        found["alone"].append(requests_per_second([], operation))
        trace = os.path.join(folder, f"redis.{operation}.{number}.clew")
        found["recorded"].append(requests_per_second([clew, "record", "-q", "-o", trace, "--"], operation))
    alone, recorded = max(found["alone"]), max(found["recorded"])
    return [f"redis-server, {operation}", f"{count(round(alone))}/s", f"{count(round(recorded))}/s", f"{recorded / alone:.2f}"]


def load(tree, program, *before):
    """How long the program's load takes, and what was printed."""
    start = time.monotonic()
    done = subprocess.run([*before, "sh", "-ec", program.load(tree, SCALE)], cwd=tree, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, f"{program.name}: {done.stderr}"
    return time.monotonic() - start, done.stdout


def measure_foreign(clew, place, folder, program):
    native = load(programs.built(place, program, "native", "gcc"), program)[0]
    tree = programs.built(place, program, "clew", f"{clew} cc")
    built = load(tree, program)[0]
    trace = os.path.join(folder, "run.clew")
    recorded, said = load(tree, program, clew, "record", "--json", "-o", trace, "--")
    result = json.loads(said[said.index('{\n  "clew"'):])
    accesses, events = result["stats"]["accesses"], result["events"]
    return [program.name, seconds(native), seconds(built), seconds(recorded), f"{built / native:.1f}", f"{recorded / native:.1f}",
            count(accesses), count(events), f"{events / accesses:.5f}", size(os.path.getsize(trace))]


def bench_foreign(build, folder):
    places = [os.path.join(build, *names) for names in (("foreign",), ("checked", "foreign"))]
    place = next((place for place in places if os.path.isdir(os.path.join(place, "src"))), None)
    if place is None:
        print("pigz and redis: make test-long has not fetched their sources")
        return
    clew = os.path.abspath(os.path.join(build, "clew"))
    try:
        rows = [measure_foreign(clew, place, folder, program) for program in (programs.Pigz, programs.Redis)]
    except programs.sources.Unavailable as why:
        print(f"pigz and redis: {why}")
        return
    table("Recording programs nobody here wrote", ["program", "native", "built", "recorded", "built/native", "recorded/native", "accesses",
                                                   "events", "events/access", "trace"], rows)


def main(build):
    with tempfile.TemporaryDirectory() as folder:
        rows = [measure(os.path.join(build, "clew"), folder, name) for name in PROGRAMS]
    table("Recording", ["program", "native", "tsan", "built", "recorded", "collecting", "built/native", "built/tsan",
                        "recorded/tsan", "events", "trace"], rows)
    print("wanted: built/tsan and recorded/tsan at most 1")
    if all(shutil.which(word) for word in ("redis-server", "redis-cli", "redis-benchmark")):
        with tempfile.TemporaryDirectory() as folder:
            rows = [measure_redis(os.path.join(build, "clew"), folder, operation) for operation in ("set", "get")]
        table("Recording without rebuilding", ["server", "alone", "recorded", "recorded/alone"], rows)
        print("wanted: recorded/alone at least 0.6")
    with tempfile.TemporaryDirectory() as folder:
        bench_foreign(build, folder)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build"))
