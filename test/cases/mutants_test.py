"""Mutants of the Raft in cases/raft: there are enough of them, those that survive are explained, and a few of each kind
are caught. The whole list is for long tests: see mutants.py."""
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
SOURCE = os.environ["CLEW_SOURCE"]
BUILD = os.environ["CLEW_BUILD"]
sys.path.insert(0, os.path.join(SOURCE, "test", "harness"))
import mutants  # pylint: disable=wrong-import-position
import tap  # pylint: disable=wrong-import-position

IS_LONG = os.environ.get("CLEW_TEST_LONG", "") not in ("", "0")
WANTED = 30
# Caught soon, one of each kind: a part of its name, and the way to search.
SOON = (("comparison in is_quorum", 0), ("persist in store", 2), ("number in assume_all_replicated", 0),
        ("check in on_request_vote: const bool is_granted = p->term == node->durable.term && is_free && "
         "is_up_to_date(node, p); [&& is_free", 0))


def test_there_are_enough_mutants_and_each_is_another_program():
    made = list(mutants.mutants())
    assert len(made) - len(mutants.survivors()) >= WANTED, len(made)
    assert len({mutant.name() for mutant in made}) == len(made)
    with open(os.path.join(SOURCE, "cases", "raft", "raft.c"), encoding="utf-8") as file:
        original = file.read()
    assert all(mutant.text != original for mutant in made)


def test_each_explanation_is_of_a_mutant_that_there_is():
    names = {mutant.name() for mutant in mutants.mutants()}
    for name, why in mutants.survivors().items():
        assert name in names, name
        assert why, name


def judge(*options):
    """What the script says."""
    words = [sys.executable, os.path.join(SOURCE, "test", "cases", "mutants.py"), BUILD, *options]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    print("# " + done.stdout.strip().replace("\n", "\n# "))
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_mutants_are_caught():
    if IS_LONG:
        caught = int(re.search(r"mutants: (\d+) caught by invariants", judge())[1])
        assert caught >= WANTED, caught
    for part, way in SOON:
        told = judge("--trust", "--only", part, "--way", str(way))
        assert re.search(r"^1 mutants: (1 caught by invariants|0 caught by invariants, 1 by assertions)", told, re.M), told


if __name__ == "__main__":
    sys.exit(tap.run(tap.claims(globals())))
