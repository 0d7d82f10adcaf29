"""The programs of cases/processes: the bug of each is found and replayed, and nothing is found in its fixed twin."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
SOURCE = os.environ["CLEW_SOURCE"]
CLEW = os.environ["CLEW"]
sys.path.insert(0, os.path.join(SOURCE, "test", "harness"))
import tap  # pylint: disable=wrong-import-position

CASES = os.path.join(SOURCE, "cases", "processes")
IS_LONG = os.environ.get("CLEW_TEST_LONG", "") not in ("", "0")
TWIN_RUNS = 5000 if IS_LONG else 60
REPLAYS = 100 if IS_LONG else 3
FOLDER = tempfile.mkdtemp()


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, timeout=900, check=False, cwd=FOLDER)


def expected():
    """Pairs of a case and the kind of what is found."""
    with open(os.path.join(CASES, "expect"), encoding="utf-8") as file:
        return [tuple(line.split()) for line in file if not line.startswith("#")]


def command(case, is_fixed):
    """The program of a case, or its fixed twin, with its words."""
    if case.endswith(".sh"):
        path = shutil.copy(os.path.join(CASES, case), FOLDER)
        return [path, "fixed"] if is_fixed else [path]
    program = os.path.join(FOLDER, case + (".fixed" if is_fixed else ""))
    done = run("cc", "-g", "-O1", "-D_GNU_SOURCE", *(["-DFIXED"] if is_fixed else []), os.path.join(CASES, case + ".c"), "-o", program, "-pthread")
    assert done.returncode == 0, done.stderr
    return [program]


def explore(words, *options):
    folder = tempfile.mkdtemp(dir=FOLDER) + "/own"
    done = run(CLEW, "explore", "-q", "--json", "--fail-on", "exit", *options, "-o", folder, "--", *words)
    assert done.returncode in (0, 1, 3), done.stderr
    return json.loads(done.stdout), os.path.join(folder, "violations", "1.sched")


def check_found(case, kind):
    words = command(case, False)
    said, schedule = explore(words, "--first", "--budget", "2000runs")
    assert [finding["kind"] for finding in said["findings"]] == [kind], said
    assert said["stats"]["uncontrolled"] == 0, said
    if IS_LONG:
        least = tempfile.mktemp(dir=FOLDER)
        done = run(CLEW, "minimize", "--fail-on", "exit", schedule, "-o", least, "--", *words)
        assert done.returncode == 0, done.stdout + done.stderr
        schedule = least
    done = run(CLEW, "replay", "--verify", str(REPLAYS), "--fail-on", "exit", schedule, "--", *words)
    assert done.returncode == 1 and f"{REPLAYS} replays, all the same" in done.stdout, done.stdout + done.stderr


def check_twin(case):
    said, _ = explore(command(case, True), "--strategy", "random", "--budget", f"{TWIN_RUNS}runs")
    assert not said["findings"] and said["stats"]["runs"] == TWIN_RUNS and said["stats"]["unlike"] == 0, said


def tests():
    for case, kind in expected():
        yield f"{case} is found and replayed", lambda case=case, kind=kind: check_found(case, kind)
        yield f"nothing is found in the twin of {case}", lambda case=case: check_twin(case)


if __name__ == "__main__":
    result = tap.run(list(tests()))
    shutil.rmtree(FOLDER, ignore_errors=True)
    sys.exit(result)
