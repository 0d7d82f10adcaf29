#!/usr/bin/env python3
"""Measures the search of a wrapped library: bench/programs/raft_library.c and its parts, a Raft that uses malloc, three members, runs of 300
steps.

    bench/library_bench.py [BUILD] [BEFORE]

Prints a table, wanted and got: steps per second of processor time for random and auto, with gcc and clang, the best of some rounds, beside
those of a harness without clew (raft_harness.c); and how many runs find the mistake of the Raft paper's figure 8, with weights and without, the
median of some seeds.
BEFORE is the build folder of an older clew: then the replays per second of a minimization of the Raft case are compared too, of the same
schedule, each with its own build of the case.
"""
import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PARTS = ("library", "log", "members", "requests", "store")
ALL_FEATURES = ("-DCHANGES", "-DSNAPSHOT_AFTER=3")  # commands sent twice, changes of members, and snapshots in most runs
ROUNDS = 5
RUNS = {"random": 20000, "auto": 10000}
WANTED = {"random": 3.0, "auto": 2.0}
REPLAYS_WANTED = 1.8
REPLAYS = 40000  # of one minimization: beside them, the start of the process is little
FIGURE_8_SEEDS = range(1, 16)  # the first run that shows a rare thing varies widely
FIGURE_8_WEIGHTS = "timer=1,message=8"
FIGURE_8_WANTED = 1000  # runs in the median, with weights; random without weights finds nothing in RUNS_WITHOUT
FIGURE_8_WANTED_AUTO = 2000  # it has to find the weights; the median of 15 exponential times of median 1,000 is below 1,900 in 39 of 40 cases
RUNS_WITHOUT = 20000


def run(*words, cwd):
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=cwd)
    if done.returncode not in (0, 1):
        sys.exit(done.stderr)
    return done.stdout


def row(what, got, unit, wanted):
    print(f"{what:44} {got:12.2f} {unit:10} > {wanted:10.4g}  {'yes' if got >= wanted else 'no'}", flush=True)


def steps_per_second(clew, library, strategy, folder):
    best = 0
    for _ in range(ROUNDS):
        shutil.rmtree(os.path.join(folder, "campaign"), ignore_errors=True)
        out = run(clew, "explore", "--json", "-o", "campaign", "--strategy", strategy, "--budget", f"{RUNS[strategy]}runs", "--depth", "300",
                  library, cwd=folder)
        stats = json.loads(out)["stats"]
        best = max(best, stats["steps"] / stats["cpu_seconds"] / 1e6)
    return best


def sources_with(glue):
    return [os.path.join(HERE, "programs", "raft_" + part + ".c") for part in (*PARTS, glue)]


def build(clew, compiler, folder, name, *words):
    run(clew, "cc", "--sim", "--with", compiler, "-O2", *words, *sources_with("system"), "-o", name, cwd=folder)
    return "./" + name


def harness_steps_per_second(folder):
    """In millions, of the library without clew; the best of some rounds."""
    run("gcc", "-O2", *ALL_FEATURES, *sources_with("harness"), "-o", "harness", cwd=folder)
    return max(float(run("./harness", "10000", cwd=folder)) for _ in range(ROUNDS))


def runs_until_found(clew, library, seed, options, folder):
    """The number of the run that breaks a property; None: none of RUNS_WITHOUT does."""
    shutil.rmtree(os.path.join(folder, "campaign"), ignore_errors=True)
    out = run(clew, "explore", "--first", "-o", "campaign", "--seed", str(seed), *options, "--budget", f"{RUNS_WITHOUT}runs", "--depth", "300",
              library, cwd=folder)
    said = re.search(r"shown by run (\d+)", out)
    return None if said is None else int(said[1])


def print_figure_8(clew, folder):
    """Every timer is a timeout: without weights hardly a run commits anything. The default strategy balances by itself."""
    library = build(clew, "gcc", folder, "figure8.so", "-DFIGURE_8", "-DTICKS=20")
    for what, wanted, options in (("random", None, ("--strategy", "random")),
                                  ("random, " + FIGURE_8_WEIGHTS, FIGURE_8_WANTED, ("--strategy", "random", "--weights", FIGURE_8_WEIGHTS)),
                                  ("auto, no weights", FIGURE_8_WANTED_AUTO, ())):
        seeds = FIGURE_8_SEEDS if wanted else FIGURE_8_SEEDS[:3]
        found = [runs_until_found(clew, library, seed, options, folder) or RUNS_WITHOUT + 1 for seed in seeds]
        median = statistics.median_low(found)
        text = f"> {RUNS_WITHOUT}" if median > RUNS_WITHOUT else str(median)
        is_met = median <= wanted if wanted else min(found) > RUNS_WITHOUT
        print(f"{'runs to figure 8, ' + what:44} {text:>12} {'':10} {'< ' + str(wanted) if wanted else 'none':>12}  {'yes' if is_met else 'no'}",
              flush=True)


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def replays_per_second(clew, folder, name, schedule):
    """Of the first replays of a minimization; of processor time, the best of some rounds."""
    library = build_case(clew, folder, name)
    best = 0
    for _ in range(ROUNDS):
        begin = processor_seconds()
        done = subprocess.run([clew, "minimize", "--budget", f"{REPLAYS}runs", "-o", name + ".sched", schedule, library], capture_output=True,
                              text=True, check=False, cwd=folder)
        said = re.search(r"(\d+) replays in", done.stdout + done.stderr)
        if said is None:
            sys.exit(done.stdout + done.stderr)
        best = max(best, int(said[1]) / (processor_seconds() - begin))
    return best


def build_case(clew, folder, name):
    case = os.path.join(HERE, "..", "cases", "raft")
    sources = [os.path.join(case, file) for file in ("invariants.c", "raft.c", "system.c")]
    library = "./" + name + ".so"
    run(clew, "cc", "--sim", "--with", "gcc", "-O2", *sources, "-o", library, cwd=folder)
    return library


def find_long(clew, folder):
    """A schedule of the Raft case that is far from short."""
    library = build_case(clew, folder, "found")
    run(clew, "explore", "--first", "--strategy", "random", "-o", "found", "--bug", "raft-58a", "--budget", "1000runs", library, cwd=folder)
    return "found/violations/1.sched"


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "..", "build")
    clew = os.path.abspath(os.path.join(folder, "clew"))
    print(f"{'a Raft library of 1,750 lines, 300 steps':44} {'got':>12} {'':10}   {'wanted':>10}")
    with tempfile.TemporaryDirectory() as work:
        row("steps, a harness without clew, gcc", harness_steps_per_second(work), "M/s", 0)
        for compiler in ("gcc", "clang"):
            if shutil.which(compiler) is None:
                continue
            library = build(clew, compiler, work, compiler + ".so", *ALL_FEATURES)
            for strategy, wanted in WANTED.items():
                row(f"steps, {strategy}, {compiler}", steps_per_second(clew, library, strategy, work), "M/s", wanted)
        print_figure_8(clew, work)
        if len(sys.argv) > 2:
            before = os.path.abspath(os.path.join(sys.argv[2], "clew"))
            schedule = find_long(clew, work)
            now, then = replays_per_second(clew, work, "now", schedule), replays_per_second(before, work, "then", schedule)
            row("replays of a minimization, now", now / 1e3, "k/s", 0)
            row("the same, before", then / 1e3, "k/s", 0)
            row("times as many", now / then, "", REPLAYS_WANTED)


if __name__ == "__main__":
    main()
