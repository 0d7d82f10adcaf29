"""Whether the result of a read-modify-write, or the value of a plain read, is used, as the machine code of the program says it: in results/, each line has the
answer. Code of gcc and clang at every level of optimization, recorded; and under control."""
import glob
import os
import re
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
SOURCE = os.environ["CLEW_SOURCE"]
sys.path.insert(0, os.path.join(SOURCE, "test", "harness"))
import tap  # pylint: disable=wrong-import-position
from programs import CLEW, FLAGS, HERE, MARK, run  # pylint: disable=wrong-import-position

EVENT = re.compile(r" (atomic-rmw|read) .*@([\w.]+):(\d+) (?:mode=(add|or|and|xor|set)?)?")
LEVELS = ("-O0", "-O1", "-O2", "-O3")
BUILDS = [(file, compiler, level) for file in ("updates.c", "updates.cc", "plain_updates.c") for compiler in ("gcc", "clang") for level in LEVELS] + [("updates.c", "gcc", "-g1")]


def answers_of(path):
    with open(path, encoding="utf-8") as file:
        marks = [MARK.search(line) for line in file]
    return {number: mark[1] for number, mark in enumerate(marks, 1) if mark}


def build(folder, build_):
    file, compiler, level = build_
    if shutil.which(compiler) is None:
        return None
    program = os.path.join(folder, f"{file}{compiler}{level}")
    verb = "c++" if file.endswith(".cc") else "cc"
    done = run([CLEW, verb, "--with", compiler, *FLAGS, level, os.path.join(HERE, "results", file), "-o", program])
    assert done.returncode == 0, done.stderr
    return program


def is_right(kind, answer, found):
    """A line that uses what it read may have another read of the same variable, which goes into a write only (`return ++sum`)."""
    return answer in found if kind == "read" and answer == "used" else found == {answer}


def check_trace(build_, trace):
    """In the text of a trace: each line's read-modify-writes are blind where the program says so, and nowhere else."""
    file = build_[0]
    kind = "read" if file.startswith("plain") else "atomic-rmw"
    answers = answers_of(os.path.join(HERE, "results", file))
    found = {}
    for match in map(EVENT.search, trace.splitlines()):
        if match and match[1] == kind and match[2] == file:
            found.setdefault(int(match[3]), set()).add("used" if match[4] is None else "unused")
    wrong = [f"line {number} is {answer}, recorded as {sorted(found[number])}" for number, answer in answers.items()
             if number in found and not is_right(kind, answer, found[number])]
    assert not wrong, f"{' '.join(build_)}: {', '.join(wrong)}"
    missing = [number for number in answers if number not in found]
    # Two lines of code may become one, or go; most do not.
    assert len(missing) * 4 < len(answers), f"{' '.join(build_)}: lines {missing} are not in the trace"


def check_recorded(build_):
    with tempfile.TemporaryDirectory() as folder:
        program = build(folder, build_)
        if program is None:
            return
        trace = program + ".clew"
        done = run([CLEW, "record", "-q", "--stacks", "--all-accesses", "-o", trace, "--", program])
        assert done.returncode == 0, done.stderr
        done = run([CLEW, "convert", trace, "-o", trace + ".txt"])
        assert done.returncode == 0, done.stderr
        with open(trace + ".txt", encoding="utf-8") as text:
            check_trace(build_, text.read())


def test_a_recording_says_whose_result_is_used():
    tap.for_each(BUILDS, check_recorded)


def test_a_trace_made_under_control_says_it_too():
    tap.for_each([("updates.c", "gcc", "-O1"), ("plain_updates.c", "gcc", "-O1"), ("plain_updates.c", "clang", "-O2")], check_controlled)


def check_controlled(build_):
    with tempfile.TemporaryDirectory() as folder:
        program = build(folder, build_)
        if program is None:
            raise tap.Skip(f"there is no {build_[1]}")
        run([CLEW, "explore", "--strategy", "random", "--fail-on", "exit", "--first", "--budget", "5runs", "-o", f"{program}.campaign", "--",
             program, "fail"])
        traces = glob.glob(os.path.join(f"{program}.campaign", "violations", "*.clew"))
        assert traces, "no run was kept"
        run([CLEW, "convert", traces[0], "-o", f"{program}.txt"])
        with open(f"{program}.txt", encoding="utf-8") as text:
            check_trace(build_, text.read())


if __name__ == "__main__":
    sys.exit(tap.run(tap.claims(globals())))
