"""clew explain: the table, the missing order, the values and the nearest passing run, of schedules and of findings."""
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.environ["CLEW_SOURCE"], "test", "control"))
from controlled import CASES, CLEW, FOLDER, SOURCE, build, build_case, explore, first_schedule, run, write
import tap  # pylint: disable=wrong-import-position

# A race that two conflicting events show in an exact trace: T2's read may see T1's write or the initial value.
TRACE = """clew-text 1 order=exact
main@n thread-create T1@n
main@n thread-create T2@n
T1@n thread-start
T1@n lock m @r.c:1
T1@n unlock m @r.c:2
T1@n write x @r.c:3 size=4
T2@n thread-start
T2@n read x @r.c:5 size=4
"""


def explain(*words, status=0):
    done = run([CLEW, "explain", "--json", *words])
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    said = json.loads(done.stdout)
    assert said["verb"] == "explain" and len(said["findings"]) == len(said["explanations"]), said
    return said["explanations"]


def failing_schedule(program, *options):
    said, folder = explore(program, "--first", *options)
    assert said["verdict"] == "found", said
    return first_schedule(folder)


def build_system(name):
    system = os.path.join(FOLDER.name, name + ".so")
    done = run([CLEW, "cc", "--sim", "-g", os.path.join(SOURCE, "examples", name + ".c"), "-o", system])
    assert done.returncode == 0, done.stderr
    return system


def race_findings(name="r", text=TRACE, *options):
    trace = write(name + ".log", text)
    done = run([CLEW, "races", "--json", "--witness", *options, trace])
    assert done.returncode == 1, (done.stdout, done.stderr)
    return write(name + ".findings", done.stdout), trace


def test_a_run_of_a_program_is_explained_by_the_step_that_makes_it_fail():
    program = build_case("account")
    (said,) = explain("--rows", "0", failing_schedule(program), "--", program)
    rows = {row["step"]: row for row in said["rows"]}
    assert said["columns"] == ["main", "main/1", "main/2"] and said["omitted"] == 0, said
    assert sorted(rows) == list(range(1, len(rows) + 1)), rows
    order = re.match(r"step (\d+) \(.* balance at account.c:(\d+)\) comes before step (\d+) \(.* balance at account.c:(\d+)\)", said["order"][0])
    assert order and {order[2], order[4]} == {"11", "21"}, said["order"]
    first, second = rows[int(order[1])], rows[int(order[3])]
    assert first["key"] and second["key"] and first["step"] < second["step"] and first["column"] != second["column"], said
    assert "write balance" in (first["operation"], second["operation"]), said
    assert all(value["failing"] != value["passing"] for value in said["values"]) and said["values"], said
    parting = int(re.match(r"takes the same (\d+) steps", said["passing"])[1])
    assert said["passing_rows"][0]["step"] == parting + 1, said
    assert said["passing_rows"][0]["operation"] != rows[parting + 1]["operation"] or \
        said["passing_rows"][0]["column"] != rows[parting + 1]["column"], said
    with open(os.path.join(CASES, "account.c"), encoding="utf-8") as file:
        lines = [line.strip() for line in file]
    for row in said["rows"]:
        if row["location"].startswith("account.c:"):
            assert row["source"] == lines[int(row["location"].split(":")[1]) - 1], row


# Fails if the reader comes second, and tells it 400 steps later.
LATE = """
#include <assert.h>
#include <pthread.h>
static volatile int done, sum;
static void *set(void *unused)
{
    done = 1;
    return unused;
}
static void *look(void *unused)
{
    const int seen = done;
    for (int i = 0; i < 200; i++) {
        sum++;
    }
    assert(!seen);
    return unused;
}
int main(void)
{
    pthread_t tasks[2];
    pthread_create(&tasks[0], NULL, set, NULL);
    pthread_create(&tasks[1], NULL, look, NULL);
    pthread_join(tasks[0], NULL);
    pthread_join(tasks[1], NULL);
    return sum != 200;
}
"""


def test_a_passing_run_that_parts_long_before_the_failure_is_found():
    program = build("late", text=LATE)
    (said,) = explain("--rows", "0", "--budget", "300runs", failing_schedule(program), "--", program)
    (write_of_done,) = [row["step"] for row in said["rows"] if row["operation"].startswith("write done")]
    assert len(said["rows"]) - write_of_done > 150, said["rows"][-1]
    # Only where the reader comes before that write does a run pass.
    parting = int(re.match(r"takes the same (\d+) steps", said["passing"])[1])
    assert parting + 1 == write_of_done, (said["passing"], write_of_done)


def test_a_switch_is_marked_where_another_task_ran_before():
    program = build_case("account")
    (said,) = explain(failing_schedule(program), "--", program)
    for before, row in zip(said["rows"], said["rows"][1:]):
        assert row["switch"] == (row["column"] != before["column"]), row


