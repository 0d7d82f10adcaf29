"""clew hunt: the bug of each kind of program is found, minimized, explained and replayed; a fixed twin ends with 0."""
import json
import os
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.environ["CLEW_SOURCE"], "test", "control"))
from controlled import CLEW, FOLDER, LONG, NUMBERS, SECONDS_MAX, SOURCE, build, run, write
import tap  # pylint: disable=wrong-import-position

# A program of cases/, and what its bug is found as.
QUICK = (("threads/account", "assertion"), ("atomicity/mozilla_js1", "exit"), ("threads/use_after_free", "use-after-free"),
         ("threads/lock_order", "deadlock"), ("threads/lost_wakeup", "deadlock"), ("processes/missed_sigchld", "deadlock"))
SLOW = (("processes/prefork", "assertion"), ("threads/wrong_lock", "assertion"), ("atomicity/twostage", "exit"), ("threads/dining", "deadlock"),
        ("threads/refcount", None), ("threads/double_free", None))


def case(name, *flags):
    path = os.path.join(SOURCE, "cases", name + ".c")
    return build("_".join([name.replace("/", "_"), *(flag.strip("-") for flag in flags)]), *flags, "-I", os.path.dirname(path), path=path)


def hunt(*command, status, options=()):
    """The JSON object of a hunt, and its folder."""
    folder = os.path.join(FOLDER.name, f"{next(NUMBERS)}.hunt")
    done = run([CLEW, "hunt", "--json", "-o", folder, *options, *command])
    assert done.returncode == status, (done.returncode, done.stdout[-2000:], done.stderr)
    return json.loads(done.stdout), folder


def replay(path, program, *options):
    return run([CLEW, "replay", "-q", *options, path, "--", program])


def check_bug(name, kind):
    program = case(name)
    said, folder = hunt("--", program, status=1, options=("--budget", "100s"))
    first, bug = said["findings"][0], said["bugs"][0]
    assert said["verdict"] == "found" and first["status"] == "confirmed" and bug["harm"] == "harmful" and bug["repeatable"], said
    assert kind is None or first["kind"] == kind, (name, first["kind"])
    assert len({one["key"] for one in said["findings"]}) == len(said["findings"]), said["findings"]
    # The minimized schedule shows the same failure, with no more context switches; so does the command that is printed.
    assert bug["switches"] <= bug["switches_before"], bug
    for path in (bug["schedule"], bug["minimized"]):
        done = replay(path, program, *(("--fail-on", "exit") if first["kind"] == "exit" else ()))
        assert done.returncode == 1 and "as recorded" in done.stdout, done.stdout + done.stderr
    assert bug["minimized"] in first["replay"], first
    rows = bug["explanation"][0]["rows"]
    assert rows and any(row["location"].startswith(os.path.basename(name)) for row in rows), rows
    page = open(bug["page"], encoding="utf-8").read()
    report = open(os.path.join(folder, "report.md"), encoding="utf-8").read()
    assert page.startswith("<!DOCTYPE html>") and "```mermaid" in report and first["replay"] in report, report[:500]


def check_twin(name):
    said, folder = hunt("--", case(name, "-DFIXED"), status=0, options=("--budget", "100s"))
    assert not said["findings"] and not said["bugs"] and said["stats"]["unfinished"] == "", said
    assert os.path.exists(os.path.join(folder, "report.md"))


def test_bugs_of_each_kind_are_found_minimized_and_explained():
    tap.for_each(QUICK + (SLOW if LONG else ()), lambda one: check_bug(*one))


def test_fixed_twins_end_with_0():
    tap.for_each(QUICK + (SLOW if LONG else ()), lambda one: check_twin(one[0]))


def test_a_race_and_the_failure_that_it_causes_are_one_bug():
    said, _ = hunt("--", case("threads/account"), status=1)
    keys = {one["key"]: one["kind"] for one in said["predictions"]}
    assert len(said["bugs"]) == 1 and "data-race" in {keys[key] for key in said["bugs"][0]["causes"]}, said["bugs"]


def pool(*flags):
    return build("_".join(["pool", *(flag.strip("-") for flag in flags)]), "-std=c++17", *flags, path=os.path.join(SOURCE, "test", "hunt", "pool.cc"))


