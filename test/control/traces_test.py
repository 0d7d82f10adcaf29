"""Every trace that clew writes passes clew check: of programs under control, explored and replayed, of the same programs
recorded, and of simulated systems. Programs that are correct have no race in the order of the run."""
import glob
import json
import os
import re
import sys

sys.dont_write_bytecode = True
from controlled import CASES, CLEW, FOLDER, HERE, LONG, SOURCE, build, run, write
import tap  # pylint: disable=wrong-import-position
sys.path.insert(0, os.path.join(SOURCE, "test", "recorded"))
import programs  # pylint: disable=wrong-import-position

BUILD = os.environ["CLEW_BUILD"]
STRATEGIES = ("random", "pct", "pos") if LONG else ("random",)
SEEDS = range(1, 9) if LONG else range(1, 3)
# A fixed slice for every day: conditions, barriers, refused locks, deadlines, cancellation, a pool.
DAILY = ("barrier_phase", "cancel", "pool_shutdown", "timeout", "trylock")
FLAGS = ("-Wl,--wrap=main", "-Wno-tsan", os.path.join(HERE, "ending.c"))
# They run on after the limit of steps, or need a name on the command line.
ENDLESS = {"large", "signal_storm", "plugin"}


def check(trace):
    done = run([CLEW, "check", trace])
    assert done.returncode == 0, f"{trace}: {done.stdout}{done.stderr}"


def check_no_race(trace):
    done = run([CLEW, "races", "--model", "observed", trace])
    assert done.returncode == 0, f"{trace}: {done.stdout}{done.stderr}"


def explored(program, strategy, seed):
    """A schedule and the trace of one run, or of the first that breaks something."""
    folder = f"{program}.{strategy}.{seed}.campaign"
    run([CLEW, "explore", "--strategy", strategy, "--seed", str(seed), "--first", "--fail-on", "exit", "--budget", "5runs", "-o", folder, "--",
         program])
    schedules = glob.glob(os.path.join(folder, "violations", "*.sched"))
    assert schedules, f"no run of {program} was kept"
    return schedules[0], schedules[0][:-len("sched")] + "clew"


def check_program(program, is_correct):
    for strategy in STRATEGIES:
        for seed in SEEDS:
            schedule, trace = explored(program, strategy, seed)
            again = trace + ".again"
            run([CLEW, "replay", "--fail-on", "exit", "--trace", again, schedule, "--", program])
            for written in (trace, again):
                check(written)
                if is_correct:
                    check_no_race(written)


def case_programs():
    names = sorted(os.path.basename(path).split(".")[0] for path in glob.glob(os.path.join(CASES, "*.c*")))
    return [name for name in names if LONG or name in DAILY]


def built_case(name, *flags):
    path = os.path.join(CASES, name + ".c")
    return build(name + (".fixed" if flags else ".broken"), *flags, *FLAGS, path=path if os.path.exists(path) else path + "c")


def test_traces_of_correct_programs_pass_and_have_no_race():
    tap.for_each(case_programs(), lambda name: check_program(built_case(name, "-DFIXED"), True))


def test_traces_of_broken_programs_pass():
    tap.for_each(case_programs(), lambda name: check_program(built_case(name), False))


def test_traces_of_all_synchronization_pass_and_have_no_race():
    check_program(build("sync", *FLAGS), True)


def races_in(trace, words):
    done = run([CLEW, "races", "--json", "--model", "observed", trace])
    findings = json.loads(done.stdout)["findings"]
    return {frozenset(words.get(event["location"], event["location"]) for event in finding["events"]) for finding in findings}


def test_uses_race_with_the_end_of_what_they_use():
    """Descriptors and close, locks and their destruction, mappings and munmap."""
    for name in ("closed", "counted", "destroyed", "mapped"):
        path = os.path.join(SOURCE, "test", "recorded", name + ".c")
        wanted, possible, _ = programs.claims_of(path)
        program = build(name, "-I", os.path.dirname(path), *FLAGS, path=path)
        for seed in SEEDS:
            _, trace = explored(program, "random", seed)
            check(trace)
            found = races_in(trace, programs.words_of(path))
            assert wanted <= found <= wanted | possible, (name, seed, found)


def other_programs():
    folders = ("test/control", "test/recorded", "test/preload")
    return sorted(path for folder in folders for path in glob.glob(os.path.join(SOURCE, folder, "*.c*"))
                  if re.search(r"^int main\(", open(path, encoding="utf-8").read(), re.MULTILINE))


def test_traces_of_other_programs_pass():
    if not LONG:
        raise tap.Skip("only in make test-long")

    def check_one(path):
        name = os.path.basename(path).split(".")[0]
        folder = os.path.dirname(path)
        if name not in ENDLESS:
            check_program(build(os.path.basename(folder) + "_" + name, "-mcx16", "-ldl", "-lrt", "-I", folder, *FLAGS, path=path), False)
    tap.for_each(other_programs(), check_one)


def test_recordings_pass():
    def check_one(name):
        for program in (built_case(name, "-DFIXED"), built_case(name)):
            trace = program + ".recorded.clew"
            run(["timeout", "-s", "KILL", "5", CLEW, "record", "-o", trace, "--", program])
            if os.path.exists(trace):
                check(trace)
    tap.for_each(case_programs(), check_one)


