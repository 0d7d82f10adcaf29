"""Minimizing that is killed, or stopped, or cannot write, leaves a schedule that was seen to work."""
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

SOURCE = os.environ["CLEW_SOURCE"]
CLEW = os.environ["CLEW"]
RAFT = os.path.join(os.environ["CLEW_BUILD"], "cases", "raft.so")
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


def begin(schedule, output, *words):
    return subprocess.Popen([CLEW, "minimize", *words, "-o", output, schedule, RAFT], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True)


def check(output):
    done = run("replay", output, RAFT)
    assert done.returncode == 1 and "leader completeness" in done.stdout and "as recorded" in done.stdout, \
        done.stdout + done.stderr


def wait_for(output, most, child):
    """Until the best so far has at most so many steps; how many it had when last looked at."""
    last = None
    while child.poll() is None and (last is None or last > most):
        time.sleep(0.002)
        last = steps(output) if os.path.exists(output) else None
    return last


def test_killed_at_any_instant_the_best_so_far_is_whole():
    """Instants by how far it is, not by time: a stage that finds dozens one after another is killed at any of them."""
    chance = random.Random(1)
    seen = set()
    with tempfile.TemporaryDirectory() as folder:
        schedule = broken(folder)
        output = os.path.join(folder, "short.sched")
        done = run("minimize", "--stage", "cones", "-o", output, schedule, RAFT)
        assert done.returncode == 0, done.stderr
        first, least = steps(schedule), steps(output)
        assert least < first / 2, (first, least)
        for number in range(100):
            os.remove(output)
            child = begin(schedule, output, "--stage", "cones")
            last = wait_for(output, first if number % 10 == 0 else chance.randint(least, first), child)
            time.sleep(chance.uniform(0, 0.002))
            child.kill()
            child.communicate()
            assert least <= steps(output) <= last, (number, last)
            seen.add(steps(output))
            check(output)
    assert len(seen) > 10, seen


def test_killed_before_it_began_it_leaves_nothing_or_the_first():
    chance = random.Random(2)
    with tempfile.TemporaryDirectory() as folder:
        schedule = broken(folder)
        output = os.path.join(folder, "short.sched")
        for _ in range(10):
            child = begin(schedule, output)
            time.sleep(chance.uniform(0, 0.1))
            child.kill()
            child.communicate()
            if os.path.exists(output):
                check(output)
                os.remove(output)


def test_what_is_better_takes_the_place_of_what_was_there():
    """It is written beside it and put there whole: whoever has the other open still has all of it."""
    with tempfile.TemporaryDirectory() as folder:
        schedule = broken(folder)
        output = os.path.join(folder, "short.sched")
        with open(output, "w+", encoding="utf-8") as before:
            before.write("what was there\n")
            before.flush()
            done = run("minimize", "--stage", "cones", "-o", output, schedule, RAFT)
            assert done.returncode == 0, done.stderr
            before.seek(0)
            assert before.read() == "what was there\n"
        check(output)
        assert sorted(os.listdir(folder)) == ["raft.campaign", "short.sched"], os.listdir(folder)


def stop_between_writes(output, child):
    """What is on its way to the file when another is put there takes its place."""
    child.send_signal(signal.SIGSTOP)
    while os.path.exists(f"{output}.{child.pid}.part"):
        child.send_signal(signal.SIGCONT)
        time.sleep(0.001)
        child.send_signal(signal.SIGSTOP)


def test_a_better_one_that_is_put_there_meanwhile_is_kept():
    with tempfile.TemporaryDirectory() as folder:
        schedule = broken(folder)
        output, better = (os.path.join(folder, name) for name in ("short.sched", "better.sched"))
        done = run("minimize", "--budget", "3000runs", "-o", better, schedule, RAFT)
        assert done.returncode == 0, done.stderr
        child = begin(schedule, output, "--stage", "cones")
        wait_for(output, steps(schedule), child)
        stop_between_writes(output, child)
        os.replace(better, output)
        least = steps(output)
        child.send_signal(signal.SIGCONT)
        told, complaint = child.communicate(timeout=300)
        assert child.returncode == 0, complaint
        assert re.search(r"; minimized to (\d+) steps?, ", told)[1] != str(least) and steps(output) == least, told
        assert f"\n{output} has {least} steps, " in told and "; kept, because it is better than the result\n" in told, told
        check(output)


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
        assert "; stopped before" in told or "\nstopped early: the best schedule so far, perhaps not minimal" in told, told
        assert " (a signal ended the search)\n" in told, told
        check(output)


def stand_in_the_way(output, child):
    """Puts a folder where the next schedule would be written, before it takes the place of the one that is there."""
    while True:
        try:
            os.mkdir(f"{output}.{child.pid}.part")
            return
        except FileExistsError:
            time.sleep(0.0001)


def test_what_cannot_be_written_leaves_the_one_before_and_says_so():
    with tempfile.TemporaryDirectory() as folder:
        schedule = broken(folder)
        output = os.path.join(folder, "short.sched")
        child = begin(schedule, output)
        while not os.path.exists(output):
            time.sleep(0.001)
        stand_in_the_way(output, child)
        told, complaint = child.communicate(timeout=300)
        assert child.returncode == 2 and told == "", told + complaint
        lines = complaint.splitlines()
        assert len(lines) == 2 and lines[0] == f"clew: {schedule}: {output}: cannot be written: Is a directory", complaint
        left = re.fullmatch(re.escape(f"clew: {output} has ") + r"(\d+) steps, \d+ external events?: the best schedule written so far", lines[1])
        assert left and int(left[1]) == steps(output), complaint
        check(output)


def test_a_pace_that_cannot_be_written_ends_nothing():
    with tempfile.TemporaryDirectory() as folder:
        schedule = broken(folder)
        output = os.path.join(folder, "short.sched")
        done = run("minimize", "--stage", "cones", "--pace", "/dev/full", "-o", output, schedule, RAFT)
        assert done.returncode == 0 and steps(output) < steps(schedule) / 2, done.stdout
        assert done.stderr == "clew: /dev/full: cannot be written: No space left on device: --pace writes no further lines\n", done.stderr


if __name__ == "__main__":
    sys.exit(tap.run(tap.claims(globals())))
