"""The case studies: each bug is found by what its expect file names and replayed. expect.py says what is in those files."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
SOURCE = os.environ["CLEW_SOURCE"]
CLEW = os.environ["CLEW"]
BUILD = os.environ["CLEW_BUILD"]
sys.path.insert(0, os.path.join(SOURCE, "test", "harness"))
import expect  # pylint: disable=wrong-import-position
import search  # pylint: disable=wrong-import-position
import tap  # pylint: disable=wrong-import-position

BUG_SECONDS = 240  # of processor time
FOLDER = tempfile.mkdtemp()


def library(name):
    return os.path.join(BUILD, "cases", name + ".so")


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, timeout=500, check=False, cwd=FOLDER)


def explore(name, options, cpu_seconds):
    return search.explore(CLEW, library(name), options, cpu_seconds, FOLDER)


def check_found(case, key, options):
    result = explore(case.name, [*options, "--first"], BUG_SECONDS)
    keys = [finding["key"] for finding in result["findings"]]
    assert keys and keys[0].startswith(key), (case.name, options, keys)
    words = result["findings"][0]["replay"].split()
    done = run(CLEW, "replay", "--verify", "3", *words[2:])
    assert done.returncode == 1 and "as recorded\n3 replays, all the same\n" in done.stdout, done.stdout + done.stderr


def test_each_bug_is_found_by_what_its_case_names():
    for case in CASES:
        for bug in case.bugs:
            check_found(case, case.bugs[bug], ["--bug", bug, *case.quick.get(bug, [])])


def test_what_is_found_without_a_bug_is_found():
    for case in CASES:
        for key, options in case.found:
            check_found(case, key, options)


def test_schedules_of_a_case_show_what_they_have_recorded():
    for case in CASES:
        for path in sorted(glob.glob(os.path.join(SOURCE, "cases", case.name, "*.sched"))):
            done = run(CLEW, "replay", path, library(case.name))
            assert done.returncode == 1 and "as recorded" in done.stdout, done.stdout + done.stderr


def test_the_repairs_of_libraft_silence_its_schedules():
    """Each schedule of a mistake in configurations, snapshots or failed writes shows nothing once that mistake is repaired."""
    repairs = {"sole-voter": 3, "two-votes": 4, "late-configuration": 5, "stray-answer": 6, "rollback": 7, "resent-request": 8,
               "own-term": 9, "failed-writes": 10, "failed-change": 11}
    if not os.path.exists(library("libraft")):
        return
    for name, repair in repairs.items():
        with open(os.path.join(SOURCE, "cases", "libraft", name + ".sched"), encoding="ascii") as file:
            text = re.sub(r"repair=[0-9]+", f"repair={repair}", file.read())
        with tempfile.NamedTemporaryFile("w", suffix=".sched") as changed:
            changed.write(text)
            changed.flush()
            done = run(CLEW, "replay", "--lenient", changed.name, library("libraft"))
        assert done.returncode in (0, 3), name + ": " + done.stdout + done.stderr


def test_systematic_search_finds_nothing_where_as_many_samples_do():
    """Section 6 of the paper on DEMi: partial order reduction, even bounded, does not come to where the bugs are."""
    raft = next(case for case in CASES if case.name == "raft")
    for bug in ("raft-45", "raft-58a"):
        runs = ["--bug", bug, "--budget", "2000runs"]
        assert explore(raft.name, [*runs, "--strategy", "dpor", "--depth", "60"], BUG_SECONDS)["findings"] == [], bug
        assert explore(raft.name, [*runs, "--strategy", "random", "--first"], BUG_SECONDS)["findings"], bug


CASES = [expect.Expect(name) for name in expect.names() if os.path.exists(library(name))]


def main():
    try:
        return tap.run(tap.claims(globals()))
    finally:
        shutil.rmtree(FOLDER)


if __name__ == "__main__":
    sys.exit(main())
