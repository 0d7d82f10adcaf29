"""Which accesses of a recorded program belong to one operation: the same whatever the compiler made of its loops and calls. Start
routines of many shapes, each recorded alone, are asked for couples that another thread can interrupt."""
import os
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
SOURCE = os.environ["CLEW_SOURCE"]
sys.path.insert(0, os.path.join(SOURCE, "test", "harness"))
import tap  # pylint: disable=wrong-import-position
from programs import CLEW, HERE, build, run  # pylint: disable=wrong-import-position

WAYS = (("gcc", "-O0"), ("gcc", "-O2"), ("clang", "-O2"))
WAYS_LONG = (("gcc", "-O1"), ("gcc", "-O3"), ("clang", "-O0"), ("clang", "-O1"))


def has_couple(folder, program, routine, *options):
    trace = os.path.join(folder, "run.clew")
    done = run([CLEW, "record", "--all-accesses", "-o", trace, "--", program, routine])
    assert done.returncode == 0, done.stderr
    assert run([CLEW, "check", trace]).returncode == 0
    done = run([CLEW, "atomicity", "--only", "single", *options, trace])
    assert done.returncode in (0, 1), done.stderr
    return done.returncode == 1


def test_routines(compiler, level):
    with tempfile.TemporaryDirectory() as folder:
        program = build(folder, os.path.join(HERE, "operations", "routines.c"), compiler, level)
        routines = run([program]).stdout.split()
        assert len(routines) == 19, routines
        wrong = [name for name in routines if has_couple(folder, program, name) != name.startswith("couple")]
        assert not wrong, wrong
        hidden = [name for name in routines if name.startswith("update") and not has_couple(folder, program, name, "--all")]
        assert not hidden, hidden


def main():
    ways = WAYS + (WAYS_LONG if os.environ.get("CLEW_TEST_LONG") else ())
    return tap.run([(f"operations are those of the source, by {compiler} {level}", lambda c=compiler, l=level: test_routines(c, l))
                    for compiler, level in ways if shutil.which(compiler)])


if __name__ == "__main__":
    sys.exit(main())
