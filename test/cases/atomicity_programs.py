"""The programs of cases/atomicity: what they claim, how they are built and recorded, and what `clew atomicity` finds in them.
cases/atomicity/kernel.h says how the claims are written."""
import glob
import json
import os
import re
import subprocess

SOURCE = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
FOLDER = os.path.join(SOURCE, "cases", "atomicity")
FLAGS = ("-D_DEFAULT_SOURCE", "-Wall", "-Wextra", "-Werror", "-g", "-pthread")
COUPLE = re.compile(r"^[ /*]*couple: (\w+) (\w+), (\w+) (\w+)")
PATTERN = re.compile(r"^[ /*]*pattern: ([\d ]+)")
MARK = re.compile(r"/\* ([\w ]+) \*/\s*$")
SECONDS_MAX = 60
TRIES_MAX = 5  # of recordings: a run in which the bug shows is not what is wanted
RANK_MAX = 2  # the true couple is among so many first findings


def run(*words, **more):
    return subprocess.run(words, capture_output=True, text=True, timeout=SECONDS_MAX, check=False, **more)


def last_part(variable):
    """The last part of a variable's name without indices: count of `vector.count`, table of `table[5]`; `heap` for FILE:LINE#N+OFFSET."""
    if re.match(r"[\w.]+\.cc?:\d+#", variable):
        return "heap"
    return re.split(r"\.|->|::", re.sub(r"\[[^\]]*\]", "", variable.split("+")[0]))[-1]


class Program:
    def __init__(self, path):
        self.path = path
        self.file = os.path.basename(path)
        self.name = os.path.splitext(self.file)[0]
        with open(path, encoding="utf-8") as file:
            text = file.read()
        comment = text[:text.index("*/")]
        lines = comment.splitlines()
        self.couples = {frozenset([words[:2], words[2:]]) for words in (match.groups() for match in map(COUPLE.match, lines) if match)}
        self.patterns = [number for match in map(PATTERN.match, lines) if match for number in match[1].split()]
        self.is_correct = any(line.strip(" /*") == "correct" for line in lines)
        assert self.is_correct == self.name.startswith("correct_") == (not self.couples), f"{self.name} claims nothing, or both"
        marks = [MARK.search(line) for line in text.splitlines()]
        self.words = {f"{self.file}:{number}": mark[1].split() for number, mark in enumerate(marks, 1) if mark}
        known = {word for words in self.words.values() for word in words}
        missing = {word for couple in self.couples for _, word in couple} - known
        assert not missing, f"{self.name}: no line has the words {sorted(missing)}"
        self.sentence = " ".join(line.strip(" /*") for line in lines if not COUPLE.match(line) and not PATTERN.match(line)).strip()

    def is_claimed(self, accesses):
        """Whether two accesses, of one thread, are a couple that the program claims."""
        first, last = ([(last_part(access["object"]), word) for word in self.words.get(access["location"], ())] for access in accesses)
        return any(frozenset([a, b]) in self.couples for a in first for b in last)

    def build(self, clew, folder, *flags, compiler="gcc"):
        """Builds it by clew cc or clew c++; returns the path of the program."""
        path = os.path.join(folder, self.name)
        verb, standard = ("c++", "-std=c++17") if self.file.endswith(".cc") else ("cc", "-std=c17")
        done = run(clew, verb, "--with", compiler, standard, *FLAGS, *flags, self.path, "-o", path)
        assert done.returncode == 0, f"{self.name}: {done.stderr}"
        return path


def programs(wanted=()):
    """All programs by name, or those whose names contain a wanted word."""
    paths = sorted(glob.glob(os.path.join(FOLDER, "*.c")) + glob.glob(os.path.join(FOLDER, "*.cc")))
    return [program for program in map(Program, paths) if not wanted or any(word in program.name for word in wanted)]


def record(clew, built):
    """Records a run in which nothing goes wrong; returns the trace's path."""
    trace = built + ".clew"
    for _ in range(TRIES_MAX):
        done = run(clew, "record", "-q", "-o", trace, "--", built)
        if done.returncode == 0:
            return trace
    raise AssertionError(f"{built}: no run without the bug in {TRIES_MAX}: {done.stdout}{done.stderr}")


class Judgement:
    """What `clew atomicity` said of one trace: its exit status, its findings, and the rank of the first that is a couple that the
    program claims, if it is one of these programs."""

    def __init__(self, program, done):
        assert done.returncode in (0, 1, 3), f"{program.name}: ended with {done.returncode}: {done.stderr}"
        self.status = done.returncode
        self.findings = json.loads(done.stdout)["findings"]
        claimed = [isinstance(program, Program) and any(map(program.is_claimed, couples_of(finding))) for finding in self.findings]
        self.rank = claimed.index(True) + 1 if True in claimed else None

    @property
    def is_found(self):
        return self.rank is not None and self.rank <= RANK_MAX

    @property
    def patterns(self):
        return {finding["key"].split("|")[1] for finding in self.findings if finding["kind"] == "atomicity-pair"}


def couples_of(finding):
    """The pairs of accesses of each thread in a finding."""
    tasks = {}
    for event in finding["events"]:
        tasks.setdefault((event["node"], event["task"]), []).append(event)
    return [(accesses[0], accesses[-1]) for accesses in tasks.values() if len(accesses) > 1]


def judge(clew, program, trace, *options):
    return Judgement(program, run(clew, "atomicity", "-q", "--json", *options, trace))
