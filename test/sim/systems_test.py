"""Systems built by clew cc --sim, explored and replayed: the examples with their fixed twins, and those in systems/,
each of which does one thing wrong."""
import json
import os
import random
import re
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

IS_LONG = os.environ.get("CLEW_TEST_LONG", "") not in ("", "0")
RUNS_OF_TWINS = 100000 if IS_LONG else 3000
SECONDS_MAX = 300
FOLDER = tempfile.mkdtemp()
COMPILERS = [name for name in ("gcc", "clang") if shutil.which(name)]


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, timeout=SECONDS_MAX, check=False, cwd=FOLDER)


def build(path, *flags, compiler="gcc"):
    name = os.path.basename(path)[:-2] + "".join(flags) + "-" + compiler + ".so"
    done = run(CLEW, "cc", "--sim", "--with", compiler, "-O1", "-Wall", "-Wextra", *flags, path, "-o", name)
    assert done.returncode == 0, done.stderr
    assert done.stderr == "", done.stderr
    return "./" + name


def example(name):
    return os.path.join(SOURCE, "examples", name + ".c")


def system(name):
    return build(os.path.join(HERE, name + ".c"))


def explore(library, *options):
    if "-o" not in options and "--resume" not in options:
        options = (*options, "-o", tempfile.mkdtemp(dir=FOLDER) + "/own")
    done = run(CLEW, "explore", "--json", *options, library)
    assert done.returncode in (0, 1, 3), done.stderr
    return json.loads(done.stdout)


def finding_of(name, *options):
    result = explore(system(name), "--budget", "20runs", *options)
    assert len(result["findings"]) == 1, result
    return result["findings"][0]


def replay_again(result, library, *options):
    """The command that the finding gives, as another process."""
    words = result["findings"][0]["replay"].split()
    assert words[:2] == ["clew", "replay"] and words[-1] == library, words
    return run(CLEW, "replay", *options, *words[2:])


def test_each_example_is_broken_and_its_bug_is_replayed_100_times():
    for name in ("ring", "commit", "bank"):
        for compiler in COMPILERS:
            library = build(example(name), compiler=compiler)
            result = explore(library, "--first", "--budget", "60s", "-o", name + compiler + ".campaign")
            assert result["verdict"] == "found", name
            hashes = set()
            for _ in range(2):
                done = replay_again(result, library, "--verify", "100")
                assert done.returncode == 1, done.stderr
                assert ", as recorded\n100 replays, all the same\n" in done.stdout, done.stdout
                hashes.add(re.search(r"hash (\w+)", done.stdout)[1])
            assert len(hashes) == 1, hashes


def test_every_saved_schedule_is_had_again():
    """Other processes, at other addresses: 100 times the same hash."""
    with open("/proc/sys/kernel/randomize_va_space", encoding="ascii") as file:
        if file.read().strip() == "0":
            raise tap.Skip("addresses are not randomized here")
    config = os.path.join(SOURCE, "test", "golden", "files", "commit.yaml")
    searches = [(build(example("ring")), ()), (build(example("commit")), ()), (build(example("bank")), ("--net", "datagram")),
                (build(example("commit")), ("--config", config)), (system("asserts"), ()), (system("overflows"), ()),
                (system("crashes_in_start"), ()), (system("blocks"), ()), (system("warns"), ())]
    count = 0
    for number, (library, options) in enumerate(searches):
        folder = f"saved{number}"
        explore(library, "--budget", "1000runs", "-o", folder, *options)
        for name in sorted(os.listdir(os.path.join(FOLDER, folder, "violations"))):
            if not name.endswith(".sched"):
                continue
            with open(os.path.join(FOLDER, folder, "violations", name), encoding="utf-8") as file:
                wanted = int(re.search(r"^hash (\w+)$", file.read(), re.M)[1], 16)
            for _ in range(4):
                words = ("--config", config) if "--config" in options else ()
                done = run(CLEW, "replay", "--verify", "25", *words, f"{folder}/violations/{name}", library)
                assert done.returncode == 1, done.stdout + done.stderr
                assert f"hash {wanted:016x}, as recorded\n25 replays, all the same\n" in done.stdout, done.stdout
            count += 1
    assert count >= len(searches), count


def test_no_fixed_twin_is_reported():
    for name in ("ring", "commit", "bank"):
        library = build(example(name), "-DFIXED")
        result = explore(library, "--budget", f"{RUNS_OF_TWINS}runs")
        assert result["findings"] == [], result["findings"]
        assert result["stats"]["runs"] >= RUNS_OF_TWINS or result["stats"]["exhausted"], result["stats"]


