"""Replays in gdb: real sessions, which must stop where the run was steered, at the violation, and change nothing."""
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
from controlled import CASES, CLEW, FOLDER, build, build_case, first_schedule, run, write
import controlled
import tap  # pylint: disable=wrong-import-position

FIRST = {}


def need_gdb():
    if shutil.which("gdb") is None:
        raise tap.Skip("no gdb")
    if "exited normally" not in run(["gdb", "-nx", "-batch", "-ex", "run", "/bin/true"], stdin=subprocess.DEVNULL).stdout:
        raise tap.Skip("gdb may not run programs here")


def found(name, *options):
    """The program, the schedule of its first violation and what was said of it; each once."""
    if name not in FIRST:
        program = build_case(name)
        folder = program + ".campaign"
        done = run([CLEW, "explore", "-q", "--first", *options, "-o", folder, "--", program])
        assert done.returncode == 1, done.stdout + done.stderr
        FIRST[name] = program, first_schedule(folder)
    return FIRST[name]


def line_of(name, text):
    """The number of the one line of a case that has the text."""
    return controlled.line_of(os.path.join(CASES, name + ".c"), text)


def stops(text):
    """(what is said, "file:line" of the frame or None) of each stop."""
    said = re.split(r"\n\n(?=step |[\w-]+: )", text)[1:]
    return [(stop.splitlines()[0], (re.findall(r"\(.*\)\s+at \S*?([\w.]+:\d+)$", stop, re.MULTILINE) + [None])[0]) for stop in said]


def debug(name, commands, *options):
    """What a session with these commands prints; it ends as the replay without gdb does."""
    program, schedule = found(name)
    without = run([CLEW, "replay", "-q", *options, schedule, "--", program])
    done = run([CLEW, "replay", "-q", *options, "--gdb-commands", commands, schedule, "--", program], stdin=subprocess.DEVNULL)
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stdout.endswith(without.stdout) and "as recorded" in without.stdout, (without.stdout, done.stdout, done.stderr)
    return done.stdout


def test_it_stops_at_each_access_and_at_the_assertion():
    need_gdb()
    found("account")
    text = debug("account", "print balance")
    at = [where for _, where in stops(text)]
    assert at[-1] == f"account.c:{line_of('account', 'assert(')}", text
    write = f"account.c:{line_of('account', 'balance - 30')}"
    assert write in at[:-1] and f"account.c:{line_of('account', 'balance + 50')}" in at[:-1], text
    values = re.findall(r"^\$\d+ = (\d+)$", text, re.MULTILINE)
    assert len(values) == len(at) and values[0] == "100" and values[-1] in ("70", "150"), text
    assert re.search(r"^step \d+ of \d+: task main/\d write balance #1: ", text, re.MULTILINE), text


def test_tasks_are_threads_with_names():
    need_gdb()
    text = debug("account", "info threads")
    assert '"main"' in text and '"main/1"' in text and '"main/2"' in text, text


def test_a_deadlock_shows_every_stack_and_who_took_what():
    need_gdb()
    found("dining")
    text = debug("dining", "thread apply all bt")
    last = text[text.index("\ndeadlock: "):]
    waits = f"dining.c:{line_of('dining', 'mutex_lock(&forks[second])')}"
    assert len(re.findall(r"in dine \(.*\) at \S*" + re.escape(waits), last)) >= 3, last
    assert "threads_run" in last, last
    taken = [where for why, where in stops(text) if "another waits for it" in why]
    assert taken == [f"dining.c:{line_of('dining', 'mutex_lock(&forks[first])')}"] * 3, text


def test_a_crash_stops_where_it_happens():
    need_gdb()
    found("map_init")
    text = debug("map_init", "info locals")
    why, where = stops(text)[-1]
    assert why.startswith("crash: ") and where == f"map_init.c:{line_of('map_init', 'seen->entries[i] = i + 1;')}", text
    assert "seen = 0x0" in text[text.index("crash: "):], text


