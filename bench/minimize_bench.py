#!/usr/bin/env python3
"""Minimizes violations of the case studies and prints the sizes beside DEMi's.

    bench/minimize_bench.py [BUILD]          as make bench-minimize does

For each bug, runs that show it are found by fuzzing with several seeds, minimized our way, in DEMi's order of stages, and
without diverging. Best is the least that any of them came to. CLEW_MINIMIZE_SECONDS is the budget of one minimization.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile

SEEDS = (1, 1000001, 2000001)  # far apart: runs are numbered from the seed on
SECONDS = int(os.environ.get("CLEW_MINIMIZE_SECONDS", "60"))
RATIO_WANTED = 1.2

# The bug, how it is searched, and DEMi's table 1: initial, STSSched, TFB, the best made by hand.
DEMI = "--set=demi=1"
CASES = (
    ("raft", "raft-45", (DEMI, "--strategy", "pos"), (2160, 1183, 23, 22)),
    ("raft", "raft-46", (DEMI, "--strategy", "random"), (1250, 674, 35, 23)),
    ("raft", "raft-56", ("--set=demi=1,commands=0,patience=4", "--strategy", "random"), (2380, 1427, 82, 21)),
    ("raft", "raft-58a", (DEMI, "--strategy", "random"), (2850, 953, 226, 51)),
    ("raft", "raft-58b", (DEMI, "--strategy", "random"), (1500, 164, 40, 28)),
    ("raft", "raft-42", (DEMI, "--strategy", "random"), (1710, 1093, 180, 39)),
    ("raft", "raft-66", (DEMI, "--strategy", "pos"), (400, 262, 77, 29)),
    ("spark", "spark-2294", (), (1000, 43, 40, 25)),
    ("spark", "spark-3150", ("--strategy", "random"), (600, 18, 14, 11)),
    ("spark", "spark-9256", ("--strategy", "random"), (300, 11, 11, 11)),
)


class Bench:
    def __init__(self, build, folder):
        self.clew = os.path.join(os.path.abspath(build), "clew")
        self.cases = os.path.join(os.path.abspath(build), "cases")
        self.folder = folder

    def run(self, *words):
        done = subprocess.run([self.clew, *words], capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1):
            sys.exit(done.stderr)
        return json.loads(done.stdout)["stats"]

    def found(self, case, bug, seed, words):
        """A schedule that shows the bug, None when the search finds none."""
        campaign = os.path.join(self.folder, f"{bug}.{seed}")
        self.run("explore", "--json", "--first", "--bug", bug, "--seed", str(seed), "--budget", f"{SECONDS}s", "-o", campaign,
                 *words, os.path.join(self.cases, case + ".so"))
        schedule = os.path.join(campaign, "violations", "1.sched")
        return schedule if os.path.exists(schedule) else None

    def minimize(self, case, schedule, *words):
        return self.run("minimize", "--json", "--budget", f"{SECONDS}s", "-o", schedule + ".min", *words, schedule,
                        os.path.join(self.cases, case + ".so"))


def row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def size(stats):
    return f"{stats['final_events']} ({stats['final_externals']})"


def measure(bench, case, bug, words, demi):
    """Prints a row per seed; gives the sizes that were come to."""
    sizes = []
    for seed in SEEDS:
        schedule = bench.found(case, bug, seed, words)
        if schedule is None:
            row(bug, "not found", *["-"] * 8, "; ".join(map(str, demi)))
            continue
        ours = bench.minimize(case, schedule)
        theirs = bench.minimize(case, schedule, "--compat", "demi")
        kept = bench.minimize(case, schedule, "--no-diverge")
        sizes.append(ours["final_events"])
        row(bug, f"{ours['initial_events']} ({ours['initial_externals']})", size(ours), ours["proof"].split(":")[0], size(theirs),
            size(kept), ours["replays"], f"{ours['replays'] / max(ours['cpu_seconds'], 0.001):.0f}", f"{ours['cpu_seconds']:.1f}",
            f"{theirs['cpu_seconds']:.1f}", "; ".join(map(str, demi)))
    return sizes


def main():
    build = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("BUILD", "build")
    row("bug", "initial (externals)", "clew", "proof", "demi's stages", "no-diverge", "replays", "replays/s", "s", "s, demi's",
        "DEMi: initial; STSSched; TFB; by hand")
    row(*["---"] * 11)
    ratios = {}
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(build, folder)
        for case, bug, words, demi in CASES:
            sizes = measure(bench, case, bug, words, demi)
            if sizes:
                ratios[bug] = statistics.median(sizes) / min(sizes)
    for bug, ratio in ratios.items():
        print(f"{bug}: the median of its seeds is {ratio:.2f} of the least of them")
    is_met = len(ratios) == len(CASES) and max(ratios.values()) <= RATIO_WANTED
    print(f"every bug, at most {RATIO_WANTED} of the least: {'met' if is_met else 'not met'}")


if __name__ == "__main__":
    main()
