#!/usr/bin/env python3
"""Measures the case studies that have an expect file (test/cases/expect.py) and prints the tables of docs/cases.md.

    bench/cases_bench.py [BUILD [PART...]]      as make bench-cases does; the parts are below, with none all of them

What was measured with the same clew, system and options is kept in BUILD/cases/measured.json and not measured again: a bench
that was stopped is gone on with. Budgets are processor time. CLEW_CASES_SECONDS is that of a search
that need not find anything, CLEW_CASES_CLEAN that of a case as it stands.
"""
import functools
import hashlib
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "test", "cases"))
import expect  # pylint: disable=wrong-import-position
import search  # pylint: disable=wrong-import-position

SEEDS = (1, 1000001, 2000001, 3000001, 4000001)  # far apart: runs are numbered from the seed on
STRATEGIES = ("random", "pct", "pos", "surw", "unique", "delay")
WANTED_SECONDS = 60
CLEAN_SECONDS = int(os.environ.get("CLEW_CASES_CLEAN", "120"))
SECONDS = int(os.environ.get("CLEW_CASES_SECONDS", "10"))
DPOR_SECONDS = 20
DPOR_DEPTH = 60  # a little more than the longest of DEMi's minimal executions
SPEED_SECONDS = 5
SPEED_WANTED = 1e6
WORK_RUNS = 1000

# Lines of Scala, table 4 of the paper on DEMi.
PAPER_LINES = {"raft": {"fingerprint": 59, "invariants": 331, "configuration": 328},
               "spark": {"fingerprint": 56, "invariants": 151, "configuration": 445}}


class Bench:
    def __init__(self, build):
        self.build = os.path.abspath(build)
        self.clew = os.path.join(self.build, "clew")
        self.path = os.path.join(self.build, "cases", "measured.json")
        self.known = {}
        if os.path.exists(self.path):
            with open(self.path, encoding="utf-8") as file:
                self.known = json.load(file)

    def library(self, name):
        return os.path.join(self.build, "cases", name + ".so")

    @functools.lru_cache
    def digest(self, path):
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()[:16]

    def once(self, case, words, measure):
        """What the measure gives, from the last time when there is one."""
        key = " ".join([self.digest(self.clew), self.digest(self.library(case.name)), *words])
        if key not in self.known:
            print(case.name, *words, file=sys.stderr, flush=True)
            self.known[key] = measure()
            with open(self.path, "w", encoding="utf-8") as file:
                json.dump(self.known, file, indent=0)
        return self.known[key]

    def explore(self, case, seconds, *words):
        """Statistics of a search with so much processor time, and its findings."""
        def measure():
            with tempfile.TemporaryDirectory() as folder:
                result = search.explore(self.clew, self.library(case.name), words, seconds, folder)
            return {"stats": result["stats"], "findings": [[f["key"], f["why"]] for f in result["findings"]]}
        return self.once(case, ["explore", f"{seconds}s", *words], measure)

    def work(self, case):
        program = os.path.join(self.build, "cases", "case_work")

        def measure():
            done = subprocess.run([program, self.library(case.name), str(WORK_RUNS)], capture_output=True, text=True, check=True)
            return done.stdout.strip()
        return self.once(case, ["work", str(WORK_RUNS)], measure)

    def seek(self, case, bug, seconds, *words):
        """Runs, processor seconds and steps until the violation that the case names; None when it does not come."""
        options = ["--bug", bug, *words]
        result = self.explore(case, seconds, *options, "--first")
        if result["findings"] and not result["findings"][0][0].startswith(case.bugs[bug]):
            result = self.explore(case, seconds, *options)
        for key, why in result["findings"]:
            if key.startswith(case.bugs[bug]):
                run, steps = (int(number) for number in re.search(r"run (\d+), after (\d+) steps", why).groups())
                return run, result["stats"]["cpu_seconds"] * run / result["stats"]["runs"], steps
        return None


def row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |")


def table(*heads):
    row(*heads)
    row(*["---"] * len(heads))


def short(number):
    return f"{number:.2f}" if number < 10 else f"{number:.0f}"


def median_of(found):
    """Of runs, seconds and steps; None when more than half found nothing."""
    have = [one for one in found if one is not None]
    if 2 * len(have) <= len(found):
        return None
    rest = [(float("inf"),) * 3] * (len(found) - len(have))
    return [statistics.median_low(column) for column in zip(*have, *rest)]


def print_found(bench, cases):
    print(f"## Each bug, with default options\n\nThe median of {len(SEEDS)} seeds: runs, seconds of processor time and the "
          f"length of the run until the violation that the case names. Wanted: at most {WANTED_SECONDS} s.\n")
    table("case", "bug", "found by", "seeds", "runs", "seconds", "steps")
    is_met = True
    for case in cases:
        for bug, key in case.bugs.items():
            found = [bench.seek(case, bug, WANTED_SECONDS, "--seed", str(seed)) for seed in SEEDS]
            median = median_of(found)
            is_met = is_met and median is not None and median[1] <= WANTED_SECONDS
            row(case.name, bug, key.removeprefix("property: "), f"{sum(one is not None for one in found)} of {len(found)}",
                *([median[0], short(median[1]), median[2]] if median else ["-", "-", "-"]))
    print()
    return is_met


