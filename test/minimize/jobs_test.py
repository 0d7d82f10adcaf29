"""Candidates that several processes look at: the result is that of one, and nobody is left behind."""
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

SOURCE = os.environ["CLEW_SOURCE"]
CLEW = os.environ["CLEW"]
BUILD = os.environ["CLEW_BUILD"]
IS_LONG = bool(os.environ.get("CLEW_TEST_LONG"))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(SOURCE, "test", "harness"))
import tap  # pylint: disable=wrong-import-position

# What is broken, and how.
CASES = (
    ("raft", "--bug", "raft-42", "--set", "demi=1"),
    ("raft", "--bug", "raft-45", "--set", "demi=1,patience=2"),
    ("spark", "--bug", "spark-3150"),
)
RUNS = "60000runs" if IS_LONG else "4000runs"


def library(case):
    return os.path.join(BUILD, "cases", case + ".so")


def run(*words):
    return subprocess.run([CLEW, *words], capture_output=True, text=True, check=False, timeout=600)


def broken(folder, case, *chosen):
    campaign = os.path.join(folder, "found.campaign")
    done = run("explore", "--first", "--strategy", "random", *chosen, "-q", "-o", campaign, library(case))
    assert done.returncode == 1, done.stdout + done.stderr
    return os.path.join(campaign, "violations", "1.sched")


def minimized(folder, case, schedule, jobs):
    """What was said, and the schedule, with so many jobs."""
    output = os.path.join(folder, "short.sched")
    pace = os.path.join(folder, "pace")
    done = run("minimize", "-j", str(jobs), "--budget", RUNS, "--pace", pace, "-o", output, schedule, library(case))
    assert done.returncode == 0, done.stderr
    with open(output, encoding="utf-8") as file, open(pace, encoding="utf-8") as sizes:
        told = re.sub(r" replays in .*", "", done.stdout)
        return told, file.read(), [line.split()[:3] for line in sizes]


def test_with_any_number_of_jobs_the_result_is_the_same():
    for case, *chosen in CASES:
        with tempfile.TemporaryDirectory() as folder:
            schedule = broken(folder, case, *chosen)
            alone = minimized(folder, case, schedule, 1)
            for jobs in (2, 3) if IS_LONG else (2,):
                assert minimized(folder, case, schedule, jobs) == alone, (chosen, jobs)


def test_there_are_no_more_processes_than_processors():
    one = {min(os.sched_getaffinity(0))}
    with tempfile.TemporaryDirectory() as folder:
        schedule = broken(folder, *CASES[0])
        words = [CLEW, "minimize", "--json", "--budget", "100runs", "-j", "16", "-o", os.path.join(folder, "short.sched"), schedule, library("raft")]
        for bind, most in ((lambda: os.sched_setaffinity(0, one), 1), (None, len(os.sched_getaffinity(0)))):
            done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=300, preexec_fn=bind)
            assert json.loads(done.stdout)["stats"]["processes"] == min(most, 16), done.stdout


def children(process):
    """Those that the process has begun and not waited for."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8") as file:
                state, parent = file.read().rpartition(") ")[2].split()[:2]
        except OSError:
            continue
        if int(parent) == process and state != "Z":
            found.append(int(name))
    return found


def is_alive(process):
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8") as file:
            return file.read().rpartition(") ")[2].split()[0] not in "ZX"
    except OSError:
        return False


def begin_with_workers(folder):
    """A minimization whose workers are at work, one for each further processor, at most two."""
    count = min(len(os.sched_getaffinity(0)), 3) - 1
    if count == 0:
        raise tap.Skip("there is one processor")
    schedule = broken(folder, *CASES[0])
    output = os.path.join(folder, "short.sched")
    child = subprocess.Popen([CLEW, "minimize", "-j", "3", "-o", output, schedule, library("raft")], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True)
    workers = []
    while len(workers) < count and child.poll() is None:
        workers = children(child.pid)
    return child, workers, output


def check(output):
    done = run("replay", output, library("raft"))
    assert done.returncode == 1 and "leader completeness" in done.stdout and "as recorded" in done.stdout, done.stdout + done.stderr


def wait_for_the_end_of(workers):
    end = time.monotonic() + 60
    while any(map(is_alive, workers)):
        assert time.monotonic() < end, "a worker lives on"
        time.sleep(0.01)


def test_killed_it_leaves_no_worker_and_the_best_so_far():
    with tempfile.TemporaryDirectory() as folder:
        child, workers, output = begin_with_workers(folder)
        assert workers, "it ended before it had workers"
        child.kill()
        child.communicate()
        wait_for_the_end_of(workers)
        check(output)


def test_stopped_by_the_user_it_ends_its_workers_and_tells_what_it_has():
    with tempfile.TemporaryDirectory() as folder:
        child, workers, output = begin_with_workers(folder)
        assert workers, "it ended before it had workers"
        child.send_signal(signal.SIGINT)
        told, complaint = child.communicate(timeout=300)
        assert child.returncode == 0, complaint
        assert "; stopped before" in told or "\nstopped early: the best schedule so far, perhaps not minimal" in told, told
        assert " (a signal ended the search)\n" in told, told
        wait_for_the_end_of(workers)
        check(output)


def test_a_worker_that_dies_is_done_without():
    with tempfile.TemporaryDirectory() as folder:
        child, workers, output = begin_with_workers(folder)
        assert workers, "it ended before it had workers"
        with contextlib.suppress(ProcessLookupError):  # it may have ended for a better guess
            os.kill(workers[0], signal.SIGKILL)
        child.send_signal(signal.SIGINT)
        _, complaint = child.communicate(timeout=300)
        assert child.returncode == 0, complaint
        check(output)


if __name__ == "__main__":
    sys.exit(tap.run(tap.claims(globals())))