def test_small_systems_are_explored_to_the_end():
    library = build(example("bank"), "-DFIXED")
    done = run(CLEW, "explore", "--strategy", "dpor", "--require-exhaustive", library)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.fullmatch(r"all \d+ executions explored, no violation\n", done.stdout), done.stdout


def test_an_assertion_is_caught_with_its_place():
    finding = finding_of("asserts")
    assert finding["kind"] == "assertion"
    assert finding["what"] == "message at asserts.c:15 in message on n1 fails: m->size > 0", finding["what"]


def test_undefined_behaviour_is_caught_with_its_place():
    finding = finding_of("overflows")
    assert finding["kind"] == "sanitizer"
    assert "overflows.c:25" in finding["what"], finding["what"]


def test_an_endless_handler_is_a_hang_with_its_callers():
    finding = finding_of("loops", "--first")
    assert finding["kind"] == "hang"
    assert re.search(r"to an end: loops\.c:1[345] < loops\.c:22", finding["what"]), finding["what"]
    assert finding["key"] == "hang: message n1", finding["key"]


def test_a_crash_in_start_is_a_finding():
    finding = finding_of("crashes_in_start")
    assert finding["kind"] == "crash"
    assert "the handler start on n1 touches memory that is not there (writes 64 bytes behind a null pointer): crashes_in_start.c:10" in finding["what"], \
        finding["what"]


def misbehaving(how):
    return build(os.path.join(HERE, "misbehaves.c"), "-Wno-unused-function", "-D" + how)


def test_functions_beside_handlers_may_fail_too():
    said = {"SETUP_LOOPS": ("hang", "the handler setup on no node does not come to an end: "),
            "SETUP_CRASHES": ("crash", "the handler setup on no node touches memory that is not there (writes 64 bytes behind a null pointer): misbehaves.c:"),
            "PROPERTY_CRASHES": ("crash", "the handler holds on no node touches memory that is not there (writes 64 bytes behind a null pointer): misbehaves.c:"),
            "PROPERTY_SENDS": ("assertion", "clew_send() is called outside the handlers of nodes"),
            "FINGERPRINT_CRASHES": ("crash", "touches memory that is not there (writes 64 bytes behind a null pointer): misbehaves.c:")}
    for how, (kind, what) in said.items():
        result = explore(misbehaving(how), "--first", "--budget", "20runs")
        assert len(result["findings"]) == 1, result
        assert result["findings"][0]["kind"] == kind, result
        assert what in result["findings"][0]["what"], result


def test_a_state_that_cannot_be_described_is_no_end():
    library = misbehaving("DESCRIBE_CRASHES")
    done = subprocess.run([CLEW, "explore", "--interactive", library], input="n\n1\nq\n", capture_output=True, text=True,
                          timeout=SECONDS_MAX, check=False, cwd=FOLDER)
    assert done.returncode == 0 and "n1: (its describe fails)" in done.stdout, done.stdout + done.stderr


def test_a_system_that_cannot_adjust_itself_is_refused():
    done = run(CLEW, "explore", "--budget", "20runs", misbehaving("ADJUST_CRASHES"))
    assert done.returncode == 2 and done.stdout == "" and done.stderr.count("\n") == 1, done.stdout + done.stderr
    assert ".so: the handler adjust on no node touches memory that is not there (writes 64 bytes behind a null pointer): misbehaves.c:" in done.stderr, done.stderr


def quitting(how):
    name = "./quits" + re.sub(r"\W", "", how) + ".so"
    allowed = [word for symbol in ("fork", "waitpid", "raise") for word in ("--allow", symbol)]
    done = run(CLEW, "cc", "--sim", *allowed, "-g", "-D" + how, os.path.join(HERE, "quits.c"), "-o", name)
    assert done.returncode == 0, done.stderr
    return name


def test_a_handler_that_ends_the_process_is_a_finding():
    ends = {"exit(0)": "the process with status 0", "exit(3)": "the process with status 3", "_exit(3)": "the process with status 3",
            "_Exit(3)": "the process with status 3", "quick_exit(3)": "the process with status 3",
            "errx(3, \"no\")": "the process with status 3", "pthread_exit(NULL)": "its thread"}
    for call, what in ends.items():
        library = quitting("QUIT=" + call)
        for number, options in enumerate((("--first",), ("-j", "2", "--strategy", "pos"))):
            result = explore(library, "--budget", "20runs", *options, "-o", f"{library}{number}")
            assert [finding["kind"] for finding in result["findings"]] == ["exit"], result
            assert re.fullmatch(rf"the handler message on n2 ends {what}: quits\.c:\d+", result["findings"][0]["what"]), result
        done = run(CLEW, "minimize", "-o", library + ".sched", library + "0/violations/1.sched", library)
        assert done.returncode == 0 and "2 steps, 2 external events; minimized to 1 step, 1 external event\n" in done.stdout, done.stdout + done.stderr
        assert run(CLEW, "replay", library + ".sched", library).returncode == 1


