"""Threads in great numbers, one generation after the other: what the process holds does not grow with them, what lies
on the disk grows only with what there is to tell, and nothing is lost."""
import json
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
SOURCE = os.environ["CLEW_SOURCE"]
CLEW = os.environ["CLEW"]
PROGRAM = os.path.join(os.environ["CLEW_PROGRAMS"], "recorded_generations")
sys.path.insert(0, os.path.join(SOURCE, "test", "harness"))
import tap  # pylint: disable=wrong-import-position

IS_LONG = bool(os.environ.get("CLEW_TEST_LONG"))
SIZE, FEW, MANY = (200, 10, 1000) if IS_LONG else (20, 5, 50)
SECONDS_MAX = 3000


def live(folder, count):
    """What the process has become, and what clew record says, after so many generations."""
    trace = os.path.join(folder, f"{count}.clew")
    done = subprocess.run([CLEW, "record", "--json", "-o", trace, "--", PROGRAM, str(count), str(SIZE)], capture_output=True,
                          text=True, timeout=SECONDS_MAX, check=False)
    assert done.returncode == 0, f"{done.returncode}: {done.stdout}{done.stderr}"
    lived, pages, mappings, descriptors = map(int, re.match(r"(\d+) (\d+) (\d+) (\d+)\n", done.stdout).groups())
    assert lived == count * SIZE, lived
    result = json.loads(done.stdout[done.stdout.index('{\n  "clew"'):])
    stats = result["stats"]
    assert stats["dropped"] == 0 and stats["threads"] == count * SIZE + 1, stats
    assert result["events"] >= 6 * count * SIZE, result["events"]
    checked = subprocess.run([CLEW, "check", trace], capture_output=True, text=True, timeout=SECONDS_MAX, check=False)
    assert checked.returncode == 0, checked.stdout
    return pages, mappings, descriptors


def test_threads_leave_nothing_behind():
    with tempfile.TemporaryDirectory() as folder:
        few, many = live(folder, FEW), live(folder, MANY)
    print(f"# after {FEW} and {MANY} generations of {SIZE}: pages {few[0]} and {many[0]}, mappings {few[1]} and {many[1]}, "
          f"descriptors {few[2]} and {many[2]}")
    assert many[0] <= 2 * few[0] + 256, "memory grows"
    assert many[1] <= few[1] + SIZE, "mappings grow"
    assert many[2] == few[2], "descriptors grow"


if __name__ == "__main__":
    sys.exit(tap.run(tap.claims(globals())))
