"""clew view --likelihood: when a failing run was lost."""
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.environ["CLEW_SOURCE"], "test", "control"))
from controlled import CLEW, FOLDER, SOURCE, build_case, explore, first_schedule, run
import tap  # pylint: disable=wrong-import-position


def view_program(name, schedule, program):
    page = os.path.join(FOLDER.name, name)
    done = run([CLEW, "view", schedule, "--likelihood", "-o", page, "--", program])
    assert done.returncode == 0, done.stderr
    with open(page, encoding="utf-8") as file:
        text = file.read()
    return text, json.loads(re.search(r'id="data">(.*?)</script>', text, re.S)[1])


def check_shares(data):
    shares = data["shares"]
    counts = [count for count, _, _ in shares]
    assert counts == sorted(set(counts)) and counts[0] == 0, counts
    assert all(0 <= failed <= runs and runs == 40 for _, failed, runs in shares), shares
    # All steps of the failing run: it fails again.
    assert shares[-1][1] == shares[-1][2], shares
    rises = [(b[1] - a[1], -b[0]) for a, b in zip(shares, shares[1:])]
    rise, step = max(rises)
    assert rise > 0 and data["lost_step"] + 1 == -step, (data["lost_step"], rises)
    return shares


def test_a_lost_update_is_lost_where_the_second_task_reads_between():
    program = build_case("account")
    said, folder = explore(program, "--first")
    assert said["verdict"] == "found", said
    text, data = view_program("lost.html", first_schedule(folder), program)
    shares = check_shares(data)
    lost = data["lost_step"] + 1
    assert re.match(rf"lost at step {lost} \(main/\d read balance = 100 at account.c:(11|21)\): of runs with the same first {lost} steps, 40 of 40 fail",
                    data["lost"]), data["lost"]
    # Both tasks have read the same balance: whatever follows, one of the two writes is lost.
    assert all(failed == runs for count, failed, runs in shares if count >= lost), shares
    # Before it some order of the rest passes.
    assert all(failed < runs for count, failed, runs in shares if count < lost), shares
    again, _ = view_program("lost.html", first_schedule(folder), program)
    assert again == text, "the same measurement gives the same page"


def test_a_run_of_nodes_is_measured_at_single_steps_around_the_jump():
    system = os.path.join(FOLDER.name, "commit.so")
    done = run([CLEW, "cc", "--sim", "-g", os.path.join(SOURCE, "examples", "commit.c"), "-o", system])
    assert done.returncode == 0, done.stderr
    campaign = os.path.join(FOLDER.name, "commit.campaign")
    done = run([CLEW, "explore", "--first", system, "-o", campaign])
    assert done.returncode == 1, (done.stdout, done.stderr)
    page = os.path.join(FOLDER.name, "commit.html")
    done = run([CLEW, "view", os.path.join(campaign, "violations", "1.sched"), system, "--likelihood", "-o", page])
    assert done.returncode == 0, done.stderr
    with open(page, encoding="utf-8") as file:
        data = json.loads(re.search(r'id="data">(.*?)</script>', file.read(), re.S)[1])
    shares = check_shares(data)
    counts = [count for count, _, _ in shares]
    assert data["lost_step"] in counts and data["lost_step"] + 1 in counts, counts


def test_a_budget_ends_the_measurement_and_the_page_is_written():
    program = build_case("account")
    _, folder = explore(program, "--first")
    page = os.path.join(FOLDER.name, "budget.html")
    done = run([CLEW, "view", first_schedule(folder), "--likelihood", "--budget", "1ns", "-o", page, "--", program])
    assert done.returncode == 0 and os.path.getsize(page) > 0, done.stderr


def test_a_trace_has_no_likelihood():
    page = os.path.join(FOLDER.name, "trace.html")
    done = run([CLEW, "view", os.path.join(SOURCE, "examples", "bank.log"), "--likelihood", "-o", page])
    assert done.returncode == 2 and "runs a schedule" in done.stderr and not os.path.exists(page), done.stderr


def test_without_the_option_nothing_is_measured():
    program = build_case("account")
    _, folder = explore(program, "--first")
    page = os.path.join(FOLDER.name, "plain.html")
    done = run([CLEW, "view", first_schedule(folder), "-o", page, "--", program])
    assert done.returncode == 0, done.stderr
    with open(page, encoding="utf-8") as file:
        assert '"shares"' not in file.read()


if __name__ == "__main__":
    sys.exit(tap.run(tap.claims(globals())))