def test_a_deadlock_is_explained_by_the_waits_at_its_end():
    program = build_case("lock_order")
    (said,) = explain(failing_schedule(program), "--", program)
    assert said["title"].startswith("deadlock: "), said
    assert len([line for line in said["causes"] if "lock_order.c" in line]) >= 2, said
    assert said["passing"].startswith("takes the same"), said


def test_a_run_of_a_simulated_system_shows_the_state_that_steps_change():
    system = build_system("ring")
    schedule = failing_schedule_of_system(system)
    (said,) = explain(schedule, system)
    assert any("has the token" in row.get("detail", "") for row in said["rows"]), said
    assert any(row.get("from") == "n1" and row["column"] == "n2" for row in said["rows"]), said
    assert any(value["what"] == "state at the end" for value in said["values"]), said


def failing_schedule_of_system(system):
    folder = os.path.join(FOLDER.name, "system.campaign")
    done = run([CLEW, "explore", "--first", "-o", folder, system])
    assert done.returncode == 1 or "exists" in done.stderr, (done.stdout, done.stderr)
    return first_schedule(folder)


def test_a_budget_of_no_run_leaves_the_passing_run_unknown():
    program = build_case("account")
    (said,) = explain("--budget", "1runs", failing_schedule(program), "--", program)
    assert said["passing"].startswith("unknown: none of 1 runs") and "--budget" in said["passing"], said
    assert not said["passing_rows"] and not said["order"] and not said["values"], said


def test_a_schedule_of_a_passing_run_is_unknown():
    program = build_case("account")
    passing = write("passing.sched", "clew-schedule 1\nsystem account\nworld process\nseed 1\nthen first\n")
    done = run([CLEW, "explain", passing, "--", program])
    assert done.returncode == 3 and "shows no violation" in done.stdout, (done.returncode, done.stdout, done.stderr)


def test_a_long_run_shows_the_steps_whose_order_is_missing_and_its_end():
    program = build_case("account")
    schedule = failing_schedule(program)
    (said,) = explain("--rows", "4", schedule, "--", program)
    (whole,) = explain("--rows", "0", schedule, "--", program)
    steps = [row["step"] for row in said["rows"]]
    assert len(steps) == 4 and said["omitted"] == len(whole["rows"]) - 4, said
    assert {row["step"] for row in whole["rows"] if row["key"]} | {len(whole["rows"])} <= set(steps), (steps, whole["rows"])
    assert all(f"step {step} " in said["order"][0] for step in steps if step in ordered_steps(said)), said


def ordered_steps(said):
    return {int(number) for number in re.findall(r"step (\d+) ", said["order"][0])}


def test_memory_of_one_thread_is_left_out_unless_all_steps_are_asked_for():
    program = build_case("account")
    schedule = failing_schedule(program)
    (usual,) = explain(schedule, "--", program)
    (whole,) = explain("--rows", "0", schedule, "--", program)
    shown = [row["step"] for row in usual["rows"]]
    hidden = [row["operation"] for row in whole["rows"] if row["step"] not in shown]
    assert hidden and all(re.match("(read|write) threads.h:", operation) for operation in hidden), hidden
    assert usual["omitted"] == len(hidden), usual


def test_the_accesses_of_a_race_are_adjacent_at_the_end_of_its_witness():
    findings, _ = race_findings()
    (said,) = explain(findings)
    last, other = said["rows"][-2:]
    assert {last["operation"], other["operation"]} == {"write x", "read x"} and last["key"] and other["key"], said
    assert last["column"] != other["column"] and said["order"], said


def test_the_line_of_the_source_is_found_in_the_folders_that_are_named():
    folder = os.path.join(FOLDER.name, "sources")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "r.c"), "w", encoding="utf-8") as file:
        file.write("".join(f"\tline {number};  \n" for number in range(1, 6)))
    findings, _ = race_findings()
    (said,) = explain(findings, "--source", folder)
    for row in said["rows"]:
        number = row["location"].split(":")[-1]
        assert row["source"] == (f"line {number};" if number else ""), row
    (unfound,) = explain(findings)
    assert all(row["source"] == "" for row in unfound["rows"]), unfound


def test_a_trace_that_has_changed_since_is_refused():
    findings, _ = race_findings("changed")
    write("changed.log", TRACE.replace("read x @r.c:5", "read y @r.c:5"))
    done = run([CLEW, "explain", findings])
    assert done.returncode == 2 and "the trace has changed since" in done.stderr, (done.stdout, done.stderr)
    write("changed.log", "\n".join(TRACE.splitlines()[:4]) + "\n")
    done = run([CLEW, "explain", findings])
    assert done.returncode == 2 and "the trace has changed since" in done.stderr, (done.stdout, done.stderr)


