"""What a user is told of a controlled program besides the verdict: calls, values, what must hold of them."""
import json
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
SOURCE = os.environ["CLEW_SOURCE"]
CLEW = os.environ["CLEW"]
HERE = os.path.join(SOURCE, "test", "control")
sys.path.insert(0, os.path.join(SOURCE, "test", "harness"))
import tap  # pylint: disable=wrong-import-position

SECONDS_MAX = 300
MODES = ["fiber", "fork", "thread", "exec"]
FOLDER = tempfile.TemporaryDirectory(prefix="clew-told-")
COUNTER = [0]


def run(words, **more):
    return subprocess.run(words, capture_output=True, text=True, timeout=SECONDS_MAX, check=False, cwd=FOLDER.name, **more)


def build(name, *flags, source=None, with_clew=True):
    """Builds a program of this folder, or one given as text, once; its path."""
    program = os.path.join(FOLDER.name, name)
    if not os.path.exists(program):
        path = os.path.join(HERE, name + ".c")
        if source is not None:
            path = program + ".c"
            write(path, source)
        compiler = [CLEW, "cc"] if with_clew else ["cc"]
        done = run([*compiler, "-D_GNU_SOURCE", "-g", "-O1", "-pthread", "-I", os.path.join(SOURCE, "include"), *flags, path, "-o", program])
        assert done.returncode == 0, done.stderr
    return program


def write(path, text):
    with open(os.path.join(FOLDER.name, path), "w", encoding="utf-8") as file:
        file.write(text)
    return os.path.join(FOLDER.name, path)


def explore(command, *options, status=(0, 1)):
    """What explore says, and the folder of its campaign."""
    COUNTER[0] += 1
    folder = os.path.join(FOLDER.name, f"{COUNTER[0]}.campaign")
    done = run([CLEW, "explore", "--json", *options, "-o", folder, "--", *command])
    assert done.returncode in status, f"ended with {done.returncode}: {done.stdout}{done.stderr}"
    return json.loads(done.stdout), folder


def only_finding(said):
    assert len(said["findings"]) == 1, said
    return said["findings"][0]


def line_of(name, text):
    with open(os.path.join(HERE, name + ".c"), encoding="utf-8") as file:
        numbers = [number for number, line in enumerate(file, 1) if text in line]
    assert len(numbers) == 1, (name, text, numbers)
    return numbers[0]


def test_a_deadlock_has_the_calls_of_each_task_in_every_mode():
    program = build("calls")
    said, folder = explore([program], "--budget", "200runs")
    lock = line_of("calls", "pthread_mutex_lock(lock)")
    deep = f"take calls.c:{lock} < take_both calls.c:{line_of('calls', 'take(other)')}"
    wanted = [f"main: main calls.c:{line_of('calls', 'join(threads[0]')}",
              f"main/1: {deep} < forwards calls.c:{line_of('calls', 'take_both(&first')}",
              f"main/2: {deep} < backwards calls.c:{line_of('calls', 'take_both(&second')}",
              f"main/2 took second at calls.c:{lock}", f"main/1 took first at calls.c:{lock}"]
    finding = only_finding(said)
    assert finding["kind"] == "deadlock" and set(wanted) <= set(finding["why"].splitlines()), finding["why"]
    for mode in MODES:
        done = run([CLEW, "replay", "--mode", mode, folder + "/violations/1.sched", "--", program])
        assert sorted(done.stdout.splitlines()[2:]) == sorted("    " + line for line in wanted), done.stdout + done.stderr


def test_a_program_that_clew_did_not_build_has_calls_too():
    program = build("calls.plain", source=open(os.path.join(HERE, "calls.c"), encoding="utf-8").read(), with_clew=False)
    said, _ = explore([program], "--budget", "200runs")
    assert re.search(r"^main/1: take calls.plain.c:\d+ < take_both calls.plain.c:\d+ < forwards calls.plain.c:\d+$",
                     only_finding(said)["why"], re.MULTILINE), said


def test_a_misuse_deep_down_has_all_its_calls():
    said, _ = explore([build("calls"), "deep"], "--budget", "1runs")
    finding = only_finding(said)
    chain = finding["why"].splitlines()[0]
    assert finding["kind"] == "use-after-free" and chain.count("use calls.c:") == 7, finding
    assert re.search(r" < main calls.c:\d+$", chain), finding


if __name__ == "__main__":
    sys.exit(tap.run(tap.claims(globals())))
