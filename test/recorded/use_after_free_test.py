"""Uses after free that another schedule shows, with and without a race: found in recordings and in runs under control; correct
ways to free what others use are silent."""
import json
import os
import re
import sys
import tempfile

sys.dont_write_bytecode = True
SOURCE = os.environ["CLEW_SOURCE"]
sys.path.insert(0, os.path.join(SOURCE, "test", "harness"))
import tap  # pylint: disable=wrong-import-position
from programs import CLEW, HERE, build, run  # pylint: disable=wrong-import-position

PATH = os.path.join(HERE, "memory", "use_after_free.c")
WRONG = ("UNLOCKED", "LOCKED", "READ_LOCKED", "CLEARED_LATE", "COUNTED_EARLY", "HANDED_OVER_EARLY")
CORRECT = ("CLEARED", "JOINED", "COUNTED", "COUNTED_ATOMIC", "HANDED_OVER", "POSTED", "BARRED", "FLAGGED", "PIPED", "UNLINKED")
OWNER_FIRST = ("CLEARED", "COUNTED", "COUNTED_ATOMIC", "UNLINKED") # the others wait for the user
with open(PATH, encoding="utf-8") as text:
    PLACES = {found[1]: f"use_after_free.c:{number}" for number, line in enumerate(text, 1) if (found := re.search(r"/\* (used|freed|made) \*/", line))}


def recorded(folder, way, *early):
    """What races says of a recording, in which one of the two may come first."""
    trace = os.path.join(folder, "run.clew")
    done = run([CLEW, "record", "-o", trace, "--", os.path.join(folder, "program"), way, *early])
    assert done.returncode == 0 and run([CLEW, "check", trace]).returncode == 0, done.stderr
    return json.loads(run([CLEW, "races", "--json", trace]).stdout)


def controlled(folder, way):
    words = [os.path.join(folder, "program"), way]
    return [json.loads(run([CLEW, "races", "--json", "--seed", str(seed), "--", *words]).stdout) for seed in (1, 2, 3, 4)]


def check_found(way, said):
    assert said["verdict"] == "found" and said["stats"]["uses_after_free"] == 1 and len(said["findings"]) == 1, (way, said)
    finding = said["findings"][0]
    what = finding["what"]
    assert finding["kind"] == "use-after-free" and "data-race" not in finding["key"], finding
    if "the run itself" not in what: # which ends before the trace has the access
        assert finding["grade"] == "sound", finding
        assert f"allocated at {PLACES['made']}" in what and f"at {PLACES['used']} by" in what and f"freed at {PLACES['freed']} by" in what, what


def test_recorded_wrong():
    with tempfile.TemporaryDirectory() as folder:
        build(folder, PATH, "gcc")
        for way in WRONG:
            said = recorded(folder, way, "user")
            if way == "HANDED_OVER_EARLY": # the sections of one lock would have to change places with a write between them
                assert said["verdict"] in ("found", "unknown"), said
            else:
                check_found(way, said)


def test_recorded_after_the_free():
    """The run itself uses what was freed."""
    with tempfile.TemporaryDirectory() as folder:
        build(folder, PATH, "gcc")
        for way in ("UNLOCKED", "LOCKED", "READ_LOCKED"):
            check_found(way, recorded(folder, way, "owner"))


def test_recorded_correct():
    with tempfile.TemporaryDirectory() as folder:
        build(folder, PATH, "gcc")
        for way in CORRECT:
            for early in [[], ["user"] if way != "BARRED" else [], ["owner"] if way in OWNER_FIRST else []]:
                said = recorded(folder, way, *early)
                assert said["verdict"] == "clean" and not said["findings"], (way, early, said)


def test_controlled_wrong():
    with tempfile.TemporaryDirectory() as folder:
        build(folder, PATH, "gcc")
        for way in WRONG:
            found = [said for said in controlled(folder, way) if said["verdict"] == "found"]
            assert found, way
            for said in found:
                check_found(way, said)


def test_controlled_correct():
    with tempfile.TemporaryDirectory() as folder:
        build(folder, PATH, "gcc")
        for way in CORRECT:
            for said in controlled(folder, way):
                assert said["verdict"] == "clean" and not said["findings"], (way, said)


def test_explained():
    """The witness puts the free before the access."""
    with tempfile.TemporaryDirectory() as folder:
        build(folder, PATH, "gcc")
        recorded(folder, "LOCKED", "user")
        trace = os.path.join(folder, "run.clew")
        done = run([CLEW, "races", "--explain", "1", trace])
        order = done.stdout[done.stdout.index("shown by these events"):]
        assert 0 <= order.index(" free ") < order.rindex(PLACES["used"]), done.stdout
        assert "a lock keeps them apart and does not order them: the access holds m; the free holds m" in done.stdout, done.stdout


if __name__ == "__main__":
    sys.exit(tap.run(tap.claims(globals())))
