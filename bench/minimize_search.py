#!/usr/bin/env python3
"""Looks for executions that are shorter than the least that is known, from other starts than those of the bench.

    bench/minimize_search.py [BUILD] [BUG...]

For each bug of bench/minimize_bench.py whose least is not proven, further runs are found by fuzzing, from seeds far apart, and
minimized within 60 s of the processor each, until CLEW_SEARCH_SECONDS (1800) have gone into the bug, those of earlier searches
included. What is shorter becomes the least that is known (bench/minimize_best.txt, bench/best/); the table says from how many starts it was
searched for, how many came to the least, and how long that took. It can be ended at any moment, and goes on where it was.
"""
import os
import resource
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE]
import minimize_bench  # pylint: disable=wrong-import-position
import minimize_best  # pylint: disable=wrong-import-position

SECONDS_OF_START = 60
SEED_FIRST, SEED_STEP = 1000001, 6000007


def seconds_of_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def search(bench, best, case):
    """One more start; how it went, in a line."""
    system, bug, *found, _ = case
    before = seconds_of_children()
    schedule = bench.find(system, bug, *found, SEED_FIRST + best.lines[bug].starts * SEED_STEP)
    result = schedule + ".min"
    stats = bench.minimize(system, schedule, result, SECONDS_OF_START)
    if best.offer(bug, stats):
        shutil.copy(result, best.schedule(bug))
    best.count(bug, stats, seconds_of_children() - before)
    best.write()
    known = best.lines[bug]
    print(f"{bug}: {stats['initial_events']} -> {stats['final_events']}; of {known.starts} starts {known.reached} came to {known.size}, "
          f"{known.seconds} s", flush=True)


def main():
    words = sys.argv[1:]
    seconds_max = int(os.environ.get("CLEW_SEARCH_SECONDS", "1800"))
    best = minimize_best.Best(HERE)
    cases = [case for case in minimize_bench.CASES if (len(words) < 2 or case[1] in words[1:]) and not best.is_proven(case[1])]
    with tempfile.TemporaryDirectory() as folder:
        bench = minimize_bench.Bench(words[0] if words else "build", folder, False)
        while left := [case for case in cases if best.lines[case[1]].seconds < seconds_max]:
            search(bench, best, min(left, key=lambda case: best.lines[case[1]].seconds))


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
