#!/usr/bin/env python3
"""Searches the programs of cases/threads for their bugs with every strategy, and prints how many runs that takes; Dara's
programs are put beside the figures of its thesis.

    bench/threads_bench.py [--quick] [--write] [BUILD [PART...]]     as make bench-threads does

--quick measures speed, and the kernels with the default strategy in 100 runs. --write puts the tables of the part `found`
into cases/threads/README.md. CLEW_THREADS_SEEDS is how many searches of a program are made, CLEW_THREADS_TWIN how many
runs of a twin.
"""
import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "test", "cases"))
import table  # pylint: disable=wrong-import-position
import threads  # pylint: disable=wrong-import-position
import threads_found  # pylint: disable=wrong-import-position

TWIN_RUNS = int(os.environ.get("CLEW_THREADS_TWIN", "10000"))

# Small ones: 2 to 4 threads, under 200 steps. Runs per second of processor time that are wanted of each mode.
SPEED_PROGRAMS = ("account", "dining", "bounded_buffer", "stack")
SPEED_WANTED = {"fiber": 20000, "fork": 1000}
SPEED_RUNS = {"fiber": 20000, "fork": 1000, "thread": 500, "exec": 100}
STEP_WANTED_US = 0.3
STEP_ROUNDS = (10, 500)
STEP_RUNS = 2000
NATIVE_RUNS = 20
DARA_SLOWDOWN = 3.2  # a path of dining philosophers, over a run by itself

# Buggy paths of so many, chapter 6 of the thesis: random, unique, frequency.
DARA = (("philosophers", 50, (34, 42, 40)), ("producer_consumer", 50, (15, 29, 20)), ("loop_variable", 20, (16, 13, 12)))
DARA_STRATEGIES = ("random", "unique", "frequency")
# Programs are scheduled where Dara does it, at synchronization alone; blocks of code are counted still.
AT_SYNCHRONIZATION = ("-fno-sanitize=thread", "-fsanitize-coverage=trace-pc")
STATE_PATHS = (10, 20, 30, 40, 50)

# What things cost, of programs/calls.c: so many calls of a run, of two lengths; by itself, and in so many runs under control.
CALLS = (("mutex", "a lock and an unlock"), ("clock", "clock_gettime"), ("random", "getrandom"), ("pid", "getpid"),
         ("malloc", "malloc and free"), ("yield", "sched_yield"), ("atomic", "an atomic store"), ("var", "clew_var"))
CALLS_ALONE = (1000, 3001000)
CALLS_CONTROLLED = (10, 1010)
CALL_RUNS = 2000
COST_ROUNDS = 3  # the least of so many
PROPERTY_COUNTS = (1, 2, 5, 10)
PROPERTY_ROUNDS = 10
# Chapter 6 of the thesis, of its own system and machine.
DARA_COSTS = {"property build": "under 1 s for 10", "property load": "under 6 ms for 10", "property check": "80 us for 10",
              "call": "40-50 ns more", "event": "14.161 us", "block": "369 ns", "choice": "under 10 us"}


class Bench:
    def __init__(self, build, folder):
        self.clew = os.path.join(os.path.abspath(build), "clew")
        self.folder = folder

    def explore(self, program, is_fixed, *options, flags=()):
        """What a search of one of the programs gives, as an object."""
        spec = ["--spec", program.spec] if program.spec else []
        return self.explore_command([program.build(self.clew, self.folder, is_fixed, *flags), *program.arguments], *spec, *options)

    def explore_command(self, command, *options):
        with tempfile.TemporaryDirectory(dir=self.folder) as own:
            words = [self.clew, "explore", "-q", "--json", *options, "-o", os.path.join(own, "own"), "--", *command]
            done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=self.folder)
        if done.returncode not in (0, 1, 3):  # 3: nothing found, and not everything could be checked
            sys.exit(f"{' '.join(words)}: {done.stderr}")
        return json.loads(done.stdout)

    def step_us(self):
        """What a step costs with fibers: the difference between long runs and short ones."""
        path = self.program("rounds")
        taken = []
        for rounds in STEP_ROUNDS:
            seconds, result = cpu_seconds(lambda r=rounds: self.explore_command(
                [path, str(r)], "--mode", "fiber", "--strategy", "random", "--budget", f"{STEP_RUNS}runs"))
            taken.append((seconds, result["stats"]["steps"]))
        (few_seconds, few), (many_seconds, many) = taken
        return 1e6 * (many_seconds - few_seconds) / (many - few)

    def program(self, name):
        """One of bench/programs, built with clew cc."""
        path = os.path.join(self.folder, name)
        if not os.path.exists(path):
            subprocess.run([self.clew, "cc", "-g", "-O1", "-pthread", "-I", os.path.join(HERE, "..", "include"),
                            os.path.join(HERE, "programs", name + ".c"), "-o", path], check=True)
        return path

    def call_ns(self, call, *options, strategy="random"):
        """What a call costs under control: the difference between long runs and short ones."""
        few, many = (least_seconds(COST_ROUNDS, lambda n=count: self.explore_command(
            [self.program("calls"), call, str(n)], "--mode", "fiber", "--strategy", strategy, "--depth", str(10 * n), "--budget",
            f"{CALL_RUNS}runs", *options)) for count in CALLS_CONTROLLED)
        return 1e9 * (many - few) / CALL_RUNS / (CALLS_CONTROLLED[1] - CALLS_CONTROLLED[0])

    def call_alone_ns(self, call):
        few, many = (least_seconds(COST_ROUNDS, lambda n=count: subprocess.run([self.program("calls"), call, str(n)], check=True))
                     for count in CALLS_ALONE)
        return 1e9 * (many - few) / (CALLS_ALONE[1] - CALLS_ALONE[0])

    def strategies(self):
        """The names that --strategy takes, as the help lists them."""
        text = subprocess.run([self.clew, "explore", "--help"], capture_output=True, text=True, check=True).stdout
        return set(re.findall(r"\w+", text[text.index("--strategy"):text.index("--bug")]))


