"""Programs: what is left is the fewest switches between threads that show the violation."""
import json
import os
import subprocess
import sys
import tempfile

SOURCE = os.environ["CLEW_SOURCE"]
CLEW = os.environ["CLEW"]
CASES = os.path.join(SOURCE, "cases", "threads")
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(SOURCE, "test", "harness"))
import tap  # pylint: disable=wrong-import-position

# Programs, and how many switches are enough.
FEWEST = {"account": 1, "lock_order": 2, "lost_update": 1}


def run(folder, *words):
    return subprocess.run([CLEW, *words], capture_output=True, text=True, check=False, timeout=300, cwd=folder)


def broken(folder, name):
    """The program, and a schedule by chance that breaks it."""
    done = run(folder, "cc", "-D_GNU_SOURCE", "-g", "-O1", "-pthread", os.path.join(CASES, name + ".c"), "-o", name)
    assert done.returncode == 0, done.stderr
    done = run(folder, "explore", "--first", "--strategy", "random", "-q", "-o", "found.campaign", "--", "./" + name)
    assert done.returncode == 1, done.stdout + done.stderr
    return "./" + name, "found.campaign/violations/1.sched"


def choices(folder, schedule):
    with open(os.path.join(folder, schedule), encoding="utf-8") as file:
        return [line for line in file if line.startswith(("task ", "timer "))]


def minimized(folder, schedule, program, *words):
    done = run(folder, "minimize", "--json", "--budget", "3000runs", *words, "-o", "short.sched", schedule, "--", program)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    check_account(said["stats"], said["stages"])
    return said["stats"]


def check_account(stats, stages):
    """What was given, with what each stage changed, is what is left."""
    for what in ("events", "externals", "switches"):
        assert stats["initial_" + what] + sum(stage[what] for stage in stages) == stats["final_" + what], (what, stats, stages)
    others = stats["replays_of_given"] + stats["replays_of_result"]
    assert others + sum(stage["replays"] for stage in stages) == stats["replays"], (stats, stages)


def test_switches_become_the_fewest_and_the_schedule_lists_them():
    for name, fewest in FEWEST.items():
        with tempfile.TemporaryDirectory() as folder:
            program, schedule = broken(folder, name)
            stats = minimized(folder, schedule, program)
            assert stats["initial_switches"] == len(choices(folder, schedule)), (name, stats)
            assert stats["final_switches"] == fewest and stats["fewest_switches"], (name, stats)
            assert len(choices(folder, "short.sched")) == fewest, name
            done = run(folder, "replay", "short.sched", "--", program)
            assert done.returncode == 1 and "as recorded" in done.stdout, name + done.stdout + done.stderr


def test_it_ends_soon_after_the_fewest_are_known():
    with tempfile.TemporaryDirectory() as folder:
        program, schedule = broken(folder, "account")
        done = run(folder, "minimize", "-o", "short.sched", schedule, "--", program)
        assert done.returncode == 0 and "no execution with fewer" in done.stdout, done.stdout + done.stderr
        stages = [line.split()[0] for line in done.stdout.splitlines() if line.startswith("  ")]
        assert "singles" in stages and not {"strands", "pairs", "anew", "drift"} & set(stages), stages


def test_none_with_fewer_is_there_by_a_search_of_another_kind():
    """An execution has at most as many switches as delays: with fewer delays than there are switches left, none may break."""
    for name in FEWEST:
        with tempfile.TemporaryDirectory() as folder:
            program, schedule = broken(folder, name)
            stats = minimized(folder, schedule, program, "--stage", "switches")
            done = run(folder, "explore", "--json", "--strategy", "delay", "--delays", str(stats["final_switches"] - 1), "-o",
                       "again.campaign", "--", program)
            assert json.loads(done.stdout)["stats"]["violating_runs"] == 0, name + done.stdout


def test_with_two_jobs_they_are_the_same():
    with tempfile.TemporaryDirectory() as folder:
        program, schedule = broken(folder, "account")
        texts = []
        for jobs in ("1", "2"):
            minimized(folder, schedule, program, "-j", jobs)
            with open(os.path.join(folder, "short.sched"), encoding="utf-8") as file:
                texts.append(file.read())
        assert texts[0] == texts[1], texts


def test_a_program_of_another_name_is_refused_unless_none_is_said():
    with tempfile.TemporaryDirectory() as folder:
        program, schedule = broken(folder, "account")
        os.rename(os.path.join(folder, program), os.path.join(folder, "other"))
        done = run(folder, "replay", schedule, "--", "./other")
        assert done.returncode == 2 and 'is for the system "account", and this is "other"' in done.stderr, done.stderr
        with open(os.path.join(folder, schedule), encoding="utf-8") as file:
            lines = [line for line in file if line != "system account\n"]
        with open(os.path.join(folder, "nameless.sched"), "w", encoding="utf-8") as file:
            file.writelines(lines)
        done = run(folder, "replay", "nameless.sched", "--", "./other")
        assert done.returncode == 1, done.stdout + done.stderr


if __name__ == "__main__":
    sys.exit(tap.run(tap.claims(globals())))
