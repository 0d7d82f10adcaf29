#!/usr/bin/env python3
"""Records a run of each program of cases/atomicity and of its fixed twin, and prints what `clew atomicity` finds: at which rank the
true couple is, and how many findings there are in all, and in the twin. Then the same for the correct programs of cases/races.

    bench/atomicity_programs_bench.py [BUILD [FLAG|WORD...]]     flags of the compiler (-O1 if there are none); with words, only the
                                                                 programs whose names contain one of them"""
import concurrent.futures
import os
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "test", "cases"))
import atomicity_programs  # pylint: disable=wrong-import-position
import race_programs  # pylint: disable=wrong-import-position
import table  # pylint: disable=wrong-import-position

FOUND_MIN = 19
TWINS_MAX = 1


def judge(clew, folder, program, flags):
    return atomicity_programs.judge(clew, program, atomicity_programs.record(clew, program.build(clew, folder, *flags)))


def reported_without_races(clew, folder, pool):
    """The correct programs of cases/races, and the names of those with a finding."""
    programs = [program for program in race_programs.programs() if program.is_correct]
    judgements = pool.map(lambda program: atomicity_programs.judge(clew, program, race_programs.record(clew, folder, program)), programs)
    return programs, [program.name for program, one in zip(programs, judgements) if one.findings]


def main(build="build", *words):
    clew = os.path.join(os.path.abspath(build), "clew")
    flags = [word for word in words if word.startswith("-")] or ["-O1"]
    names = [word for word in words if not word.startswith("-")]
    programs = atomicity_programs.programs(names)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        own = list(pool.map(lambda program: judge(clew, folder, program, flags), programs))
        twins = list(pool.map(lambda program: None if program.is_correct else judge(clew, folder, program, [*flags, "-DFIXED"]), programs))
        others, reported = ([], []) if names else reported_without_races(clew, folder, pool)
    table.table(f"cases/atomicity, {' '.join(flags)}", ("program", "true couple", "findings", "in the fixed twin"), [
        (program.name, "-" if program.is_correct else one.rank or "missed", len(one.findings), "-" if twin is None else len(twin.findings))
        for program, one, twin in zip(programs, own, twins)])
    broken = [one for program, one in zip(programs, own) if not program.is_correct]
    wanted = table.Wanted()
    if len(broken) >= FOUND_MIN:
        wanted.at_least(f"true couple among the first {atomicity_programs.RANK_MAX}, of {len(broken)}", FOUND_MIN,
                        sum(one.is_found for one in broken), str)
    wanted.at_most("fixed twins with a finding", TWINS_MAX, sum(bool(twin.findings) for twin in twins if twin), str)
    wanted.at_most("findings in correct programs", 0, sum(len(one.findings) for program, one in zip(programs, own) if program.is_correct), str)
    wanted.at_most(f"of {len(others)} correct programs of cases/races, with a finding", 1, len(reported), str)
    print("".join(f"    {name}\n" for name in reported), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
