"""Programs at the edges of control: what looks like waiting and is not, what leaves the process, what never ends."""
import json
import os
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


def test_a_function_called_twice_is_no_loop():
    """Whoever waits is passed over; whoever only looks twice must not be, or the free never comes first."""
    said = explore(["--first", "--budget", "50runs"], built(CLEW, "cc", "-O0"), "look_twice_and_free")
    assert [finding["kind"] for finding in said["findings"]] == ["use-after-free"], said


if __name__ == "__main__":
    sys.exit(tap.run(tap.claims(globals())))