def test_a_pool_of_threads_has_one_cause_and_its_accesses_are_shown():
    program = pool()
    began = time.monotonic()
    said, folder = hunt("--", program, status=1, options=("--budget", "100s"))
    assert time.monotonic() - began < 100
    (bug,) = said["bugs"]
    kinds = {one["key"]: one["kind"] for one in said["predictions"]}
    assert [kinds[key] for key in bug["causes"]] == ["data-race"] and bug["switches"] == 1, bug
    # Runs with this bug begin with patterns of atomicity too, which are part of no failure.
    assert bug["other_causes"] and "data-race" not in {kinds[key] for key in bug["other_causes"]}, bug
    # The accesses to the counter are in the listing, of the 300 steps.
    done = run([CLEW, "explain", "--fail-on", "exit", "--rows", "14", bug["minimized"], "--", program])
    lines = [line for line in done.stdout.split("The missing order")[0].splitlines() if re.match(r"(  |->)[ *] +\d+ ", line)]
    assert done.returncode == 0 and len(lines) <= 14, done.stdout
    assert {"read", "write"} <= {re.search(r"(read|write|\w+) (pool.cc:\d+#1)?", line[12:].strip())[1] for line in lines}, lines
    report = open(os.path.join(folder, "report.md"), encoding="utf-8").read()
    assert report.count("The cause, a confirmed prediction") == 1 and "Other confirmed predictions" in report, report[:3000]


def test_the_fixed_pool_of_threads_ends_with_0():
    if not LONG:
        return  # its many predictions of atomicity take seconds
    said, _ = hunt("--", pool("-DFIXED"), status=0, options=("--budget", "100s"))
    assert not said["bugs"] and said["stats"]["unfinished"] == "", said


RACE = """
#include <pthread.h>
static int hits, twice;
static void *hit(void *unused) { hits++; twice = twice + 1; return unused; }
int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, hit, NULL); pthread_create(&b, NULL, hit, NULL);
  pthread_join(a, NULL); pthread_join(b, NULL);
  return RESULT; }
"""


def test_a_race_without_a_failure_is_a_bug_once_for_each_variable():
    program = build("counters", "-DRESULT=0", text=RACE)
    said, folder = hunt("--", program, status=1)
    assert [bug["harm"] for bug in said["bugs"]] == ["unknown", "unknown"], said["bugs"]
    assert {one["kind"] for one in said["findings"]} == {"data-race"} and not said["bugs"][0]["minimized"], said["findings"]
    done = replay(said["bugs"][0]["schedule"], program)
    assert done.returncode == 0 and "as recorded" in done.stdout, done.stdout + done.stderr
    # The predictions can be confirmed again by themselves, and explained from the traces of the hunt.
    predictions = os.path.join(folder, "predictions.findings")
    done = run([CLEW, "confirm", "--json", "-o", folder + ".confirmed", predictions, "--", program])
    assert done.returncode == 1 and json.loads(done.stdout)["stats"]["unknown"] == 0, done.stdout + done.stderr
    done = run([CLEW, "explain", predictions])
    assert done.returncode == 0 and "hits" in done.stdout, done.stdout + done.stderr


def test_an_exit_status_is_a_failure_unless_the_program_always_has_it():
    always = build("always_3", "-DRESULT=3", text=RACE)
    said, _ = hunt("--", always, status=1)
    assert {one["kind"] for one in said["findings"]} == {"data-race"}, said["findings"]
    said, _ = hunt("--", always, status=1, options=("--fail-on", "exit"))
    assert "exit" in {one["kind"] for one in said["findings"]}, said["findings"]
    sometimes = build("sometimes_1", "-DRESULT=hits!=2", text=RACE)
    said, _ = hunt("--", sometimes, status=1)
    assert said["findings"][0]["kind"] == "exit" and "--fail-on exit" in said["findings"][0]["replay"], said["findings"]
    said, _ = hunt("--", sometimes, status=1, options=("--ignore-exit",))
    assert {one["kind"] for one in said["findings"]} == {"data-race"}, said["findings"]


def test_a_suppressed_bug_does_not_decide_the_status():
    rules = write("hunt.supp", "race:hit\n")
    said, _ = hunt("--", build("counters", "-DRESULT=0", text=RACE), status=0, options=("--suppress", rules))
    assert not said["findings"] and said["stats"]["suppressed"] == 2, said["stats"]


def test_a_budget_that_ends_too_early_is_unknown():
    said, _ = hunt("--", case("threads/account", "-DFIXED"), status=3, options=("--budget", "20runs"))
    assert said["verdict"] == "unknown" and "budget" in said["stats"]["unfinished"], said["stats"]


def test_uncontrolled_calls_are_unknown_and_named():
    text = '#include <sys/signalfd.h>\n#include <signal.h>\nint main(void) { sigset_t s; sigemptyset(&s); return signalfd(-1, &s, 0) < 0; }\n'
    said, folder = hunt("--", build("uncontrolled", text=text), status=3)
    report = open(os.path.join(folder, "report.md"), encoding="utf-8").read()
    assert "not controlled" in said["stats"]["unfinished"] and "signalfd" in report, (said, report)


