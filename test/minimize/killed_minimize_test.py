"""Minimizing that is killed, or stopped, leaves a schedule that was seen to work."""
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

SOURCE = os.environ["CLEW_SOURCE"]
CLEW = os.environ["CLEW"]
RAFT = os.path.join(os.environ["CLEW_BUILD"], "cases", "raft.so")
IS_LONG = bool(os.environ.get("CLEW_TEST_LONG"))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(SOURCE, "test", "harness"))
import tap  # pylint: disable=wrong-import-position


def run(*words):
    return subprocess.run([CLEW, *words], capture_output=True, text=True, check=False, timeout=300)


def broken(folder):
    """A schedule that breaks the Raft."""
    campaign = os.path.join(folder, "raft.campaign")
    done = run("explore", "--first", "--strategy", "random", "--bug", "raft-42", "--set", "demi=1", "-q", "-o", campaign, RAFT)
    assert done.returncode == 1, done.stdout + done.stderr
    return os.path.join(campaign, "violations", "1.sched")


def steps(path):
    with open(path, encoding="utf-8") as file:
        return int(next(line for line in file if line.startswith("steps ")).split()[1])


def begin(schedule, output):
    return subprocess.Popen([CLEW, "minimize", "-o", output, schedule, RAFT], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True)


def check(output):
    done = run("replay", output, RAFT)
    assert done.returncode == 1 and "leader completeness" in done.stdout and "as recorded" in done.stdout, \
        done.stdout + done.stderr


def test_killed_at_any_instant_the_best_so_far_is_whole():
    chance = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        schedule = broken(folder)
        output = os.path.join(folder, "short.sched")
        for number in range(100 if IS_LONG else 6):
            if os.path.exists(output):
                os.remove(output)
            child = begin(schedule, output)
            while number == 0 and not os.path.exists(output):
                time.sleep(0.01)
            time.sleep(chance.uniform(0, 0.8))
            child.kill()
            child.communicate()
            if os.path.exists(output):
                check(output)
                assert steps(output) <= steps(schedule)
            assert number > 0 or os.path.exists(output)


def test_stopped_by_the_user_it_tells_what_it_has():
    with tempfile.TemporaryDirectory() as folder:
        schedule = broken(folder)
        output = os.path.join(folder, "short.sched")
        child = begin(schedule, output)
        while not os.path.exists(output):
            time.sleep(0.01)
        for number in (signal.SIGSTOP, signal.SIGINT, signal.SIGCONT):
            child.send_signal(number)
        told, complaint = child.communicate(timeout=300)
        assert child.returncode == 0, complaint
        assert "; stopped before" in told or "\nstopped before it was minimal: the best so far" in told, told
        assert " (a signal ended it)\n" in told, told
        check(output)


if __name__ == "__main__":
    sys.exit(tap.run(tap.claims(globals())))
