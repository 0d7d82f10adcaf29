"""Programs at the edges of control: what looks like waiting and is not, what leaves the process, what never ends."""
import json
import os
import platform
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
SOURCE = os.environ["CLEW_SOURCE"]
CLEW = os.environ["CLEW"]
sys.path.insert(0, os.path.join(SOURCE, "test", "harness"))
import tap  # pylint: disable=wrong-import-position

SECONDS_MAX = 120
FOLDER = tempfile.TemporaryDirectory(prefix="clew-edges-")
EDGES = os.path.join(SOURCE, "test", "control", "edges.c")


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, timeout=SECONDS_MAX, check=False, cwd=FOLDER.name,
                          stdin=subprocess.DEVNULL)


def built(*compiler):
    """The program, built so."""
    program = os.path.join(FOLDER.name, "-".join(os.path.basename(word) for word in compiler))
    if not os.path.exists(program):
        done = run(*compiler, "-D_GNU_SOURCE", "-g", "-pthread", EDGES, "-o", program)
        assert done.returncode == 0, done.stderr
    return program


def explore(options, *words):
    """What explore says of the command."""
    folder = tempfile.mkdtemp(dir=FOLDER.name) + "/campaign"
    done = run(CLEW, "explore", "--json", *options, "-o", folder, "--", *words)
    assert done.returncode in (0, 1), f"ended with {done.returncode}: {done.stderr}"
    return json.loads(done.stdout)


def uncontrolled(said):
    """The calls that it lists."""
    return {words.removesuffix(" is not controlled") for words in said["assumptions"]}


def needs_traps():
    if platform.machine() != "x86_64" or not re.search(r"^yes +user-dispatch", run(CLEW, "doctor").stdout, re.MULTILINE):
        raise tap.Skip("this kernel hands no system calls back")


def test_a_function_called_twice_is_no_loop():
    """Whoever waits is passed over; whoever only looks twice must not be, or the free never comes first."""
    said = explore(["--first", "--budget", "50runs"], built(CLEW, "cc", "-O0"), "look_twice_and_free")
    assert [finding["kind"] for finding in said["findings"]] == ["use-after-free"], said


def test_children_made_inside_libc_are_named_and_awaited():
    needs_traps()
    for program in (built(CLEW, "cc"), built("cc")):
        said = explore(["--fail-on", "exit", "--budget", "3runs"], program, "ask_shell")
        assert not said["findings"], said
        assert "posix_spawn" in uncontrolled(said) and said["verdict"] == "unknown", said


def test_a_signal_of_a_child_is_no_deadlock():
    said = explore(["--fail-on", "exit", "--budget", "3runs"], built("cc"), "await_child")
    assert not said["findings"], said
    assert {"fork", "kill"} <= uncontrolled(said), said


def test_who_only_starts_another_program_is_refused():
    needs_traps()
    done = run(CLEW, "explore", "-o", os.path.join(FOLDER.name, "another"), "--", built("cc"), "become_another")
    assert done.returncode == 2 and "becomes another program" in done.stderr, done.stdout + done.stderr


def test_who_becomes_another_program_at_its_end_is_over():
    needs_traps()
    said = explore(["--fail-on", "exit", "--budget", "3runs"], built("cc"), "become_another_later")
    assert not said["findings"] and said["stats"]["runs"] == 3, said
    assert uncontrolled(said) == {"execve"} and said["verdict"] == "unknown", said


def test_a_search_goes_on_behind_runs_that_hang():
    """Such a run is ended from outside, and what could have been chosen in it is known all the same."""
    said = explore(["--strategy", "delay", "--delays", "1", "--hang", "1", "--budget", "3runs"], built("cc"), "hang")
    assert [finding["kind"] for finding in said["findings"]] == ["hang"], said


if __name__ == "__main__":
    sys.exit(tap.run(tap.claims(globals())))
