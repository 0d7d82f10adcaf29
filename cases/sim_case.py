#!/usr/bin/env python3
"""Runs a case study that is a simulated system as its file `expect` says, and compares.

    cases/sim_case.py BUILD NAME

What it says must be found is found within SECONDS (60) of processor time and replayed; what must be clean is, in RUNS (20000) runs. The
schedules beside the file show what they have recorded."""
import glob
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "test", "cases"))
import expect  # pylint: disable=wrong-import-position
import search  # pylint: disable=wrong-import-position

SECONDS = float(os.environ.get("SECONDS", "60"))
RUNS = os.environ.get("RUNS", "20000")


def explore(clew, library, options, is_found):
    more = ["--first"] if is_found else ["--budget", RUNS + "runs"]
    with tempfile.TemporaryDirectory() as folder:
        result = search.explore(clew, library, [*options, *more], SECONDS, folder)
        for finding in result["findings"]:
            replay(clew, *finding["replay"].split()[2:])
    return result


def replay(clew, *words):
    """What a schedule shows, which must be what it has recorded."""
    done = subprocess.run([clew, "replay", *words], capture_output=True, text=True, check=False)
    if done.returncode != 1 or "as recorded" not in done.stdout:
        raise SystemExit(f"clew replay {' '.join(words)} shows something else:\n{done.stdout}{done.stderr}")
    return done.stdout


def measure(clew, library):
    """Events per second of plain sampling, with all properties checked after each."""
    with tempfile.TemporaryDirectory() as folder:
        options = ["--strategy", "random", "--budget", "5000runs"]
        stats = search.explore(clew, library, options, SECONDS, folder)["stats"]
    return stats["steps"] / max(stats["cpu_seconds"], 0.001)


def check(clew, library, options, key):
    result = explore(clew, library, options, key is not None)
    keys = [finding["key"] for finding in result["findings"]]
    stats = result["stats"]
    print(f"  {' '.join(options) or '(no options)':<90} {', '.join(keys) or 'nothing':<34}{stats['runs']:>8} runs "
          f"{stats['cpu_seconds']:6.1f} s CPU")
    return keys == [] if key is None else len(keys) == 1 and keys[0].startswith(key)


def expectations(case):
    """Pairs of options and the beginning of the key of what is found, None for nothing."""
    yield from ((options, key) for key, options in case.found)
    yield from ((["--bug", bug, *case.quick.get(bug, [])], key) for bug, key in case.bugs.items())
    yield from ((options, None) for options in case.clean)


def main():
    build, name = sys.argv[1:3]
    clew = os.path.join(build, "clew")
    library = os.path.join(build, "cases", name + ".so")
    if not os.path.exists(library):
        print(f"{name}: {library} was not built: something it needs is not installed (make deps)")
        return 1
    print(name + ":")
    failed = [(options, key) for options, key in expectations(expect.Expect(name))
              if not check(clew, library, options, key)]
    for path in sorted(glob.glob(os.path.join(HERE, name, "*.sched"))):
        print(f"  {os.path.basename(path):<90} {replay(clew, path, library).splitlines()[0]}")
    print(f"  {measure(clew, library) / 1e6:.2f} million events per second when sampling")
    for options, key in failed:
        print(f"{name}: clew explore {' '.join(options)}: {key or 'nothing'} was expected")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
