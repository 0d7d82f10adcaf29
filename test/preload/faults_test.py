"""The disk is full, the output cannot be written: the program under record does what it always did, and clew says what
happened."""
import os
import shutil
import signal
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
SOURCE = os.environ["CLEW_SOURCE"]
CLEW = os.environ["CLEW"]
PROGRAM = os.path.join(os.environ["CLEW_PROGRAMS"], "recorded_busy")
sys.path.insert(0, os.path.join(SOURCE, "test", "harness"))
import tap  # pylint: disable=wrong-import-position

SECONDS_MAX = 120


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, timeout=SECONDS_MAX, check=False)


def on_small_disk(folder, size, script, *words):
    """Runs a shell script in a file system of that size, which only the script sees."""
    unshare = ["unshare", "-m"] if os.getuid() == 0 else ["unshare", "-Urm"]
    mount = f"mount -t tmpfs -o size={size} none {folder} && cd {folder}"
    if shutil.which("unshare") is None or run(*unshare, "sh", "-c", mount).returncode != 0:
        raise tap.Skip("no small file system can be mounted here")
    return run(*unshare, "sh", "-c", f"{mount} && {script}", "sh", *words)


def test_a_disk_that_fills_up_harms_nobody():
    """First there is room for a few rows; in the end not even for the trace."""
    with tempfile.TemporaryDirectory() as folder:
        for size in ("3m", "1100k", "64k"):
            done = on_small_disk(folder, size, '"$1" record -o run.clew -- sh -c "$2; echo ended with \\$?"', CLEW, PROGRAM)
            assert "ended with 0\n" in done.stdout, f"{size}: {done.stdout}{done.stderr}"
            assert done.returncode in (0, 125), f"{size}: {done.returncode}"
            assert "dropped" in done.stderr or "No space left" in done.stderr, f"{size}: {done.stderr}"


def test_a_disk_that_is_full_before_is_named():
    with tempfile.TemporaryDirectory() as folder:
        done = on_small_disk(folder, "64k", 'cat /dev/zero > all 2>/dev/null; "$1" record -o run.clew -- true', CLEW)
        assert done.returncode == 125 and "No space left on device" in done.stderr, f"{done.returncode}: {done.stderr}"


def test_a_trace_that_cannot_be_written_keeps_its_rows():
    """The folder of the output is gone when the program ends: nothing is lost but the trace."""
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "run.clew")
        done = run(CLEW, "record", "-o", trace, "--", "sh", "-c", f"mkdir {trace}; exit 7")
        assert done.returncode == 125 and "is kept in" in done.stderr, f"{done.returncode}: {done.stderr}"
        os.rmdir(trace)
        assert run(CLEW, "check", trace).returncode == 0


def test_an_output_that_cannot_be_made_is_named_before_anything_runs():
    with tempfile.TemporaryDirectory() as folder:
        mark = os.path.join(folder, "mark")
        done = run(CLEW, "record", "-o", os.path.join(folder, "no", "run.clew"), "--", "touch", mark)
        assert done.returncode == 125 and "cannot be made" in done.stderr, f"{done.returncode}: {done.stderr}"
        done = run(CLEW, "record", "-o", folder, "--", "touch", mark)
        assert done.returncode == 125 and "is a folder" in done.stderr, f"{done.returncode}: {done.stderr}"
        assert not os.path.exists(mark)


def test_a_process_that_outlives_the_program_is_told():
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "run.clew")
        done = run(CLEW, "record", "-o", trace, "--", "sh", "-c", "sleep 600 >/dev/null 2>&1 & echo $!")
        os.kill(int(done.stdout), signal.SIGKILL)
        assert done.returncode == 0 and "outlives the program" in done.stderr, f"{done.returncode}: {done.stderr}"
        assert "dropped" not in done.stderr and not os.path.exists(trace + ".rings"), done.stderr


if __name__ == "__main__":
    sys.exit(tap.run(tap.claims(globals())))