def test_a_process_of_the_system_s_own_may_end():
    result = explore(quitting("FORKS"), "--budget", "20runs")
    assert result["findings"] == [] and not result["stats"]["exhausted"], result


def test_a_signal_to_end_is_no_finding():
    done = run(CLEW, "explore", "--budget", "20runs", "-o", "ended", quitting("QUIT=raise(SIGHUP)"))
    assert done.returncode == 128 + 1 and done.stdout == "", done.stdout + done.stderr


def test_a_shrink_that_fails_is_told_with_its_place():
    library = misbehaving("SHRINK_CRASHES")
    explore(library, "--first", "--budget", "20runs", "-o", "unshrunk")
    done = run(CLEW, "minimize", "-o", "unshrunk.sched", "unshrunk/violations/1.sched", library)
    assert done.returncode == 0, done.stderr
    assert re.search(r"contents .*  shrink of ping fails: it touches memory that is not there \(writes 64 bytes behind a null pointer\): misbehaves\.c:\d+", done.stdout), \
        done.stdout


def test_variables_of_the_file_are_rewound():
    assert explore(system("remembers"), "--budget", "50runs")["findings"] == []


def test_dpor_notices_that_the_order_of_all_steps_matters():
    path = os.path.join(HERE, "order.c")
    plain = explore(build(path), "--strategy", "dpor")
    assert plain["findings"] == [] and plain["stats"]["exhausted"] and plain["assumptions"] == [], plain
    said = {"STEPS": "asks how many steps were taken", "REMEMBERS": "variables that belong to no node",
            "SHARED": "variables that belong to no node"}
    for flag, words in said.items():
        library = build(path, "-D" + flag)
        for jobs in ("1", "2"):
            folder = tempfile.mkdtemp(dir=FOLDER) + "/own"
            result = explore(library, "--strategy", "dpor", "-j", jobs, "-o", folder)
            assert result["stats"]["exhausted"] and len(result["findings"]) == 1, result
            assert words in result["assumptions"][0], result
            again = explore(library, "--strategy", "dpor", "-j", jobs, "--resume", folder)
            assert again["stats"]["exhausted"] and words in again["assumptions"][0], again
            assert again["findings"][0]["severity"] == "warning", again


def test_the_exact_finish_tries_all_orders_of_what_changes_shared_variables():
    library = system("shared")
    with open(os.path.join(FOLDER, "shared.sched"), "w", encoding="utf-8") as file:
        file.write("clew-schedule 1\nsystem shared\nworld sim\nnet fifo\nthen stop\nsteps 3\n" +
                   "".join(f"message client>n1/go#{i}\n" for i in (1, 2, 3)))
    done = run(CLEW, "minimize", "--json", "--stage", "exact", "-o", "sooner.sched", "shared.sched", library)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["stats"]["final_events"] == 2, done.stdout


def test_what_is_no_system_is_refused():
    said = {"empty": "has no system in it", "later": "was built for version 3 of clew/sim.h, and this clew has 2"}
    for name, words in said.items():
        path = os.path.join(HERE, name + ".c")
        assert run("gcc", "-shared", "-fPIC", "-I", os.path.join(SOURCE, "include"), path, "-o", "no.so").returncode == 0
        done = run(CLEW, "explore", "./no.so")
        assert done.returncode == 2, name
        assert words in done.stderr and done.stderr.count("\n") == 1, done.stderr


def test_what_cannot_be_loaded_is_refused():
    with open(os.path.join(FOLDER, "poem.so"), "w", encoding="utf-8") as file:
        file.write("No system, but a poem.\n")
    with open(os.path.join(FOLDER, "nothing.so"), "w", encoding="utf-8") as file:
        file.write("")
    for name, words in (("./poem.so", "is no shared object that can be loaded"), ("./absent.so", "No such file"),
                        ("./nothing.so", "is no shared object that can be loaded"), (".", "is no shared object"),
                        ("/bin/true", "is a program; to run it: clew explore -- /bin/true")):
        done = run(CLEW, "explore", "--budget", "5runs", name)
        assert done.returncode == 2 and done.stdout == "", name
        assert words in done.stderr and done.stderr.count("\n") == 1, done.stderr


