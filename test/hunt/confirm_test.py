"""clew confirm: what it confirms stands side by side in a replay, what it refutes no interleaving shows, and harm is what a run shows."""
import itertools
import json
import os
import random
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.environ["CLEW_SOURCE"], "test", "control"))
from controlled import CLEW, FOLDER, LONG, build, build_case, line_of, run, write
import tap  # pylint: disable=wrong-import-position

SEED = int(os.environ.get("CLEW_TEST_SEED", "1"))
THREADS = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static int x, y;
static void start(void *(*f)(void *), void *(*g)(void *)) {
  pthread_t a, b; pthread_create(&a, NULL, f, NULL); pthread_create(&b, NULL, g, NULL);
  pthread_join(a, NULL); pthread_join(b, NULL); }
"""


def finding(number, kind, *events):
    """One with these events: (task, access, object, location)."""
    return {"id": number, "kind": kind, "status": "predicted", "grade": "may", "severity": "error", "what": f"finding {number}",
            "key": f"key-{number}", "witness": None, "replay": None,
            "events": [{"input": 0, "index": index, "node": "", "task": task, "access": access, "object": item, "location": location}
                       for index, (task, access, item, location) in enumerate(events)]}


def findings_file(name, *findings):
    return write(name + ".findings", json.dumps({"clew": "0.1.0", "schema": 1, "verb": "races", "inputs": [], "events": 0,
                                                 "verdict": "found", "stats": {}, "assumptions": [], "findings": findings}))


def confirm(findings, *command, status=(0, 1, 3), options=()):
    """The confirmations, by the number of the finding."""
    folder = findings + ".confirmed"
    done = run([CLEW, "confirm", "--json", "-o", folder, *options, findings, "--", *command])
    assert done.returncode in status, (done.returncode, done.stdout, done.stderr)
    said = json.loads(done.stdout)
    rows = {row["id"]: row for row in said["confirmations"]}
    statuses = {row["status"] for row in rows.values()}
    expected = "found" if "confirmed" in statuses else "unknown" if "unknown" in statuses else "clean"
    assert said["verdict"] == expected and done.returncode == {"clean": 0, "found": 1, "unknown": 3}[expected], said
    for one in said["findings"]:
        assert one["status"] == rows[one["id"]]["status"] and one["key"] == f"key-{one['id']}" or not one["key"].startswith("key-"), one
    return rows


def recorded(program, verb="races"):
    """The findings file of a recording of the program, of a run that passes: with luck the first."""
    trace = program + ".clew"
    done = next(done for done in (run([CLEW, "record", "-q", "-o", trace, "--", program]) for _ in range(20)) if done.returncode == 0)
    done = run([CLEW, verb, "--json", trace])
    assert done.returncode == 1, (done.stdout, done.stderr)
    return write(os.path.basename(program) + ".findings", done.stdout)


def place(program, text):
    return f"{os.path.basename(program)}.c:{line_of(program + '.c', text)}"


def steps(schedule, *command):
    """The (task, location) of each step of the schedule's run, and whether the run failed."""
    done = run([CLEW, "replay", "-q", "--step", schedule, "--", *command])
    assert done.returncode in (0, 1) and "diverged" not in done.stdout, (done.stdout, done.stderr)
    found = re.findall(r"^ *(?:->)? *\d+\. (\S+) .*? at (\S+:\d+)", done.stdout, re.MULTILINE)
    return found, done.returncode == 1


def check_adjacent(row, places, *command):
    """Both schedules have the two accesses side by side, by two tasks, once either way."""
    for schedule in (row["schedule"], row["reversed"]):
        taken, _ = steps(schedule, *command)
        assert any(a[0] != b[0] and [a[1], b[1]] in (list(places), list(reversed(places)))
                   for a, b in zip(taken, taken[1:])), (row, places, taken)


def test_a_recorded_race_is_confirmed_and_harmful_where_a_run_fails_after_one_order():
    program = build_case("account")
    (row,) = confirm(recorded(program), program).values()
    assert row["status"] == "confirmed" and row["harm"] == "harmful" and "balance == 120" in row["failure"], row
    check_adjacent(row, ("account.c:11", "account.c:21"), program)
    assert steps(row["schedule"], program)[1] and not steps(row["reversed"], program)[1], row


