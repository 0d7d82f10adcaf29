#!/usr/bin/env python3
"""Measures the race analysis: the tables that SPIDER's author published, with our columns beside them, and the
figures that are wanted. CPU time throughout, reading included unless said otherwise.

    bench/races_bench.py BUILD [--quick]       --quick leaves out the traces of 10 million events

Times of the published columns were measured on other hardware (an Intel Core i7-8550U); the traces are generated here
in the same shape, so counts of events and candidates agree and counts of races depend on the messages' delays.
Constraints are those of the formula that --via z3 solves; our engine builds none, and pruning leaves them as they are."""
import json
import math
import os
import subprocess
import sys

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "bench"))
from table import Wanted, count, seconds, size, table  # pylint: disable=wrong-import-position

MB = 1000 * 1000

# The dissertation's table 2: benchmark, size in KB, events, constraints, candidates, races, unique, time.
TABLE_2 = [
    ("h5780", 3, 15, 12, 3, 1, 1, "<1 s"),
    ("m3274", 3, 18, 14, 1, 1, 1, "<1 s"),
    ("m5358", 5, 27, 19, 2, 2, 2, "<1 s"),
    ("m4157", 2, 12, 11, 4, 2, 2, "<1 s"),
    ("m5009", 4, 19, 14, 2, 2, 2, "<1 s"),
    ("5N-5C", 74, 420, 488, 325, 121, 1, "<1 s"),
    ("5N-10C", 145, 820, 1464, 1150, 481, 1, "1.8 s"),
    ("5N-100C", 1433, 8020, 104505, 101500, 49835, 1, "1 h 43 min"),
    ("10N-5C", 147, 840, 976, 650, 243, 1, "<1 s"),
    ("10N-10C", 290, 1640, 2920, 2300, 969, 1, "7.8 s"),
    ("10N-100C", 2869, 16040, 6031, 203000, None, None, "> 2 h"),
    ("100N-5C", 1486, 8401, 9800, 6500, 2394, 1, "2 min 53 s"),
    ("100N-10C", 2934, 16401, 29298, 23000, 9651, 1, "1 h 03 min"),
    ("100N-100C", 29076, 160400, 60301, 2030000, None, None, "> 2 h"),
]

# Table 3, with pruning: benchmark, redundant events and their percentage, constraints, candidates, races, unique, time.
TABLE_3 = [
    ("5N-5C", 122, 29, 196, 62, 27, 1, "<1 s"),
    ("5N-10C", 296, 36, 339, 99, 45, 1, "<1 s"),
    ("5N-100C", 3875, 48, 2179, 135, 65, 1, "8.0 s"),
    ("10N-5C", 207, 24, 446, 173, 78, 1, "<1 s"),
    ("10N-10C", 520, 32, 838, 348, 149, 1, "<1 s"),
    ("10N-100C", 7466, 47, 5180, 1028, 509, 1, "4 min 44 s"),
    ("100N-5C", 1980, 24, 4437, 1668, 753, 1, "30.3 s"),
    ("100N-10C", 3719, 22, 11893, 6615, 3134, 1, "22 min 25 s"),
    ("100N-100C", 47800, 30, 47601, 350202, None, None, "> 2 h"),
]


class Bench:
    """The programs of one build, and a folder for the traces they make and read."""

    def __init__(self, build):
        self.build = os.path.abspath(build)
        self.traces = os.path.join(self.build, "bench", "traces")
        os.makedirs(self.traces, exist_ok=True)

    def program(self, name):
        return os.path.join(self.build, name)

    def run(self, words, output=None):
        """Runs a program to its end; returns what it printed, its CPU seconds and its peak of memory in bytes."""
        with subprocess.Popen(words, stdout=output or subprocess.PIPE) as child:
            printed = child.stdout.read() if output is None else b""
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode not in (0, 1):
            sys.exit(f"races_bench: {' '.join(words)}: status {child.returncode}")
        return printed, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024

    def generated(self, name, generator, *numbers):
        """The path of a generated trace, made when it is not there yet."""
        path = os.path.join(self.traces, name)
        if not os.path.exists(path):
            with open(path + ".part", "wb") as file:
                self.run([self.program("bench/" + generator), *map(str, numbers)], file)
            os.rename(path + ".part", path)
        return path

    def cyclon(self, nodes, cycles):
        return self.generated(f"{nodes}N-{cycles}C.log", "gen_cyclon", nodes, cycles, 1)

    def native(self, path):
        """The same trace in the native format."""
        made = os.path.splitext(path)[0] + ".clew"
        if not os.path.exists(made):
            self.run([self.program("clew"), "convert", "-q", path, "-o", made])
        return made

    def races(self, path, *options):
        """What `clew races` counts in a trace, with its CPU seconds and peak of memory."""
        words = [self.program("clew"), "races", "--json", "--limit", "0", "-q", *options, path]
        printed, cpu, peak = self.run(words)
        report = json.loads(printed)
        return {"events": report["events"], **report["stats"], "cpu": cpu, "peak": peak,
                "size": os.path.getsize(path)}

    def decide(self, what, path):
        """What decide_bench says of a trace."""
        return json.loads(self.run([self.program("bench/decide_bench"), what, path])[0])

    def constraints(self, path):
        return self.decide("constraints", path)["constraints"]