# A pool of workers whose queue, condition and results are used correctly; it ends with status 1, so that its run is kept.
POOL_C = """
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
struct job { struct job *next; int n; };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static struct job *first, **last = &first;
static int stopping, done, total;
static void put(int n)
{
    struct job *j = malloc(sizeof *j);
    *j = (struct job){.n = n};
    pthread_mutex_lock(&lock);
    *last = j;
    last = &j->next;
    pthread_cond_signal(&ready);
    pthread_mutex_unlock(&lock);
}
static struct job *take(void)
{
    pthread_mutex_lock(&lock);
    while (first == NULL && !stopping) pthread_cond_wait(&ready, &lock);
    struct job *j = first;
    if (j != NULL && (first = j->next) == NULL) last = &first;
    pthread_mutex_unlock(&lock);
    return j;
}
static void finish(struct job *j)
{
    pthread_mutex_lock(&lock);
    total += j->n;
    done++;
    pthread_mutex_unlock(&lock);
    free(j);
}
static void *work(void *unused)
{
    for (struct job *j; (j = take()) != NULL;) finish(j);
    return unused;
}
int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++) pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 6; i++) put(i);
    pthread_mutex_lock(&lock);
    stopping = 1;
    pthread_cond_broadcast(&ready);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
    assert(total == 15 && done == 6);
    return 1;
}
"""
POOL_CXX = """
#include <cassert>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>
class pool {
    std::vector<std::thread> workers;
    std::queue<std::function<void()>> jobs;
    std::mutex lock;
    std::condition_variable ready;
    bool stopping = false;
    void work()
    {
        for (;;) {
            std::function<void()> job;
            {
                std::unique_lock<std::mutex> guard(lock);
                ready.wait(guard, [this] { return stopping || !jobs.empty(); });
                if (stopping && jobs.empty()) return;
                job = std::move(jobs.front());
                jobs.pop();
            }
            job();
        }
    }
public:
    explicit pool(int count) { for (int i = 0; i < count; i++) workers.emplace_back([this] { work(); }); }
    void submit(std::function<void()> job)
    {
        { std::lock_guard<std::mutex> guard(lock); jobs.push(std::move(job)); }
        ready.notify_one();
    }
    ~pool()
    {
        { std::lock_guard<std::mutex> guard(lock); stopping = true; }
        ready.notify_all();
        for (auto &worker : workers) worker.join();
    }
};
static std::mutex total_lock;
static long total;
static void add(long n) { std::lock_guard<std::mutex> guard(total_lock); total += n; }
int main()
{
    {
        pool p(3);
        for (int i = 0; i < 6; i++) p.submit([i] { add(i); });
    }
    assert(total == 15);
    return 1;
}
"""


def check_pool(level, compiler):
    for language, text in (("c", POOL_C), ("cc", POOL_CXX)):
        path = write(f"pool_{compiler}{level}.{language}", text)
        program = build(f"pool_{language}_{compiler}{level}", level, path=path, compiler=("--with", compiler))
        traces = [explored(program, "random", seed)[1] for seed in SEEDS] + [program + ".recorded"]
        run([CLEW, "record", "-o", traces[-1], "--", program])
        for trace in traces:
            done = run([CLEW, "atomicity", trace])
            assert done.returncode == 0, (level, compiler, language, trace, done.stdout, done.stderr)


def test_a_correct_pool_has_no_atomicity_violation_in_both_kinds_of_trace():
    pairs = [(level, compiler) for level in ("-O0", "-O1", "-O2") for compiler in ("gcc", "clang")]
    tap.for_each(pairs if LONG else [("-O1", "gcc")], lambda pair: check_pool(*pair))


def bugs_of(case):
    with open(os.path.join(SOURCE, "cases", case, "expect"), encoding="utf-8") as file:
        return re.findall(r"^bug (\S+) =", file.read(), re.MULTILINE)


def check_world(library, *options):
    """The trace of a violation, and those of its schedule as it was found and minimized."""
    name = os.path.basename(library).split(".")[0] + "".join(options)
    folder = os.path.join(FOLDER.name, name + ".campaign")
    run([CLEW, "explore", "--first", *options, "--budget", "60s" if LONG else "20s", "-o", folder, library])
    for schedule in glob.glob(os.path.join(folder, "violations", "*.sched")):
        small = schedule + ".small"
        run([CLEW, "minimize", "--budget", "2000runs" if LONG else "50runs", "-o", small, schedule, library])
        check(schedule[:-len("sched")] + "clew")
        for path in (schedule, small):
            if os.path.exists(path):
                run([CLEW, "replay", "--trace", path + ".clew", path, library])
                check(path + ".clew")


def test_traces_of_simulated_systems_pass():
    cases = sorted(os.path.basename(path)[:-len(".so")] for path in glob.glob(os.path.join(BUILD, "cases", "*.so")))
    assert cases
    for case in cases if LONG else ("taxdc",):
        for bug in bugs_of(case)[:None if LONG else 1]:
            check_world(os.path.join(BUILD, "cases", case + ".so"), "--bug", bug)
    for case in cases:
        for schedule in glob.glob(os.path.join(SOURCE, "cases", case, "passing", "*.sched")):
            trace = os.path.join(FOLDER.name, os.path.basename(schedule) + ".clew")
            run([CLEW, "replay", "--trace", trace, schedule, os.path.join(BUILD, "cases", case + ".so")])
            check(trace)


if __name__ == "__main__":
    sys.exit(tap.run(tap.claims(globals())))
