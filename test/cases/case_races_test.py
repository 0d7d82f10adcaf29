"""The races of case studies: what clew races tells of a run in which nothing went wrong, and of one that failed, as the
files cases/NAME/races say."""
import glob
import json
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
import tap  # pylint: disable=wrong-import-position

FOLDER = tempfile.mkdtemp()


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, timeout=500, check=False, cwd=FOLDER)


def passing_trace(case, name, library):
    trace = os.path.join(FOLDER, name + ".clew")
    schedule = os.path.join(SOURCE, "cases", case, "passing", name + ".sched")
    done = run(CLEW, "replay", "--trace", trace, schedule, library)
    assert done.returncode == 0 and done.stdout.startswith("passed: "), done.stdout + done.stderr
    return trace


def failing_trace(name, library):
    folder = os.path.join(FOLDER, name + ".campaign")
    done = run(CLEW, "explore", "--first", "--bug", name, "--budget", "120s", "-o", folder, library)
    assert done.returncode == 1, done.stdout + done.stderr
    return os.path.join(folder, "violations", "1.clew")


def races_on(trace, variable):
    done = run(CLEW, "races", "--json", trace)
    assert done.returncode == 1, done.stdout + done.stderr
    findings = json.loads(done.stdout)["findings"]
    return [finding["what"] for finding in findings if finding["what"].startswith(variable + " ")]


def check_line(case, line):
    kind, name, variable, count = line.split()
    library = os.path.join(BUILD, "cases", case + ".so")
    trace = passing_trace(case, name, library) if kind == "passing" else failing_trace(name, library)
    races = races_on(trace, variable)
    assert len(races) == int(count), (line, races)


def test_each_trace_gives_the_races_that_its_case_names():
    for path in sorted(glob.glob(os.path.join(SOURCE, "cases", "*", "races"))):
        with open(path, encoding="utf-8") as file:
            lines = [line for line in file if line.strip() and not line.startswith("#")]
        assert lines, path
        for line in lines:
            check_line(os.path.basename(os.path.dirname(path)), line)


def test_traces_of_cyclon_are_as_large_as_its_page_says():
    folder = os.path.join(SOURCE, "cases", "cyclon")
    with open(os.path.join(folder, "passing", "shuffle.sched"), encoding="utf-8") as file:
        schedule = re.sub(r"^steps .*$", "steps 100000", file.read(), flags=re.M)
    with open(os.path.join(folder, "README.md"), encoding="utf-8") as file:
        rows = re.findall(r"^\| (\d+), (\d+) \| (\d+) \| \d+ \| (\d+) \|", file.read(), re.M)
    assert len(rows) == 4, rows
    for nodes, cycles, events, pairs in rows:
        path = os.path.join(FOLDER, f"cyclon-{nodes}-{cycles}")
        with open(path + ".sched", "w", encoding="utf-8") as file:
            file.write(schedule.replace("go-on=1", f"go-on=1,nodes={nodes},cycles={cycles}"))
        done = run(CLEW, "replay", "--trace", path + ".clew", path + ".sched", os.path.join(BUILD, "cases", "cyclon.so"))
        assert done.returncode == 0, done.stdout + done.stderr
        told = run(CLEW, "races", path + ".clew").stdout
        assert told.endswith(f"\n{events} events, 3 races by place: 0 pairs of accesses, {pairs} pairs of messages\n"), told


def main():
    try:
        return tap.run(tap.claims(globals()))
    finally:
        shutil.rmtree(FOLDER)


if __name__ == "__main__":
    sys.exit(main())
