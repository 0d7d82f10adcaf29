"""The races of each program here, beside what others say: ThreadSanitizer, whoever looks while the program runs, a recording of
all accesses, and another run."""
import json
import os
import re
import sys
import tempfile

sys.dont_write_bytecode = True
SOURCE = os.environ["CLEW_SOURCE"]
sys.path.insert(0, os.path.join(SOURCE, "test", "harness"))
import tap  # pylint: disable=wrong-import-position
from programs import CLEW, FLAGS, build, claims_of, claims_of_sanitizer, is_cluster, paths_of, races_of, run, words_of  # pylint: disable=wrong-import-position

FRAME = re.compile(r"#\d+ .*?([\w.]+\.(?:c|cc)):(\d+)")


def check_sanitizer(path):
    """What ThreadSanitizer reports in a run is among what clew is sure to find."""
    must, may, full = claims_of(path)
    words = words_of(path)
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program")
        built = run(["g++" if path.endswith(".cc") else "gcc", "-fsanitize=thread", *FLAGS, path, "-o", program, "-I",
                     os.path.join(SOURCE, "include")])
        if built.returncode != 0:
            raise tap.Skip("gcc has no ThreadSanitizer here")
        done = run(["setarch", "-R", program], env=dict(os.environ, TSAN_OPTIONS="exitcode=0"))
    for report in done.stderr.split("WARNING: ThreadSanitizer: ")[1:]:
        accesses = re.split(r"\n  (?:Previous|As if)", report.split("\n  Location")[0])[:2]
        places = [next((f"{m[1]}:{m[2]}" for m in FRAME.finditer(part) if m[1] == os.path.basename(path)), "?") for part in accesses]
        pair = frozenset(words.get(place, place) for place in places)
        assert pair in must | may | full | claims_of_sanitizer(path) or "?" in pair, f"only ThreadSanitizer has {sorted(pair)}"


def check_full(path):
    must, may, full = claims_of(path)
    with tempfile.TemporaryDirectory() as folder:
        program = build(folder, path, "gcc", "-O1")
        found = races_of(folder, program, words_of(path), "--all-accesses")
    assert must | full <= found, f"not found: {sorted(map(sorted, (must | full) - found))}"
    assert found <= must | may | full, f"no races: {sorted(map(sorted, found - must - may - full))}"


def check_unlucky(path):
    """The bug that was foretold shows in another run."""
    with tempfile.TemporaryDirectory() as folder:
        program = build(folder, path, "gcc", "-O1")
        done = run([program, "unlucky"])
    assert done.returncode == 1, f"ended with {done.returncode}: {done.stderr}"


def check_watched(path):
    """Whatever is told while a program runs is among the races of its trace as it was observed. That is all that does not
    depend on when the recorder looks; watched.c is made to be looked at."""
    with tempfile.TemporaryDirectory() as folder:
        program = build(folder, path, "gcc", "-O1")
        trace = os.path.join(folder, "run.clew")
        done = run([CLEW, "record", "-o", trace, "--watch", "races", "--jsonl", "--", program])
        assert done.returncode == 0, f"ended with {done.returncode}: {done.stderr}"
        told = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
        found = json.loads(run([CLEW, "races", "--model", "observed", "--json", trace]).stdout)["findings"]
    places = [{frozenset(event["location"] for event in race["events"]) for race in races} for races in (told, found)]
    assert places[0] <= places[1], f"no races: {sorted(map(sorted, places[0] - places[1]))}"


def main(wanted):
    tests = []
    for path in paths_of(wanted):
        name = os.path.basename(path)
        if not is_cluster(path):
            tests.append((f"{name} watched", lambda p=path: check_watched(p)))
        if claims_of(path)[0]:
            tests.append((f"{name} beside ThreadSanitizer", lambda p=path: check_sanitizer(p)))
        if claims_of(path)[2]:
            tests.append((f"{name} with all its accesses", lambda p=path: check_full(p)))
        if is_cluster(path):
            tests.append((f"{name} without luck", lambda p=path: check_unlucky(p)))
    return tap.run(tests)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
