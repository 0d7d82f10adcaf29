"""What the programs here claim, how they are built and recorded, and which races are found in them. program.h tells how the
claims are written."""
import glob
import json
import os
import platform
import re
import subprocess

SOURCE = os.environ["CLEW_SOURCE"]
CLEW = os.environ["CLEW"]
HERE = os.path.join(SOURCE, "test", "recorded")
SECONDS_MAX = 60
FLAGS = ["-g", "-pthread", "-I", HERE, *(["-mcx16"] if platform.machine() == "x86_64" else [])]
SAID = re.compile(r"^[ /*]*(may race|full race|race): (\S+) (\S+)")
MARK = re.compile(r"/\* (\w+) \*/\s*$")


def run(words, **more):
    return subprocess.run(words, capture_output=True, text=True, timeout=SECONDS_MAX, check=False, **more)


def claims_of(path):
    """The pairs of words that must race, those that may, and those that must when all accesses are recorded."""
    with open(path, encoding="utf-8") as file:
        comment = file.read().split("*/")[0]
    pairs = {"race": set(), "may race": set(), "full race": set()}
    for line in comment.splitlines():
        if match := SAID.match(line):
            pairs[match[1]].add(frozenset(match.groups()[1:]))
    assert pairs["race"] or pairs["may race"] or "no race" in comment, "nothing is claimed"
    return pairs["race"], pairs["may race"], pairs["full race"]


def claims_of_sanitizer(path):
    """The pairs of words that ThreadSanitizer alone reports, falsely: the program's first comment says why."""
    with open(path, encoding="utf-8") as file:
        comment = file.read().split("*/")[0]
    return {frozenset(pair) for pair in re.findall(r"sanitizer alone: (\S+) (\S+)", comment)}


def is_cluster(path):
    with open(path, encoding="utf-8") as file:
        return '#include "cluster.h"' in file.read()


def words_of(path):
    """What the lines of a program are called; a line without a word is its number."""
    with open(path, encoding="utf-8") as file:
        marks = [MARK.search(line) for line in file]
    name = os.path.basename(path)
    return {f"{name}:{number}": mark[1] for number, mark in enumerate(marks, 1) if mark}


def build(folder, path, compiler, *more):
    program = os.path.join(folder, "program")
    verb = "c++" if path.endswith(".cc") else "cc"
    done = run([CLEW, verb, "--with", compiler, *FLAGS, *more, path, "-o", program])
    assert done.returncode == 0, done.stderr
    return program


def races_of(folder, program, words, *options, statuses=(0, 1)):
    """Records the program and finds its races, as pairs of words: those of two accesses, also where it is their messages
    that race. The exit status of clew races must be one of `statuses`; 3: it leaves a pair undecided."""
    trace = os.path.join(folder, "run.clew")
    done = run([CLEW, "record", *options, "-o", trace, "--", program])
    assert done.returncode == 0 and "dropped" not in done.stderr, f"ended with {done.returncode}: {done.stderr}"
    checked = run([CLEW, "check", trace])
    assert checked.returncode == 0, checked.stdout
    done = run([CLEW, "races", "--json", trace])
    assert done.returncode in statuses, f"races ended with {done.returncode}: {done.stdout}{done.stderr}"
    found = json.loads(done.stdout)["findings"]
    places = [[event["location"] for event in finding["events"] if event["access"] in ("R", "W") or event["access"].startswith("atomic-")] for finding in found]
    return {frozenset(words.get(place, place) for place in pair) for pair in places}


def paths_of(wanted):
    """The programs here, those with a wanted word in their names if any is."""
    paths = sorted(glob.glob(os.path.join(HERE, "*.c")) + glob.glob(os.path.join(HERE, "*.cc")))
    return [path for path in paths if not wanted or any(part in path for part in wanted)]
