"""Builds each program here with clew cc, runs it alone, records it and compares the races that clew finds, by source
line, with what the program's first comment says. On the racy ones gcc's ThreadSanitizer must not report more.
program.h tells how the comments are written."""
import glob
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
SOURCE = os.environ["CLEW_SOURCE"]
CLEW = os.environ["CLEW"]
HERE = os.path.join(SOURCE, "test", "recorded")
sys.path.insert(0, os.path.join(SOURCE, "test", "harness"))
import tap  # pylint: disable=wrong-import-position

SECONDS_MAX = 60
FLAGS = ["-g", "-pthread", "-I", HERE, *(["-mcx16"] if platform.machine() == "x86_64" else [])]
SAID = re.compile(r"^[ /*]*(may race|full race|race): (\S+) (\S+)")
MARK = re.compile(r"/\* (\w+) \*/\s*$")
FRAME = re.compile(r"#\d+ .*?([\w.]+\.(?:c|cc)):(\d+)")


def run(words, **more):
    return subprocess.run(words, capture_output=True, text=True, timeout=SECONDS_MAX, check=False, **more)


def claims_of(path):
    """The pairs of words that must race, those that may, and those that must when all accesses are recorded."""
    with open(path, encoding="utf-8") as file:
        comment = file.read().split("*/")[0]
    pairs = {"race": set(), "may race": set(), "full race": set()}
    for line in comment.splitlines():
        if match := SAID.match(line):
            pairs[match[1]].add(frozenset(match.groups()[1:]))
    assert pairs["race"] or "no race" in comment, "nothing is claimed"
    return pairs["race"], pairs["may race"], pairs["full race"]


def is_cluster(path):
    with open(path, encoding="utf-8") as file:
        return '#include "cluster.h"' in file.read()


def words_of(path):
    """What the lines of a program are called; a line without a word is its number."""
    with open(path, encoding="utf-8") as file:
        marks = [MARK.search(line) for line in file]
    name = os.path.basename(path)
    return {f"{name}:{number}": mark[1] for number, mark in enumerate(marks, 1) if mark}


def build(folder, path, compiler, *more):
    program = os.path.join(folder, "program")
    verb = "c++" if path.endswith(".cc") else "cc"
    done = run([CLEW, verb, "--with", compiler, *FLAGS, *more, path, "-o", program])
    assert done.returncode == 0, done.stderr
    return program


def races_of(folder, program, words, *options):
    """Records the program and finds its races, as pairs of words: those of two accesses, also where it is their messages
    that race."""
    trace = os.path.join(folder, "run.clew")
    done = run([CLEW, "record", *options, "-o", trace, "--", program])
    assert done.returncode == 0 and "dropped" not in done.stderr, f"ended with {done.returncode}: {done.stderr}"
    checked = run([CLEW, "check", trace])
    assert checked.returncode == 0, checked.stdout
    done = run([CLEW, "races", "--json", trace])
    assert done.returncode in (0, 1), done.stderr
    found = json.loads(done.stdout)["findings"]
    places = [[event["location"] for event in finding["events"] if event["access"] in ("R", "W") or event["access"].startswith("atomic-")] for finding in found]
    return {frozenset(words.get(place, place) for place in pair) for pair in places}


def check(path, compiler, *more):
    must, may, _ = claims_of(path)
    with tempfile.TemporaryDirectory() as folder:
        program = build(folder, path, compiler, *more)
        alone = run([program])
        assert alone.returncode == 0, f"alone it ends with {alone.returncode}: {alone.stderr}"
        found = races_of(folder, program, words_of(path))
    assert must <= found, f"not found: {sorted(map(sorted, must - found))}"
    assert found <= must | may, f"no races: {sorted(map(sorted, found - must - may))}"


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
        assert pair in must | may | full or "?" in pair, f"only ThreadSanitizer has {sorted(pair)}"


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


