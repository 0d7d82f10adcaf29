"""Programs under control: what explore finds in them, that replay shows it again every time, and that all modes agree.
Nothing here depends on how fast anything is."""
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
SOURCE = os.environ["CLEW_SOURCE"]
CLEW = os.environ["CLEW"]
HERE = os.path.join(SOURCE, "test", "control")
CASES = os.path.join(SOURCE, "cases", "threads")
sys.path.insert(0, os.path.join(SOURCE, "test", "harness"))
import tap  # pylint: disable=wrong-import-position

LONG = os.environ.get("CLEW_TEST_LONG", "") != ""
SECONDS_MAX = 300
MODES = ["fiber", "fork", "thread", "exec"]
FOLDER = tempfile.TemporaryDirectory(prefix="clew-control-")


def run(words, **more):
    return subprocess.run(words, capture_output=True, text=True, timeout=SECONDS_MAX, check=False, cwd=FOLDER.name, **more)


def build(path, name, *flags):
    """Builds a program with clew cc, once; its path."""
    program = os.path.join(FOLDER.name, name)
    if not os.path.exists(program):
        verb = "c++" if path.endswith(".cc") else "cc"
        done = run([CLEW, verb, "-D_GNU_SOURCE", "-g", "-O1", "-pthread", *flags, path, "-o", program])
        assert done.returncode == 0, done.stderr
    return program


def here(name):
    return build(os.path.join(HERE, name + ".c"), name)


def plain(name):
    """The same, not built by clew cc."""
    program = os.path.join(FOLDER.name, name + ".plain")
    if not os.path.exists(program):
        done = run(["cc", "-D_GNU_SOURCE", "-g", "-O1", "-pthread", os.path.join(HERE, name + ".c"), "-o", program])
        assert done.returncode == 0, done.stderr
    return program


COUNTER = [0]


def explore(program, *options, status=(0, 1)):
    """What explore says, and the folder of its campaign."""
    COUNTER[0] += 1
    folder = os.path.join(FOLDER.name, f"{COUNTER[0]}.campaign")
    done = run([CLEW, "explore", "--json", *options, "-o", folder, "--", program])
    assert done.returncode in status, f"ended with {done.returncode}: {done.stderr}"
    return json.loads(done.stdout), folder


def only_finding(said):
    assert len(said["findings"]) == 1, said
    return said["findings"][0]


def test_a_lost_update_is_found_and_replayed_in_every_mode():
    program = here("lost_update")
    said, folder = explore(program, "--strategy", "random", "--budget", "200runs")
    finding = only_finding(said)
    assert finding["kind"] == "assertion" and "counter == 2" in finding["what"], finding
    assert "lost_update.c:" in finding["what"], finding
    schedule = os.path.join(folder, "violations", "1.sched")
    for mode in MODES:
        times = "100" if mode != "exec" or LONG else "10"
        done = run([CLEW, "replay", "--mode", mode, "--verify", times, schedule, "--", program])
        assert done.returncode == 1 and "as recorded" in done.stdout and "all the same" in done.stdout, done.stdout + done.stderr


def test_names_survive_a_recompilation():
    """Other addresses, another file before it, the same lines: the same schedule."""
    _, folder = explore(here("lost_update"), "--strategy", "random", "--budget", "200runs")
    other = os.path.join(FOLDER.name, "other")
    os.makedirs(other, exist_ok=True)
    path = os.path.join(other, "lost_update.c")
    with open(os.path.join(HERE, "lost_update.c"), encoding="utf-8") as file, open(path, "w", encoding="utf-8") as copy:
        copy.write(file.read() + "int something_else[1000] = {1};\nint more(int x) { return something_else[x & 7] + x; }\n")
    moved = build(path, os.path.join("other", "lost_update"))
    done = run([CLEW, "replay", os.path.join(folder, "violations", "1.sched"), "--", moved])
    assert done.returncode == 1 and "as recorded" in done.stdout and "not as" not in done.stdout, done.stdout + done.stderr


