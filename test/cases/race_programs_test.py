"""The programs of cases/races, recorded and judged by `clew races` with its default options: the race is found in at least 95
of 100 recordings, nothing is reported in a correct program, and every finding graded sound is confirmed by another run.
Each program is recorded 10 times in make test-long; make test takes a fixed third of them, once each."""
import collections
import os
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
SOURCE = os.environ["CLEW_SOURCE"]
CLEW = os.environ["CLEW"]
sys.path.insert(0, os.path.join(SOURCE, "test", "harness"))
import race_programs  # pylint: disable=wrong-import-position
import tap  # pylint: disable=wrong-import-position

IS_LONG = os.environ.get("CLEW_TEST_LONG", "") not in ("", "0")
RUNS = 10 if IS_LONG else 1
WANTED = 0.95
SEEDS = range(1, 51)
FOLDER = tempfile.mkdtemp()


def slice_of(programs):
    return programs if IS_LONG else programs[::3]


ALL = race_programs.programs()
RACY = slice_of([program for program in ALL if not program.is_correct])
CORRECT = slice_of([program for program in ALL if program.is_correct])
JUDGED = collections.defaultdict(list)  # what clew said, by the program's name


def judge(program):
    for _ in range(RUNS):
        trace = race_programs.record(CLEW, FOLDER, program)
        JUDGED[program.name].append(race_programs.judge(CLEW, program, trace))


def test_the_race_is_found():
    tap.for_each(RACY, judge)
    missed = collections.Counter({program.name: sum(not one.is_found for one in JUDGED[program.name]) for program in RACY})
    count = RUNS * len(RACY)
    assert count - missed.total() >= WANTED * count, f"missed in {missed.total()} of {count} recordings: {+missed}"


def test_nothing_is_reported_of_correct_programs():
    tap.for_each(CORRECT, judge)
    for program in CORRECT:
        for one in JUDGED[program.name]:
            assert not one.findings, f"{program.name}: {one.findings[0].what}"
            assert one.status == 0, f"{program.name}: status {one.status}"


def test_nothing_else_is_reported_of_the_others():
    for program in RACY:
        for one in JUDGED[program.name]:
            assert not one.wrong, f"{program.name}: {one.wrong[0].what}"


def test_variables_have_the_names_that_the_programs_give_them():
    for program in RACY:
        for one in JUDGED[program.name]:
            odd = [finding.variable for finding in one.findings if finding.is_true and not finding.is_named]
            assert not odd, f"{program.name}: {odd[0]}"


def check_confirmed(program):
    pairs = {finding.pair for one in JUDGED[program.name] for finding in one.findings if finding.grade == "sound"}
    left = pairs - race_programs.confirmed_pairs(CLEW, FOLDER, program, pairs, SEEDS)
    assert not left, f"{program.name}: not confirmed: {sorted(map(sorted, left))}"


def test_every_sound_finding_is_confirmed_by_another_run():
    tap.for_each(RACY, check_confirmed)


def main():
    try:
        return tap.run(tap.claims(globals()))
    finally:
        shutil.rmtree(FOLDER)


if __name__ == "__main__":
    sys.exit(main())