def test_silent_annotation(name):
    """Without its annotations the same program is reported."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(HERE, name)
        program = build(folder, path, "gcc", "-DSILENT")
        assert races_of(folder, program, words_of(path)), "nothing found"


def test_handlers(compiler):
    """A function that --handler names begins and ends a handler, an exception or not; then messages race."""
    with tempfile.TemporaryDirectory() as folder:
        program = build(folder, os.path.join(HERE, "handlers.cc"), compiler, "-O1")
        trace = os.path.join(folder, "run.clew")
        words = [CLEW, "record", "-o", trace]
        plain = run([*words, "--", program])
        assert "no handlers are known" in plain.stderr, plain.stderr
        found = json.loads(run([CLEW, "races", "--json", trace]).stdout)
        assert not found["findings"], found
        done = run([*words, "--handler", "shop::sell", "--handler", "take_stock", "--handler", "nobody", "--", program])
        assert done.returncode == 0 and "no handlers" not in done.stderr, done.stderr
        assert "--handler nobody: no recorded program" in done.stderr and done.stderr.count("--handler") == 1, done.stderr
        text = run([CLEW, "convert", trace, "--to", "text", "-o", "-"]).stdout
        assert [text.count(f"handler-{end} {name}") for end in ("begin", "end") for name in ("shop::sell", "take_stock")] == \
            [3, 1, 3, 1], text
        found = json.loads(run([CLEW, "races", "--json", trace]).stdout)
        assert found["findings"], found


def test_watched(*more):
    """A race is told while the program runs: it waits for a file that --on-race makes, and ends well only so."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(HERE, "watched.c")
        program = build(folder, path, "gcc", "-O1")
        file = os.path.join(folder, "told")
        script = f'echo "$CLEW_RACE_NUMBER $CLEW_RACE_KIND $CLEW_RACE_FIRST_OBJECT $CLEW_RACE_FIRST_PLACE" >> {file}'
        done = run([CLEW, "record", "-o", os.path.join(folder, "run.clew"), "--watch", "races", *more, "--on-race", script,
                    "--", program], env=dict(os.environ, WATCHED_FILE=file))
        assert done.returncode == 0, f"ended with {done.returncode}: {done.stderr}"
        with open(file, encoding="utf-8") as told:
            lines = told.read().splitlines()
    assert len(lines) == 1 and lines[0].startswith("1 data-race balance watched.c:"), lines
    return done.stderr.splitlines()


def test_watched_sentence():
    lines = [line for line in test_watched() if line.startswith("clew: race ")]
    assert len(lines) == 1 and "balance is written at watched.c:" in lines[0], lines


def test_watched_json():
    found = [json.loads(line) for line in test_watched("--jsonl") if line.startswith("{")]
    assert len(found) == 1 and found[0]["kind"] == "data-race", found


def test_functions(compiler):
    """An access tells the functions it is in, with the places where each calls the one before."""
    path = os.path.join(HERE, "inlined.c")
    place = {word: line for line, word in words_of(path).items()}
    with tempfile.TemporaryDirectory() as folder:
        program = build(folder, path, compiler, "-O1")
        trace = os.path.join(folder, "run.clew")
        run([CLEW, "record", "-o", trace, "--", program])
        found = json.loads(run([CLEW, "races", "--json", trace]).stdout)["findings"]
        text = run([CLEW, "races", trace]).stdout
    wanted = f"pay < settle {place['settle']} < work {place['work']}"
    assert [event["stack"] for event in found[0]["events"]] == [wanted, wanted], found
    assert f"        in {wanted}\n" in text, text


def test_callers(compiler, level):
    """With --stacks an access tells who called its function, also where it comes to light late."""
    path = os.path.join(HERE, "called.c")
    place = {word: line for line, word in words_of(path).items()}
    with tempfile.TemporaryDirectory() as folder:
        program = build(folder, path, compiler, level)
        trace = os.path.join(folder, "run.clew")
        done = run([CLEW, "record", "--stacks", "-o", trace, "--", program])
        assert done.returncode == 0 and sorted(os.listdir(folder)) == ["program", "run.clew"], os.listdir(folder)
        found = json.loads(run([CLEW, "races", "--json", trace]).stdout)["findings"]
    wanted = f"pay < settle {place['settle']} < all {place['all']} < work {place['work']}"
    assert [event["stack"] for event in found[0]["events"]] == [wanted, wanted], found


def test_filtered():
    """The trace says how much was left out; a task that spins is one load with a count."""
    with tempfile.TemporaryDirectory() as folder:
        program = build(folder, os.path.join(HERE, "watched.c"), "gcc", "-O1")
        trace = os.path.join(folder, "run.clew")
        stats = json.loads(run([CLEW, "record", "-o", trace, "--json", "--", program]).stdout)["stats"]
        assert 0 < stats["filtered"] < stats["accesses"], stats
        kept = stats["accesses"] - stats["filtered"]
        told = run([CLEW, "info", trace]).stdout
        assert f"({kept} of {stats['accesses']} memory accesses" in told, told
        text = run([CLEW, "convert", trace, "--to", "text", "-o", "-"]).stdout
        loads = [line for line in text.splitlines() if " atomic-load stage " in line]
        assert len(loads) <= 2 or any(" count=" in line for line in loads), loads
        stats = json.loads(run([CLEW, "record", "-o", trace, "--all-accesses", "--json", "--", program]).stdout)["stats"]
        assert stats["filtered"] == 0 < stats["accesses"], stats
        assert "clew record --all-accesses" in run([CLEW, "info", trace]).stdout


