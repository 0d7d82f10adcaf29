"""What minimizing tells: meanwhile, on a terminal, and what ended it."""
import json
import os
import re
import subprocess
import sys
import tempfile

SOURCE = os.environ["CLEW_SOURCE"]
CLEW = os.environ["CLEW"]
RAFT = os.path.join(os.environ["CLEW_BUILD"], "cases", "raft.so")
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(SOURCE, "test", "harness"))
import tap  # pylint: disable=wrong-import-position
import terminal  # pylint: disable=wrong-import-position


def run(*words):
    return subprocess.run([CLEW, *words], capture_output=True, text=True, check=False, timeout=300)


def broken(folder):
    """A schedule that breaks the Raft."""
    campaign = os.path.join(folder, "raft.campaign")
    done = run("explore", "--first", "--strategy", "random", "--bug", "raft-42", "--set", "demi=1", "-q", "-o", campaign, RAFT)
    assert done.returncode == 1, done.stderr
    return os.path.join(campaign, "violations", "1.sched")


def shown(columns, *words):
    """What stands in the line of a terminal so wide, one after another."""
    leader, follower = terminal.open_terminal(columns)
    with subprocess.Popen([CLEW, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=follower) as process:
        os.close(follower)
        text = terminal.read_all(leader)
        status = process.wait(timeout=300)
    os.close(leader)
    assert status == 0, text
    return [line for line in text.decode().split("\r\x1b[K") if line]


def test_the_line_has_the_stage_the_size_and_the_rate():
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "short.sched")
        lines = shown(200, "minimize", "--stage", "slice", "-o", output, broken(folder), RAFT)
        for line in lines:
            assert re.fullmatch(r"(raft|slice): \d+ steps, \d+ external events?, \d+ replays, [0-9.]+[kM]?/s", line), lines
        assert lines


def test_the_line_fits_a_narrow_terminal():
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "short.sched")
        lines = shown(30, "minimize", "--stage", "slice", "-o", output, broken(folder), RAFT)
        assert lines and all(len(line) < 30 and " steps, " in line for line in lines), lines


def test_of_a_program_the_line_has_its_switches():
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "account")
        done = run("cc", "-g", "-O1", "-pthread", os.path.join(SOURCE, "cases", "threads", "account.c"), "-o", program)
        assert done.returncode == 0, done.stderr
        campaign = os.path.join(folder, "found.campaign")
        done = run("explore", "--first", "--strategy", "random", "-q", "-o", campaign, "--", program)
        assert done.returncode == 1, done.stdout + done.stderr
        lines = shown(200, "minimize", "--stage", "switches", os.path.join(campaign, "violations", "1.sched"), "--", program)
        assert lines and all(re.match(r"(account|switches): \d+ context switches, \d+ steps, \d+ replays, ", line) for line in lines), lines


def test_what_ended_it_is_said():
    with tempfile.TemporaryDirectory() as folder:
        schedule = broken(folder)
        output = os.path.join(folder, "short.sched")
        for budget, name, words in (("100runs", "runs", "the budget of runs ended"),
                                    ("1ms", "time", "the budget of time ended"),
                                    ("1B", "memory", "the budget of memory ended")):
            done = run("minimize", "--json", "--budget", budget, "-o", output, schedule, RAFT)
            assert done.returncode == 0, done.stderr
            stats = json.loads(done.stdout)["stats"]
            assert stats["stopped_by"] == name and stats["proof"].endswith(f"({words})"), stats
            os.remove(output)
            done = run("minimize", "--budget", budget, "-o", output, schedule, RAFT)
            os.remove(output)
            assert f"\nstopped early: the best schedule so far, perhaps not minimal ({words})\n{output}\n" in done.stdout, done.stdout


def test_the_command_that_is_told_shows_the_result_again():
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "it is short.sched")
        done = run("minimize", "--budget", "100runs", "-o", output, broken(folder), RAFT)
        again = done.stdout.splitlines()[-1]
        assert again.startswith("again: clew replay "), done.stdout
        done = subprocess.run(f'{CLEW} {again.partition(" clew ")[2]}', shell=True, capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode == 1 and "as recorded" in done.stdout, done.stdout + done.stderr


if __name__ == "__main__":
    sys.exit(tap.run(tap.claims(globals())))
