"""The programs of cases/atomicity: from one recorded run in which nothing goes wrong, `clew atomicity` finds the true couple among
its first two findings, says nothing of the fixed twins, and nothing of correct programs. make test takes a fixed third of them at
-O1; make test-long all of them at -O0, -O1 and -O2, built by gcc and by clang."""
import os
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
SOURCE = os.environ["CLEW_SOURCE"]
CLEW = os.environ["CLEW"]
sys.path.insert(0, os.path.join(SOURCE, "test", "harness"))
import atomicity_programs  # pylint: disable=wrong-import-position
import race_programs  # pylint: disable=wrong-import-position
import tap  # pylint: disable=wrong-import-position

IS_LONG = os.environ.get("CLEW_TEST_LONG", "") not in ("", "0")
ALL = atomicity_programs.programs()
BROKEN = [program for program in ALL if not program.is_correct][::1 if IS_LONG else 3]
CORRECT = [program for program in ALL if program.is_correct]
MISSED_MAX = 1
TWINS_MAX = 1
WITHOUT_RACES = [program for program in race_programs.programs() if program.is_correct][::1 if IS_LONG else 6]
WITHOUT_RACES_MAX = 4 if IS_LONG else 2  # of these programs, with a finding


def builds():
    """The compilers and the levels that the programs are built with."""
    compilers = [name for name in ("gcc", "clang") if shutil.which(name)] if IS_LONG else ["gcc"]
    return [(compiler, level) for compiler in compilers for level in (("-O0", "-O1", "-O2") if IS_LONG else ("-O1",))]


def judged(programs, build, *flags, options=()):
    """What is found in a run of each program."""
    compiler, level = build
    with tempfile.TemporaryDirectory() as folder:
        def judge(program):
            trace = atomicity_programs.record(CLEW, program.build(CLEW, folder, level, *flags, compiler=compiler))
            return atomicity_programs.judge(CLEW, program, trace, *options)
        return dict(zip(programs, tap.for_each(programs, judge)))


def test_the_couple_is_found():
    for build in builds():
        missed = [program.name for program, one in judged(BROKEN, build).items() if not one.is_found]
        print(f"# {build}: {len(BROKEN) - len(missed)} of {len(BROKEN)}")
        assert len(missed) <= MISSED_MAX, f"{build}: missed in {missed}"


def test_fixed_twins_are_silent():
    for build in builds():
        reported = {program.name: one.findings[0]["what"] for program, one in judged(BROKEN, build, "-DFIXED").items() if one.findings}
        print(f"# {build}: {len(reported)} of {len(BROKEN)} reported")
        assert len(reported) <= TWINS_MAX, f"{build}: {reported}"


def test_correct_programs_are_silent():
    for build in builds():
        for program, one in judged(CORRECT, build).items():
            assert not one.findings, f"{program.name} {build}: {one.findings[0]['what']}"


def test_programs_without_races_are_silent():
    with tempfile.TemporaryDirectory() as folder:
        judgements = tap.for_each(WITHOUT_RACES, lambda program: atomicity_programs.judge(
            CLEW, program, race_programs.record(CLEW, folder, program)))
    reported = {program.name: one.findings[0]["what"] for program, one in zip(WITHOUT_RACES, judgements) if one.findings}
    print(f"# {len(reported)} of {len(WITHOUT_RACES)} reported")
    assert len(reported) <= WITHOUT_RACES_MAX, reported


def test_the_patterns_are_found():
    programs = [program for program in BROKEN if program.patterns]
    for program, one in judged(programs, ("gcc", "-O1"), options=["--all-pairs"]).items():
        missing = {f"P{number}" for number in program.patterns} - one.patterns
        assert not missing, f"{program.name}: {missing}"


if __name__ == "__main__":
    sys.exit(tap.run(tap.claims(globals())))
