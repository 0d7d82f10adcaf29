#!/usr/bin/env python3
"""Measures the worth of each minimizer stage: minimizes the runs of bench/minimize_bench.py with all stages, and without each one.

    bench/minimize_ablation.py [BUILD] [STAGE...]

Every minimization has the same budget of replays, so that the table is the same on every machine. A stage that finds nothing the others
miss shows as a row of zeros. Stages that need another kind of system (switches of tasks, smaller contents) have nothing to do here, and the
table says so. Prints a Markdown table for docs/theory/minimize.md.
"""
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE]
import minimize_bench  # pylint: disable=wrong-import-position

SEEDS = (1, 2)
BUDGET = int(os.environ.get("CLEW_ABLATION_REPLAYS", "40000"))
JOBS = int(os.environ.get("CLEW_ABLATION_JOBS", "1"))
# Stages that only systems of another kind give work: tasks of a program, requests that can bring less, messages that overtake.
ELSEWHERE = {"switches": "programs with tasks", "contents": "systems with `.shrink`"}


def stages_of(bench):
    """Names of all stages of the default pipeline."""
    schedule = os.path.join(HERE, "best", "spark-9256.sched")
    return [entry["stage"] for entry in minimize(bench, ("spark", schedule, "names"), ())["stages"]]


def minimize(bench, start, stages):
    """What the minimization of a start with these stages came to."""
    case, schedule, number = start
    result = os.path.join(bench.folder, f"{number}-{os.urandom(6).hex()}.sched")
    words = [word for stage in stages for word in ("--stage", stage)]
    done = subprocess.run([os.path.join(bench.build, "clew"), "minimize", "--json", "--budget", f"{BUDGET}runs", "-o", result, *words,
                           schedule, bench.system(case)], capture_output=True, text=True, check=False)
    if not done.stdout:
        sys.exit(done.stderr)
    answer = json.loads(done.stdout)
    return {**answer["stats"], "stages": answer["stages"]}


def find_starts(bench):
    starts = []
    for case, bug, *found, _ in minimize_bench.CASES:
        for seed in SEEDS:
            starts.append((case, bench.find(case, bug, *found, seed), len(starts)))
    return starts


def row(stage, base, without):
    pairs = [(a["final_events"], b["final_events"]) for a, b in zip(base, without)]
    more = [b - a for a, b in pairs if b > a]
    less = [a - b for a, b in pairs if b < a]
    removed = sum(-entry["events"] for stats in base for entry in stats["stages"] if entry["stage"] == stage)
    spent = sum(entry["replays"] for stats in base for entry in stats["stages"] if entry["stage"] == stage)
    return (f"| {stage} | {removed} | {spent} | {len(more)} | {sum(more)} | {len(less)} | {sum(less)} |"
            + (f" only for {ELSEWHERE[stage]} |" if stage in ELSEWHERE else " |"))


def main():
    words = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        bench = minimize_bench.Bench(words[0] if words else "build", folder, True)
        every = stages_of(bench)
        starts = find_starts(bench)
        with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
            def run(stages):
                return list(pool.map(lambda start: minimize(bench, start, stages), starts))
            base = run(every)
            print(f"{len(starts)} runs, {BUDGET} replays each; all stages together come to {sum(b['final_events'] for b in base)} steps of "
                  f"{sum(b['initial_events'] for b in base)}.\n")
            print("| without | steps it removed | replays it made | longer results | steps more | shorter results | steps less | |")
            print("| --- | --- | --- | --- | --- | --- | --- | --- |")
            for stage in words[1:] or every:
                print(row(stage, base, run([other for other in every if other != stage])), flush=True)


if __name__ == "__main__":
    main()