def cpu_seconds(do):
    """Processor time of the children that this makes, and what it gives."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = do()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, result


def least_seconds(rounds, do):
    return min(cpu_seconds(do)[0] for _ in range(rounds))


def speed(bench, wanted, _):
    """Twins are run: nothing is saved on the way."""
    programs = {program.name: program for program in threads.programs()}
    rows = []
    for name in SPEED_PROGRAMS:
        row = [name]
        for mode, runs in SPEED_RUNS.items():
            taken, result = cpu_seconds(lambda n=name, m=mode, r=runs: bench.explore(
                programs[n], True, "--mode", m, "--strategy", "random", "--budget", f"{r}runs"))
            stats = result["stats"]
            row.append(f"{stats['runs'] / taken:,.0f}")
            if mode in SPEED_WANTED:
                wanted.at_least(f"{name}: runs per second, {mode}", SPEED_WANTED[mode], round(stats["runs"] / taken), "{:,}".format)
        rows.append(row)
    table.table("Runs per second of processor time", ["program", *SPEED_RUNS], rows)
    wanted.at_most("microseconds per step, fiber", STEP_WANTED_US, bench.step_us(), "{:.2f}".format)
    path = programs["philosophers"].build(bench.clew, bench.folder, True)
    native, _ = cpu_seconds(lambda: [subprocess.run([path], check=True) for _ in range(NATIVE_RUNS)])
    taken, result = cpu_seconds(lambda: bench.explore(programs["philosophers"], True, "--strategy", "random", "--budget", "1000runs"))
    wanted.at_most("dining philosophers: a path over a run by itself", DARA_SLOWDOWN,
                   taken / result["stats"]["runs"] / (native / NATIVE_RUNS), "{:.2f}".format)


def twins(bench, wanted, _):
    runs = 0
    reported = []
    kernels = threads.kernels()
    for program in kernels + threads_found.others(threads.programs(), kernels):
        result = bench.explore(program, True, "--budget", f"{TWIN_RUNS}runs")
        runs += result["stats"]["runs"]
        reported += [program.title] * bool(result["findings"])
    wanted.at_most(f"twins reported, in {runs} runs", 0, len(reported), str)
    for title in reported:
        print(f"  {title}")


def dara(bench, *_):
    programs = {program.name: program for program in threads.programs()}
    rows = []
    for name, paths, theirs in DARA:
        for strategy, their in zip(DARA_STRATEGIES, theirs):
            options = ("--strategy", strategy, "--budget", f"{paths}runs")
            stats, coarse = (bench.explore(programs[name], False, *options, flags=flags)["stats"] for flags in ((), AT_SYNCHRONIZATION))
            rows.append([name, strategy, f"{stats['violating_runs']} of {paths}", f"{coarse['violating_runs']} of {paths}",
                         f"{their} of {paths}", threads_found.show(stats["first_violation_run"])])
    table.table("Paths that show the bug, beside Dara's", ["program", "strategy", "clew", "at synchronization", "Dara", "first"], rows)


def states(bench, *_):
    program = next(p for p in threads.programs() if p.name == "philosophers")
    rows = []
    for strategy in DARA_STRATEGIES:
        rows.append([strategy, *(bench.explore(program, False, "--strategy", strategy, "--budget", f"{paths}runs")["stats"]["states"]
                                 for paths in STATE_PATHS)])
    table.table("Dining philosophers: unique states after so many paths (Dara's figure 6.6)", ["strategy", *STATE_PATHS], rows)


C_PROPERTY = """
static bool holds_%d(const struct clew_view *view)
{
    const int64_t *x = clew_value(view, 0, "x");
    return x == NULL || *x < %d;
}
"""


def properties_of_language(count):
    return "".join(f"p{i}: always forall p. p.x < {1000000 + i}\n" for i in range(count))


def properties_in_c(count):
    functions = "".join(C_PROPERTY % (i, 1000000 + i) for i in range(count))
    listed = "".join(f'    {{.name = "p{i}", .holds = holds_{i}}},\n' for i in range(count))
    return ('#include <stddef.h>\n\n#include "clew/property.h"\n' + functions +
            f"\nconst struct clew_property clew_properties[] = {{\n{listed}    {{0}},\n}};\n")


# The option, the file's name, and the text of so many properties over what the program reports, none of which is ever broken.
PROPERTY_FORMS = (("--spec", "spec", properties_of_language), ("--property", "c", properties_in_c))


def property_costs(bench):
    """Building and loading is what a search of one run takes longer; checking, what a report does."""
    command = [bench.program("calls"), "var", "0"]
    rows = []

    def one_run(*options):
        return least_seconds(PROPERTY_ROUNDS, lambda: bench.explore_command(command, "--budget", "1runs", *options))

    without, unchecked = one_run(), bench.call_ns("var")
    for count in PROPERTY_COUNTS:
        row = [count]
        for option, suffix, text in PROPERTY_FORMS:
            path = os.path.join(bench.folder, f"{count}.{suffix}")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text(count))
            row += [f"{1e3 * max(0, one_run(option, path) - without):.1f} ms", f"{bench.call_ns('var', option, path) - unchecked:.0f} ns"]
        rows.append(row)
    table.table(f"Properties of a specification, and in C; Dara: build {DARA_COSTS['property build']}, load "
                f"{DARA_COSTS['property load']}, check {DARA_COSTS['property check']}",
                ["properties", "loaded", "checked, all of them", "C: built and loaded", "checked, all of them"], rows)


def choice_us(bench, program, strategy):
    """The processor time of a search by the step: choosing, and all that a step is beside."""
    taken, result = cpu_seconds(lambda: bench.explore(program, True, "--strategy", strategy, "--budget", f"{CALL_RUNS}runs"))
    return 1e6 * taken / result["stats"]["steps"]


def block_ns(bench, program):
    """What a search that looks at coverage takes longer, by the blocks that its runs entered; choosing by them is in it."""
    command = [program.build(bench.clew, bench.folder, True)]
    budget = ("--budget", f"{CALL_RUNS}runs")
    folder = os.path.join(bench.folder, "covered")
    words = [bench.clew, "explore", "-q", "--strategy", "frequency", *budget, "-o", folder, "--", *command]
    covered, _ = cpu_seconds(lambda: subprocess.run(words, check=True, stdout=subprocess.DEVNULL))
    told = subprocess.run([bench.clew, "campaign", "--show", "coverage", "--limit", "100000", folder], check=True,
                          capture_output=True, text=True)
    entered = sum(int(count) for count in re.findall(r"(\d+) times", told.stdout))
    plain, _ = cpu_seconds(lambda: bench.explore_command(command, "--strategy", "random", *budget))
    return 1e9 * (covered - plain) / entered


def costs(bench, *_):
    rows = [[what, f"{bench.call_alone_ns(call):.0f}", f"{bench.call_ns(call):.0f}"] for call, what in CALLS]
    table.table(f"Nanoseconds per call; Dara's interception takes {DARA_COSTS['call']}", ["call", "by itself", "under control"], rows)
    property_costs(bench)
    philosophers = next(p for p in threads.programs() if p.name == "philosophers")
    print(f"Nanoseconds per block that is entered, choosing by it included: {block_ns(bench, philosophers):.0f}; "
          f"Dara: {DARA_COSTS['block']} without")
    rows = [[strategy, f"{choice_us(bench, philosophers, strategy):.2f}"] for strategy in threads_found.STRATEGIES if strategy in bench.strategies()]
    table.table(f"Dining philosophers: microseconds of processor time per step, all in all; Dara: an event {DARA_COSTS['event']}, "
                f"a choice {DARA_COSTS['choice']}", ["strategy", "us"], rows)


PARTS = {"speed": speed, "found": threads_found.part, "twins": twins, "dara": dara, "states": states, "costs": costs}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--results", metavar="FILE", help="keep what `found` measures, and measure only what is not kept")
    parser.add_argument("--strategies", default="", metavar="LIST", help="measure these anew though they are kept")
    parser.add_argument("build", nargs="?", default=os.path.join(HERE, "..", "build"))
    parser.add_argument("parts", nargs="*", metavar="part", help=", ".join(PARTS))
    options = parser.parse_args()
    wanted = table.Wanted()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options.build, folder)
        for part in options.parts or (("speed", "found") if options.quick else PARTS):
            PARTS[part](bench, wanted, options)


if __name__ == "__main__":
    main()
