"""The programs of cases/races: what they claim, how they are built and recorded, and what clew and ThreadSanitizer find in
them. cases/races/race.h says how the claims are written."""
import glob
import json
import os
import re
import subprocess

SOURCE = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
FOLDER = os.path.join(SOURCE, "cases", "races")
FLAGS = ("-std=c17", "-D_GNU_SOURCE", "-g", "-O1", "-pthread")
CLAIM = re.compile(r"^[ /*]*(may race|race): (\S+) (\w+) (\w+)")
MARK = re.compile(r"/\* (\w+) \*/\s*$")
FRAME = re.compile(r"#\d+ .*?([\w.]+\.c):(\d+)")
SECONDS_MAX = 60


def run(*words, **more):
    return subprocess.run(words, capture_output=True, text=True, timeout=SECONDS_MAX, check=False, **more)


class Program:
    def __init__(self, path):
        self.path = path
        self.file = os.path.basename(path)
        self.topic = os.path.basename(os.path.dirname(path))
        self.name = f"{self.topic}/{self.file[:-2]}"
        with open(path, encoding="utf-8") as file:
            self.text = text = file.read()
        comment = text[:text.index("*/")]
        claims = [match.groups() for match in map(CLAIM.match, comment.splitlines()) if match]
        self.races = {frozenset(words) for kind, _, *words in claims if kind == "race"}  # one of these is in every run
        self.known = {frozenset(words) for _, _, *words in claims}
        self.variables = {}
        for _, variable, *words in claims:
            self.variables.setdefault(frozenset(words), []).append(variable)
        assert bool(self.races) != ("no race" in comment), f"{self.name} claims nothing, or both"
        assert self.is_correct == self.file.startswith("correct_"), f"{self.name} is called what it is not"
        marks = [MARK.search(line) for line in text.splitlines()]
        self.words = {f"{self.file}:{number}": mark[1] for number, mark in enumerate(marks, 1) if mark}
        for words in self.known:
            assert words <= set(self.words.values()), f"{self.name}: no line is called one of {sorted(words)}"
        self.sentence = " ".join(re.sub(r"^[ /*]+", "", line) for line in comment.splitlines()
                                 if not CLAIM.match(line) and "no race" not in line).strip()

    @property
    def has_processes(self):
        return "process_start(" in self.text

    @property
    def is_correct(self):
        return not self.races

    def pair(self, places):
        """The words of two places FILE:LINE; a place without a word stays what it is."""
        return frozenset(self.words.get(place, place) for place in places)

    def build(self, folder, compiler):
        """Builds it by the words of compiler; returns the path of the program."""
        path = os.path.join(folder, self.name.replace("/", "-") + "." + os.path.basename(compiler[0]))
        if not os.path.exists(path):
            done = run(*compiler, *FLAGS, self.path, "-o", path)
            assert done.returncode == 0, f"{self.name}: {done.stderr}"
        return path


def programs(wanted=()):
    """All programs by name, or those whose names contain a wanted word."""
    paths = sorted(glob.glob(os.path.join(FOLDER, "*", "*.c")))
    return [program for program in map(Program, paths) if not wanted or any(word in program.name for word in wanted)]


class Finding:
    """A finding as the words of its two places, its variable, its grade, and what it says."""

    def __init__(self, program, finding):
        self.kind = finding["kind"]
        self.grade = finding.get("grade")
        self.what = finding["what"]
        self.pair = program.pair([event["location"] for event in finding["events"][:2]])
        self.variable = next((event["object"] for event in finding["events"]), None)
        claimed = program.variables.get(self.pair, ())
        self.is_named = any(name == "-" or re.match(re.escape(name) + r"(?![\w:])", self.variable) or
                            name == "shm:" and self.variable.startswith(name) for name in claimed)
        self.is_true = self.pair in program.known if self.kind in ("data-race", "use-after-free") else False


class Judgement:
    """What `clew races` said of one trace: its exit status and its findings."""

    def __init__(self, program, done):
        assert done.returncode in (0, 1, 3), f"{program.name}: ended with {done.returncode}: {done.stderr}"
        self.status = done.returncode
        self.findings = [Finding(program, finding) for finding in json.loads(done.stdout)["findings"]]
        self.is_found = any(finding.pair in program.races for finding in self.findings)
        self.is_sound = any(finding.pair in program.races and finding.grade == "sound" for finding in self.findings)
        self.wrong = [finding for finding in self.findings if not finding.is_true]


def record(clew, folder, program):
    """Builds the program by clew cc, if that is not done, and records it; returns the trace's path."""
    built = program.build(folder, [clew, "cc"])
    trace = built + ".clew"
    done = run(clew, "record", "-q", "-o", trace, "--", built)
    assert done.returncode == 0, f"{program.name}: recorded, it ended with {done.returncode}: {done.stderr}"
    return trace


def judge(clew, program, trace, *options):
    return Judgement(program, run(clew, "races", "-q", "--json", *options, trace))


def confirmed_pairs(clew, folder, program, pairs, seeds):
    """Those of the pairs that a run under control leaves unordered. There the order of all accesses is exact, so that happens-before of
    that one execution decides. A program of several processes, which control does not run, is recorded once more instead."""
    built = program.build(folder, [clew, "cc"])
    found = set()
    for options in ([], *([f"--seed={seed}"] for seed in seeds)):
        if pairs <= found:
            break
        if program.has_processes:
            done = judge(clew, program, record(clew, folder, program), "--model", "observed")
        else:
            done = Judgement(program, run(clew, "races", "-q", "--json", "--model", "observed", *options, "--", built))
        found |= {finding.pair for finding in done.findings}
    return found & pairs


def sanitizer_pairs(folder, program):
    """The pairs of words that ThreadSanitizer reports in one run; None where gcc has no ThreadSanitizer, or a signal ends the program
    under it."""
    try:
        built = program.build(folder, ["gcc", "-fsanitize=thread"])
    except AssertionError:
        return None
    done = run("setarch", "-R", built, env=dict(os.environ, TSAN_OPTIONS="exitcode=0 atexit_sleep_ms=0"))
    if done.returncode < 0:
        return None
    assert done.returncode == 0, f"{program.name}: under ThreadSanitizer it ended with {done.returncode}: {done.stderr}"
    pairs = set()
    for report in done.stderr.split("WARNING: ThreadSanitizer: ")[1:]:
        accesses = re.split(r"\n  (?:Previous|As if)", report.split("\n  Location")[0])[:2]
        places = [next((f"{m[1]}:{m[2]}" for m in FRAME.finditer(part) if m[1] == program.file), "?") for part in accesses]
        pairs.add(program.pair(places))
    return pairs
