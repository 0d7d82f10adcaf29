#!/usr/bin/env python3
"""A real server: memcached, built from its Debian source by clew cc and recorded under a load. Prints how many pairs of
variables are ranked and how long that takes, beside the published figures, and what the analysis of a recording of about
a million accesses takes. Without the source (no network, or make deps-sources not done) it says so and measures nothing.

    bench/correlate_bench.py build
"""
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
sys.path[:0] = [os.path.join(ROOT, "bench"), os.path.join(ROOT, "test", "foreign")]
import programs  # pylint: disable=wrong-import-position
import sources  # pylint: disable=wrong-import-position
from table import count, seconds, table  # pylint: disable=wrong-import-position

SCALE = 20
SCALE_MILLION = 5
PUBLISHED = ["the dissertation, a recorded server", "-", "971", "3.00 s"]


def run(words, **more):
    return subprocess.run(words, capture_output=True, text=True, errors="replace", timeout=300, check=False, **more)


def record(clew, tree, folder, program, scale):
    trace = os.path.join(folder, f"{scale}.clew")
    done = run([clew, "record", "-q", "-o", trace, "--", "sh", "-ec", program.load(tree, scale)], cwd=tree)
    assert done.returncode == 0, f"{program.name}: {done.stderr}"
    return trace


def result_of(words, statuses=(0,)):
    done = run(words)
    assert done.returncode in statuses, done.stderr
    return json.loads(done.stdout)


def ranking(clew, trace, program):
    result = result_of([clew, "correlate", "--json", "--top", "1", trace])
    return [f"{program.name}, recorded under a load", count(result["events"]), count(result["stats"]["pairs"]),
            seconds(result["stats"]["cpu_seconds"])]


def analysis(clew, trace, what, wanted, *options):
    result = result_of([clew, "atomicity", "-q", "--json", "--limit", "0", *options, trace], (0, 1))
    stats = result["stats"]
    return [what, count(accesses(clew, trace)), count(stats["variables"]), count(stats["pairs"]), count(stats["unknown"]),
            count(stats["not_looked_at"]), wanted, seconds(stats["cpu_seconds"])]


def accesses(clew, trace):
    kinds = result_of([clew, "info", "--json", trace])["stats"]["kinds"]
    return kinds.get("read", 0) + kinds.get("write", 0)


def main(build):
    build = os.path.abspath(build)
    clew = os.path.join(build, "clew")
    places = [os.path.join(build, *names) for names in (("foreign",), ("checked", "foreign"))]
    place = next((place for place in places if os.path.isdir(os.path.join(place, "src"))), places[0])
    with tempfile.TemporaryDirectory() as folder:
        try:
            tree = programs.built(place, programs.Memcached, "clew", f"{clew} cc")
        except sources.Unavailable as why:
            print(f"correlation over a real server is skipped: {why}")
            return
        ranked = ranking(clew, record(clew, tree, folder, programs.Memcached, SCALE), programs.Memcached)
        trace = record(clew, tree, folder, programs.Memcached, SCALE_MILLION)
        rows = [analysis(clew, trace, "correlation, the best 200 pairs", "<= 10 s", "--only", "pair"),
                analysis(clew, trace, "all of clew atomicity", "")]
    table("Correlation over a real server", ["trace", "events", "pairs", "CPU time"], [ranked, PUBLISHED])
    table("Atomicity of a real server", ["", "accesses", "variables", "pairs", "undecided", "not looked at", "wanted", "CPU time"],
          rows)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build"))
