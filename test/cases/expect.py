"""The `expect` file of a case study, a line for each thing that is expected:

    bug NAME = KEY         with --bug NAME, a violation is found whose key begins so: "property: election safety"
    quick NAME = OPTIONS   what finds that bug soonest, for tests that must be short
    found KEY = OPTIONS    with these options and without a bug, this is found
    clean [OPTIONS]        with these options and without a bug, nothing is found
    work NAME ...          lines that nodes log and faults that strike, in the median of runs at least once

Blank lines and those that begin with # say nothing.
"""
import os
import shlex

CASES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "cases")


class Expect:
    def __init__(self, name):
        self.name = name
        self.bugs = {}   # name to the beginning of a key
        self.quick = {}  # name to options
        self.found = []  # pairs of the beginning of a key and options
        self.clean = []  # lists of options
        self.work = []
        path = os.path.join(CASES, name, "expect")
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                self.read(line.strip(), f"{path}:{number}")

    def read(self, line, place):
        word, _, rest = line.partition(" ")
        left, equals, right = (part.strip() for part in rest.partition("="))
        if not word or word.startswith("#"):
            return
        if word == "bug" and equals:
            self.bugs[left] = right
        elif word == "quick" and equals and left in self.bugs:
            self.quick[left] = shlex.split(right)
        elif word == "found" and equals:
            self.found.append((left, shlex.split(right)))
        elif word == "clean":
            self.clean.append(shlex.split(rest))
        elif word == "work":
            self.work = rest.split()
        else:
            raise SystemExit(f"{place}: what is expected is not clear: {line}")


def names():
    """The cases that have such a file, in the order of their names."""
    return sorted(name for name in os.listdir(CASES) if os.path.exists(os.path.join(CASES, name, "expect")))
