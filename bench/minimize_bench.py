#!/usr/bin/env python3
"""Minimizes violations of the case studies and prints the sizes beside DEMi's.

    bench/minimize_bench.py [--quick] [--update] [BUILD] [CASE...]

For each bug, the first run that fuzzing finds to show it after so many deliveries is minimized our way, in DEMi's order of
stages, and without diverging. Sizes are deliveries and timers, in parentheses those from outside. Best is the least that is
known: bench/minimize_best.txt, whose schedules are in bench/best/ and may only become shorter (--update writes those that did).
CLEW_MINIMIZE_SECONDS is the budget of our minimization, in seconds of the processor, CLEW_MINIMIZE_OTHERS that of the two others;
--quick takes ten seconds for ours and leaves the others out.
"""
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE]
import minimize_best  # pylint: disable=wrong-import-position
import table  # pylint: disable=wrong-import-position

RATIO_MOST = 1.2
REPLAYS_LEAST = 20000
EVENTS_LEAST = 2000000
EVENTS_LONG = 1000

RAFT = "demi=1,patience=1,commands="
SPARK = "workers=20,jobs=40"
# The bug, what is chosen beside it, the weights (bench/long_run.c) and the lengths of runs that are minimized, and DEMi's tables 1
# and 2: initial, STSSched, TFB, made by hand, NoDiverge, seconds.
CASES = (
    ("raft", "raft-45", RAFT + "100", "4:1:4", (2160, 3500), (2160, 1183, 23, 22, 1826, 170)),
    ("raft", "raft-46", RAFT + "100", "4:1:4", (1250, 3000), (1250, 674, 35, 23, 896, 282)),
    ("raft", "raft-56", RAFT + "100", "4:1:4", (2380, 3500), (2380, 1427, 82, 21, 2064, 2132)),
    ("raft", "raft-58a", RAFT + "256", "20:1:1", (2850, 5000), (2850, 953, 226, 51, 2368, 43482)),
    ("raft", "raft-58b", RAFT + "200", "4:1:4", (1500, 3500), (1500, 164, 40, 28, 1103, 54)),
    ("raft", "raft-42", RAFT + "200", "4:1:4", (1710, 3500), (1710, 1093, 180, 39, 1264, 10676)),
    ("raft", "raft-66", RAFT + "60", "4:1:4", (400, 1000), (400, 262, 77, 29, 279, 348)),
    ("spark", "spark-2294", SPARK, "1:4:4", (1000, 2000), (1000, 43, 40, 25, 43, 427)),
    ("spark", "spark-3150", SPARK, "10:10:1", (600, 1000), (600, 18, 14, 11, 18, 245)),
    ("spark", "spark-9256", SPARK, "1:1:1", (300, 1000), (300, 11, 11, 11, 11, 96)),
)


def processor_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def stop_after(process, seconds):
    """Waits for the process, and asks it to end once it has used so many seconds of the processor; whether it was asked."""
    while True:
        try:
            process.wait(0.2)
            return False
        except subprocess.TimeoutExpired:
            if processor_seconds(process.pid) >= seconds:
                process.send_signal(signal.SIGINT)
                process.wait()
                return True


class Bench:
    def __init__(self, build, folder, is_quick):
        self.build = os.path.abspath(build)
        self.folder = folder
        self.is_quick = is_quick
        self.found_count = 0
        self.seconds = 10 if is_quick else int(os.environ.get("CLEW_MINIMIZE_SECONDS", "60"))
        self.seconds_others = int(os.environ.get("CLEW_MINIMIZE_OTHERS", str(self.seconds)))

    def system(self, case):
        return os.path.join(self.build, "cases", case + ".so")

    def find(self, case, bug, chosen, weights, lengths, seed=1):  # pylint: disable=too-many-arguments
        """The schedule of a long run that shows the bug, a file of its own."""
        self.found_count += 1
        schedule = os.path.join(self.folder, f"{bug}-{self.found_count}.sched")
        program = os.path.join(self.build, "bench", "long_run")
        subprocess.run([program, self.system(case), f"{bug},{chosen}", weights, str(seed), *map(str, lengths), schedule],
                       check=True, stdout=subprocess.DEVNULL)
        return schedule

    def minimize(self, case, schedule, result, seconds, *words):
        """What it came to within so many seconds of the processor, however busy the machine is."""
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as complaints:
            with subprocess.Popen([os.path.join(self.build, "clew"), "minimize", "--json", "-o", result, *words, schedule,
                                   self.system(case)], stdout=out, stderr=complaints) as process:
                is_stopped = stop_after(process, seconds)
            out.seek(0)
            complaints.seek(0)
            text = out.read()
            if not text or (process.returncode != 0 and not is_stopped):
                sys.exit(complaints.read())
            return json.loads(text)["stats"]


def size(stats):
    return f"{stats['final_events']} ({stats['final_externals']})"


def rate(stats, what):
    return stats[what] / max(stats["cpu_seconds"], 0.001)