def test_one_finding_is_chosen_by_its_number_or_its_key():
    text = TRACE + "T2@n write y @r.c:6 size=4\nmain@n write y @r.c:7 size=4\n"
    findings, _ = race_findings("two", text)
    with open(findings, encoding="utf-8") as file:
        listed = json.load(file)["findings"]
    assert len(listed) == 2, listed
    for finding in listed:
        for name in (str(finding["id"]), finding["key"]):
            (said,) = explain(findings, "--finding", name)
            assert finding["what"] in said["title"], (finding, said)
    done = run([CLEW, "explain", findings, "--finding", "3"])
    assert done.returncode == 2 and "there are 2" in done.stderr, done.stderr


def test_a_finding_of_a_search_names_the_command_that_explains_it():
    program = build_case("account")
    said, _ = explore(program, "--first")
    findings = write("search.findings", json.dumps(said))
    done = run([CLEW, "explain", findings])
    command = re.search(r"explain its schedule: (clew explain .*)$", done.stderr.strip())
    assert done.returncode == 2 and command, (done.stdout, done.stderr)
    again = run(["sh", "-c", command[1].replace("clew", CLEW, 1)])
    assert again.returncode == 0 and "The nearest passing run:\n  takes the same" in again.stdout, (again.stdout, again.stderr)


def test_the_findings_of_a_run_of_a_program_are_read_though_they_have_no_trace():
    program = build_case("account")
    done = run([CLEW, "races", "--json", "--", program])
    assert done.returncode == 1, (done.stdout, done.stderr)
    (said,) = explain(write("own.findings", done.stdout), "--source", CASES)
    assert {row["source"] for row in said["rows"]} == {"balance = balance + 50;", "balance = balance - 30;"}, said
    assert said["passing"].startswith("unknown: "), said
    known = run([CLEW, "races", "--baseline", "own.findings", "--", program])
    assert known.returncode == 0 and "known from the baseline" in known.stdout, (known.stdout, known.stderr)


def check_markdown(text):
    """Every row of a table has as many cells as its head, and every line of a diagram is a participant, a note or a message."""
    cells = None
    diagram = None
    for line in text.splitlines():
        if line.startswith("```"):
            diagram = [] if line == "```mermaid" else None
        elif diagram is not None:
            assert re.fullmatch(r"sequenceDiagram|    participant T\d+ as [^;#]+|"
                                r"    (Note over T\d+|T\d+->>T\d+): ([^;#]|#\d+;|<br/>)+", line), line
            diagram.append(line)
        elif line.startswith("|"):
            count = len(re.findall(r"(?<!\\)\|", line))
            assert cells in (None, count), line
            cells = count
        else:
            cells = None


def test_markdown_has_whole_tables_and_a_diagram():
    program = build("hostile", text="""
#include <assert.h>
#include <pthread.h>
static int x;
static void *f(void *p) { int y = x | 4; x = y + 1; /* `a` <b> | "c"; #d */ return p; }
int main(void) { pthread_t t[2]; for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, f, NULL);
  for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
  assert(x == 6 || x != 5); return 0; }
""")
    done = run([CLEW, "explain", "--markdown", failing_schedule(program), "--", program])
    assert done.returncode == 0 and "```mermaid\nsequenceDiagram\n" in done.stdout, (done.stdout, done.stderr)
    check_markdown(done.stdout)


def test_the_same_schedule_gives_the_same_bytes():
    program = build_case("account")
    schedule = failing_schedule(program)
    texts = {run([CLEW, "explain", *form, schedule, "--", program]).stdout for form in ([], []) }
    assert len(texts) == 1 and "".join(texts).count("->") > 2, texts


def test_no_byte_of_a_name_reaches_the_terminal_as_control():
    text = TRACE.replace("read x @r.c:5", 'read x @"r\\x1b[2J.c:5"')
    findings, _ = race_findings("escape", text)
    done = run([CLEW, "explain", findings])
    assert done.returncode == 0 and "\x1b" not in done.stdout and "[2J.c" in done.stdout, done.stdout


def test_an_input_that_cannot_be_explained_is_named():
    empty = write("empty.findings", "")
    for verb, program in (("explain", []), ("confirm", ["--", "true"])):
        for path, reason in (("/", "is a directory"), ("absent", "cannot be opened")):
            done = run([CLEW, verb, path, *program])
            assert done.returncode == 2 and f"clew: {path}: {reason}" in done.stderr, (verb, done.stderr)
    done = run([CLEW, "explain", empty])
    assert done.returncode == 2 and "empty.findings: is empty, " in done.stderr, done.stderr


def test_a_limit_of_none_prints_the_number_of_findings():
    findings, _ = race_findings("unlimited", TRACE)
    done = run([CLEW, "explain", "--limit", "0", findings])
    assert (done.returncode, done.stdout) == (0, "1 finding\n"), (done.stdout, done.stderr)


if __name__ == "__main__":
    sys.exit(tap.run(tap.claims(globals())))