def test_a_deadlock_says_who_waits_for_what():
    for program in (here("deadlock"), plain("deadlock")):
        said, _ = explore(program, "--budget", "200runs")
        finding = only_finding(said)
        assert finding["kind"] == "deadlock", finding
        assert re.search(r"main/1 waits to lock second held by main/2", finding["what"]), finding
        assert re.search(r"main/2 waits to lock first held by main/1", finding["what"]), finding


def test_dpor_counts_the_executions_there_are():
    for name, executions in (("lost_update", 4), ("deadlock", 3)):
        folder = os.path.join(FOLDER.name, name + ".all")
        done = run([CLEW, "explore", "--strategy", "dpor", "-o", folder, "--", here(name)])
        assert f"all {executions} executions explored" in done.stdout, done.stdout + done.stderr


def test_all_modes_do_the_same():
    strategies = ["random", "pct", "pos", "surw", "delay", "auto"]
    programs = [(here("lost_update"), []), (here("deadlock"), []), (here("everything"), [])]
    for name in ["philosophers", "use_after_free", "condition_if", "timeout", "cancel", "vector_grow", "ticket_lock"]:
        path = os.path.join(CASES, name + ".c")
        path = path if os.path.exists(path) else os.path.join(CASES, name + ".cc")
        programs.append((build(path, name, "-I", os.path.join(SOURCE, "include")), []))
    for number, (program, options) in enumerate(programs):
        for strategy in strategies if LONG else [strategies[number % len(strategies)]]:
            told = {}
            for mode in MODES:
                said, _ = explore(program, "--fail-on", "exit", "--mode", mode, "--strategy", strategy, "--depth", "4000",
                                  "--budget", "200runs" if LONG else "8runs", *options)
                stats = said["stats"]
                assert stats["mode"] == mode, stats
                told[mode] = ([stats[key] for key in ("runs", "steps", "violating_runs", "first_violation_run")],
                              sorted(finding["key"] for finding in said["findings"]))
            assert all(told[mode] == told["fiber"] for mode in MODES), f"{program} {strategy}: {told}"


def test_every_operation_does_what_it_says():
    for program in (here("everything"), plain("everything")):
        for strategy in ("random", "pct", "pos"):
            said, _ = explore(program, "--fail-on", "exit", "--strategy", strategy, "--budget", "300runs")
            assert not said["findings"], said["findings"]
            assert said["stats"]["runs"] == 300, said["stats"]


def test_a_run_becomes_a_trace_that_other_verbs_read():
    program = here("lost_update")
    _, folder = explore(program, "--strategy", "random", "--budget", "200runs")
    trace = os.path.join(FOLDER.name, "run.clew")
    done = run([CLEW, "replay", "--trace", trace, os.path.join(folder, "violations", "1.sched"), "--", program])
    assert done.returncode == 1, done.stderr
    info = run([CLEW, "info", trace])
    assert "exact" in info.stdout, info.stdout
    races = run([CLEW, "races", "--json", trace])
    assert any("counter" in finding["what"] for finding in json.loads(races.stdout)["findings"]), races.stdout


def test_a_schedule_is_minimized():
    program = here("lost_update")
    _, folder = explore(program, "--strategy", "random", "--budget", "200runs")
    small = os.path.join(FOLDER.name, "small.sched")
    done = run([CLEW, "minimize", os.path.join(folder, "violations", "1.sched"), "-o", small, "--", program])
    assert done.returncode == 0, done.stdout + done.stderr
    again = run([CLEW, "replay", small, "--", program])
    assert again.returncode == 1 and "assertion" in again.stdout, again.stdout + again.stderr


def test_workers_have_a_program_each():
    said, _ = explore(here("lost_update"), "-j", "2", "--strategy", "random", "--budget", "2000runs")
    assert only_finding(said)["kind"] == "assertion" and said["stats"]["runs"] == 2000, said


