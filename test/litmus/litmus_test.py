"""Every litmus trace is well formed and allows the races listed beside it, and no others: with and without pruning,
and through the native format."""
import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
SOURCE, CLEW = os.environ["CLEW_SOURCE"], os.environ["CLEW"]
sys.path.insert(0, os.path.join(SOURCE, "test", "harness"))
import tap  # pylint: disable=wrong-import-position

FOLDER = os.path.join(SOURCE, "test", "litmus")
NAMES = sorted(name[:-len(".log")] for name in os.listdir(FOLDER) if name.endswith(".log"))


def clew(*words):
    done = subprocess.run([CLEW, *words], capture_output=True, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def trace(name):
    return os.path.join(FOLDER, name + ".log")


def expected(name):
    """(place, place, variable) to grade."""
    with open(os.path.join(FOLDER, name + ".expect"), encoding="utf-8") as file:
        rows = [line.split() for line in file]
    return {(first, second, variable): grade for first, second, variable, grade in rows}


def found(path, *options):
    """The races between accesses that clew reports, in the same form."""
    status, out, err = clew("races", "--json", *options, path)
    assert status in (0, 1), err
    races = {}
    findings = json.loads(out)["findings"]
    for finding in findings:
        if finding["kind"] == "deadlock":
            continue
        places = [event for event in finding["events"] if event["access"] in ("R", "W")]
        first, second = sorted(event["location"] for event in places[:2])
        races[first, second, places[0]["object"]] = finding["grade"]
    assert status == (1 if findings else 0)
    return races


def expected_deadlocks(name):
    """Key to grade; most traces have none and no file for them."""
    path = os.path.join(FOLDER, name + ".deadlocks")
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        return dict(line.split() for line in file)


def found_deadlocks(name, *options):
    status, out, err = clew("races", "--only", "deadlock", "--json", *options, trace(name))
    assert status in (0, 1), err
    findings = json.loads(out)["findings"]
    assert all(finding["kind"] == "deadlock" for finding in findings)
    return {finding["key"].removeprefix("deadlock|"): finding["grade"] for finding in findings}


def test_every_trace_has_the_deadlocks_listed_beside_it():
    for name in NAMES:
        want = expected_deadlocks(name)
        assert found_deadlocks(name) == want, f"{name}: wanted {want}, got {found_deadlocks(name)}"
        sound = {key: grade for key, grade in want.items() if grade == "sound"}
        assert found_deadlocks(name, "--model", "sound") == sound, name
        assert found_deadlocks(name, "--model", "feasible") == sound, name


def check_races(name, path, *options):
    want, got = expected(name), found(path, *options)
    assert set(want) == set(got), f"{name} {options}: wanted {sorted(want)}, got {sorted(got)}"
    for race, grade in want.items():
        assert grade in ("any", got[race]), f"{name} {options}: {race} is graded {got[race]}, not {grade}"


def test_every_trace_has_its_expectation_and_its_line():
    with open(os.path.join(FOLDER, "README.md"), encoding="utf-8") as file:
        text = file.read()
    for name in NAMES:
        assert f"| `{name}` | {len(expected(name))} |" in text, name


def test_every_trace_is_well_formed():
    for name in NAMES:
        status, out, err = clew("check", trace(name))
        assert status == 0, f"{name}: {out}{err}"


def test_every_trace_allows_its_races_and_no_others():
    for name in NAMES:
        check_races(name, trace(name))


def test_pruning_changes_nothing():
    for name in NAMES:
        check_races(name, trace(name), "--prune")
        check_races(name, trace(name), "--no-prune")


def test_the_native_format_changes_nothing():
    with tempfile.TemporaryDirectory() as folder:
        for name in NAMES:
            path = os.path.join(folder, name + ".clew")
            status, _, err = clew("convert", trace(name), "-o", path)
            assert status == 0, err
            check_races(name, path)


def test_only_a_race_that_some_execution_shows_is_sound():
    for name in NAMES:
        sound = {race for race, grade in expected(name).items() if grade == "sound"}
        may = {race for race, grade in expected(name).items() if grade == "may"}
        got = set(found(trace(name), "--model", "sound"))
        assert sound <= got and not may & got, f"{name}: {sorted(got)}"


sys.exit(tap.run(tap.claims(globals())))
