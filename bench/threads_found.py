"""How many runs a search of cases/threads takes to the first violation: measured by program, strategy and seed, and
written into the tables of cases/threads/README.md. What was measured is kept in a file (--results), so that a measurement
goes on where it was stopped, and one strategy can be measured anew (--strategies)."""
import json
import os
import re
import statistics
import sys

import table
import threads

STRATEGIES = ("auto", "directed", "random", "pct", "pos", "surw", "unique", "frequency", "delay")
SEEDS = int(os.environ.get("CLEW_THREADS_SEEDS", "5"))
SEED_STEP = 1000000  # far apart: runs are numbered from the seed on
RUNS_MAX = 1000
LIMITS = (10, 100, RUNS_MAX)
PAIRS_WITHIN = 100
PAIRS_WANTED = 0.9
README = os.path.join(threads.FOLDER, "README.md")


class Found:
    """Runs to the first violation, by title and strategy a list with an item for each seed; None where a search found nothing."""

    def __init__(self, strategies, seeds, runs_max, path):
        self.strategies = strategies
        self.seeds = seeds
        self.runs_max = runs_max
        self.path = path
        self.firsts = {}
        if path and os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                self.firsts = {tuple(key.split("|")): value for key, value in json.load(file).items()}

    def measure(self, bench, programs, anew):
        """Measures what is not known yet, and the strategies `anew` in any case."""
        for strategy in self.strategies:
            for program in programs:
                key = (program.title, strategy)
                if strategy in anew or len(self.firsts.get(key, ())) != self.seeds:
                    self.firsts[key] = [first_run(bench, program, strategy, seed, self.runs_max) for seed in range(self.seeds)]
                    self.save()
            print(f"{strategy} ", end="", file=sys.stderr, flush=True)
        print(file=sys.stderr)

    def save(self):
        if self.path:
            with open(self.path, "w", encoding="utf-8") as file:
                json.dump({"|".join(key): value for key, value in self.firsts.items()}, file, indent=0)

    def median(self, title, strategy):
        """None where most searches found nothing."""
        result = statistics.median(self.runs_max + 1 if first is None else first for first in self.firsts[title, strategy])
        return result if result <= self.runs_max else None

    def within(self, titles, strategy, limit):
        """How many programs are found within so many runs, in the median of the seeds."""
        medians = [self.median(title, strategy) for title in titles]
        return sum(median is not None and median <= limit for median in medians)

    def pairs_within(self, titles, strategy, limit):
        """How many pairs of a program and a seed."""
        return sum(first is not None and first <= limit for title in titles for first in self.firsts[title, strategy])


def first_run(bench, program, strategy, seed, runs_max):
    result = bench.explore(program, False, "--strategy", strategy, "--first", "--budget", f"{runs_max}runs", "--seed",
                           str(1 + seed * SEED_STEP))
    return result["stats"]["first_violation_run"] if result["findings"] else None


def show(runs):
    return "-" if runs is None else f"{runs:g}"


def median_rows(found, programs):
    return [[program.title, *(show(found.median(program.title, strategy)) for strategy in found.strategies)] for program in programs]


def count_rows(found, titles):
    """A row for each strategy: programs found within each limit, and pairs within PAIRS_WITHIN."""
    limits = [limit for limit in LIMITS if limit <= found.runs_max]
    pairs = len(titles) * found.seeds
    rows = []
    for strategy in found.strategies:
        got = found.pairs_within(titles, strategy, PAIRS_WITHIN)
        rows.append([strategy, *(found.within(titles, strategy, limit) for limit in limits), f"{got} of {pairs} ({100 * got / pairs:.0f} %)"])
    return ["strategy", *(f"within {limit:,}" for limit in limits), f"pairs within {PAIRS_WITHIN}"], rows


def markdown(heads, rows, is_code):
    """A table whose first column is to the left; `is_code` sets it in the font of code."""
    lines = ["| " + " | ".join(map(str, heads)) + " |", "|---" + "|---:" * (len(heads) - 1) + "|"]
    return lines + ["| " + " | ".join([f"`{row[0]}`" if is_code else row[0], *map(str, row[1:])]) + " |" for row in rows]


def replace_block(name, lines):
    """Replaces what stands in README.md between the marks of this name."""
    with open(README, encoding="utf-8") as file:
        text = file.read()
    form = re.compile(f"(<!-- {name}: written by bench/threads_bench.py --write -->\n).*?(<!-- end of {name} -->)", re.S)
    assert len(form.findall(text)) == 1, f"{README} has no marks of {name}"
    with open(README, "w", encoding="utf-8") as file:
        file.write(form.sub(lambda match: match[1] + "\n" + "\n".join(lines) + "\n\n" + match[2], text))


def write(found, programs, kernels):
    heads, rows = count_rows(found, [kernel.title for kernel in kernels])
    replace_block("found", [f"{len(kernels)} kernels, {found.seeds} seeds. A kernel counts as found within a number of runs when the median of the seeds is.",
                            "", *markdown(heads, rows, True)])
    heads = ["kernel", *found.strategies, "published"]
    rows = [[*row, kernel.published] for row, kernel in zip(median_rows(found, kernels), kernels)]
    replace_block("kernels", [f"The median of {found.seeds} seeds; `-` where most searches found nothing in {found.runs_max:,} runs.", "",
                              *markdown(heads, rows, True)])
    rows = median_rows(found, programs)
    replace_block("programs", markdown(["to find", *found.strategies], rows, True))


def others(programs, kernels):
    """Programs whose row is no kernel's."""
    titles = {kernel.title for kernel in kernels}
    return [program for program in programs if program.title not in titles]


def part(bench, wanted, options):
    """The part `found` of the bench. Quick: kernels alone, with the default strategy, in 100 runs."""
    kernels = threads.kernels()
    programs = [] if options.quick else others(threads.programs(), kernels)
    offered = bench.strategies()
    strategies = ("auto",) if options.quick else tuple(name for name in STRATEGIES if name in offered)
    found = Found(strategies, SEEDS, PAIRS_WITHIN if options.quick else RUNS_MAX, None if options.quick else options.results)
    found.measure(bench, kernels + programs, options.strategies.split(","))
    titles = [kernel.title for kernel in kernels]
    table.table(f"Runs to the first violation: median of {found.seeds} seeds, at most {found.runs_max}", ["program", *strategies],
                median_rows(found, kernels + programs))
    heads, rows = count_rows(found, titles)
    table.table(f"Of {len(kernels)} kernels found within so many runs", heads, rows)
    pairs = len(titles) * found.seeds
    wanted.at_least(f"auto: pairs of kernel and seed within {PAIRS_WITHIN} runs", round(PAIRS_WANTED * pairs),
                    found.pairs_within(titles, "auto", PAIRS_WITHIN), str)
    if not options.quick:
        wanted.at_least(f"auto: other programs found within {RUNS_MAX} runs", len(programs),
                        found.within([program.title for program in programs], "auto", RUNS_MAX), str)
    if options.write:
        write(found, programs, kernels)