def test_a_status_is_a_violation_when_asked():
    path = os.path.join(FOLDER.name, "status.c")
    with open(path, "w", encoding="utf-8") as file:
        file.write("int main(void) { return 5; }\n")
    program = build(path, "status")
    assert not explore(program, "--budget", "3runs")[0]["findings"]
    finding = only_finding(explore(program, "--fail-on", "exit", "--budget", "3runs")[0])
    assert finding["kind"] == "exit" and "5" in finding["what"], finding


def test_what_cannot_be_controlled_is_refused():
    done = run([CLEW, "explore", "--", "./no-such-program"])
    assert done.returncode == 2 and "no-such-program" in done.stderr, done.stderr
    path = os.path.join(FOLDER.name, "static.c")
    with open(path, "w", encoding="utf-8") as file:
        file.write("int main(void) { return 0; }\n")
    program = os.path.join(FOLDER.name, "static")
    assert run(["cc", "-static", path, "-o", program]).returncode == 0
    done = run([CLEW, "explore", "--", program])
    assert done.returncode == 2 and "static" in done.stderr, done.stderr
    done = run([CLEW, "explore", "--"])
    assert done.returncode == 2 and "program behind --" in done.stderr, done.stderr
    done = run([CLEW, "explore", "--net", "fifo", "--", program])
    assert done.returncode == 2 and "not for programs" in done.stderr, done.stderr


def test_what_reaches_outside_is_forked_and_named():
    path = os.path.join(FOLDER.name, "outside.c")
    with open(path, "w", encoding="utf-8") as file:
        file.write("#include <stdio.h>\n#include <sys/wait.h>\n#include <unistd.h>\n"
                   "int main(void) { if (fork() == 0) { _exit(0); } (void)wait(NULL); return 0; }\n")
    said, _ = explore(build(path, "outside"), "--budget", "5runs")
    assert said["stats"]["mode"] == "fork" and said["stats"]["uncontrolled"] >= 1, said["stats"]
    assert said["verdict"] == "unknown", said


def test_programs_nobody_here_wrote_come_to_their_end_the_same_twice():
    lines = [f"{(number * 7919) % 300007}\n" for number in range(300000 if LONG else 140000)]
    text = os.path.join(FOLDER.name, "lines.txt")
    with open(text, "w", encoding="ascii") as file:
        file.writelines(lines)
    small = os.path.join(FOLDER.name, "small.txt")
    with open(small, "w", encoding="ascii") as file:
        file.writelines(lines[:20000])
    result = os.path.join(FOLDER.name, "sorted.txt")
    commands = [["sort", "--parallel=4", "-S", "100M", "-o", result, text],
                ["xz", "-T2", "-k", "-f", "--block-size=32KiB", small],
                ["pigz", "-k", "-f", "-p", "3", "-b", "32", small]]
    runs = 20 if LONG else 4
    tried = 0
    for command in commands:
        if shutil.which(command[0]) is None:
            continue
        tried += 1
        folder = os.path.join(FOLDER.name, command[0] + ".campaign")
        done = run([CLEW, "explore", "--json", "--verify", "--fail-on", "exit", "--strategy", "random", "--budget",
                    f"{runs}runs", "-o", folder, "--", *command], env={**os.environ, "LC_ALL": "C"})
        assert done.returncode == 0, done.stdout + done.stderr
        stats = json.loads(done.stdout)["stats"]
        assert stats["verified"] == runs and stats["unlike"] == 0, (command, stats)
    if tried == 0:
        raise tap.Skip("none of them is installed")
    with open(result, encoding="ascii") as file:
        assert file.readlines() == sorted(lines)


