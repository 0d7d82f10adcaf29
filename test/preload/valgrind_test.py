"""valgrind finds nothing to say about the recorder inside small programs. Only in make test-long."""
import glob
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
SOURCE = os.environ["CLEW_SOURCE"]
CLEW = os.environ["CLEW"]
PROGRAMS = os.environ["CLEW_PROGRAMS"]
sys.path.insert(0, os.path.join(SOURCE, "test", "harness"))
import tap  # pylint: disable=wrong-import-position

SECONDS_MAX = 300
STATUS_ERROR = 97
APART = ("recorded_busy", "recorded_generations")  # what they are for is told by other tests


def status_of(folder, *words):
    done = subprocess.run([CLEW, "record", "-q", "-o", os.path.join(folder, "run.clew"), "--", *words], capture_output=True, text=True,
                          errors="replace", timeout=SECONDS_MAX, check=False)
    return done.returncode, done.stderr


def check(program):
    if not os.environ.get("CLEW_TEST_LONG"):
        raise tap.Skip("only in make test-long")
    if shutil.which("valgrind") is None:
        raise tap.Skip("valgrind is not installed (make deps-sources)")
    with tempfile.TemporaryDirectory() as folder:
        plain, _ = status_of(folder, program)
        watched, said = status_of(folder, "valgrind", "-q", f"--error-exitcode={STATUS_ERROR}", program)
    assert watched == plain, f"ended with {watched}, not {plain}: {said[:3000]}"


def main():
    programs = sorted(glob.glob(os.path.join(PROGRAMS, "recorded_*")))
    programs = [path for path in programs if os.path.isfile(path) and os.path.basename(path) not in APART]
    return tap.run([(os.path.basename(path), lambda path=path: check(path)) for path in programs])


if __name__ == "__main__":
    sys.exit(main())