def test_code_that_clew_did_not_build_is_named_and_build_makes_it_visible():
    write("Makefile", "counters_made: counters_made.c\n\t$(CC) -g -O1 -pthread -DRESULT=0 $< -o $@\n")
    write("counters_made.c", RACE)
    program = os.path.join(FOLDER.name, "counters_made")
    assert run(["make", "CC=cc"]).returncode == 0
    said, folder = hunt("--", program, status=0)
    report = open(os.path.join(folder, "report.md"), encoding="utf-8").read()
    assert not said["findings"] and "What this leaves out" in report and "accesses of counters\\_made are not visible" in report, report
    said, _ = hunt("--", program, status=1, options=("--build", "make -B"))
    assert len(said["findings"]) == 2, said
    done = run([CLEW, "hunt", "--build", "false", "--", program])
    assert done.returncode == 2 and "--build: false: ends with status 1" in done.stderr, done.stderr


def test_reports_for_continuous_integration_have_the_bugs():
    paths = {name: os.path.join(FOLDER.name, "hunt." + name) for name in ("sarif", "junit")}
    options = [word for name, path in paths.items() for word in ("--" + name, path)]
    hunt("--", case("threads/account"), status=1, options=options)
    results = json.load(open(paths["sarif"], encoding="utf-8"))["runs"][0]["results"]
    assert [one["ruleId"] for one in results] == ["assertion"], results
    suite = ElementTree.parse(paths["junit"]).getroot()
    assert len(suite.findall(".//failure")) == 1


def test_a_simulated_system_is_hunted():
    system = os.path.join(FOLDER.name, "ring.so")
    assert run([CLEW, "cc", "--sim", os.path.join(SOURCE, "examples", "ring.c"), "-o", system]).returncode == 0
    said, _ = hunt(system, status=1)
    bug = said["bugs"][0]
    assert bug["steps"] == 3 and "--fail-on" not in said["findings"][0]["replay"], said
    done = run([CLEW, "replay", "-q", bug["minimized"], system])
    assert done.returncode == 1, done.stdout + done.stderr
    done = run([CLEW, "hunt", "--bug", "none", "--", "/bin/true"])
    assert done.returncode == 2 and "are for systems" in done.stderr, done.stderr


ENDLESS = """
#include <pthread.h>
#include <assert.h>
static int x;
static void *f(void *unused) { for (int i = 0; i < 300; i++) { x++; } return unused; }
int main(void) { pthread_t t[4]; for (int i = 0; i < 4; i++) { pthread_create(&t[i], NULL, f, NULL); }
  for (int i = 0; i < 4; i++) { pthread_join(t[i], NULL); } return 0; }
"""


def test_control_c_keeps_what_was_found():
    folder = os.path.join(FOLDER.name, "stopped.hunt")
    program = build("endless", text=ENDLESS)
    with subprocess.Popen([CLEW, "hunt", "--json", "--budget", "200s", "-o", folder, "--", program], stdout=subprocess.PIPE, text=True,
                          cwd=FOLDER.name) as process:
        began = time.monotonic()
        while not os.path.exists(os.path.join(folder, "run-1.clew")):
            assert time.monotonic() - began < SECONDS_MAX and process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=SECONDS_MAX)
    said = json.loads(output)
    assert process.returncode in (1, 3) and os.path.exists(os.path.join(folder, "report.md")), (process.returncode, said)
    assert process.returncode == 1 or "signal" in said["stats"]["unfinished"], said["stats"]


def test_make_run_ends_with_the_explained_bug_of_a_server():
    """What make run does once clew is built."""
    place = os.path.join(FOLDER.name, "make_run")
    os.mkdir(place)
    os.symlink(CLEW, os.path.join(place, "clew"))
    done = run([os.path.join(SOURCE, "tools", "hunt-example")], env={**os.environ, "BUILD": place})
    assert done.returncode == 0 and "1. use-after-free" in done.stdout and "1 context switch" in done.stdout, done.stdout + done.stderr
    page = done.stdout.split("opens in a browser: ")[1].splitlines()[0]
    assert os.path.getsize(page) > 10000


def test_bad_input_is_one_message():
    folder = os.path.join(FOLDER.name, "once.hunt")
    program = case("threads/account")
    assert run([CLEW, "hunt", "-o", folder, "--", program]).returncode == 1
    file = write("file", "")
    for words, message in ((["-o", folder, "--", program], "another hunt"), (["--", "./nothing"], "cannot be run"),
                           (["-o", file + "/x", "--", program], "Not a directory"), ([], "needs an input"),
                           (["--ignore-exit", "--fail-on", "exit", "--", program], "exclude each other"), (["./nothing.so"], "nothing.so")):
        done = run([CLEW, "hunt", *words])
        assert done.returncode == 2 and message in done.stderr and done.stderr.count("\n") == 1, (words, done.returncode, done.stderr)


if __name__ == "__main__":
    sys.exit(tap.run(tap.claims(globals())))