def test_a_property_stops_at_the_value_that_breaks_it():
    need_gdb()
    spec = os.path.join(CASES, "producer_consumer.spec")
    found("producer_consumer", "--spec", spec)
    text = debug("producer_consumer", "bt", "--spec", spec)
    why, where = stops(text)[-1]
    told = line_of("producer_consumer", 'clew_var("delivered"')
    assert why.startswith("property: ") and where.startswith(f"producer_consumer.c:{told}"), text
    assert f"main () at {CASES}/producer_consumer.c:{told}" in text, text


def test_a_watched_value_that_breaks_a_property_has_a_frame():
    need_gdb()
    program, _ = found("account")
    spec = write("balance.spec", "never_above: always forall p. p.balance <= 100\n")
    options = ["--spec", spec, "--watch", "balance"]
    folder = program + "-watched.campaign"
    assert run([CLEW, "explore", "-q", "--first", *options, "-o", folder, "--", program]).returncode == 1
    done = run([CLEW, "replay", "-q", *options, "--gdb-commands", "bt", first_schedule(folder), "--", program],
               stdin=subprocess.DEVNULL)
    why, where = stops(done.stdout)[-1]
    assert done.returncode == 1 and why.startswith("property: never_above") and where.startswith("account.c:"), done.stdout + done.stderr


def test_it_can_be_left_at_any_time():
    """At the first stop gdb finds the end of its input."""
    need_gdb()
    program, schedule = found("account")
    for commands in ("", "continue\n", "kill\nrun\ncontinue\n", "kill\n"):
        done = run([CLEW, "replay", "--gdb", schedule, "--", program], input=commands)
        assert done.returncode == 1 and "as recorded" in done.stdout, done.stdout + done.stderr


def test_words_of_the_program_reach_it_whole():
    need_gdb()
    program = build("words", text='#include <stdio.h>\n#include <string.h>\n#include <stdlib.h>\nint main(int count, char **words)\n'
                    '{\n    printf("%d %s\\n", getchar(), getenv("LINES") == NULL ? "plain" : "changed");\n'
                    '    return count == 3 && strcmp(words[1], "a \'b\' $c") == 0 && words[2][0] == 0 ? 3 : 4;\n}\n')
    command = [program, "a 'b' $c", ""]
    environment = {name: value for name, value in os.environ.items() if name != "LINES"}
    folder = program + ".campaign"
    done = run([CLEW, "explore", "--fail-on", "exit", "--budget", "1runs", "-o", folder, "--", *command])
    assert "status 3" in done.stdout, done.stdout + done.stderr
    done = run([CLEW, "replay", "--fail-on", "exit", "--gdb-commands", "info locals", first_schedule(folder), "--", *command],
               stdin=subprocess.DEVNULL, env=environment)
    assert done.returncode == 1 and "status 3" in done.stdout and done.stderr.count("-1 plain") == 2, done.stdout + done.stderr


def test_a_command_that_fails_is_told():
    need_gdb()
    program, schedule = found("account")
    done = run([CLEW, "replay", "--gdb-commands", "print nothing_of_that_name", schedule, "--", program], stdin=subprocess.DEVNULL)
    assert done.returncode == 2 and "one of its commands failed" in done.stderr, done.stdout + done.stderr


def test_without_gdb_one_line_says_what_to_do():
    program, schedule = found("account")
    folder = os.path.join(FOLDER.name, "empty")
    os.makedirs(folder, exist_ok=True)
    done = run([CLEW, "replay", "-q", "--gdb", schedule, "--", program], env={**os.environ, "PATH": folder})
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and "apt install gdb" in done.stderr, done.stdout + done.stderr


def test_it_is_refused_where_it_makes_no_sense():
    program, schedule = found("account")
    done = run([CLEW, "replay", "--gdb", "--json", schedule, "--", program])
    assert done.returncode == 2 and "--gdb" in done.stderr, done.stdout + done.stderr


if __name__ == "__main__":
    sys.exit(tap.run(tap.claims(globals())))
