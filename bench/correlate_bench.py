#!/usr/bin/env python3
"""Correlation over a real server: memcached, built from its Debian source by clew cc and recorded under a load. Prints
how many pairs of variables are ranked and how long that takes, beside the published figures. Without the source
(no network, or make deps-sources not done) it says so and measures nothing.

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
PUBLISHED = ["the dissertation, a recorded server", "-", "971", "3.00 s"]


def run(words, **more):
    return subprocess.run(words, capture_output=True, text=True, errors="replace", timeout=300, check=False, **more)


def measure(clew, place, folder, program):
    tree = programs.built(place, program, "clew", f"{clew} cc")
    trace = os.path.join(folder, "run.clew")
    done = run([clew, "record", "-q", "-o", trace, "--", "sh", "-ec", program.load(tree, SCALE)], cwd=tree)
    assert done.returncode == 0, f"{program.name}: {done.stderr}"
    ranked = run([clew, "correlate", "--json", "--top", "1", trace])
    assert ranked.returncode == 0, ranked.stderr
    result = json.loads(ranked.stdout)
    return [f"{program.name}, recorded under a load", count(result["events"]), count(result["stats"]["pairs"]),
            seconds(result["stats"]["cpu_seconds"])]


def main(build):
    build = os.path.abspath(build)
    clew = os.path.join(build, "clew")
    places = [os.path.join(build, *names) for names in (("foreign",), ("checked", "foreign"))]
    place = next((place for place in places if os.path.isdir(os.path.join(place, "src"))), places[0])
    with tempfile.TemporaryDirectory() as folder:
        try:
            row = measure(clew, place, folder, programs.Memcached)
        except sources.Unavailable as why:
            print(f"correlation over a real server is skipped: {why}")
            return
    table("Correlation over a real server", ["trace", "events", "pairs", "CPU time"], [row, PUBLISHED])


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build"))
