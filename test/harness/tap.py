"""Tests in Python: functions whose names are claims, printed as TAP. One that raises has failed, one that
raises Skip says why it could not be tried. A long list of tests runs as several programs side by side, each with a slice
of the list (CLEW_TEST_SLICE; test/meson.build says which)."""
import concurrent.futures
import os
import traceback


class Skip(Exception):
    """The test cannot be tried here."""


def slice_of(tests):
    """The tests of this program: of N slices the K-th, which has every N-th test, where CLEW_TEST_SLICE is K/N; else all."""
    number, count = map(int, os.environ.get("CLEW_TEST_SLICE", "1/1").split("/"))
    assert 1 <= number <= count, f"CLEW_TEST_SLICE: no slice {number} of {count}"
    return tests[number - 1::count]


def run(tests):
    """Runs each (name, function) of this program's slice and prints a line for it; returns the exit status."""
    tests = slice_of(tests)
    print(f"1..{len(tests)}")
    failed = 0
    for number, (name, test) in enumerate(tests, 1):
        claim = name.replace("_", " ")
        try:
            test()
            print(f"ok {number} - {claim}", flush=True)
        except Skip as why:
            print(f"ok {number} - {claim} # SKIP {why}", flush=True)
        except Exception as why:  # pylint: disable=broad-except
            failed += 1
            where = "" if isinstance(why, AssertionError) else traceback.format_exc()
            for line in (where + str(why)).splitlines():
                print(f"# {line}")
            print(f"not ok {number} - {claim}", flush=True)
    return 1 if failed else 0


def claims(namespace):
    """The functions test_* of a module, in the order they are written."""
    return [(name[len("test_"):], value) for name, value in namespace.items() if name.startswith("test_")]


def for_each(items, check):
    """Calls check with each of the items, as many at a time as there are processors, and returns what it returned; the first of them
    that fails is raised."""
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        return list(pool.map(check, items))
