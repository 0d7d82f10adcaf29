"""The shortest executions that are known: each is a schedule that shows its bug, and none becomes longer."""
import os
import subprocess
import sys
import tempfile

SOURCE = os.environ["CLEW_SOURCE"]
CLEW = os.environ["CLEW"]
BUILD = os.environ["CLEW_BUILD"]
sys.dont_write_bytecode = True
sys.path[:0] = [os.path.join(SOURCE, "test", "harness"), os.path.join(SOURCE, "bench")]
import minimize_bench  # pylint: disable=wrong-import-position
import minimize_best  # pylint: disable=wrong-import-position
import tap  # pylint: disable=wrong-import-position

BENCH = os.path.join(SOURCE, "bench")


def test_each_schedule_shows_its_bug_in_as_many_steps_as_are_said():
    best = minimize_best.Best(BENCH)
    assert len(best.lines) == 10, best.lines
    for bug, known in best.lines.items():
        library = os.path.join(BUILD, "cases", bug.split("-")[0] + ".so")
        done = subprocess.run([CLEW, "replay", best.schedule(bug), library], capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode == 1 and f"\n{known.size} steps, hash " in done.stdout and "as recorded" in done.stdout, \
            bug + done.stdout + done.stderr


def test_each_schedule_is_in_the_shape_that_is_measured():
    best = minimize_best.Best(BENCH)
    assert set(best.lines) == {bug for _, bug, *_ in minimize_bench.CASES}, best.lines
    for _, bug, chosen, *_ in minimize_bench.CASES:
        with open(best.schedule(bug), encoding="utf-8") as file:
            assert f'with "{bug},{chosen}"\n' in file.readlines(), bug


def test_sizes_only_become_smaller():
    with tempfile.TemporaryDirectory() as folder:
        best = minimize_best.Best(folder)
        assert best.known("a", 9) == 9
        assert best.offer("a", {"final_events": 12, "optimal": False})
        assert best.known("a", 9) == 9 and best.known("a", 15) == 12
        assert not best.offer("a", {"final_events": 13, "optimal": True})
        assert not best.offer("a", {"final_events": 12, "optimal": False})
        assert best.offer("a", {"final_events": 11, "optimal": False})
        assert best.offer("a", {"final_events": 11, "optimal": True})
        assert best.known("a", 9) == 11, "what is proven in our shape counts"
        assert not best.offer("a", {"final_events": 11, "optimal": False})
        best.write()
        assert minimize_best.Best(folder).lines == {"a": minimize_best.Known(11, "proven")}


def test_starts_are_counted_with_those_that_come_to_the_least():
    with tempfile.TemporaryDirectory() as folder:
        best = minimize_best.Best(folder)
        for size, wanted in ((12, (1, 1)), (13, (2, 1)), (12, (3, 2)), (10, (4, 1))):
            stats = {"final_events": size, "optimal": False}
            best.offer("a", stats)
            best.count("a", stats, 7.4)
            best.write()
            best = minimize_best.Best(folder)
            known = best.lines["a"]
            assert (known.starts, known.reached) == wanted and known.seconds == 7 * known.starts, known


if __name__ == "__main__":
    sys.exit(tap.run(tap.claims(globals())))
