"""The programs of cases/threads: small ones with one bug each, and their fixed twins. threads.py reads the table that says
what is found in them."""
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
sys.path.insert(0, os.path.join(SOURCE, "test", "harness"))
import tap  # pylint: disable=wrong-import-position
import threads  # pylint: disable=wrong-import-position

IS_LONG = os.environ.get("CLEW_TEST_LONG", "") not in ("", "0")
RUNS_MAX = 1000
TWIN_RUNS = 10000 if IS_LONG else 50
DARA = ("map_init", "loop_variable", "producer_consumer", "philosophers", "ticker")  # the thesis's own programs
MODES = ("fork", "thread", "exec")  # beside that of fibers
KERNEL_RUNS = 1000 if IS_LONG else 100
REPLAYS = 100 if IS_LONG else 3
FOLDER = tempfile.mkdtemp()
PROGRAMS = threads.programs()
KERNELS = [kernel for kernel in threads.kernels() if kernel.title not in {program.title for program in PROGRAMS}]


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, timeout=300, check=False, cwd=FOLDER)


def explore(program, is_fixed, *options, flags=()):
    """What a search gives, as an object."""
    folder = tempfile.mkdtemp(dir=FOLDER) + "/own"
    done = run(CLEW, "explore", "-q", "--json", *options, *(["--spec", program.spec] if program.spec else []), "-o", folder,
               "--", program.build(CLEW, FOLDER, is_fixed, *flags), *program.arguments)
    assert done.returncode in (0, 1), f"{program.title}: {done.stderr}"
    return json.loads(done.stdout)


def test_every_program_is_listed():
    sources = {name.rpartition(".")[0] for name in os.listdir(threads.FOLDER) if name.endswith((".c", ".cc"))}
    assert {program.name for program in PROGRAMS + KERNELS} == sources, sources


def check_twin_has_no_race(program):
    """The twin runs to its end without a race."""
    trace = os.path.join(FOLDER, program.title + ".clew")
    done = run(CLEW, "record", "-q", "-o", trace, "--", program.build(CLEW, FOLDER, True), *program.arguments)
    assert done.returncode == 0, f"{program.title}: ended with {done.returncode}: {done.stderr}"
    result = json.loads(run(CLEW, "races", "-q", "--model", "observed", "--json", trace).stdout)
    assert result["findings"] == [] and result["events"] > 0, (program.title, result["findings"])


def check_found(program, modes):
    """Found as what the table says, by the same run in other modes, and found again by every replay."""
    result = explore(program, False, "--first", "--budget", f"{RUNS_MAX}runs")
    found = result["findings"]
    assert [finding["kind"] for finding in found[:1]] in [[kind] for kind in program.kinds], (program.title, found)
    for mode in modes:
        other = explore(program, False, "--first", "--budget", f"{RUNS_MAX}runs", "--mode", mode)
        for stat in ("runs", "steps", "first_violation_run"):
            assert other["stats"][stat] == result["stats"][stat], (program.title, mode, stat)
        assert other["findings"][0]["key"] == found[0]["key"], (program.title, mode)
    done = run(CLEW, "replay", "--verify", str(REPLAYS), *found[0]["replay"].split()[2:])
    assert done.returncode == 1 and f"{REPLAYS} replays, all the same" in done.stdout, program.title + done.stdout + done.stderr


def test_code_that_was_entered_is_the_same_in_all_modes():
    program = next(program for program in PROGRAMS if program.name == "producer_consumer")
    told = []
    for mode in ("fiber", *MODES):
        stats = explore(program, False, "--strategy", "unique", "--budget", "20runs", "--mode", mode)["stats"]
        told.append([stats[name] for name in ("blocks_covered", "states", "steps", "violating_runs")])
    assert told[0][0] > 10 and told[0][1] > 1, told
    assert told == [told[0]] * len(told), told


