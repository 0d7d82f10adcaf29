"""Programs nobody here wrote, rebuilt from their Debian sources with clew cc and no other change: they pass their own
tests, and are recorded under load to their normal end with nothing dropped, every message matched, and no race but
those that docs/theory/record.md has looked at. Only in make test-long."""
import json
import os
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
SOURCE = os.environ["CLEW_SOURCE"]
CLEW = os.environ["CLEW"]
FOLDER = os.path.join(os.environ["CLEW_BUILD"], "foreign")
sys.path.insert(0, os.path.join(SOURCE, "test", "harness"))
sys.path.insert(0, os.path.join(SOURCE, "test", "foreign"))
import programs  # pylint: disable=wrong-import-position
import sources  # pylint: disable=wrong-import-position
import tap  # pylint: disable=wrong-import-position

SECONDS_MAX = 900
SCALE = 5

# What may race: the beginnings of the names of variables, each looked at in docs/theory/record.md.
KNOWN = {"pigz": (), "redis": (), "memcached": ("current_time", "stats_state", "slabs.c:", "cache.c:")}


def tree_of(program):
    if not os.environ.get("CLEW_TEST_LONG"):
        raise tap.Skip("only in make test-long")
    try:
        return programs.built(FOLDER, program, "clew", f"{CLEW} cc")
    except sources.Unavailable as why:
        raise tap.Skip(str(why)) from why


def run_load(tree, program, *before):
    """Runs the load, and how long that took."""
    environment = {name: value for name, value in os.environ.items() if name not in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "MALLOC_PERTURB_")}
    start = time.monotonic()
    done = subprocess.run([*before, "sh", "-ec", program.load(tree, SCALE)], cwd=tree, env=environment, capture_output=True,
                          text=True, errors="replace", timeout=SECONDS_MAX, check=False)
    assert done.returncode == 0, f"ended with {done.returncode}: {done.stdout[-1500:]}{done.stderr[-1500:]}"
    return done, time.monotonic() - start


def record(folder, tree, program):
    trace = os.path.join(folder, "run.clew")
    done, seconds = run_load(tree, program, CLEW, "record", "--json", "-o", trace, "--")
    stats = json.loads(done.stdout[done.stdout.index('{\n  "clew"'):])["stats"]
    for count in ("messages_unmatched", "messages_external", "dropped", "uncontrolled"):
        assert stats[count] == 0, f"{count}: {stats}"
    checked = subprocess.run([CLEW, "check", "--limit", "5", trace], capture_output=True, text=True, timeout=SECONDS_MAX, check=False)
    assert checked.returncode == 0, checked.stdout
    return trace, stats, seconds


def races_of(trace):
    """Pairs of places that raced as it went, with a variable for each."""
    done = subprocess.run([CLEW, "races", "--model", "observed", "--only", "data", "--json", trace], capture_output=True, text=True,
                          timeout=SECONDS_MAX, check=False)
    assert done.returncode in (0, 1), done.stderr
    result = json.loads(done.stdout)
    pairs = {}
    for finding in result["findings"]:
        pair = tuple(sorted(f"{event['location']} {event['access']}" for event in finding["events"][:2]))
        pairs.setdefault(pair, finding["events"][0]["object"])
    return result["events"], pairs


def check_itself(program):
    program.test_itself(tree_of(program), f"{CLEW} cc")


def check_recorded(program):
    tree = tree_of(program)
    alone = run_load(tree, program)[1]
    with tempfile.TemporaryDirectory() as folder:
        trace, stats, seconds = record(folder, tree, program)
        events, pairs = races_of(trace)
        size = os.path.getsize(trace)
    print(f"# {program.name}: {stats['accesses']} accesses, {events} events, {size} bytes, {seconds / alone:.1f} times as long, "
          f"{len(pairs)} racing pairs of places")
    for pair, variable in sorted(pairs.items()):
        print(f"#   {variable}: {pair[0]}, {pair[1]}")
    new = {pair: variable for pair, variable in pairs.items() if not variable.startswith(KNOWN[program.name])}
    assert not new, f"nobody has looked at these races: {new}"


def main(wanted):
    tests = []
    for program in programs.ALL:
        if not wanted or program.name in wanted:
            tests.append((f"{program.name} passes its own tests", lambda p=program: check_itself(p)))
            tests.append((f"{program.name} is recorded under load", lambda p=program: check_recorded(p)))
    return tap.run(tests)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
