"""What a system says of its messages and states, what clew says of where a run ended, and replays in gdb."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
SOURCE = os.environ["CLEW_SOURCE"]
CLEW = os.environ["CLEW"]
HERE = os.path.join(SOURCE, "test", "sim", "systems")
sys.path.insert(0, os.path.join(SOURCE, "test", "harness"))
import tap  # pylint: disable=wrong-import-position

SECONDS_MAX = 300
FOLDER = tempfile.mkdtemp()
FOUND = {}
COMPILERS = [name for name in ("gcc", "clang") if shutil.which(name)]


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, timeout=SECONDS_MAX, check=False, cwd=FOLDER, stdin=subprocess.DEVNULL)


def write(name, text):
    with open(os.path.join(FOLDER, name), "w", encoding="utf-8") as file:
        file.write(text)
    return name


def found(name, *flags, compiler="gcc"):
    """The library, the schedule of its first violation, and the finding."""
    library = "./" + name + "-" + compiler + "".join(flags).replace("=", "-") + ".so"
    if library in FOUND:
        return FOUND[library]
    folder = library[2:-3] + ".campaign"
    done = run(CLEW, "cc", "--sim", "--with", compiler, "-O1", *flags, os.path.join(HERE, name + ".c"), "-o", library)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    done = run(CLEW, "explore", "--first", "--json", "--strategy", "delay", "--budget", "50runs", "-o", folder, library)
    assert done.returncode == 1, done.stdout + done.stderr
    FOUND[library] = library, folder + "/violations/1.sched", json.loads(done.stdout)["findings"][0]
    return FOUND[library]


STEPS = """\
step    clock  node  operation
                     sends client>n1/go#1: please greet
                     sets timer tick, due in 10
                     n1: greeted=0
                     n2: greeted=0
   1        0  n1    message client>n1/go#1: please greet
                     says: greets
                     sends n1>n2/hello#1: greeting 41 and more
   2        0  n2    message n1>n2/hello#1: greeting 41 and more
                     n2: greeted=1 (was 0) count=1
   3       10  n1    timer main@n1 timer-fire tick #1
                     says: greets
                     sends n1>n2/hello#2: greeting 42 and more
   4        0  n2    message n1>n2/hello#2: greeting 42 and more
                     n2: greeted=2 (was 1) count=2 (was 1)