def test_futexes_are_modelled_behind_their_system_call():
    path = os.path.join(HERE, "futex.c")
    for mode in MODES:
        runs = "300runs" if mode == "fiber" else "30runs"
        said, _ = explore(build(path, "futex"), "--fail-on", "exit", "--mode", mode, "--strategy", "pos", "--budget", runs)
        assert not said["findings"] and said["stats"]["uncontrolled"] == 0, said
    said, _ = explore(build(path, "futex_broken", "-DBROKEN"), "--budget", "300runs")
    assert only_finding(said)["kind"] == "deadlock", said


def test_descriptors_inside_a_process_are_waited_for_by_turns():
    for program in (here("streams"), plain("streams")):
        told = []
        for mode in MODES:
            said, _ = explore(program, "--fail-on", "exit", "--mode", mode, "--strategy", "random", "--budget",
                              "200runs" if LONG else "10runs")
            assert not said["findings"] and said["stats"]["uncontrolled"] == 0 and said["stats"]["mode"] == mode, said
            told.append(said["stats"]["steps"])
        assert len(set(told)) == 1, told


def test_who_waits_for_an_empty_pipe_is_in_a_deadlock():
    path = os.path.join(HERE, "tokens.c")
    assert not explore(build(path, "tokens"), "--budget", "300runs")[0]["findings"]
    said, folder = explore(build(path, "tokens_broken", "-DBROKEN"), "--budget", "300runs")
    finding = only_finding(said)
    assert finding["kind"] == "deadlock" and "waits to read from pipe#1" in finding["what"], finding
    for mode in MODES:
        done = run([CLEW, "replay", "--mode", mode, os.path.join(folder, "violations", "1.sched"), "--",
                    build(path, "tokens_broken", "-DBROKEN")])
        assert done.returncode == 1 and "as recorded" in done.stdout, done.stdout + done.stderr


def test_messages_through_a_pipe_are_counted():
    """Each write is a message, delivered with its last byte."""
    path = os.path.join(HERE, "tokens.c")
    for claim, holds in (("always forall p. p.received <= p.sent and p.sent_pipe_1 <= 2", True),
                         ("always forall p. p.sent_pipe_1 < 2", False), ("always forall p. p.received_pipe_1 < 2", False)):
        spec = os.path.join(FOLDER.name, "pipe.spec")
        with open(spec, "w", encoding="utf-8") as file:
            file.write(f"claim: {claim}\n")
        said, _ = explore(build(path, "tokens"), "--spec", spec, "--budget", "50runs")
        assert (not said["findings"]) == holds, (claim, said)


def test_somebody_outside_is_waited_for_and_named():
    path = os.path.join(FOLDER.name, "outside_pipe.c")
    with open(path, "w", encoding="utf-8") as file:
        file.write("#include <sys/wait.h>\n#include <unistd.h>\n"
                   "int main(void) { int fds[2]; char byte = 0; (void)pipe(fds);\n"
                   "if (fork() == 0) { (void)write(fds[1], \"x\", 1); _exit(0); }\n"
                   "const long got = read(fds[0], &byte, 1); (void)wait(NULL); return got == 1 ? 0 : 3; }\n")
    said, _ = explore(build(path, "outside_pipe"), "--fail-on", "exit", "--budget", "5runs")
    assert not said["findings"] and said["stats"]["uncontrolled"] >= 2 and said["verdict"] == "unknown", said


def test_large_arrays_are_put_back_too():
    """And a process that is larger than what can be copied: what nobody touched is not."""
    path = os.path.join(FOLDER.name, "large.c")
    with open(path, "w", encoding="utf-8") as file:
        file.write("#include <pthread.h>\n#include <stdlib.h>\n#include <string.h>\n"
                   "static char large[700 << 20];\n"
                   "static void *touch(void *at) { large[(size_t)at << 20] = 1; return at; }\n"
                   "int main(void) { pthread_t thread; char *more = malloc(100 << 20);\n"
                   "if (more == NULL || more[1 << 20] != 0 || large[5000] != 0 || large[300 << 20] != 0) { return 3; }\n"
                   "memset(large, 1, 10000); memset(more, 1, 2 << 20);\n"
                   "if (pthread_create(&thread, NULL, touch, (void *)300) != 0) { return 4; }\n"
                   "return pthread_join(thread, NULL); }\n")
    told = []
    for mode in MODES[:3]:
        said, _ = explore(build(path, "large"), "--fail-on", "exit", "--mode", mode, "--strategy", "random", "--budget", "20runs")
        assert not said["findings"] and said["stats"]["mode"] == mode, said
        told.append(said["stats"]["steps"])
    assert len(set(told)) == 1, told