def test_coverage(compiler, *more):
    """What was reached is told before the process ends, also where it became another program or was killed; what was not is not."""
    path = os.path.join(HERE, "covered.c")
    place = {word: line for line, word in words_of(path).items()}
    for how, reached in (("end", {"main", "end"}), ("become", {"main", "become", "end"}), ("child", {"main", "child", "end"}),
                         ("die", {"main", "die"})):
        with tempfile.TemporaryDirectory() as folder:
            program = build(folder, path, compiler, "-O1", *more)
            trace = os.path.join(folder, "run.clew")
            run([CLEW, "record", "-o", trace, "--", program, how])
            assert sorted(os.listdir(folder)) == ["program", "run.clew"], os.listdir(folder)
            text = run([CLEW, "convert", trace, "--to", "text", "-o", "-"]).stdout
            assert run([CLEW, "check", trace]).returncode == 0, text
            assert " in the code, at " in run([CLEW, "info", trace]).stdout
        found = {word for word in place if any(" coverage " in line and f"@{place[word]} " in line for line in text.splitlines())}
        assert found == reached, f"{how}: {sorted(found)}\n{text}"


def test_static():
    """A static program runs, and whoever builds, records or looks is told that nothing is seen of it."""
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program")
        built = run([CLEW, "cc", *FLAGS, "-static", os.path.join(HERE, "bank_locked.c"), "-o", program])
        assert "clew: -static: the program will run, but cannot be recorded" in built.stderr, built.stderr
        if built.returncode != 0:
            raise tap.Skip("there are no static libraries here")
        trace = os.path.join(folder, "run.clew")
        done = run([CLEW, "record", "-q", "-o", trace, "--", program])
        assert done.returncode == 0 and "nothing was recorded" in done.stderr, done.stderr
        told = run([CLEW, "info", trace])
        assert told.returncode == 0 and "nothing was recorded" in told.stdout, told.stdout


def test_linker_words(compiler):
    """Words for the linker in a command that also compiles are no reason to complain, nor for -Werror to end it."""
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program")
        done = run([CLEW, "cc", "--with", compiler, *FLAGS, "-Wall", "-Werror", "-rdynamic", "-L", folder, "-Wl,-O1", "-Wl,--as-needed",
                    os.path.join(HERE, "bank_locked.c"), "-o", program, "-lm"])
        assert done.returncode == 0 and not done.stderr, done
        assert run([program]).returncode == 0


def main(wanted):
    paths = sorted(glob.glob(os.path.join(HERE, "*.c")) + glob.glob(os.path.join(HERE, "*.cc")))
    paths = [path for path in paths if not wanted or any(part in path for part in wanted)]
    tests = []
    for path in paths:
        name = os.path.basename(path)
        for compiler, level in (("gcc", "-O0"), ("gcc", "-O2"), ("clang", "-O1")):
            if shutil.which(compiler):
                tests.append((f"{name} by {compiler} {level}", lambda p=path, c=compiler, l=level: check(p, c, l)))
        if not is_cluster(path):
            tests.append((f"{name} watched", lambda p=path: check_watched(p)))
        if claims_of(path)[0]:
            tests.append((f"{name} beside ThreadSanitizer", lambda p=path: check_sanitizer(p)))
        if claims_of(path)[2]:
            tests.append((f"{name} with all its accesses", lambda p=path: check_full(p)))
        if is_cluster(path):
            tests.append((f"{name} without luck", lambda p=path: check_unlucky(p)))
    for compiler in ("gcc", "clang"):
        if shutil.which(compiler):
            for level in ("-O0", "-O2"):
                tests.append((f"an access tells who called, by {compiler} {level}",
                              lambda c=compiler, l=level: test_callers(c, l)))
            tests.append((f"an access tells its functions, by {compiler}", lambda c=compiler: test_functions(c)))
            tests.append((f"functions are handlers, by {compiler}", lambda c=compiler: test_handlers(c)))
            tests.append((f"what was reached is told, by {compiler}", lambda c=compiler: test_coverage(c)))
            tests.append((f"words for the linker are no fault, by {compiler}", lambda c=compiler: test_linker_words(c)))
    tests.append(("what was reached is told, by calls", lambda: test_coverage("gcc", "-fsanitize-coverage=trace-pc")))
    tests.append(("a race is told while the program runs", test_watched_sentence))
    tests.append(("a race is told as JSON while the program runs", test_watched_json))
    tests.append(("what was left out is told", test_filtered))
    tests.append(("a static program is told to be one", test_static))
    for name in ("annotated.c", "ignored.cc"):
        tests.append((f"without its annotations {name} is reported", lambda n=name: test_silent_annotation(n)))
    return tap.run(tests)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