"""


def test_a_replay_step_by_step_reads_like_a_log():
    library, schedule, _ = found("greets")
    done = run(CLEW, "replay", "--step", schedule, library)
    assert done.stdout.startswith(STEPS), done.stdout


def test_traces_and_what_is_made_of_them_have_the_messages_words():
    library, schedule, _ = found("greets")
    done = run(CLEW, "replay", "-q", "--trace", "greets.clew", schedule, library)
    assert done.returncode == 1, done.stderr
    text = run(CLEW, "convert", "greets.clew", "-o", "greets.txt")
    assert text.returncode == 0, text.stderr
    with open(os.path.join(FOLDER, "greets.txt"), encoding="utf-8") as file:
        lines = file.read().splitlines()
    for kind in ("send", "recv"):
        assert sum(f" {kind} " in line and "greeting 42 and more" in line for line in lines) == 1, lines
    assert run(CLEW, "convert", "greets.clew", "-o", "greets.shiviz").returncode == 0
    with open(os.path.join(FOLDER, "greets.shiviz"), encoding="utf-8") as file:
        assert ": greeting 41 and more" in file.read()


def test_a_description_that_fails_changes_nothing_about_the_run():
    library, schedule, _ = found("greets")
    plain = run(CLEW, "replay", schedule, library)
    crashing, _, _ = found("greets", "-DCRASHES")
    for options in ((), ("--step",), ("--trace", "crashing.clew")):
        done = run(CLEW, "replay", *options, schedule, crashing)
        assert done.returncode == 1 and done.stdout.endswith(plain.stdout), done.stdout + done.stderr
    assert "(its describe_message fails)" in run(CLEW, "replay", "--step", schedule, crashing).stdout


def test_an_assertion_names_its_function_and_the_calls_that_led_to_it():
    for compiler in COMPILERS:
        library, schedule, finding = found("greets", compiler=compiler)
        line = open(os.path.join(HERE, "greets.c"), encoding="utf-8").read().split("assert(")[0].count("\n") + 1
        assert f"message at greets.c:{line} in count on n2 fails: node->count < 2" in finding["what"], finding
        assert f"greets.c:{line} in count" in finding["why"] and " message " in finding["why"], finding
        again = run(CLEW, "replay", schedule, library)
        assert f"\n    greets.c:{line} in count" in again.stdout, again.stdout


def test_calls_at_the_end_of_functions_are_among_the_calls():
    write("tails.c", """
        #include <assert.h>
        #include <clew/sim.h>
        static const char *const messages[] = {"go", NULL};
        static void setup(void) { clew_request(0, 0, NULL, 0); }
        __attribute__((noinline)) static void last(size_t size) { assert(size > 0); }
        __attribute__((noinline)) static void middle(size_t size) { last(size); }
        static void message(void *s, const struct clew_message *m) { (void)s; middle(m->size); }
        CLEW_SYSTEM(.name = "tails", .node_count = 1, .messages = messages, .setup = setup, .message = message);
        """)
    for compiler in COMPILERS:
        done = run(CLEW, "cc", "--sim", "--with", compiler, "-O2", "tails.c", "-o", "tails.so")
        assert done.returncode == 0, done.stderr
        done = run(CLEW, "explore", "--first", "--budget", "3runs", "-o", "tails-" + compiler, "./tails.so")
        calls = [line.split(" in ")[1] for line in done.stdout.splitlines() if line.startswith("    tails.c:")]
        assert calls == ["last", "middle", "message"], done.stdout


UNDEFINED = {"NULL_POINTER": "uses a null pointer", "NULL_FIELD": "uses a null pointer", "DIVIDES": "divides by zero", "SUM": "a sum overflows",
             "SHIFT": "shifts by too many bits", "INDEX": "an index is beyond its array", "BAD_BOOL": "reads a bool or an enum",
             "WILD": "reads address 0x12345678", "PLAIN_NULL": "passes a null pointer to a parameter that must not be null"}


def test_undefined_behaviour_says_which():
    for number, (what, words) in enumerate(UNDEFINED.items()):
        compiler = COMPILERS[number % len(COMPILERS)]
        library, schedule, finding = found("undefined", "-DWHAT=" + what, compiler=compiler)
        assert f"({words}" in finding["what"] and "undefined.c:" in finding["what"], finding
        assert finding["kind"] == ("crash" if what == "WILD" else "sanitizer"), finding
        again = run(CLEW, "replay", "--verify", "5", schedule, library)
        assert again.returncode == 1 and "5 replays, all the same" in again.stdout, again.stdout + again.stderr


def test_a_fault_in_code_that_was_compiled_plainly_names_the_address():
    with open(os.path.join(FOLDER, "plain.c"), "w", encoding="utf-8") as file:
        file.write("struct two { long first, second; };\nvoid store(struct two *t) { t->second = 1; }\n"
                   "int divide(int a, int b) { return a / b; }\n")
    with open(os.path.join(FOLDER, "calls.c"), "w", encoding="utf-8") as file:
        file.write('#include <clew/sim.h>\nstruct two;\nvoid store(struct two *);\nint divide(int, int);\n'
                   'static const char *const messages[] = {"go", NULL};\n'
                   'static void setup(void) { clew_request(0, 0, NULL, 0); }\n'
                   'static void message(void *s, const struct clew_message *m) { (void)s; (void)m; CALL; }\n'
                   'CLEW_SYSTEM(.name = "calls", .node_count = 1, .messages = messages, .setup = setup, .message = message);\n')
    assert run("cc", "-O1", "-fPIC", "-c", "plain.c", "-o", "plain.o").returncode == 0
    for call, words in (("store(NULL)", "(writes 8 bytes behind a null pointer)"), ("(void)divide(1, 0)", "divides by zero")):
        done = run(CLEW, "cc", "--sim", "-DCALL=" + call, "calls.c", "plain.o", "-o", "calls.so")
        assert done.returncode == 0, done.stderr
        done = run(CLEW, "explore", "--first", "--budget", "3runs", "-o", tempfile.mkdtemp(dir=FOLDER) + "/own", "./calls.so")
        assert words in done.stdout, done.stdout + done.stderr


def need_gdb():
    if shutil.which("gdb") is None:
        raise tap.Skip("no gdb")
    if "exited normally" not in run("gdb", "-nx", "-batch", "-ex", "run", "/bin/true").stdout:
        raise tap.Skip("gdb may not run programs here")


def test_gdb_stops_in_the_last_handler_and_where_the_run_is_broken():
    need_gdb()
    library, schedule, _ = found("greets")
    plain = run(CLEW, "replay", schedule, library)
    done = run(CLEW, "replay", "--gdb-commands", "info args", schedule, library)
    assert done.returncode == 1 and done.stdout.endswith(plain.stdout), done.stdout + done.stderr
    stop, broken = done.stdout.index("\nstep 4 of 4\n"), done.stdout.index("\nassertion: message at greets.c:")
    assert stop < broken, done.stdout
    assert "message (state=0x" in done.stdout[stop:broken] and "m = 0x" in done.stdout[stop:broken], done.stdout
    assert "count (node=" in done.stdout[broken:] and "assert(node->count < 2);" in done.stdout[broken:], done.stdout


def test_gdb_stops_at_a_fault_in_the_systems_own_frame():
    need_gdb()
    library, schedule, _ = found("undefined", "-DWHAT=WILD")
    done = run(CLEW, "replay", "--gdb-commands", "print zero", schedule, library)
    assert "undefined.c:" in done.stdout and "\nfault: Segmentation fault" in done.stdout and "= 0" in done.stdout, done.stdout + done.stderr


def make(name, *flags):
    library = "./" + name + "".join(flags).replace("=", "-") + ".so"
    path = name if name.startswith("/") else os.path.join(HERE, name + ".c")
    done = run(CLEW, "cc", "--sim", "-O1", *flags, path, "-o", library)
    assert done.returncode == 0, done.stderr
    return library


def test_a_variable_that_nobody_reports_is_an_error_with_the_known_names():
    library = make("ticks", "-DFEW=1000", "-Wno-unused-function")
    misspelt = write("misspelt.spec", "p: never n1.ehoes > 3\n")
    done = run(CLEW, "explore", "--spec", misspelt, "--budget", "20runs", "-o", "misspelt", library)
    assert done.returncode == 2 and "line 1, column 10: no node reports a variable ehoes; reported are echoes" in done.stderr, done.stderr
    assert not os.path.exists(os.path.join(FOLDER, "misspelt"))
    waits = write("waits.yaml", "initial:\n  - wait: n1.ehoes = 1\n")
    done = run(CLEW, "explore", "--config", waits, "--budget", "20runs", "-o", "misspelt", library)
    assert done.returncode == 2 and "a wait: line 2, column 11: no node reports a variable ehoes" in done.stderr, done.stderr
    right = write("right.spec", "p: never n1.echoes > 3\n")
    done = run(CLEW, "explore", "--spec", right, "--strategy", "random", "--budget", "20runs", "-o", "right", library)
    assert done.returncode == 0 and "reports" not in done.stderr, done.stdout + done.stderr


def test_a_name_of_the_object_may_be_reported_later_and_is_warned_of():
    library = make("ticks", "-DFEW=1000", "-Wno-unused-function")
    other = write("other.spec", "p: never n1.tock > 3\n")
    done = run(CLEW, "explore", "--spec", other, "--strategy", "random", "--budget", "20runs", "-o", "other", library)
    assert done.returncode == 0 and "no node reports a variable tock; reported are echoes in these runs" in done.stderr, done.stdout + done.stderr


def test_variables_on_pages_that_are_written_late_are_rewound():
    """Every run begins with all of them as loaded: else the sum would not be the number of steps."""
    for compiler in COMPILERS:
        library = "./pages-" + compiler + ".so"
        done = run(CLEW, "cc", "--sim", "--with", compiler, "-O1", os.path.join(HERE, "pages.c"), "-o", library)
        assert done.returncode == 0, done.stderr
        for strategy in ("random", "dpor", "auto"):
            folder = "pages-" + compiler + strategy
            done = run(CLEW, "explore", "--json", "--strategy", strategy, "--budget", "40runs", "-o", folder, library)
            result = json.loads(done.stdout)
            assert [finding["what"] for finding in result["findings"]] == ["few does not hold: 6 counted, 3"], result
            assert result["stats"]["steps"] == 6 * result["stats"]["runs"], result
            done = run(CLEW, "replay", "--verify", "5", folder + "/violations/1.sched", library)
            assert "as recorded\n5 replays, all the same" in done.stdout, done.stdout + done.stderr
        done = run(CLEW, "minimize", "-o", "pages.sched", folder + "/violations/1.sched", library)
        assert "6 steps, 6 external events; minimized to 6 steps, 6 external events" in done.stdout, done.stdout + done.stderr


def test_runs_that_do_little_but_fire_timers_are_warned_of():
    library = make("ticks", "-DFEW=1000", "-Wno-unused-function")
    done = run(CLEW, "explore", "--strategy", "random", "--budget", "200runs", "-o", "plain-ticks", library)
    assert "most runs deliver almost no messages: " in done.stdout and "--weights timer=1,message=8" in done.stdout, done.stdout
    done = run(CLEW, "explore", "--json", "--strategy", "random", "--budget", "200runs", "-o", "weighted", "--weights", "timer=1,message=1000", library)
    stats = json.loads(done.stdout)["stats"]
    plain = run(CLEW, "explore", "--json", "--strategy", "random", "--budget", "200runs", "-o", "unweighted", library)
    assert stats["messages"] > json.loads(plain.stdout)["stats"]["messages"], stats
    assert stats["timers"] + stats["messages"] == stats["steps"], stats


def test_until_stops_at_the_chosen_property_and_at_no_other():
    library = make("ticks", "-DFEW=20", "-DHAS_TWO")
    done = run(CLEW, "explore", "--json", "--strategy", "random", "--budget", "2000runs", "-o", "first", "--first", library)
    assert json.loads(done.stdout)["findings"][0]["key"] == "property: fewer", done.stdout
    done = run(CLEW, "explore", "--json", "--strategy", "random", "--budget", "50runs", "-o", "never", "--until", "few", library)
    result = json.loads(done.stdout)
    assert [finding["key"] for finding in result["findings"]] == ["property: fewer"] and result["stats"]["runs"] == 50, result
    done = run(CLEW, "explore", "--json", "--strategy", "random", "--budget", "2000runs", "-o", "until", "--until", "fewer", library)
    assert json.loads(done.stdout)["stats"]["runs"] < 50, done.stdout
    done = run(CLEW, "explore", "--until", "many", "-o", "no", library)
    assert done.returncode == 2 and '--until: ticks has no property "many"; its properties: few, fewer' in done.stderr, done.stderr


def test_a_campaign_that_is_resumed_otherwise_names_the_options_that_differ():
    library = make("ticks", "-DFEW=1000", "-Wno-unused-function")
    done = run(CLEW, "explore", "--strategy", "random", "--budget", "10runs", "--depth", "30", "--seed", "3", "-o", "begun", library)
    assert done.returncode == 0, done.stderr
    done = run(CLEW, "explore", "--strategy", "pos", "--budget", "10runs", "--depth", "40", "--seed", "3", "--faults", "crash=1",
               "--resume", "begun", library)
    assert 'begun: was begun with strategy "random", depth 30, faults none, not strategy "pos", depth 40, faults crash=1: give the same' \
        in done.stderr, done.stderr
    assert "net" not in done.stderr and "seed" not in done.stderr, done.stderr


def main():
    try:
        return tap.run([(name[5:], test) for name, test in globals().items() if name.startswith("test_")])
    finally:
        shutil.rmtree(FOLDER)


if __name__ == "__main__":
    sys.exit(main())
