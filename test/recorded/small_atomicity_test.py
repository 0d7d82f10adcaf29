"""What `clew atomicity` says by default of small programs, whatever the compiler made of them. The first comment of each program of
recorded/atomicity says what is asked: "found", "nothing" or "unknown", perhaps at -O0 alone, where an optimizer leaves accesses out;
and a variable that is named."""
import glob
import json
import os
import re
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
SOURCE = os.environ["CLEW_SOURCE"]
sys.path.insert(0, os.path.join(SOURCE, "test", "harness"))
import tap  # pylint: disable=wrong-import-position
from programs import CLEW, HERE, build, run  # pylint: disable=wrong-import-position

WAYS = (("gcc", "-O0"), ("clang", "-O2"))
WAYS_LONG = (("gcc", "-O2"), ("clang", "-O0"))
ASKED = re.compile(r"/\* (found|nothing|unknown)( at -O0)?:(?: `(.+)`,)? ")


def judged(folder, path, compiler, level):
    """The answer, and what it names: findings, or the reasons that it is unknown."""
    trace = os.path.join(folder, f"{compiler}{level}.clew")
    program = build(folder, path, compiler, level)
    done = run([CLEW, "record", "-q", "-o", trace, "--", program])
    assert done.returncode == 0, done.stderr
    done = run([CLEW, "atomicity", "--json", trace])
    assert done.returncode in (0, 1, 3), done.stderr
    found = [finding["what"] for finding in json.loads(done.stdout)["findings"]]
    return ("nothing", "found", None, "unknown")[done.returncode], found or [done.stderr]


def check(path):
    with open(path, encoding="utf-8") as file:
        asked, is_plain, variable = ASKED.match(file.readline()).groups()
    for compiler, level in WAYS + (WAYS_LONG if os.environ.get("CLEW_TEST_LONG") else ()):
        if not shutil.which(compiler) or (is_plain and level != "-O0"):
            continue
        with tempfile.TemporaryDirectory() as folder:
            answer, found = judged(folder, path, compiler, level)
        assert answer == asked, f"{compiler} {level}: {answer}: {found}"
        assert not variable or variable in found[0], f"{compiler} {level}: {found}"


def main():
    folder = os.path.join(HERE, "atomicity")
    paths = sorted(glob.glob(os.path.join(folder, "*.c")) + glob.glob(os.path.join(folder, "*.cc")))
    return tap.run([(os.path.basename(path), lambda path=path: check(path)) for path in paths])


if __name__ == "__main__":
    sys.exit(main())
