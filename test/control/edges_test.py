"""Programs at the edges of control: what looks like waiting and is not, what leaves the process, what never ends."""
import os
import sys

sys.dont_write_bytecode = True
from controlled import HERE, MODES, build, build_plain, explore, needs_traps, only_finding, write
import tap  # pylint: disable=wrong-import-position


def uncontrolled(said):
    """The calls that it lists."""
    ending = " is not controlled"
    return {words.removesuffix(ending) for words in said["assumptions"] if words.endswith(ending)}


def test_a_function_called_twice_is_no_loop():
    """Whoever waits is passed over; whoever only looks twice must not be, or the free never comes first."""
    program = build("edges.twice", "-O0", path=os.path.join(HERE, "edges.c"))
    said, _ = explore([program, "look_twice_and_free"], "--first", "--budget", "50runs")
    assert only_finding(said)["kind"] == "use-after-free", said


def test_who_tries_again_and_again_lets_others_go_on():
    for program in (build("edges"), build_plain("edges")):
        said, _ = explore([program, "try_again"], "--fail-on", "exit", "--budget", "30runs")
        assert not said["findings"] and said["stats"]["steps"] < 30 * 200, said


def test_a_shell_that_a_stream_reads_from_is_controlled():
    needs_traps()
    for program in (build("edges"), build_plain("edges")):
        said, _ = explore([program, "ask_shell"], "--fail-on", "exit", "--budget", "3runs")
        assert not said["findings"] and not uncontrolled(said), said


def test_a_signal_of_a_child_is_no_deadlock():
    said, _ = explore([build_plain("edges"), "await_child"], "--fail-on", "exit", "--budget", "3runs")
    assert not said["findings"] and not uncontrolled(said), said


def test_a_waiter_that_leaves_for_a_handler_leaves_no_signal_behind():
    for word in ("interrupt_waiter", "interrupt_first_waiter"):
        said, _ = explore([build_plain("edges"), word], "--strategy", "random", "--fail-on", "exit", "--budget", "300runs")
        assert not said["findings"] and said["stats"]["runs"] == 300, said


def test_threads_of_a_child_lock_and_keep_their_own():
    said, _ = explore([build_plain("edges"), "fork_threads"], "--fail-on", "exit", "--budget", "3runs")
    assert not said["findings"] and said["stats"]["runs"] == 3, said


def test_a_child_has_what_its_parent_asked_for():
    """Handlers, what is blocked, and threads."""
    for build_it in (build, build_plain):
        said, _ = explore(build_it("children"), "--fail-on", "exit", "--budget", "3runs")
        assert not said["findings"] and said["stats"]["runs"] == 3, said


def test_a_child_runs_no_task_of_its_parent():
    """Not while it is in its handlers of pthread_atfork either: what the task writes is written once."""
    said, _ = explore([build_plain("edges"), "fork_handlers"], "--strategy", "random", "--fail-on", "exit", "--budget", "60runs")
    assert not said["findings"] and said["stats"]["runs"] == 60, said


def test_a_quick_end_runs_what_is_registered_for_it():
    said, _ = explore([build_plain("edges"), "end_quickly"], "--fail-on", "exit", "--budget", "3runs")
    assert only_finding(said)["what"] == "the program ends with status 43", said
    assert said["stats"]["uncontrolled"] == 0, said


def test_tasks_that_end_together_end_the_process():
    for mode in MODES:
        said, _ = explore([build_plain("edges"), "end_together"], "--mode", mode, "--strategy", "random", "--fail-on", "exit",
                          "--budget", "60runs")
        assert not said["findings"] and said["stats"]["runs"] == 60, said
    said, _ = explore([build("edges"), "end_together"], "--strategy", "dpor", "--fail-on", "exit")
    assert not said["findings"] and said["stats"]["exhausted"], said


def test_a_program_that_becomes_another_is_followed():
    needs_traps()
    for word in ("become_another", "become_another_later"):
        said, _ = explore([build_plain("edges"), word], "--fail-on", "exit", "--budget", "3runs")
        assert not said["findings"] and not uncontrolled(said) and said["stats"]["mode"] == "fork", said


def test_a_search_goes_on_behind_runs_that_hang():
    """Such a run is ended from outside, and what could have been chosen in it is known all the same."""
    said, _ = explore([build_plain("edges"), "hang"], "--strategy", "delay", "--delays", "1", "--hang", "1", "--budget", "3runs")
    assert only_finding(said)["kind"] == "hang", said


def test_runs_that_hang_are_no_more_than_the_budget_allows():
    """One takes longer than the budget; it is looked at after that one, not after many."""
    said, _ = explore([build_plain("edges"), "hang"], "--hang", "1", "--budget", "1s")
    assert said["stats"]["runs"] == 1, said


def test_memory_that_new_gives_is_named_by_who_asked():
    """As a recording names it: not by C++'s own library, from which all of it comes."""
    path = write("asked.cc", "#include <thread>\n"
                             "int main() {\n"
                             "    int *first = new int(1), *second = new int[2];\n"
                             "    delete first;\n"
                             "    std::thread other([=] { second[1] = *first; });\n"
                             "    other.join();\n"
                             "    delete[] second;\n"
                             "}\n")
    said, _ = explore(build("asked", path=path), "--first", "--budget", "1runs")
    assert only_finding(said)["kind"] == "use-after-free", said
    assert "allocated at asked.cc:3" in only_finding(said)["what"], said


if __name__ == "__main__":
    sys.exit(tap.run(tap.claims(globals())))
