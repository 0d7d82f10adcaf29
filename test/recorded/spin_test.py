"""The case studies before another judge: SPIN and clew agree on every typed order of the variables that correlate best.
It takes spin (make deps-programs); without it the tests are skipped."""
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
SOURCE = os.environ["CLEW_SOURCE"]
CLEW = os.environ["CLEW"]
sys.path[:0] = [os.path.join(SOURCE, "test", "harness"), os.path.join(SOURCE, "test", "cases")]
import atomicity_programs  # pylint: disable=wrong-import-position
import tap  # pylint: disable=wrong-import-position

SECONDS_MAX = 300


def compare(name):
    if shutil.which("spin") is None:
        raise tap.Skip("spin is not installed (make deps-programs)")
    (program,) = atomicity_programs.programs([name])
    with tempfile.TemporaryDirectory() as folder:
        trace = atomicity_programs.record(CLEW, program.build(CLEW, folder, "-O1"))
        done = subprocess.run([CLEW, "atomicity", "--compat", "spin", "--top", "1", trace], capture_output=True, text=True,
                              timeout=SECONDS_MAX, check=False)
    assert done.returncode == 1, done
    assert "; 0 decided otherwise here, 0 undecided" in done.stdout, done.stdout
    for number in program.patterns:
        assert f"(pattern {number}): " in done.stdout, (number, done.stdout)


def test_spin_agrees_on_mozilla_js1():
    compare("mozilla_js1")


def test_spin_agrees_on_mozilla_js2():
    compare("mozilla_js2")


def test_spin_agrees_on_mysql_2011():
    compare("mysql_2011")


def test_spin_agrees_on_mysql_169():
    compare("mysql_169")


if __name__ == "__main__":
    sys.exit(tap.run(tap.claims(globals())))