def test_a_damaged_schedule_is_refused_with_its_place():
    library = build(example("bank"))
    explore(library, "--strategy", "pos", "--first", "--budget", "1000runs", "-o", "damaged")
    with open(os.path.join(FOLDER, "damaged", "violations", "1.sched"), encoding="utf-8") as file:
        text = file.read()
    said = {"": "line 1, column 1", "\0\1\2\xff": "line 1, column 1", text.replace("schedule 1", "schedule 7"): "line 1, column 16",
            text + "mesage a>b/c#1\n": "called \"mesage\"", text + "message a>b\n": "line ", text + text: "line ",
            text.replace("steps 8", "steps 99999999999"): "the number is out of range",
            text.replace("net fifo", "net pigeons"): "there is no net called \"pigeons\"",
            text.replace("then stop", "then dance"): "there is no strategy called dance",
            text + "fault crush bank\n": "line ", text.replace("seed 1", "seed one"): "line ",
            text + "message bank>teller-1/balance#1 at=1\n": "does not come after step"}
    for damaged, words in said.items():
        with open(os.path.join(FOLDER, "damaged.sched"), "w", encoding="latin-1") as file:
            file.write(damaged)
        done = run(CLEW, "replay", "damaged.sched", library)
        assert done.returncode == 2 and done.stdout == "", damaged + done.stdout
        assert words in done.stderr and done.stderr.count("\n") == 1, damaged + done.stderr


def test_a_damaged_schedule_never_crashes_a_replay():
    library = build(example("commit"))
    explore(library, "--strategy", "pos", "--first", "--budget", "20000runs", "-o", "mutated")
    with open(os.path.join(FOLDER, "mutated", "violations", "1.sched"), encoding="utf-8") as file:
        text = file.read()
    chance = random.Random(6)
    for _ in range(1000 if IS_LONG else 40):
        at = chance.randrange(len(text))
        damaged = text[:at] + chance.choice(["", "x", "#", "9", "\n", text[chance.randrange(len(text)):]]) + text[at + 1:]
        with open(os.path.join(FOLDER, "mutated.sched"), "w", encoding="utf-8") as file:
            file.write(damaged)
        done = run(CLEW, "replay", "--lenient", "mutated.sched", library)
        assert done.returncode in (0, 1, 2, 3) and done.stderr.count("\n") <= 1, damaged + done.stderr


def test_a_damaged_campaign_is_refused_and_its_schedules_are_not_touched():
    library = build(example("bank"))
    explore(library, "--strategy", "pos", "--budget", "100runs", "-o", "broken")
    path = os.path.join(FOLDER, "broken", "campaign.db")
    with open(path, "r+b") as file:
        file.write(b"no database at all, for a page or so" * 100)
    for suffix in ("-wal", "-shm"):
        if os.path.exists(path + suffix):
            os.remove(path + suffix)
    for words in (("campaign", "broken"), ("explore", "--strategy", "pos", "--budget", "5runs", "--resume", "broken", library)):
        done = run(CLEW, *words)
        assert done.returncode == 2 and done.stdout == "", done.stdout
        assert "damaged" in done.stderr and done.stderr.count("\n") == 1, done.stderr
    assert run(CLEW, "replay", "broken/violations/1.sched", library).returncode == 1


def test_two_processes_find_the_same():
    library = build(example("commit"))
    result = explore(library, "-j", "2", "--budget", "4000runs", "--strategy", "pos")
    assert result["stats"]["runs"] == 4000, result["stats"]
    assert len(result["findings"]) == 1, result
    assert replay_again(result, library).returncode == 1


def test_a_schedule_for_another_system_is_refused():
    library = build(example("bank"))
    result = explore(library, "--first", "--budget", "1000runs", "-o", "other")
    done = run(CLEW, "replay", "other/violations/1.sched", build(example("ring")))
    assert done.returncode == 2
    assert 'is the system "ring", and the schedule is for "bank"' in done.stderr, done.stderr
    assert result["verdict"] == "found"


