#!/usr/bin/env python3
"""Correct programs nobody here wrote, built from their Debian sources by clew cc and recorded once under a load: how many findings
`clew atomicity` reports in each. cases/atomicity/README.md judges those that are left. Without the sources (no network, or make
deps-sources not done) it says so and measures nothing.

    bench/atomicity_noise_bench.py [--list] [BUILD [NAME...]]     --list prints each finding; with names, only these programs"""
import argparse
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

SCALE = 5
SECONDS_MAX = 600
FINDINGS_MAX = {programs.Pigz: 5, programs.Pbzip2: 5, programs.Memcached: 10}


def run(words, **more):
    return subprocess.run(words, capture_output=True, text=True, errors="replace", timeout=SECONDS_MAX, check=False, **more)


def record(clew, place, folder, program):
    tree = programs.built(place, program, "clew", f"{clew} cc")
    trace = os.path.join(folder, f"{program.name}.clew")
    done = run([clew, "record", "-q", "-o", trace, "--", "sh", "-ec", program.load(tree, SCALE)], cwd=tree)
    assert done.returncode == 0, f"{program.name}: {done.stderr}"
    return trace


def findings_of(clew, trace):
    done = run([clew, "atomicity", "-q", "--json", trace])
    assert done.returncode in (0, 1, 3), done.stderr
    return json.loads(done.stdout)


def place_of(build):
    """Where the sources lie, or shall."""
    places = [os.path.join(build, *names) for names in (("foreign",), ("checked", "foreign"))]
    return next((place for place in places if os.path.isdir(os.path.join(place, "src"))), places[0])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--list", action="store_true")
    parser.add_argument("build", nargs="?", default=os.path.join(ROOT, "build"))
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    clew = os.path.join(build, "clew")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for program in (program for program in FINDINGS_MAX if not options.names or program.name in options.names):
            try:
                result = findings_of(clew, record(clew, place_of(build), folder, program))
            except sources.Unavailable as why:
                print(f"skipped: {why}")
                continue
            stats = result["stats"]
            rows.append([program.name, count(result["events"]), count(stats["variables"]), count(stats["pairs"]),
                         f"<= {FINDINGS_MAX[program]}", len(result["findings"]),
                         sum(finding["severity"] == "error" for finding in result["findings"]), seconds(stats["cpu_seconds"])])
            for finding in result["findings"] if options.list else ():
                print(f"{program.name} {finding['id']}. {finding['what']}")
                for event in finding["events"]:
                    print(f"    {event['task']} {event['access']} {event['object']} at {event['location']}")
    if rows:
        table("Findings in correct programs", ["program", "events", "variables", "pairs", "wanted", "findings", "errors", "CPU time"], rows)


if __name__ == "__main__":
    main()
