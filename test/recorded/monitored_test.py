"""A recording says when processes report their variables, so that clew monitor can ask what clocks would have allowed."""
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
FOUND, NONE = 1, 0


def clew(*words):
    return subprocess.run([CLEW, *words], capture_output=True, text=True, timeout=SECONDS_MAX, check=False)


def record(folder):
    """The program ends one process's use at least 50 ms before the other's begins, and sends no message."""
    program, trace = (os.path.join(folder, name) for name in ("monitored", "run.clew"))
    built = clew("cc", "-g", "-pthread", os.path.join(SOURCE, "test", "recorded", "monitored", "apart.c"), "-o", program)
    assert built.returncode == 0, built.stderr
    done = clew("record", "-q", "-o", trace, "--name", "n", "--", program, os.path.join(folder, "done"))
    assert done.returncode == 0, done.stderr
    return trace


def monitor(folder, trace, *clocks):
    spec = os.path.join(folder, "use.spec")
    with open(spec, "w", encoding="ascii") as file:
        file.write("exclusive: never count(p: p.use = 1) >= 2\n")
    done = clew("monitor", "--json", "--spec", spec, *clocks, trace)
    assert done.returncode in (FOUND, NONE) and not done.stderr, done
    return done.returncode, json.loads(done.stdout)


def test_clocks_keep_two_processes_apart():
    with tempfile.TemporaryDirectory() as folder:
        trace = record(folder)
        assert monitor(folder, trace, "--skew", "10ms")[0] == NONE
        assert monitor(folder, trace, "--skew", "3600s")[0] == FOUND
        assert monitor(folder, trace, "--no-clocks")[0] == FOUND


def test_reports_have_times_and_none_goes_back():
    with tempfile.TemporaryDirectory() as folder:
        done = clew("convert", record(folder), "--to", "text", "-o", "-")
    reports = [line for line in done.stdout.splitlines() if " variable use " in line]
    times = [int(word[2:]) for line in reports for word in line.split() if word.startswith("t=")]
    assert len(times) == len(reports) == 8, reports
    assert times == sorted(times) and times[-1] - times[0] >= 50000, times
    assert "tick=1000 " in done.stdout.splitlines()[0]


if __name__ == "__main__":
    sys.exit(tap.run(tap.claims(globals())))