def test_a_divergence_is_named_at_its_step():
    library = build(example("bank"))
    explore(library, "--first", "--budget", "1000runs", "-o", "diverging")
    path = os.path.join(FOLDER, "diverging", "violations", "1.sched")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(re.sub(r"hash .*\n", "", text) + "message bank>teller-1/balance#7 at=8\n")
    done = run(CLEW, "replay", "diverging/violations/1.sched", library)
    assert done.returncode == 3, done.stdout
    assert 'diverged: at step 8, "message bank>teller-1/balance#7 at=8" is not pending' in done.stdout, done.stdout
    done = run(CLEW, "replay", "--lenient", "diverging/violations/1.sched", library)
    assert done.returncode == 1, done.stdout
    assert "is not pending" in done.stdout and "property: " in done.stdout, done.stdout


def test_a_lenient_replay_writes_the_trace_of_all_its_steps():
    library = build(example("bank"))
    explore(library, "--first", "--budget", "1000runs", "-o", "cut")
    path = os.path.join(FOLDER, "cut", "violations", "1.sched")
    with open(path, encoding="utf-8") as file:
        head = [line for line in file if not line.startswith(("hash", "message", "timer"))]
    with open(path, "w", encoding="utf-8") as file:
        file.write("".join(head) + "message bank>teller-1/balance#7 at=2\n")
    events = []
    for options in ((), ("--lenient",)):
        done = run(CLEW, "replay", *options, "--trace", "cut.clew", path, library)
        assert "at step 2, " in done.stdout, done.stdout + done.stderr
        events.append(json.loads(run(CLEW, "info", "--json", "cut.clew").stdout)["events"])
    assert events[0] < events[1], events


def by_hand(library, commands, *options):
    return subprocess.run([CLEW, "explore", "--interactive", *options, library], input=commands, capture_output=True, text=True,
                          timeout=SECONDS_MAX, check=False, cwd=FOLDER)


def test_a_deadlock_is_told_by_hand_too():
    done = by_hand(system("blocks"), "1\n1\nb\n1\nq\n")
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stdout.count("deadlock: nothing can happen any more: n1 waits for reply from n2") == 2, done.stdout


def test_a_run_by_hand_outlives_a_file_that_cannot_be_written():
    with open(os.path.join(FOLDER, "hand.spec"), "w", encoding="utf-8") as file:
        file.write("ends: always eventually true\n")
    done = by_hand(system("blocks"), "1\ns /nowhere/at/all\ns hand.sched\n", "--spec", "hand.spec")
    assert "not saved: /nowhere/at/all: cannot be written: No such file" in done.stdout, done.stdout
    assert "saved: clew replay --spec hand.spec hand.sched ./blocks-gcc.so" in done.stdout, done.stdout


def test_what_was_searched_with_properties_is_replayed_with_them():
    library = system("blocks")
    with open(os.path.join(FOLDER, "never.spec"), "w", encoding="utf-8") as file:
        file.write("begins: never steps >= 1\n")
    explore(library, "--spec", "never.spec", "--first", "--budget", "10runs", "-o", "never")
    done = run(CLEW, "replay", "never/violations/1.sched", library)
    assert "not as recorded (if the search had --spec or --config, repeat them)" in done.stdout, done.stdout


def test_the_trace_of_a_violation_is_well_formed():
    library = build(example("commit"))
    explore(library, "--first", "--budget", "60s", "-o", "traced")
    done = run(CLEW, "check", "traced/violations/1.clew")
    assert done.returncode == 0 and " 0 impossible" in done.stdout, done.stdout


def test_traces_are_read_without_a_warning():
    libraries = [build(example(name)) for name in ("ring", "commit", "bank")]
    libraries += [system(name) for name in ("asserts", "blocks")]
    for library in libraries:
        folder = tempfile.mkdtemp(dir=FOLDER) + "/read"
        explore(library, "--first", "--budget", "60s", "-o", folder)
        trace = folder + "/violations/1.clew"
        for model in ("sound", "observed"):
            done = run(CLEW, "races", "--model", model, trace)
            assert done.returncode in (0, 1) and done.stderr == "", library + ": " + done.stderr
        done = run(CLEW, "check", trace)
        assert done.returncode == 0 and done.stderr == "", library + ": " + done.stdout + done.stderr


def test_nodes_that_block_each_other_are_a_deadlock():
    finding = finding_of("blocks")
    assert finding["kind"] == "deadlock" and finding["severity"] == "error", finding
    assert finding["what"] == "nothing can happen any more: n1 waits for reply from n2, n2 waits for reply from n1", \
        finding["what"]


