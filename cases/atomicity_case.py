#!/usr/bin/env python3
"""Builds a case study with clew cc, as it was and fixed, records a run of each in which nothing goes wrong, and checks
what clew atomicity foretells: the patterns that the program's first comment names, and nothing for the fixed twin.

    cases/atomicity_case.py build mysql-169
"""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

CASES = os.path.dirname(os.path.abspath(__file__))
TRIES = 5  # a run in which the bug shows is not what is wanted


def run(words, **more):
    return subprocess.run(words, capture_output=True, text=True, timeout=60, check=False, **more)


def record(clew, source, folder, *flags):
    """A trace of a run in which nothing went wrong."""
    program = os.path.join(folder, "program")
    trace = os.path.join(folder, "run.clew")
    built = run([clew, "cc", "-g", "-O1", "-pthread", *flags, source, "-o", program])
    if built.returncode != 0:
        sys.exit(built.stderr)
    for _ in range(TRIES):
        done = run([clew, "record", "-q", "-o", trace, program])
        if done.returncode == 0:
            return trace
    sys.exit(f"{source}: no run without the bug in {TRIES}: {done.stdout}{done.stderr}")


def findings(clew, trace, *flags):
    done = run([clew, "atomicity", "-q", "--json", *flags, trace])
    if done.returncode not in (0, 1):
        sys.exit(done.stderr)
    return json.loads(done.stdout)["findings"]


def case(name):
    """The source of a case, and the numbers of the patterns that its first comment names."""
    (source,) = glob.glob(os.path.join(CASES, name, "*.c"))
    with open(source, encoding="utf-8") as file:
        comment = file.read().split("*/")[0]
    return source, re.findall(r"\d", comment[comment.rindex("Pattern"):])


def main():
    build, name = sys.argv[1:]
    clew = os.path.join(os.path.abspath(build), "clew")
    source, patterns = case(name)
    wanted = {f"P{number}" for number in patterns}
    with tempfile.TemporaryDirectory() as folder:
        trace = record(clew, source, folder)
        bugs = findings(clew, trace)
        broken = findings(clew, trace, "--all-pairs")
        fixed = findings(clew, record(clew, source, folder, "-DFIXED"), "--all-pairs")
    found = {finding["key"].split("|")[1] for finding in broken if finding["kind"] == "atomicity-pair"}
    for pattern in sorted(wanted & found):
        print(next(f"{name}: {pattern}: {finding['what']}" for finding in broken if f"|{pattern}|" in finding["key"]))
    print(f"{name}: {len(bugs)} told ({len(broken)} by place and pattern), {len(fixed)} in the fixed twin")
    return 0 if bugs and wanted <= found and not fixed else 1


if __name__ == "__main__":
    sys.exit(main())