def trace_of(bench, name):
    """The trace of a row, and the options that decide its kind of candidates."""
    if "N-" not in name:
        return os.path.join(ROOT, "test", "litmus", name + ".log"), []
    nodes, cycles = name[:-1].split("N-")
    return bench.cyclon(int(nodes), int(cycles)), ["--only", "data"]


def candidates(got):
    return got["data_candidates"] + got["message_candidates"]


def races(number, unique):
    return "-" if number is None else f"{number:,} ({unique})"


def our_races(got):
    """Pairs of accesses, those that racing messages bring among them."""
    return races(got["data_races"] + got["conflict_pairs"], got["location_pairs"])


def print_table_2(bench):
    rows = []
    for name, kilobytes, events, constraints, pairs, racing, unique, time in TABLE_2:
        path, options = trace_of(bench, name)
        got = bench.races(path, "--no-prune", *options)
        rows.append([name, f"{kilobytes} KB", size(got["size"]), count(events), count(got["events"]),
                     count(constraints), count(bench.constraints(path)), count(pairs), count(candidates(got)),
                     races(racing, unique), our_races(got), time, seconds(got["cpu"])])
    table("Table 2: without pruning (published | ours)",
          ["benchmark", "size", "ours", "events", "ours", "constraints", "ours", "candidates", "ours",
           "races (unique)", "ours", "time", "ours"], rows)


def print_table_3(bench):
    rows = []
    for name, redundant, percent, constraints, pairs, racing, unique, time in TABLE_3:
        path, options = trace_of(bench, name)
        got = bench.races(path, "--prune", *options)
        pruned = got["pruned_events"]
        rows.append([name, f"{count(redundant)} ({percent}%)",
                     f"{count(pruned)} ({100 * pruned // got['events']}%)", count(constraints),
                     count(bench.constraints(path)), count(pairs), count(candidates(got)), races(racing, unique),
                     our_races(got), time, seconds(got["cpu"])])
    table("Table 3: with pruning (published | ours)",
          ["benchmark", "pruned", "ours", "constraints", "ours", "candidates", "ours", "races (unique)", "ours",
           "time", "ours"], rows)


def rate(number):
    return f"{number / 1e6:.1f} M/s"


def measure_cyclon(bench, wanted):
    got = bench.races(bench.cyclon(100, 100), "--no-prune")
    what = f"100N-100C, {candidates(got):,} candidates, strict"
    wanted.at_most(f"{what}: time", 1.0, got["cpu"], seconds)
    wanted.at_most(f"{what}: memory", 200 * MB, got["peak"], size)
    got = bench.races(bench.cyclon(100, 625))
    what = f"100N-625C, {got['events']:,} events, unique places"
    wanted.at_most(f"{what}: time", 3.0, got["cpu"], seconds)
    wanted.at_most(f"{what}: memory", 400 * MB, got["peak"], size)


def measure_solvers(bench, wanted):
    got = bench.decide("time", bench.cyclon(10, 10))
    engine, z3 = got["engine"], got["z3"]
    same = all(engine[key] == z3[key] for key in ("candidates", "races", "unknown"))
    wanted.line("10N-10C: z3 and our engine agree", "yes", "yes" if same else "no", same)
    wanted.at_most("10N-10C through z3, decisions only (published: 7.8 s)", 7.8, z3["seconds"], seconds)
    wanted.at_least("10N-10C: our engine against z3, decisions only", 1000, z3["seconds"] / engine["seconds"],
                    lambda ratio: f"{ratio:,.0f} x")


def measure_growth(bench, wanted, is_quick):
    """CPU time against events, from the native format, when only unique places are asked."""
    points = []
    for cycles in (100, 625) if is_quick else (100, 625, 6250):
        got = bench.races(bench.native(bench.cyclon(100, cycles)))
        points.append((got["events"], got["cpu"]))
    (least, first), (most, last) = points[0], points[-1]
    exponent = math.log(last / first) / math.log(most / least)
    wanted.at_most(f"exponent of time from {least:,} to {most:,} events", 1.15, exponent, lambda x: f"{x:.2f}")


def measure_std(bench, wanted, events):
    path = bench.generated(f"{events}.std", "gen_std", 12, 32, 1000, events, 1)
    native = bench.native(path)
    for what, trace, model, least in (("observed, from STD", path, "observed", 3e6),
                                      ("observed, from native", native, "observed", 10e6),
                                      ("sound, from STD", path, "sound", 1e6)):
        got = bench.races(trace, "--model", model)
        wanted.at_least(f"{events:,} events of 12 threads, {what}", least, got["events"] / got["cpu"], rate)