def test_the_severity_of_a_property_is_the_finding_s():
    library = system("warns")
    for options in ((), ("-j", "2")):
        result = explore(library, "--budget", "20runs", *options)
        assert [finding["severity"] for finding in result["findings"]] == ["warning"], result
    done = replay_again(result, library, "--json")
    assert json.loads(done.stdout)["findings"][0]["severity"] == "warning", done.stdout
    path = os.path.join(FOLDER, "note.spec")
    with open(path, "w", encoding="utf-8") as file:
        file.write("few: always n1.pings < 2 severity note\n")
    result = explore(library, "--spec", path, "--budget", "20runs")
    assert {finding["key"]: finding["severity"] for finding in result["findings"]} == {"property: few": "note"}, result


def test_a_campaign_is_resumed():
    library = build(example("commit"))
    result = explore(library, "--budget", "1000runs", "--strategy", "pos", "-o", "long")
    assert result["stats"]["runs"] == 1000, result["stats"]
    again = explore(library, "--budget", "1000runs", "--strategy", "pos", "--resume", "long")
    assert again["stats"]["runs"] == 1000, again["stats"]
    done = run(CLEW, "campaign", "long")
    assert done.stdout.startswith("long: 2000 runs, 1 violation\n"), done.stdout
    done = run(CLEW, "explore", "--budget", "10runs", "-o", "long", library)
    assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
    done = run(CLEW, "explore", "--budget", "10runs", "--strategy", "pct", "--resume", "long", library)
    assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr


def test_coverage_is_kept_with_places():
    for compiler in COMPILERS:
        library = build(example("bank"), compiler=compiler)
        explore(library, "--budget", "200runs", "-o", "cover" + compiler)
        result = json.loads(run(CLEW, "campaign", "--json", "cover" + compiler).stdout)
        done = run(CLEW, "campaign", "--show", "coverage", "cover" + compiler)
        assert "bank.c:" in done.stdout, done.stdout
        assert result["verb"] == "campaign", result


def test_properties_in_the_language_are_checked():
    library = build(example("bank"))
    path = os.path.join(FOLDER, "bank.spec")
    with open(path, "w", encoding="utf-8") as file:
        file.write("all_paid: always eventually bank.balance = 100\n")
    result = explore(library, "--spec", path, "--budget", "1000runs", "-o", "spec.campaign")
    found = {finding["key"]: finding for finding in result["findings"]}
    assert "liveness: all_paid" in found or "property: nothing is lost" in found, result
    with open(path, "w", encoding="utf-8") as file:
        file.write("poor: never bank.balance > 60\n")
    result = explore(library, "--spec", path, "--first", "--budget", "1000runs", "-o", "poor.campaign")
    assert result["findings"][0]["key"] == "property: poor", result
    assert "bank.balance = 70" in result["findings"][0]["what"], result
    done = replay_again(result, library)
    assert done.returncode == 1 and "as recorded" in done.stdout, done.stdout


def test_a_livelock_is_found_named_and_replayed_and_its_fixed_twin_is_not_reported():
    path = os.path.join(HERE, "polite.c")
    spec = os.path.join(FOLDER, "polite.spec")
    with open(spec, "w", encoding="utf-8") as file:
        file.write("goes: always eventually exists p. p.through = 1\n")
    library = build(path)
    result = explore(library, "--spec", spec, "--budget", "200runs")
    assert [finding["kind"] for finding in result["findings"]] == ["livelock"], result
    assert re.search(r"goes does not hold while steps \d+ to \d+ go on for ever: n1.through = 0, n2.through = 0",
                     result["findings"][0]["what"]), result
    done = replay_again(result, library, "--verify", "20")
    assert done.returncode == 1 and "20 replays, all the same" in done.stdout, done.stdout
    assert explore(build(path, "-DFIXED"), "--spec", spec, "--budget", "2000runs")["findings"] == []


def unrouted(name, text, *flags):
    """A system that was not linked by clew cc --sim: what it asks of libc is libc's."""
    with open(os.path.join(FOLDER, name + ".c"), "w", encoding="utf-8") as file:
        file.write(text)
    done = run("cc", "-shared", "-fPIC", *flags, "-I", os.path.join(SOURCE, "include"), name + ".c", "-o", name + ".so")
    assert done.returncode == 0, done.stderr
    return "./" + name + ".so"


