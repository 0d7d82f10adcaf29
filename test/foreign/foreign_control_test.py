"""Programs nobody here wrote, under control: rebuilt from their Debian sources with clew cc and no other change, they are explored for a
few runs, give no finding, and each run made again is the same. Only in make test-long. docs/theory/control.md has the table."""
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.environ["CLEW_SOURCE"], "test", "harness"))
import tap  # pylint: disable=wrong-import-position
import controlled_programs  # pylint: disable=wrong-import-position
import programs  # pylint: disable=wrong-import-position
import sources  # pylint: disable=wrong-import-position

CLEW = os.environ["CLEW"]
FOLDER = os.path.join(os.environ["CLEW_BUILD"], "foreign")
RUNS = 20
SECONDS_MAX = 600


def needs_long():
    if not os.environ.get("CLEW_TEST_LONG"):
        raise tap.Skip("only in make test-long")


def check_command(tree, title, command):
    folder = os.path.join(tree, title.replace(" ", "-") + ".campaign")
    subprocess.run(["rm", "-rf", folder], check=True)
    words = [CLEW, "explore", "-q", "--json", "--verify", "--strategy", "random", "--budget", f"{RUNS}runs", "-o", folder, "--", *command]
    environment = {name: value for name, value in os.environ.items() if name not in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "MALLOC_PERTURB_")}
    environment["UV_RUN_AS_ROOT"] = "1" # for libuv's tests
    done = subprocess.run(words, cwd=tree, env=environment, capture_output=True, timeout=SECONDS_MAX, check=False)
    printed = done.stdout.decode(errors="replace")
    assert done.returncode in (0, 3), f"{title} ended with {done.returncode}: {printed[-2000:]}{done.stderr[-1500:]}"
    result = json.loads(printed[printed.index('{\n  "clew"'):])
    stats = result["stats"]
    assert result["findings"] == [], (title, result["findings"])
    assert stats["verified"] == RUNS and stats["unlike"] == 0, (title, stats)
    assert stats["uncontrolled"] == 0, (title, stats)
    print(f"# {title}: {stats['steps'] // RUNS} steps a run, {stats['verified'] - stats['unlike']} of {RUNS} the same, mode {stats['mode']}")


def check_program(program):
    needs_long()
    try:
        tree = programs.built(FOLDER, program, "control", f"{CLEW} cc")
    except sources.Unavailable as why:
        raise tap.Skip(str(why)) from why
    for title, command in program.commands(tree):
        check_command(tree, title, command)


def test_sqlite_threads_are_the_same_when_made_again():
    needs_long()
    tree = os.path.join(FOLDER, "sqlite.control")
    command = controlled_programs.build_sqlite(tree, f"{CLEW} cc")
    if command is None:
        raise tap.Skip("libsqlite3-dev is not installed")
    check_command(tree, "sqlite", command)


def main(wanted):
    tests = [] if wanted and "sqlite" not in wanted else tap.claims(globals())
    for program in controlled_programs.ALL:
        if not wanted or program.name in wanted:
            tests.append((f"{program.name} gives no finding, and its runs are the same when made again", lambda p=program: check_program(p)))
    return tap.run(tests)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