def print_strategies(bench, cases):
    print(f"## Strategy by strategy\n\nRuns and seconds until that violation, with one seed and {SECONDS} s for each; - where it was "
          "not found.\n")
    table("bug", *STRATEGIES)
    for case in cases:
        for bug in case.bugs:
            cells = []
            for strategy in STRATEGIES:
                found = bench.seek(case, bug, SECONDS, "--strategy", strategy)
                cells.append(f"{found[0]} ({short(found[1])} s)" if found else "-")
            row(bug, *cells)
    print()
    return True


def print_systematic(bench, cases):
    print("## Bounded systematic search beside fuzzing\n\nSection 6 of the paper on DEMi: with a bound a little above the length of the "
          "shortest violating execution, partial order reduction had found nothing after 24 hours, where fuzzing needed "
          f"minutes. The same here, with runs of at most {DPOR_DEPTH} steps and {DPOR_SECONDS} s, beside the default "
          "search of the first table.\n")
    table("bug", "executions by dpor", "found by dpor", "found by default, seconds")
    for case in [case for case in cases if case.name == "raft"]:
        for bug in case.bugs:
            words = ["--strategy", "dpor", "--depth", str(DPOR_DEPTH)]
            found = bench.seek(case, bug, DPOR_SECONDS, *words)
            runs = bench.explore(case, DPOR_SECONDS, "--bug", bug, *words, "--first")["stats"]["runs"]
            fuzzed = median_of([bench.seek(case, bug, WANTED_SECONDS, "--seed", str(seed)) for seed in SEEDS])
            row(bug, runs, f"after {short(found[1])} s" if found else "nothing", short(fuzzed[1]) if fuzzed else "-")
    print()
    return True


def print_clean(bench, cases):
    print("## As they stand\n\nWithout a bug nothing may be found, but in software that was not written here; the first line of a "
          "case is its default, with its faults.\n")
    table("case", "options", "runs", "steps", "seconds", "found")
    is_met = True
    for case in cases:
        for index, options in enumerate(case.clean):
            result = bench.explore(case, CLEAN_SECONDS if index == 0 else SECONDS, *options)
            stats = result["stats"]
            is_met = is_met and not result["findings"]
            row(case.name, f"`{' '.join(options)}`" if options else "as built in", stats["runs"], stats["steps"],
                short(stats["cpu_seconds"]), ", ".join(key for key, _ in result["findings"]) or "nothing")
        for key, options in case.found:
            result = bench.explore(case, WANTED_SECONDS, *options, "--first")
            stats = result["stats"]
            is_met = is_met and any(found.startswith(key) for found, _ in result["findings"])
            row(case.name, f"`{' '.join(options)}`", stats["runs"], stats["steps"], short(stats["cpu_seconds"]),
                ", ".join(found for found, _ in result["findings"]) or "nothing")
    print("\nWhat a run does, in the median:\n")
    for case in cases:
        if case.work:
            print("- " + bench.work(case))
            is_met = is_met and all(re.search(rf"[:,] {word} [1-9]", bench.work(case)) for word in case.work)
    print()
    return is_met


def print_speed(bench, cases):
    print("## Speed\n\nEvents in a second of processor time when sampling, with all invariants checked after each. Wanted for "
          f"libraft: at least {SPEED_WANTED / 1e6:.0f} million.\n")
    table("case", "events", "seconds", "million events per second")
    is_met = True
    for case in cases:
        stats = bench.explore(case, SPEED_SECONDS, "--strategy", "random")["stats"]
        speed = stats["steps"] / stats["cpu_seconds"]
        is_met = is_met and (case.name != "libraft" or speed >= SPEED_WANTED)
        row(case.name, stats["steps"], short(stats["cpu_seconds"]), short(speed / 1e6))
    print()
    return is_met


def print_lines(_, cases):
    print("## What a user writes\n\nLines that are neither blank nor comment (- where a case has none or does not tell them apart), beside those of Scala in table 4 of the paper on DEMi.\n")
    table("case", "fingerprint", "invariants", "configuration", "in the paper")
    for case in cases:
        paper = PAPER_LINES.get(case.name)
        lines = [case.lines(part) for part in ("fingerprint", "invariants", "configuration")]
        row(case.name, *("-" if number is None else number for number in lines),
            " + ".join(str(number) for number in paper.values()) if paper else "-")
    print()
    return True


PARTS = {"found": print_found, "clean": print_clean, "strategies": print_strategies,
         "systematic": print_systematic, "speed": print_speed, "lines": print_lines}


def main():
    build = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("BUILD", "build")
    bench = Bench(build)
    cases = [expect.Expect(name) for name in expect.names() if os.path.exists(bench.library(name))]
    results = [PARTS[part](bench, cases) for part in sys.argv[2:] or PARTS]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