def test_a_race_is_confirmed_though_a_run_ends_at_the_first_of_its_accesses():
    program = build_case("double_checked")
    race = finding(1, "data-race", ("main/1", "W", "is_filled", "double_checked.c:29"), ("main/2", "R", "is_filled", "double_checked.c:38"))
    row = confirm(findings_file("ends", race), program)[1]
    assert row["status"] == "confirmed" and row["harm"] == "harmful" and row["failure"].startswith("assertion: "), row
    taken, has_failed = steps(row["schedule"], program)
    assert has_failed and taken[-1][1] == "double_checked.c:38", taken


def test_a_race_that_changes_no_value_is_benign_here():
    program = build("same_value", "-O0", text=THREADS + """
static void *f(void *p) {
  x = 0;
  return p; }
static void *g(void *p) {
  y = x;
  return p; }
int main(void) { start(f, g); return 0; }
""")
    race = finding(1, "data-race", ("main/1", "W", "x", place(program, "x = 0;")), ("main/2", "R", "x", place(program, "y = x;")))
    row = confirm(findings_file("same_value", race), program)[1]
    assert row["status"] == "confirmed" and row["harm"] == "benign here", row


def test_a_race_whose_values_differ_without_a_failure_has_unknown_harm():
    program = build("other_value", "-O0", text=THREADS + """
static void *f(void *p) {
  x = 1;
  return p; }
static void *g(void *p) {
  y = x;
  return p; }
int main(void) { start(f, g); return 0; }
""")
    race = finding(1, "data-race", ("main/1", "W", "x", place(program, "x = 1;")), ("main/2", "R", "x", place(program, "y = x;")))
    row = confirm(findings_file("other_value", race), program)[1]
    assert row["status"] == "confirmed" and row["harm"] == "unknown" and "sees" in row["reason"], row


LOCKED = THREADS + """
static void *f(void *p) {
  pthread_mutex_lock(&m);
  x = 1;
  pthread_mutex_unlock(&m);
  return p; }
static void *g(void *p) {
  pthread_mutex_lock(&m);
  y = x;
  pthread_mutex_unlock(&m);
  WAIT
  return p; }
int main(void) { start(f, g); return 0; }
"""


def locked(name, wait):
    program = build(name, "-O0", text=LOCKED.replace("WAIT", wait))
    return program, findings_file(name, finding(1, "data-race", ("main/1", "W", "x", place(program, "x = 1;")),
                                                ("main/2", "R", "x", place(program, "y = x;"))))


def test_accesses_that_a_lock_orders_in_every_execution_are_refuted():
    program, findings = locked("locked", "")
    row = confirm(findings, program)[1]
    assert row["status"] == "refuted" and re.search(r"(un)?lock m at locked.c", row["reason"]), row


def test_a_refuted_finding_is_no_failure_in_a_report():
    program, findings = locked("locked", "")
    done = run([CLEW, "confirm", findings, "--junit", "-", "--github", "--", program])
    assert done.returncode == 0 and "::error" not in done.stderr, (done.stdout, done.stderr)
    assert 'failures="0"' in done.stdout, done.stdout


def test_nothing_is_refuted_where_the_search_is_in_doubt():
    program, findings = locked("relaxed", "static atomic_int seen; y = atomic_load_explicit(&seen, memory_order_relaxed);")
    row = confirm(findings, program)[1]
    assert row["status"] == "unknown" and "weaker than seq_cst" in row["reason"], row
    row = confirm(locked("locked", "")[1], build("locked", text=None), options=("--budget", "3runs"))[1]
    assert row["status"] == "unknown" and "--budget" in row["reason"], row


def test_places_that_no_run_reaches_are_unknown():
    program = build_case("account")
    race = finding(1, "data-race", ("main/1", "W", "x", "elsewhere.c:1"), ("main/2", "R", "x", "elsewhere.c:2"))
    row = confirm(findings_file("elsewhere", race), program)[1]
    assert row["status"] == "unknown" and "not that of the trace" in row["reason"], row


