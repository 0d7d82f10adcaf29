"""Every trace that clew writes passes clew check: of programs under control, explored and replayed, of the same programs
recorded, and of simulated systems. Programs that are correct have no race in the order of the run."""
import glob
import json
import os
import re
import sys

sys.dont_write_bytecode = True
from controlled import CASES, CLEW, FOLDER, HERE, LONG, SOURCE, build, run
import tap  # pylint: disable=wrong-import-position
sys.path.insert(0, os.path.join(SOURCE, "test", "recorded"))
import programs  # pylint: disable=wrong-import-position

BUILD = os.environ["CLEW_BUILD"]
STRATEGIES = ("random", "pct", "pos") if LONG else ("random",)
SEEDS = range(1, 9) if LONG else range(1, 3)
# A fixed slice for every day: conditions, barriers, refused locks, deadlines, cancellation, a pool.
DAILY = ("barrier_phase", "cancel", "pool_shutdown", "timeout", "trylock")
FLAGS = ("-Wl,--wrap=main", "-Wno-tsan", os.path.join(HERE, "ending.c"))
# They run on after the limit of steps, or need a name on the command line.
ENDLESS = {"large", "signal_storm", "plugin"}


def check(trace):
    done = run([CLEW, "check", trace])
    assert done.returncode == 0, f"{trace}: {done.stdout}{done.stderr}"


def check_no_race(trace):
    done = run([CLEW, "races", "--model", "observed", trace])
    assert done.returncode == 0, f"{trace}: {done.stdout}{done.stderr}"


def explored(program, strategy, seed):
    """A schedule and the trace of one run, or of the first that breaks something."""
    folder = f"{program}.{strategy}.{seed}.campaign"
    run([CLEW, "explore", "--strategy", strategy, "--seed", str(seed), "--first", "--fail-on", "exit", "--budget", "5runs", "-o", folder, "--",
         program])
    schedules = glob.glob(os.path.join(folder, "violations", "*.sched"))
    assert schedules, f"no run of {program} was kept"
    return schedules[0], schedules[0][:-len("sched")] + "clew"


def check_program(program, is_correct):
    for strategy in STRATEGIES:
        for seed in SEEDS:
            schedule, trace = explored(program, strategy, seed)
            again = trace + ".again"
            run([CLEW, "replay", "--fail-on", "exit", "--trace", again, schedule, "--", program])
            for written in (trace, again):
                check(written)
                if is_correct:
                    check_no_race(written)


def case_programs():
    names = sorted(os.path.basename(path).split(".")[0] for path in glob.glob(os.path.join(CASES, "*.c*")))
    return [name for name in names if LONG or name in DAILY]


def built_case(name, *flags):
    path = os.path.join(CASES, name + ".c")
    return build(name + (".fixed" if flags else ".broken"), *flags, *FLAGS, path=path if os.path.exists(path) else path + "c")


def test_traces_of_correct_programs_pass_and_have_no_race():
    tap.for_each(case_programs(), lambda name: check_program(built_case(name, "-DFIXED"), True))


def test_traces_of_broken_programs_pass():
    tap.for_each(case_programs(), lambda name: check_program(built_case(name), False))


def test_traces_of_all_synchronization_pass_and_have_no_race():
    check_program(build("sync", *FLAGS), True)


def races_in(trace, words):
    done = run([CLEW, "races", "--json", "--model", "observed", trace])
    findings = json.loads(done.stdout)["findings"]
    return {frozenset(words.get(event["location"], event["location"]) for event in finding["events"]) for finding in findings}


def test_uses_race_with_the_end_of_what_they_use():
    """Descriptors and close, locks and their destruction, mappings and munmap."""
    for name in ("closed", "counted", "destroyed", "mapped"):
        path = os.path.join(SOURCE, "test", "recorded", name + ".c")
        wanted, possible, _ = programs.claims_of(path)
        program = build(name, "-I", os.path.dirname(path), *FLAGS, path=path)
        for seed in SEEDS:
            _, trace = explored(program, "random", seed)
            check(trace)
            found = races_in(trace, programs.words_of(path))
            assert wanted <= found <= wanted | possible, (name, seed, found)


def other_programs():
    folders = ("test/control", "test/recorded", "test/preload")
    return sorted(path for folder in folders for path in glob.glob(os.path.join(SOURCE, folder, "*.c*"))
                  if re.search(r"^int main\(", open(path, encoding="utf-8").read(), re.MULTILINE))


def test_traces_of_other_programs_pass():
    if not LONG:
        raise tap.Skip("only in make test-long")

    def check_one(path):
        name = os.path.basename(path).split(".")[0]
        folder = os.path.dirname(path)
        if name not in ENDLESS:
            check_program(build(os.path.basename(folder) + "_" + name, "-mcx16", "-ldl", "-lrt", "-I", folder, *FLAGS, path=path), False)
    tap.for_each(other_programs(), check_one)


def test_recordings_pass():
    def check_one(name):
        for program in (built_case(name, "-DFIXED"), built_case(name)):
            trace = program + ".recorded.clew"
            run(["timeout", "-s", "KILL", "5", CLEW, "record", "-o", trace, "--", program])
            if os.path.exists(trace):
                check(trace)
    tap.for_each(case_programs(), check_one)


def bugs_of(case):
    with open(os.path.join(SOURCE, "cases", case, "expect"), encoding="utf-8") as file:
        return re.findall(r"^bug (\S+) =", file.read(), re.MULTILINE)


def check_world(library, *options):
    """The trace of a violation, and those of its schedule as it was found and minimized."""
    name = os.path.basename(library).split(".")[0] + "".join(options)
    folder = os.path.join(FOLDER.name, name + ".campaign")
    run([CLEW, "explore", "--first", *options, "--budget", "60s" if LONG else "20s", "-o", folder, library])
    for schedule in glob.glob(os.path.join(folder, "violations", "*.sched")):
        small = schedule + ".small"
        run([CLEW, "minimize", "--budget", "2000runs" if LONG else "50runs", "-o", small, schedule, library])
        check(schedule[:-len("sched")] + "clew")
        for path in (schedule, small):
            if os.path.exists(path):
                run([CLEW, "replay", "--trace", path + ".clew", path, library])
                check(path + ".clew")


def test_traces_of_simulated_systems_pass():
    cases = sorted(os.path.basename(path)[:-len(".so")] for path in glob.glob(os.path.join(BUILD, "cases", "*.so")))
    assert cases
    for case in cases if LONG else ("taxdc",):
        for bug in bugs_of(case)[:None if LONG else 1]:
            check_world(os.path.join(BUILD, "cases", case + ".so"), "--bug", bug)
    for case in cases:
        for schedule in glob.glob(os.path.join(SOURCE, "cases", case, "passing", "*.sched")):
            trace = os.path.join(FOLDER.name, os.path.basename(schedule) + ".clew")
            run([CLEW, "replay", "--trace", trace, schedule, os.path.join(BUILD, "cases", case + ".so")])
            check(trace)


if __name__ == "__main__":
    sys.exit(tap.run(tap.claims(globals())))
