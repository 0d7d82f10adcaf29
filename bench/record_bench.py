#!/usr/bin/env python3
"""Measures what recording costs: three programs as they are, built by clew cc but not recorded, recorded, and under
gcc's own ThreadSanitizer. CPU time of the program itself, the best of three; collecting the trace is a column of its own.
Then pigz and redis with I/O threads, if make test-long has fetched their sources: how long their load takes.

    bench/record_bench.py BUILD"""
import json
import os
import re
import resource
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
TRIES = 3
SCALE = 3


def run(words):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 0, f"{words}: {done.stderr}"
    return done, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def cpu_of(*words):
    """The program's own CPU time, the whole command's, and what it said; of the run that was least."""
    found = []
    for _ in range(TRIES):
        done, whole = run(words)
        user, system = re.search(r"^cpu (\S+) (\S+)", done.stderr, re.M).groups()
        found.append((float(user) + float(system), whole, done.stderr))
    return min(found)


def measure(clew, folder, name):
    source = os.path.join(ROOT, "bench", "programs", name + ".c")
    program = {kind: os.path.join(folder, kind) for kind in ("native", "tsan", "clew")}
    run(["gcc", *FLAGS, source, "-o", program["native"]])
    run(["gcc", "-fsanitize=thread", *FLAGS, source, "-o", program["tsan"]])
    run([clew, "cc", *FLAGS, source, "-o", program["clew"]])
    native = cpu_of(*TIMED, program["native"])[0]
    tsan = cpu_of("setarch", "-R", *TIMED, program["tsan"])[0]
    built = cpu_of(*TIMED, program["clew"])[0]
    trace = os.path.join(folder, "run.clew")
    recorded, whole, said = cpu_of(clew, "record", "-o", trace, "--", *TIMED, program["clew"])
    events = int(re.search(r": (\d+) events", said)[1])
    return [name, seconds(native), seconds(tsan), seconds(built), seconds(recorded), seconds(whole - recorded),
            f"{built / native:.1f}", f"{built / tsan:.2f}", f"{recorded / tsan:.2f}", count(events), size(os.path.getsize(trace))]


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
    rows = [measure_foreign(clew, place, folder, program) for program in (programs.Pigz, programs.Redis)]
    table("Recording programs nobody here wrote", ["program", "native", "built", "recorded", "built/native", "recorded/native", "accesses",
                                                   "events", "events/access", "trace"], rows)


def main(build):
    with tempfile.TemporaryDirectory() as folder:
        rows = [measure(os.path.join(build, "clew"), folder, name) for name in PROGRAMS]
    table("Recording", ["program", "native", "tsan", "built", "recorded", "collecting", "built/native", "built/tsan",
                        "recorded/tsan", "events", "trace"], rows)
    print("wanted: built/tsan and recorded/tsan at most 1")
    with tempfile.TemporaryDirectory() as folder:
        bench_foreign(build, folder)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build"))