UNSTEADY = """
    #include <clew/sim.h>
    #include <stdlib.h>
    static const char *const messages[] = {"hi", NULL};
    static void setup(void) { for (int i = 0; i < 3; i++) clew_request(0, 0, NULL, 0); }
    static int calls;
    static int next(void) { int *count = (int *)getenv("CLEW_COUNT"); return (*count)++; } /* which no run rewinds */
    static void message(void *s, const struct clew_message *m)
    {
        (void)m;
        if (++calls == 2 && WHAT) { *(int *)s = 1; }
    }
    static bool good(const struct clew_view *v) { return *(const int *)v->states[0] == 0; }
    static const struct clew_property properties[] = {{.name = "good", .holds = good}, {0}};
    CLEW_SYSTEM(.name = "unsteady", .node_count = 1, .messages = messages, .state_size = sizeof(int), .setup = setup,
                .message = message, .properties = properties);
    """


def test_a_violation_that_does_not_come_again_is_no_violation():
    """A counter in memory that no run rewinds: each run has another value of it."""
    library = unrouted("unsteady", UNSTEADY, "-DWHAT=next()%5==3")
    os.environ["CLEW_COUNT"] = "0000"
    for options in ((), ("--strategy", "random"), ("-j", "2", "--strategy", "pos")):
        done = run(CLEW, "explore", "--budget", "60runs", "-o", tempfile.mkdtemp(dir=FOLDER) + "/own", *options, library)
        assert done.returncode == 1, done.stdout + done.stderr
        assert "not-deterministic: the system does not do the same when its schedule is run again (good does not hold)" in done.stdout, done.stdout
        assert 'step 2, "message client>n1/hi#2", leads to another state' in done.stdout, done.stdout
        assert "again:" not in done.stdout, done.stdout


def test_a_search_begins_where_a_schedule_ends():
    library = build(example("ring"))
    first = explore(library, "--first", "--budget", "60s", "-o", "from.campaign")
    assert first["verdict"] == "found", first
    schedule = "from.campaign/violations/1.sched"
    for strategy in ("auto", "random", "pos"):
        result = explore(library, "--strategy", strategy, "--from", schedule, "--budget", "50runs")
        assert result["stats"]["violating_runs"] > 0, result
        done = replay_again(result, library, "--verify", "3")
        assert "as recorded\n3 replays, all the same" in done.stdout, done.stdout + done.stderr
    refused = run(CLEW, "explore", "--strategy", "dpor", "--from", schedule, library)
    assert refused.returncode == 2 and "--from needs a sampling strategy" in refused.stderr, refused.stderr
    other = run(CLEW, "explore", "--from", schedule, build(example("bank")))
    assert other.returncode == 2 and schedule in other.stderr, other.stderr


def test_a_known_violation_is_passed():
    """Two properties, the second broken only after the first: ignoring the first shows the second, and its replay knows."""
    with open(os.path.join(FOLDER, "two.c"), "w", encoding="utf-8") as file:
        file.write("""
            #include <clew/sim.h>
            static const char *const messages[] = {"hi", NULL};
            static void setup(void) { for (int i = 0; i < 4; i++) clew_request(0, 0, NULL, 0); }
            static void message(void *s, const struct clew_message *m) { (void)m; ++*(int *)s; clew_variable("count", *(int *)s); }
            static bool two(const struct clew_view *v) { return *(const int *)v->states[0] < 2; }
            static bool three(const struct clew_view *v) { return *(const int *)v->states[0] < 3; }
            static const struct clew_property properties[] = {
                {.name = "below two", .holds = two}, {.name = "below three", .holds = three}, {0}};
            CLEW_SYSTEM(.name = "two", .node_count = 1, .messages = messages, .state_size = sizeof(int), .setup = setup,
                        .message = message, .properties = properties);
            """)
    done = run(CLEW, "cc", "--sim", "two.c", "-o", "two.so")
    assert done.returncode == 0, done.stderr
    keys = [finding["key"] for finding in explore("./two.so", "--budget", "20runs")["findings"]]
    assert keys == ["property: below two"], keys
    result = explore("./two.so", "--budget", "20runs", "--ignore", "property: below two")
    assert [finding["key"] for finding in result["findings"]] == ["property: below three"], result
    again = replay_again(result, "./two.so")
    assert again.returncode == 1 and "below three does not hold" in again.stdout and ", as recorded" in again.stdout, again.stdout
    both = explore("./two.so", "--budget", "20runs", "--ignore", "property: below two", "--ignore", "property: below three")
    assert both["findings"] == [], both
    with open(os.path.join(FOLDER, "two.spec"), "w", encoding="utf-8") as file:
        file.write("few: never n1.count == 3\n")
    spec = explore("./two.so", "--budget", "20runs", "--spec", "two.spec", "--ignore", "property: below two",
                   "--ignore", "property: below three")
    assert len(spec["findings"]) == 1, spec
    none = explore("./two.so", "--budget", "20runs", "--spec", "two.spec", "--ignore", "property: below two",
                   "--ignore", "property: below three", "--ignore", spec["findings"][0]["key"])
    assert none["findings"] == [], none