def test_a_predicted_deadlock_is_confirmed_by_a_run_that_deadlocks():
    program = build("cycle", "-O0", text=THREADS + """
static void *f(void *p) {
  pthread_mutex_lock(&m);
  pthread_mutex_lock(&n); // f asks
  pthread_mutex_unlock(&n);
  pthread_mutex_unlock(&m);
  return p; }
static void *g(void *p) {
  pthread_mutex_lock(&n);
  pthread_mutex_lock(&m); // g asks
  pthread_mutex_unlock(&m);
  pthread_mutex_unlock(&n);
  return p; }
int main(void) { start(f, g); return 0; }
""")
    rows = confirm(recorded(program), program)
    assert [row["status"] for row in rows.values()] == ["confirmed"], rows
    assert rows[1]["harm"] == "harmful" and rows[1]["failure"].startswith("deadlock: "), rows
    assert run([CLEW, "replay", "-q", rows[1]["schedule"], "--", program]).stdout.startswith("deadlock: ")


def test_an_atomicity_violation_is_confirmed_by_the_access_between():
    program = build("check_act", "-O0", text=THREADS + """
static void *f(void *p) {
  pthread_mutex_lock(&m);
  int seen = x; // checks
  pthread_mutex_unlock(&m);
  pthread_mutex_lock(&m);
  x = seen + 1; // acts
  pthread_mutex_unlock(&m);
  return p; }
int main(void) { start(f, f); assert(x == 2); return 0; }
""")
    rows = confirm(recorded(program, "atomicity"), program)
    assert any(row["status"] == "confirmed" and row["harm"] == "harmful" and "x == 2" in row["failure"] for row in rows.values()), rows


def test_one_finding_is_chosen_and_the_findings_can_be_read_again():
    program, _ = locked("locked", "")
    race = [("main/1", "W", "x", place(program, "x = 1;")), ("main/2", "R", "x", place(program, "y = x;"))]
    findings = findings_file("chosen", finding(1, "data-race", *race), finding(2, "data-race", *race))
    assert list(confirm(findings, program, options=("--finding", "key-2"))) == [2]
    done = run([CLEW, "confirm", findings, "--finding", "3", "--", program])
    assert done.returncode == 2 and "no finding has the number" in done.stderr, done.stderr
    done = run([CLEW, "confirm", findings, "spare"])
    assert done.returncode == 2 and "put it behind --" in done.stderr, done.stderr


# Random programs: threads of plain reads, writes and critical sections, some of which depend on what was read.

VARIABLES = ("x", "y")
LOCKS = ("m", "n")


def random_accesses(prng, count):
    """Operations: ("R", variable), ("W", variable, value), and behind a read ("I", 1): the next operation happens only if the read
    found something but 0."""
    operations = []
    for _ in range(count):
        if operations and operations[-1][0] == "R" and prng.random() < 0.4:
            operations.append(("I", 1))
        kind = prng.choice("RWW")
        operations.append(("R", prng.choice(VARIABLES)) if kind == "R" else ("W", prng.choice(VARIABLES), prng.randint(0, 1)))
    return operations


def random_thread(prng, is_locked):
    """Accesses, some or (is_locked) all of them in critical sections: ("L", lock), ("U", lock)."""
    operations = []
    for _ in range(prng.randint(1, 2)):
        inside = random_accesses(prng, prng.randint(1, 2))
        lock = LOCKS[0] if is_locked else prng.choice(LOCKS)
        if is_locked or prng.random() < 0.6:
            inside = [("L", lock)] + inside + [("U", lock)]
        operations += inside
    return operations


def races_of(threads):
    """The pairs of conflicting accesses that are both next in some reachable state: all interleavings, one state at a time."""
    def skip(thread, at, last):
        while at < len(threads[thread]) and threads[thread][at][0] == "I":
            at += 1 if last else 1 + threads[thread][at][1]
        return at
    start = (tuple(skip(i, 0, 0) for i in range(len(threads))), (0,) * len(threads), (0,) * len(VARIABLES), (None,) * len(LOCKS))
    seen, rest, races = {start}, [start], set()
    while rest:
        places, lasts, values, owners = rest.pop()
        nexts = [threads[i][places[i]] if places[i] < len(threads[i]) else None for i in range(len(threads))]
        for i, k in itertools.combinations(range(len(threads)), 2):
            a, b = nexts[i], nexts[k]
            if a and b and a[0] in "RW" and b[0] in "RW" and a[1] == b[1] and "W" in (a[0], b[0]):
                races.add(((i, places[i]), (k, places[k])))
        for i, operation in enumerate(nexts):
            if operation is None or (operation[0] == "L" and owners[LOCKS.index(operation[1])] is not None):
                continue
            new_lasts, new_values, new_owners = list(lasts), list(values), list(owners)
            if operation[0] == "R":
                new_lasts[i] = values[VARIABLES.index(operation[1])]
            elif operation[0] == "W":
                new_values[VARIABLES.index(operation[1])] = operation[2]
            else:
                new_owners[LOCKS.index(operation[1])] = i if operation[0] == "L" else None
            new_places = list(places)
            new_places[i] = skip(i, places[i] + 1, new_lasts[i])
            state = (tuple(new_places), tuple(new_lasts), tuple(new_values), tuple(new_owners))
            if state not in seen:
                seen.add(state)
                rest.append(state)
    return races


