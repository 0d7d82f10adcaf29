"""Builds each program here with clew cc, runs it alone, records it and compares the races that clew finds, by source
line, with what the program's first comment says."""
import os
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
SOURCE = os.environ["CLEW_SOURCE"]
sys.path.insert(0, os.path.join(SOURCE, "test", "harness"))
import tap  # pylint: disable=wrong-import-position
from programs import build, claims_of, paths_of, races_of, run, words_of  # pylint: disable=wrong-import-position


def check(path, compiler, *more):
    must, may, _ = claims_of(path)
    with tempfile.TemporaryDirectory() as folder:
        program = build(folder, path, compiler, *more)
        alone = run([program])
        assert alone.returncode == 0, f"alone it ends with {alone.returncode}: {alone.stderr}"
        found = races_of(folder, program, words_of(path), statuses=(0, 1, 3) if may else (0, 1))
    assert must <= found, f"not found: {sorted(map(sorted, must - found))}"
    assert found <= must | may, f"no races: {sorted(map(sorted, found - must - may))}"


def main(wanted):
    tests = []
    for path in paths_of(wanted):
        name = os.path.basename(path)
        for compiler, level in (("gcc", "-O0"), ("gcc", "-O2"), ("clang", "-O1")):
            if shutil.which(compiler):
                tests.append((f"{name} by {compiler} {level}", lambda p=path, c=compiler, l=level: check(p, c, l)))
    return tap.run(tests)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