def test_a_start_that_fails_leaves_no_folder():
    for words in (("--", "./no-such-program"), ("./no-such-system.so",), ("--from", "no-such.sched", build(example("bank")))):
        done = run(CLEW, "explore", "-o", "left-behind", *words)
        assert done.returncode == 2, done.stdout + done.stderr
        assert not os.path.exists(os.path.join(FOLDER, "left-behind")), words


def test_runs_are_a_budget():
    done = run(CLEW, "explore", "--runs", "100", "./x.so")
    assert done.returncode == 2 and "did you mean --budget Nruns?" in done.stderr, done.stderr
    done = run(CLEW, "explore", "--timeout", "100", "./x.so")
    assert "did you mean --budget 60s?" in done.stderr, done.stderr


def told_of(result):
    """What a search found, without the names of files."""
    stats = result["stats"]
    return ([(finding["key"], finding["what"], finding["why"]) for finding in result["findings"]],
            [stats[name] for name in ("runs", "steps", "violating_runs", "first_violation_run")])


def test_any_number_of_processes_finds_the_same():
    libraries = [(build(example("ring")), ()), (build(example("bank")), ("--net", "datagram"))]
    for library, options in libraries:
        for strategy in ("random", "pos"):
            results = [told_of(explore(library, "--strategy", strategy, "--budget", "301runs", "-j", jobs, *options)) for jobs in "1234"]
            assert results.count(results[0]) == 4, results
            firsts = [told_of(explore(library, "--strategy", strategy, "--budget", "301runs", "--first", "-j", jobs, *options))
                      for jobs in "1234"]
            assert len({str([(key, what) for key, what, _ in found]) for found, _ in firsts}) == 1, firsts
            assert len({stats[3] for _, stats in firsts}) == 1, firsts
        twice = [told_of(explore(library, "--budget", "301runs", "-j", "3", *options)) for _ in range(2)]
        assert twice[0] == twice[1], twice


def test_gcc_and_clang_count_blocks_alike():
    if len(COMPILERS) < 2:
        raise tap.Skip("one compiler alone")
    for compiler in COMPILERS:
        stats = explore(build(example("ring"), compiler=compiler), "--strategy", "random", "--budget", "200runs")["stats"]
        assert 0 < stats["blocks_covered"] <= stats["blocks_total"], (compiler, stats)


def test_variables_are_seen_whichever_linker_places_the_counters():
    for linker in ("bfd", "gold", "lld"):
        for compiler in COMPILERS:
            if shutil.which("ld." + linker) is None:
                continue
            library = build(os.path.join(HERE, "order.c"), "-DSHARED", "-fuse-ld=" + linker, compiler=compiler)
            result = explore(library, "--strategy", "dpor")
            assert len(result["findings"]) == 1, (linker, compiler, result)
            assert "variables that belong to no node" in result["assumptions"][0], (linker, compiler, result)


def test_weights_and_the_default_find_what_figure_8_of_the_raft_paper_shows():
    """With every timer a timeout, hardly a run commits anything: bench/library_bench.py has more seeds. The default learns which balance
    of timers enters rare code, and tries delays in one run of eight, for the runs are too many."""
    sources = [os.path.join(SOURCE, "bench", "programs", "raft_" + part + ".c")
               for part in ("library", "log", "members", "requests", "store", "system")]
    done = run(CLEW, "cc", "--sim", "--with", "gcc", "-O1", "-DFIGURE_8", "-DTICKS=20", *sources, "-o", "figure8.so")
    assert done.returncode == 0, done.stderr
    options = ("--strategy", "random", "--seed", "3", "--depth", "300", "--budget", "400runs")
    assert explore("./figure8.so", *options)["findings"] == []
    found = explore("./figure8.so", *options, "--weights", "timer=1,message=8", "--first")["findings"]
    assert [finding["key"] for finding in found] == ["property: leaders are complete"], found
    found = explore("./figure8.so", "--seed", "7", "--depth", "300", "--budget", "600runs", "--first")["findings"]
    assert [finding["key"] for finding in found] == ["property: leaders are complete"], found


def main():
    try:
        return tap.run(tap.claims(globals()))
    finally:
        shutil.rmtree(FOLDER)


if __name__ == "__main__":
    sys.exit(main())