def needs_traps():
    said = run([CLEW, "doctor"]).stdout
    if platform.machine() != "x86_64" or not re.search(r"^yes +user-dispatch", said, re.MULTILINE):
        raise tap.Skip("this kernel hands no system calls back")


def test_system_calls_without_a_name_are_modelled():
    needs_traps()
    path = os.path.join(HERE, "raw.c")
    for program in (build(path, "raw"), plain("raw")):
        told = []
        for mode in MODES:
            said, _ = explore(program, "--fail-on", "exit", "--mode", mode, "--strategy", "pos", "--verify", "--budget",
                              "300runs" if LONG else "10runs")
            assert not said["findings"] and said["stats"]["uncontrolled"] == 0 and said["stats"]["unlike"] == 0, said
            told.append(said["stats"]["steps"])
        assert len(set(told)) == 1, told
    said, _ = explore(build(path, "raw_broken", "-DBROKEN"), "--budget", "300runs")
    assert only_finding(said)["kind"] == "deadlock", said


def test_signals_and_timers_come_by_turns():
    for program in (here("signals"), plain("signals")):
        told = []
        for mode in MODES:
            said, _ = explore(program, "--fail-on", "exit", "--mode", mode, "--strategy", "random", "--budget",
                              "1000runs" if LONG else "30runs")
            assert not said["findings"] and said["stats"]["uncontrolled"] == 0 and said["stats"]["mode"] == mode, said
            told.append(said["stats"]["steps"])
        assert len(set(told)) == 1, told


def test_a_handler_runs_where_it_was_not_expected():
    path = os.path.join(HERE, "handler.c")
    assert not explore(build(path, "handler"), "--fail-on", "exit", "--budget", "500runs")[0]["findings"]
    said, folder = explore(build(path, "handler_broken", "-DBROKEN"), "--fail-on", "exit", "--budget", "500runs")
    assert only_finding(said)["kind"] == "exit", said
    for mode in MODES:
        done = run([CLEW, "replay", "--fail-on", "exit", "--mode", mode, os.path.join(folder, "violations", "1.sched"), "--",
                    build(path, "handler_broken", "-DBROKEN")])
        assert done.returncode == 1 and "as recorded" in done.stdout, done.stdout + done.stderr


def test_what_is_not_determined_is_named():
    if platform.machine() != "x86_64":
        raise tap.Skip("only x86-64 has a counter that a program reads without a call")
    path = os.path.join(FOLDER.name, "chance.c")
    with open(path, "w", encoding="utf-8") as file:
        file.write("#include <pthread.h>\n#include <x86intrin.h>\n"
                   "static pthread_mutex_t odd = PTHREAD_MUTEX_INITIALIZER, even = PTHREAD_MUTEX_INITIALIZER;\n"
                   "int main(void) { for (int i = 0; i < 100; i++) {\n"
                   "pthread_mutex_t *lock = __rdtsc() / 16 % 2 ? &odd : &even;\n"
                   "pthread_mutex_lock(lock); pthread_mutex_unlock(lock); } return 0; }\n")
    program = build(path, "chance")
    done = run([CLEW, "explore", "--verify", "--budget", "20runs", "-o", program + ".campaign", "--", program])
    assert "not determined by its schedule: step" in done.stdout, done.stdout + done.stderr


if __name__ == "__main__":
    sys.exit(tap.run(tap.claims(globals())))
