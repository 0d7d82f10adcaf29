"""Whether the result of a read-modify-write is used, as the machine code of the program says it: in results/, each line has the
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

EVENT = re.compile(r" atomic-rmw .*@([\w.]+):(\d+) mode=((?:add|or|and|xor|set)-)?")
LEVELS = ("-O0", "-O1", "-O2", "-O3")
BUILDS = [(file, compiler, level) for file in ("updates.c", "updates.cc") for compiler in ("gcc", "clang") for level in LEVELS]


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


def check_trace(build_, trace):
    """In the text of a trace: each line's read-modify-writes are blind where the program says so, and nowhere else."""
    file = build_[0]
    answers = answers_of(os.path.join(HERE, "results", file))
    found = {}
    for match in map(EVENT.search, trace.splitlines()):
        if match and match[1] == file:
            found.setdefault(int(match[2]), set()).add("used" if match[3] is None else "unused")
    for number, answer in answers.items():
        if number in found:
            assert found[number] == {answer}, f"{' '.join(build_)}: line {number} is {answer}, recorded as {sorted(found[number])}"
    missing = [number for number in answers if number not in found]
    # Two lines of code may become one, or go; most do not.
    assert len(missing) * 4 < len(answers), f"{' '.join(build_)}: lines {missing} are not in the trace"


def check_recorded(build_):
    with tempfile.TemporaryDirectory() as folder:
        program = build(folder, build_)
        if program is None:
            return
        trace = program + ".clew"
        done = run([CLEW, "record", "-q", "--stacks", "-o", trace, "--", program])
        assert done.returncode == 0, done.stderr
        done = run([CLEW, "convert", trace, "-o", trace + ".txt"])
        assert done.returncode == 0, done.stderr
        with open(trace + ".txt", encoding="utf-8") as text:
            check_trace(build_, text.read())


def test_a_recording_says_whose_result_is_used():
    tap.for_each(BUILDS, check_recorded)


def test_a_trace_made_under_control_says_it_too():
    with tempfile.TemporaryDirectory() as folder:
        build_ = ("updates.c", "gcc", "-O1")
        program = build(folder, build_)
        if program is None:
            raise tap.Skip("there is no gcc")
        run([CLEW, "explore", "--strategy", "random", "--fail-on", "exit", "--first", "--budget", "5runs", "-o", f"{program}.campaign", "--",
             program, "fail"])
        traces = glob.glob(os.path.join(f"{program}.campaign", "violations", "*.clew"))
        assert traces, "no run was kept"
        run([CLEW, "convert", traces[0], "-o", f"{program}.txt"])
        with open(f"{program}.txt", encoding="utf-8") as text:
            check_trace(build_, text.read())


if __name__ == "__main__":
    sys.exit(tap.run(tap.claims(globals())))