# Shapes for which a method that is not near-linear takes too long: a generator and its arguments, which are for gen_std
# threads, locks, variables, events and seed; for gen_mixed threads, locks, variables, events, places (0: each access has
# its own), percentage of accesses without a lock, and seed. Then per model the seconds of CPU that are enough.
SHAPES = [
    ("one contended lock, 10 variables", ("gen_std", 4, 1, 10, 1000000, 1), {"strict": 4, "sound": 4, "observed": 2}),
    ("one contended lock, 1,000 variables", ("gen_std", 8, 1, 1000, 1000000, 1), {"strict": 4, "sound": 4, "observed": 2}),
    ("500 threads, 32 locks", ("gen_std", 500, 32, 1000, 1000000, 1), {"strict": 6, "sound": 6, "observed": 2}),
    ("500 threads, no lock", ("gen_std", 500, 0, 1000, 1000000, 1), {"strict": 6, "sound": 6, "observed": 2}),
    ("one contended lock, feasible", ("gen_std", 8, 1, 10, 20000, 1), {"feasible": 20}),
    ("32 locks, feasible", ("gen_std", 12, 32, 1000, 20000, 1), {"feasible": 20}),
    ("a place for each access, one lock", ("gen_mixed", 8, 1, 100, 20000, 0, 20, 1), {"feasible": 20}),
    ("a place for each access, 10 variables", ("gen_mixed", 8, 1, 10, 20000, 0, 20, 1), {"feasible": 20}),
    ("a place for each access, 3 locks", ("gen_mixed", 8, 3, 10, 20000, 0, 20, 1), {"feasible": 20}),
    ("a place for each access, no lock", ("gen_mixed", 8, 0, 10, 20000, 0, 20, 1), {"feasible": 20}),
    ("a place for each access, 500 threads", ("gen_mixed", 500, 10, 1000, 20000, 0, 20, 1), {"feasible": 20}),
    ("20 places a variable, one lock", ("gen_mixed", 4, 1, 10, 1000000, 20, 20, 1),
     {"strict": 4, "sound": 4, "observed": 2}),
    ("200 places a variable, one lock", ("gen_mixed", 4, 1, 100, 1000000, 200, 20, 1),
     {"strict": 20, "sound": 20, "observed": 2}),  # 2 million pairs of places
]


def measure_shapes(bench, wanted):
    for what, numbers, models in SHAPES:
        arguments = " ".join(map(str, numbers))
        path = bench.generated("-".join(map(str, numbers)) + ".std", *numbers)
        for model, enough in models.items():
            got = bench.races(path, "--model", model)
            name = f"{what} ({arguments}), {model}"
            wanted.at_most(f"{name}: time", enough, got["cpu"], seconds)
            wanted.at_most(f"{name}: memory", 500 * MB, got["peak"], size)
            if model == "feasible":
                wanted.at_most(f"{name}: undecided", 0, got["unknown"], count)


def measure_deadlocks(bench, wanted):
    """Lock graphs of many sections, with gates and nesting but without a cycle, as most are."""
    for what, numbers in (("12 threads, 32 locks", (12, 32, 1000, 1000000, 1)),
                          ("500 threads, 32 locks", (500, 32, 1000, 1000000, 1))):
        path = bench.generated("gen_std-" + "-".join(map(str, numbers)) + ".std", "gen_std", *numbers)
        got = bench.races(path, "--only", "deadlock")
        name = f"{what} (gen_std {' '.join(map(str, numbers))}), deadlocks"
        wanted.at_most(f"{name}: time", 2, got["cpu"], seconds)
        wanted.at_most(f"{name}: memory", 500 * MB, got["peak"], size)


def measure_all_pairs(bench, wanted):
    """Pairs that nobody lists are counted, not kept."""
    path = bench.cyclon(100, 100)
    counted, paired = bench.races(path), bench.races(path, "--all-pairs")
    wanted.at_most("100N-100C, --all-pairs --limit 0: memory against counting", 1.5, paired["peak"] / counted["peak"],
                   lambda ratio: f"{ratio:.1f} x")
    wanted.at_most("100N-100C, --all-pairs --limit 0: time against counting", 2.0, paired["cpu"] / counted["cpu"],
                   lambda ratio: f"{ratio:.1f} x")


def main():
    bench, is_quick = Bench(sys.argv[1]), "--quick" in sys.argv[2:]
    print_table_2(bench)
    print_table_3(bench)
    wanted = Wanted()
    measure_cyclon(bench, wanted)
    measure_solvers(bench, wanted)
    measure_growth(bench, wanted, is_quick)
    measure_std(bench, wanted, 1000000 if is_quick else 10000000)
    measure_shapes(bench, wanted)
    measure_deadlocks(bench, wanted)
    measure_all_pairs(bench, wanted)
    print(f"\n{wanted.short} short" if wanted.short else "\nall met")
    return 1 if wanted.short else 0


if __name__ == "__main__":
    sys.exit(main())
