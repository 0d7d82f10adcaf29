"""Programs under control, for the tests in this folder: built once each, explored and replayed in a folder that goes with the
test."""
import itertools
import json
import os
import platform
import re
import subprocess
import sys
import tempfile

SOURCE = os.environ["CLEW_SOURCE"]
CLEW = os.environ["CLEW"]
HERE = os.path.join(SOURCE, "test", "control")
CASES = os.path.join(SOURCE, "cases", "threads")
sys.path.insert(0, os.path.join(SOURCE, "test", "harness"))
import tap  # pylint: disable=wrong-import-position

LONG = os.environ.get("CLEW_TEST_LONG", "") not in ("", "0")
SECONDS_MAX = 300
MODES = ("fiber", "fork", "thread", "exec")
FOLDER = tempfile.TemporaryDirectory(prefix="clew-control-")
NUMBERS = itertools.count(1)


def run(words, **more):
    return subprocess.run(words, capture_output=True, text=True, timeout=SECONDS_MAX, check=False, cwd=FOLDER.name, **more)


def write(name, text):
    """A file in the folder of the test; its path."""
    path = os.path.join(FOLDER.name, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def build(name, *flags, path=None, text=None, with_clew=True, compiler=()):
    """Builds NAME.c of this folder, or the program at a path, or one given as text; its path."""
    program = os.path.join(FOLDER.name, name)
    if not os.path.exists(program):
        if text is not None:
            path = write(name + ".c", text)
        path = path or os.path.join(HERE, name + ".c")
        verb = "c++" if path.endswith(".cc") else "cc"
        words = [CLEW, verb, *compiler] if with_clew else [verb]
        done = run([*words, "-D_GNU_SOURCE", "-g", "-O1", "-pthread", "-I", os.path.join(SOURCE, "include"), *flags, path, "-o", program])
        assert done.returncode == 0, done.stderr
    return program


def build_plain(name):
    """A program of this folder, not built by clew cc."""
    return build(name + ".plain", path=os.path.join(HERE, name + ".c"), with_clew=False)


def build_broken(name):
    """A program of this folder, with the bug that it can be built with."""
    return build(name + "_broken", "-DBROKEN", path=os.path.join(HERE, name + ".c"))


def build_case(name):
    """A program of cases/threads."""
    path = os.path.join(CASES, name + ".c")
    return build(name, path=path if os.path.exists(path) else path + "c")


# The exit statuses that go with each verdict: a search that saw not everything ends with 3 only where something hindered it.
STATUSES = {"clean": (0,), "found": (1,), "unknown": (0, 3)}


def explore(command, *options, status=(0, 1, 3)):
    """What explore says of a program, or of one with its words, and the folder of its campaign."""
    folder = os.path.join(FOLDER.name, f"{next(NUMBERS)}.campaign")
    done = run([CLEW, "explore", "--json", *options, "-o", folder, "--", *([command] if isinstance(command, str) else command)])
    assert done.returncode in status, f"ended with {done.returncode}: {done.stdout}{done.stderr}"
    said = json.loads(done.stdout)
    assert done.returncode in STATUSES[said["verdict"]], (done.returncode, said)
    return said, folder


def needs_traps():
    """Skips the test where the kernel hands no system calls back."""
    said = run([CLEW, "doctor"]).stdout
    if platform.machine() != "x86_64" or not re.search(r"^yes +user-dispatch", said, re.MULTILINE):
        raise tap.Skip("this kernel hands no system calls back")


def first_schedule(folder):
    """The schedule of a campaign's first violation."""
    return os.path.join(folder, "violations", "1.sched")


def only_finding(said):
    assert len(said["findings"]) == 1, said
    return said["findings"][0]


def check_every_mode_passes(program, *options, modes=MODES):
    """Every mode comes to the end of the same steps, with nothing found and nothing left uncontrolled. Returns the modes that
    ran: another where a run reached outside of the process."""
    steps = set()
    ran = []
    for mode in modes:
        said, _ = explore(program, "--fail-on", "exit", "--mode", mode, *options)
        stats = said["stats"]
        assert not said["findings"] and stats["uncontrolled"] == 0 and stats.get("unlike", 0) == 0, said
        steps.add(stats["steps"])
        ran.append(stats["mode"])
    assert len(steps) == 1, steps
    return tuple(ran)


def check_every_mode_replays(schedule, program, *options):
    """Every mode shows the violation of a schedule again, as it was recorded."""
    for mode in MODES:
        done = run([CLEW, "replay", "-q", "--mode", mode, *options, schedule, "--", program])
        assert done.returncode == 1 and ", as recorded" in done.stdout, done.stdout + done.stderr


def line_of(path, text):
    """The number of the one line of a file that has the text."""
    with open(path, encoding="utf-8") as file:
        numbers = [number for number, line in enumerate(file, 1) if text in line]
    assert len(numbers) == 1, (path, text, numbers)
    return numbers[0]
