"""The `expect` file of a case study, a line for each thing that is expected:

    bug NAME = KEY         with --bug NAME, a violation is found whose key begins so: "property: election safety"
    quick NAME = OPTIONS   what finds that bug soonest, for tests that must be short
    found KEY = OPTIONS    with these options and without a bug, this is found
    clean [OPTIONS]        with these options and without a bug, nothing is found
    work NAME ...          lines that nodes log and faults that strike, in the median of runs at least once
    spec PART = FILE [from TEXT] [to TEXT] [and FILE ...]
                           where a user's own words are: PART is fingerprint, invariants or configuration; from the first
                           line with that text to before the next with the other

Blank lines and those that begin with # say nothing.
"""
import os
import re
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
        self.spec = {}   # part to where it is
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
        elif word == "spec" and equals:
            self.spec[left] = right
        elif word == "work":
            self.work = rest.split()
        else:
            raise SystemExit(f"{place}: what is expected is not clear: {line}")

    def lines(self, part):
        """How many lines of code that part of the specification has; None where the case does not say."""
        return sum(self.count_lines(where) for where in self.spec[part].split(" and ")) if part in self.spec else None

    def count_lines(self, where):
        path, begin, end = re.fullmatch(r"(\S+)(?: from (.*?))?(?: to (.*))?", where).groups()
        with open(os.path.join(CASES, self.name, path), encoding="utf-8") as file:
            text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        first = next(i for i, line in enumerate(lines) if not begin or begin in line)
        last = next((i for i in range(first + 1, len(lines)) if end and end in lines[i]), len(lines))
        return last - first


def names():
    """The cases that have such a file, in the order of their names."""
    return sorted(name for name in os.listdir(CASES) if os.path.exists(os.path.join(CASES, name, "expect")))
