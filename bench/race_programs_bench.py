#!/usr/bin/env python3
"""Records each program of cases/races 10 times, runs it 10 times under ThreadSanitizer, and prints how often each of the two
found its race, or reported something in a correct one: the tables at the end of docs/theory/record.md.

    bench/race_programs_bench.py [BUILD [WORD...]]     with words, only the programs whose names contain one of them"""
import concurrent.futures
import os
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "test", "cases"))
import race_programs  # pylint: disable=wrong-import-position

RUNS = 10
SEEDS = range(1, 51)  # of runs under control


class Row:
    """What 10 recordings and 10 runs under ThreadSanitizer of a program gave."""

    def __init__(self, clew, folder, program):
        self.program = program
        judged = [race_programs.judge(clew, program, race_programs.record(clew, folder, program)) for _ in range(RUNS)]
        sanitized = [race_programs.sanitizer_pairs(folder, program) for _ in range(RUNS)]
        self.found = sum(one.is_found for one in judged)
        self.sound = sum(one.is_sound for one in judged)
        self.false = sum(bool(one.wrong) for one in judged)
        self.undecided = sum(one.status == 3 for one in judged)
        self.has_sanitizer = None not in sanitized
        self.sanitizer_found = sum(bool(pairs & program.races) for pairs in sanitized if pairs is not None)
        self.sanitizer_false = sum(bool(pairs - program.known) for pairs in sanitized if pairs is not None)
        self.wrong = sorted({finding.what for one in judged for finding in one.wrong})
        sound = {finding.pair for one in judged for finding in one.findings if finding.grade == "sound"}
        confirmed = race_programs.confirmed_pairs(clew, folder, program, sound, SEEDS)
        self.confirmed = "-" if not sound else "no" if sound != confirmed else "recording" if program.has_processes else "control"

    def sanitizer(self, count):
        return count if self.has_sanitizer else "-"


def table(heads, rows):
    print("| " + " | ".join(heads) + " |")
    print("|" + " --- |" * len(heads))
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |")
    print()


def main(build=os.environ.get("BUILD", "build"), *wanted):
    clew = os.path.join(os.path.abspath(build), "clew")
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        rows = list(pool.map(lambda program: Row(clew, folder, program), race_programs.programs(wanted)))
    racy = [row for row in rows if not row.program.is_correct]
    correct = [row for row in rows if row.program.is_correct]
    print(f"""### {len(racy)} programs with a race

In how many of {RUNS} recordings `clew races` reports it by default, in how many of them as *sound*, by what other run the sound pairs of places were
confirmed, and in how many of {RUNS} runs ThreadSanitizer (gcc) reports it.
""")
    table(("program", "race", "clew", "sound", "confirmed by", "ThreadSanitizer"),
          [(f"`{row.program.name}`", row.program.sentence, row.found, row.sound, row.confirmed, row.sanitizer(row.sanitizer_found))
           for row in racy])
    print(f"""Together {sum(row.found for row in racy)} of {RUNS * len(racy)} by clew ({sum(row.undecided for row in racy)} of the others end as undecided, status 3),
{sum(row.sanitizer_found for row in racy)} by ThreadSanitizer.

### {len(correct)} correct programs

In how many recordings, and in how many runs under ThreadSanitizer, something is reported all the same. -: ThreadSanitizer's runtime crashes
in the program.
""")
    table(("program", "program does", "clew", "ThreadSanitizer"),
          [(f"`{row.program.name}`", row.program.sentence, row.false, row.sanitizer(row.sanitizer_false)) for row in correct])
    print(f"Together {sum(row.false for row in correct)} of {RUNS * len(correct)} by clew, {sum(row.sanitizer_false for row in correct)} by ThreadSanitizer.")
    for row in rows:
        for what in row.wrong:
            print(f"{row.program.name}: {what}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