def test_a_campaign_says_which_code_was_entered():
    program = next(program for program in PROGRAMS if program.name == "producer_consumer")
    folder = os.path.join(FOLDER, "covered")
    for where in ("-o", "--resume"):  # the second search goes on with the first, in another process
        done = run(CLEW, "explore", "-q", "--strategy", "unique", "--budget", "20runs", where, folder, "--",
                   program.build(CLEW, FOLDER, True))
        assert done.returncode == 0, done.stderr
    told = run(CLEW, "campaign", "--show", "coverage", "--limit", "1000", folder).stdout
    counts = [(int(count), place) for count, place in re.findall(r"(\d+) times  (\S+)", told)]
    with open(program.source, encoding="utf-8") as file:
        line = 1 + file.read().split("\n").index("        delivered++;")
    assert (40 * 5, f"producer_consumer.c:{line}") in counts, told
    assert told.count(" times  ") == int(re.search(r"(\d+) covered", told)[1]), told


def test_programs_of_dara_are_minimized():
    for program in PROGRAMS:
        if program.name not in DARA:
            continue
        found = explore(program, False, "--first", "--budget", f"{RUNS_MAX}runs")["findings"]
        words = found[0]["replay"].split()[2:]
        small = os.path.join(FOLDER, program.name + ".sched")
        done = run(CLEW, "minimize", "-q", "--json", "--budget", "5000runs", "-o", small, *words)
        assert done.returncode == 0, program.title + done.stderr
        stats = json.loads(done.stdout)["stats"]
        assert stats["final_events"] > 0 and stats["final_switches"] <= stats["initial_switches"], (program.title, stats)
        done = run(CLEW, "replay", "--verify", "100", *(small if word.endswith(".sched") else word for word in words))
        assert done.returncode == 1 and "100 replays, all the same" in done.stdout, program.title + done.stdout + done.stderr


def test_that_each_philosopher_eats_is_broken_by_the_closing_bug():
    """Where the program just ends when a chopstick cannot be returned, only what must eventually be can tell."""
    program = next(program for program in PROGRAMS if program.name == "philosophers")
    found = explore(program, False, "--first", "--budget", f"{RUNS_MAX}runs", flags=("-DGIVES_UP",))["findings"]
    assert [finding["kind"] for finding in found] == ["liveness"] and "all_fed" in found[0]["what"], found
    done = run(CLEW, "replay", "--verify", "100", *found[0]["replay"].split()[2:])
    assert done.returncode == 1 and "100 replays, all the same" in done.stdout, done.stdout + done.stderr
    assert explore(program, True, "--budget", f"{TWIN_RUNS}runs", flags=("-DGIVES_UP",))["findings"] == []


def check_twin_is_not_reported(program):
    result = explore(program, True, "--budget", f"{TWIN_RUNS}runs")
    assert result["findings"] == [], (program.title, result["findings"])
    assert result["stats"]["runs"] > 0, program.title


def check_program(number, program):
    check_twin_has_no_race(program)
    check_found(program, MODES if IS_LONG else MODES[number % len(MODES):][:1])
    check_twin_is_not_reported(program)


def check_kernel(kernel):
    """A kernel with arguments of its own, which a search may miss: found as what the table says, or as nothing."""
    result = explore(kernel, False, "--first", "--budget", f"{KERNEL_RUNS}runs")
    assert all(finding["kind"] in kernel.kinds for finding in result["findings"]), (kernel.title, result["findings"])
    check_twin_is_not_reported(kernel)


def main():
    tests = tap.claims(globals())
    tests += [(f"{kernel.title} is found as nothing else, its twin is not reported", lambda kernel=kernel: check_kernel(kernel))
              for kernel in KERNELS]
    tests += [(f"{program.title} is found in two modes and replayed, its twin is not reported",
               lambda row=row: check_program(*row)) for row in enumerate(PROGRAMS) for program in row[1:]]
    try:
        return tap.run(tests)
    finally:
        shutil.rmtree(FOLDER)


if __name__ == "__main__":
    sys.exit(main())
