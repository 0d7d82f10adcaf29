"""Synchronization that the C++ library makes of atomics: recorded and under control, `clew races` takes it for what it is."""
import json
import os
import sys
import tempfile

sys.dont_write_bytecode = True
SOURCE = os.environ["CLEW_SOURCE"]
sys.path.insert(0, os.path.join(SOURCE, "test", "harness"))
import tap  # pylint: disable=wrong-import-position
from programs import CLEW, HERE, run, FLAGS  # pylint: disable=wrong-import-position

FOLDER = tempfile.TemporaryDirectory()
# program, its word, whether `news` races
CASES = (("semaphore", "1", True), ("semaphore", "2", False), ("static_guard", "before", True), ("static_guard", "inside", False))


def build(name, level):
    program = os.path.join(FOLDER.name, name + level)
    if not os.path.exists(program):
        done = run([CLEW, "c++", "-std=c++20", *FLAGS, level, os.path.join(HERE, "cxx", name + ".cc"), "-o", program])
        assert done.returncode == 0, done.stderr
    return program


def check(words, case, is_made_read=False):
    done = run([CLEW, "races", "-q", "--json", *words])
    found = json.loads(done.stdout)["findings"]
    if case[2] and is_made_read:
        assert done.returncode == 3 and "another caller" in done.stdout, (case, done.stdout)
    elif case[2]:
        assert done.returncode == 1 and all(finding["what"].startswith("news is") for finding in found), (case, done.stdout)
    else:
        assert (done.returncode, found) == (0, []), (case, done.stdout)


def check_recorded(case, level):
    program = build(case[0], level)
    trace = program + ".clew"
    done = run([CLEW, "record", "-q", "-o", trace, "--", program, case[1]])
    assert done.returncode == 0, done.stderr
    check([trace], case, is_made_read=case[0] == "static_guard" and level == "-O0")


sys.exit(tap.run(
    [(f"recorded {level}: {case[0]} {case[1]}", lambda case=case, level=level: check_recorded(case, level)) for case in CASES for level in ("-O0", "-O2")] +
    [(f"controlled: {case[0]} {case[1]}", lambda case=case: check(["--", build(case[0], "-O2"), case[1]], case)) for case in CASES]))