def source_of(programs):
    """One source file with all the programs, chosen by argv[1]; and the line of each operation."""
    lines = (THREADS + "typedef void *(*body)(void *);").splitlines()
    where = {}
    for number, threads in enumerate(programs):
        for thread, operations in enumerate(threads):
            lines.append(f"static void *f{number}_{thread}(void *p) {{ int last = 0; (void)last;")
            for at, operation in enumerate(operations):
                where[number, thread, at] = len(lines) + 1
                lines.append({"R": "last = {0};", "W": "{0} = {1};", "L": "pthread_mutex_lock(&{0});", "U": "pthread_mutex_unlock(&{0});",
                              "I": "if (last)"}[operation[0]].format(*operation[1:]))
            lines.append("return p; }")
    lines.append("static body bodies[][3] = {")
    lines += ["{" + ", ".join(f"f{number}_{thread}" for thread in range(len(threads))) + "}," for number, threads in enumerate(programs)]
    lines.append("""};
int main(int argc, char **argv) { body *own = bodies[argc > 1 ? atoi(argv[1]) : 0]; pthread_t t[3];
for (int i = 0; i < 3 && own[i] != NULL; i++) { pthread_create(&t[i], NULL, own[i], NULL); }
for (int i = 0; i < 3 && own[i] != NULL; i++) { pthread_join(t[i], NULL); } return 0; }""")
    return "\n".join(lines) + "\n", where


def test_what_is_confirmed_is_adjacent_and_what_is_refuted_no_interleaving_shows():
    prng = random.Random(SEED)
    programs = [[random_thread(prng, number % 2 == 0) for _ in range(prng.choice((2, 2, 3)))] for number in range(300 if LONG else 40)]
    text, where = source_of(programs)
    program = build(f"random{SEED}", "-O0", text=text)
    counts, reasons = {"confirmed": 0, "refuted": 0, "unknown": 0}, {}
    for number, threads in enumerate(programs):
        pairs = [((i, a), (k, b)) for i, k in itertools.combinations(range(len(threads)), 2)
                 for a, one in enumerate(threads[i]) for b, other in enumerate(threads[k])
                 if one[0] in "RW" and other[0] in "RW" and one[1] == other[1] and "W" in (one[0], other[0])]
        location = {(i, a): f"random{SEED}.c:{where[number, i, a]}" for pair in pairs for i, a in pair}
        if not pairs:
            continue
        listed = [finding(index, "data-race", *((f"main/{i + 1}", threads[i][a][0], threads[i][a][1], location[i, a]) for i, a in pair))
                  for index, pair in enumerate(pairs, 1)]
        rows = confirm(findings_file(f"random-{number}", *listed), program, str(number))
        possible = races_of(threads)
        for index, pair in enumerate(pairs, 1):
            row = rows[index]
            counts[row["status"]] += 1; reasons[row["reason"][:60]] = reasons.get(row["reason"][:60], 0) + 1
            context = f"seed {SEED}, program {number} {threads}, pair {pair}: {row}"
            if row["status"] == "confirmed":
                assert pair in possible, context
                if LONG or index == 1:
                    check_adjacent(row, [location[one] for one in pair], program, str(number))
            else:
                assert pair not in possible, context
                races = any(one in possible for one in pairs)
                assert row["status"] == "refuted" or "reaches both places" in row["reason"] or \
                    (races and "other data races" in row["reason"]), context
    assert counts["confirmed"] > 20 and counts["refuted"] > 20, (counts, reasons)


if __name__ == "__main__":
    sys.exit(tap.run(tap.claims(globals())))