def measure(bench, case, bug, found, best):
    """A row, and what the run on long schedules came to."""
    chosen, weights, lengths, demi = found
    schedule = bench.find(case, bug, chosen, weights, lengths)
    result = os.path.join(bench.folder, bug + ".min.sched")
    ours = bench.minimize(case, schedule, result, bench.seconds)
    others = [] if bench.is_quick else [
        bench.minimize(case, schedule, schedule + ".other", bench.seconds_others, *words)
        for words in (("--compat", "demi"), ("--no-diverge",))]
    known = best.known(bug, demi[3])
    known = min(known, ours["final_events"]) if not best.is_proven(bug) else known
    row = [bug, f"{ours['initial_events']} ({ours['initial_externals']})", size(ours), known, f"{ours['final_events'] / known:.2f}",
           re.split("[:;,]", ours["proof"])[0].replace("optimal among the same kinds of steps", "none of its kinds"),
           ours["replays"], f"{ours['cpu_seconds']:.0f}", *(size(other) for other in others), *demi]
    return row, ours["final_events"] / known, {**ours, "schedule": schedule, "result": result}


def measure_speed(bench, wanted, results):
    """Replays of a short schedule, and deliveries of a long one, for a second each."""
    for name, (case, stats) in results.items():
        short = bench.minimize(case, stats["result"], stats["result"] + ".again", 5, "--stage", "detours")
        wanted.at_least(f"{name}: replays/s of {short['initial_events']} events", REPLAYS_LEAST, rate(short, "replays"), lambda n: f"{n:,.0f}")
        if stats["initial_events"] < EVENTS_LONG:
            continue  # it would be short before the program has started
        long = bench.minimize(case, stats["schedule"], stats["schedule"] + ".again", 5, "--stage", "chunks")
        wanted.at_least(f"{name}: deliveries/s of {long['initial_events']} events", EVENTS_LEAST, rate(long, "replayed_events"),
                        lambda n: f"{n:,.0f}")
        wanted.told(f"{name}: of them taken anew, not gone back to", f"{rate(long, 'executed_events'):,.0f}")


NINE = 9
# DEMi's table 3: without and with shrinking, initial and final (bootstraps), and how many members are left.
DEMI_NINE = (("DEMi", "360 (9)", "81 (8)", NINE), ("DEMi", "360 (9)", "51 (5)", 5))


def members_of(schedule):
    """The most members that a bootstrap of the schedule names, and how many bootstraps there are."""
    contents, bootstraps = {}, set()
    with open(schedule, encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if words[:1] == ["content"]:
                contents[words[1]] = bin(int(words[2][24:32], 16)).count("1")
            elif words[:1] == ["message"] and "/bootstrap#" in words[1]:
                bootstraps.add(words[1])
    return max((contents.get(name, NINE) for name in bootstraps), default=0)


def measure_contents(bench):
    """DEMi's table 3: nine nodes and nothing from outside but their bootstraps, with and without smaller contents."""
    rows = []
    for shrinks in (0, 1):
        contents = "shrunk" if shrinks else "as they are"
        schedule = bench.find("raft", "raft-45", f"{RAFT}0,nodes={NINE},shrinks={shrinks}", "4:1:4", (360, 450))
        for words in ((), ("--compat", "demi-paper")):
            result = schedule + ".nine"
            stats = bench.minimize("raft", schedule, result, bench.seconds, *words)
            rows.append([contents, words[-1] if words else "clew", f"{stats['initial_events']} ({stats['initial_externals']})", size(stats),
                         members_of(result)])
        rows.append([contents, *DEMI_NINE[shrinks]])
    table.table("Nine nodes, raft-45: bootstraps (DEMi's table 3)", ["contents", "how", "initial", "final", "members"], rows)


def main():
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    is_quick = "--quick" in sys.argv
    best = minimize_best.Best(HERE)
    heads = ["bug", "initial", "clew", "best", "ratio", "proof", "replays", "CPU s", *([] if is_quick else ["demi's stages", "no-diverge"]),
             "DEMi: initial", "STSSched", "TFB", "by hand", "NoDiverge", "s"]
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(words[0] if words else os.environ.get("BUILD", "build"), folder, is_quick)
        rows, ratios, results = [], [], {}
        for case, bug, *found in CASES:
            if len(words) > 1 and bug not in words[1:]:
                continue
            row, ratio, stats = measure(bench, case, bug, found, best)
            print(*row, file=sys.stderr, flush=True)
            rows.append(row)
            ratios.append(ratio)
            results[bug] = (case, stats)
            if "--update" in sys.argv and best.offer(bug, stats):
                shutil.copy(stats["result"], best.schedule(bug))
                best.write()
        table.table(f"Minimized within {bench.seconds} s of the processor each", heads, rows)
        if not is_quick:
            measure_contents(bench)
        wanted = table.Wanted()
        wanted.at_most("size over the least known, the worst", RATIO_MOST, max(ratios), lambda n: f"{n:.2f}")
        wanted.at_most("size over the least known, the median", 1.0, statistics.median(ratios), lambda n: f"{n:.2f}")
        measure_speed(bench, wanted, {bug: results[bug] for bug in ("raft-45", "raft-58b", "raft-66") if bug in results})


if __name__ == "__main__":
    main()
