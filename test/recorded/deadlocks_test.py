"""Builds each program in locks/ with clew cc, records it, and compares the deadlocks that clew predicts, by source line, with
what the program's first comment says. Then runs it under control: a predicted deadlock is reached, another one is not."""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
SOURCE = os.environ["CLEW_SOURCE"]
sys.path.insert(0, os.path.join(SOURCE, "test", "harness"))
import tap  # pylint: disable=wrong-import-position
from programs import CLEW, HERE, build, run, words_of  # pylint: disable=wrong-import-position

FOLDER = os.path.join(HERE, "locks")
CLAIM = re.compile(r"^ \* (no deadlock|deadlock: (.*?))(?: \*/)?$")


def claims_of(path):
    """The deadlocks of a program, each a set of words "taken>asked"."""
    with open(path, encoding="utf-8") as file:
        comment = file.read().split("*/")[0]
    said = [match for line in comment.splitlines() if (match := CLAIM.match(line.rstrip()))]
    assert said, "nothing is claimed"
    return {frozenset(match[2].split()) for match in said if match[2]}


def record(program, trace):
    """Records a run. One that meets its deadlock after all is ended and made again."""
    for _ in range(3):
        try:
            done = subprocess.run([CLEW, "record", "-o", trace, "--", program], capture_output=True, text=True, timeout=30, check=False)
        except subprocess.TimeoutExpired:
            continue
        assert done.returncode == 0, done.stderr
        return
    raise AssertionError("three runs did not end")


def predicted(trace, words):
    done = run([CLEW, "races", "--only", "deadlock", "--json", trace])
    assert done.returncode in (0, 1), done.stderr
    found = json.loads(done.stdout)
    assert all(finding["kind"] == "deadlock" and finding["status"] == "predicted" for finding in found["findings"])
    keys = [finding["key"].split("|")[1:] for finding in found["findings"]]
    return {frozenset(">".join(words.get(place, place) for place in member.split(">")) for member in key) for key in keys}


def reached(program):
    done = run([CLEW, "explore", "--budget", "3000runs", "--json", "--", program], cwd=os.path.dirname(program))
    assert done.returncode in (0, 1, 3), done.stderr
    return any(finding["kind"] == "deadlock" for finding in json.loads(done.stdout)["findings"])


def check(path):
    claims = claims_of(path)
    with tempfile.TemporaryDirectory() as folder:
        program = build(folder, path, "gcc", "-O1", "-I", FOLDER)
        trace = os.path.join(folder, "run.clew")
        record(program, trace)
        checked = run([CLEW, "check", trace])
        assert checked.returncode == 0, checked.stdout
        found = predicted(trace, words_of(path))
        assert found == claims, f"found {sorted(map(sorted, found))}, not {sorted(map(sorted, claims))}"
        if "fork()" not in open(path, encoding="utf-8").read():
            assert reached(program) == bool(claims), "a run under control says otherwise"


def check_uninstrumented():
    """Without memory accesses nothing is proved, but a user of helgrind expects to be told: listed by default, status 1."""
    with tempfile.TemporaryDirectory() as folder:
        program, trace = os.path.join(folder, "program"), os.path.join(folder, "run.clew")
        done = run(["gcc", "-g", "-O1", "-pthread", "-I", FOLDER, os.path.join(FOLDER, "crossed.c"), "-o", program])
        assert done.returncode == 0, done.stderr
        record(program, trace)
        done = run([CLEW, "races", "-q", "--json", trace])
        found = [(finding["kind"], finding["grade"]) for finding in json.loads(done.stdout)["findings"]]
        assert (done.returncode, found) == (1, [("deadlock", "may")]), done.stdout


# The run deadlocks: the threads tell each other that they hold a lock, and main leaves them there.
MET = """
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
static void *take(void *p)
{
    pthread_mutex_t *first = p == NULL ? &a : &b;
    pthread_mutex_lock(first);
    pthread_barrier_wait(&both);
    pthread_mutex_lock(first == &a ? &b : &a);
    return NULL;
}
int main(void)
{
    pthread_t x, y;
    pthread_barrier_init(&both, NULL, 3);
    pthread_create(&x, NULL, take, NULL);
    pthread_create(&y, NULL, take, &both);
    pthread_barrier_wait(&both);
    exit(0);
}
"""


def check_met():
    """A run that deadlocks is not clean, although its trace has only the locks that were taken."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "met.c")
        with open(path, "w", encoding="utf-8") as file:
            file.write(MET)
        trace = path + ".clew"
        done = run([CLEW, "record", "-q", "-o", trace, "--", build(folder, path, "gcc", "-O1")])
        assert done.returncode == 0, done.stderr
        done = run([CLEW, "races", trace])
        assert done.returncode == 3 and "may have deadlocked" in done.stderr, (done.returncode, done.stdout, done.stderr)


def main():
    paths = sorted(glob.glob(os.path.join(FOLDER, "*.c")))
    return tap.run([("a program not built by clew cc", check_uninstrumented), ("a run that deadlocks", check_met)] +
                   [(os.path.basename(path), lambda p=path: check(p)) for path in paths])


if __name__ == "__main__":
    sys.exit(main())
