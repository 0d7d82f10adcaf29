"""The case studies without a bug: nothing is found, although runs do real work. expect.py says what must be clean."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
SOURCE = os.environ["CLEW_SOURCE"]
CLEW = os.environ["CLEW"]
BUILD = os.environ["CLEW_BUILD"]
sys.path.insert(0, os.path.join(SOURCE, "test", "harness"))
import expect  # pylint: disable=wrong-import-position
import search  # pylint: disable=wrong-import-position
import tap  # pylint: disable=wrong-import-position

IS_LONG = os.environ.get("CLEW_TEST_LONG", "") not in ("", "0")
# Of processor time. As built in; the other ways that must be clean have less.
CLEAN_SECONDS = 120 if IS_LONG else 2
CLEAN_SECONDS_MORE = 20 if IS_LONG else 0.5
WORK_RUNS = 400
FOLDER = tempfile.mkdtemp()


def library(name):
    return os.path.join(BUILD, "cases", name + ".so")


def check_nothing_is_found(case):
    """Without a bug, although runs do real work."""
    for index, options in enumerate(case.clean):
        result = search.explore(CLEW, library(case.name), options, CLEAN_SECONDS if index == 0 else CLEAN_SECONDS_MORE, FOLDER)
        assert result["findings"] == [], (case.name, options, result["findings"])
        assert result["stats"]["runs"] > 0, (case.name, options)
        print(f"# {case.name} {' '.join(options)}: {result['stats']['runs']} runs, {result['stats']['cpu_seconds']:.1f} s")


def test_runs_do_real_work():
    for case in CASES:
        if not case.work:
            continue
        done = subprocess.run([os.path.join(BUILD, "cases", "case_work"), library(case.name), str(WORK_RUNS)], capture_output=True,
                              text=True, timeout=500, check=False)
        assert done.returncode == 0, done.stderr
        print("#", done.stdout.strip())
        for word in case.work:
            assert re.search(rf"[:,] {word} [1-9]", done.stdout), (word, done.stdout)


CASES = [expect.Expect(name) for name in expect.names() if os.path.exists(library(name))]


def main():
    try:
        return tap.run([(f"nothing_is_found_in_{case.name}_without_a_bug", lambda case=case: check_nothing_is_found(case))
                        for case in CASES] + tap.claims(globals()))
    finally:
        shutil.rmtree(FOLDER)


if __name__ == "__main__":
    sys.exit(main())
