"""Transcripts: commands with what they must print.

A golden file holds blocks; whatever stands between them is prose for the reader:

    $ clew check broken.log            a command for sh
    error: ...                         what it prints on standard output
    2> clew: ...                       and on standard error
    ? 1                                its exit status, which ends the block

A line of output that begins like one of these has a backslash before it.

In Markdown, the blocks are those fenced as ```console. A command there is followed by what a terminal
would show, standard output first; a line "..." stands for any lines. Its status is not written.
"""
import difflib
import os
import re
import shutil
import subprocess

FENCE = "```console"


class Step:
    """One command of a transcript and what is expected of it."""

    def __init__(self, line_number, command):
        self.line_number = line_number
        self.command = command
        self.stdout = []
        self.stderr = []
        self.status = None
        self.size = 0  # lines of output in a document


def parse_golden(text):
    """Splits a golden file into prose lines (str) and steps."""
    parts = []
    step = None
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("$ "):
            assert step is None, f"line {number}: the block before has no \"? STATUS\""
            step = Step(number, line[2:])
            parts.append(step)
        elif step is None:
            parts.append(line)
        elif line.startswith("2> ") or line == "2>":
            step.stderr.append(line[3:])
        elif re.fullmatch(r"\? \d+", line):
            step.status = int(line[2:])
            step = None
        else:
            step.stdout.append(line[1:] if line.startswith("\\") else line)
    assert step is None, f"line {step.line_number}: the block has no \"? STATUS\""
    return parts


def print_golden(parts):
    lines = []
    for part in parts:
        if isinstance(part, str):
            lines.append(part)
            continue
        lines.append(f"$ {part.command}")
        lines += [re.sub(r"^(?=\$ |2>|\? |\\)", r"\\", line) for line in part.stdout]
        lines += [f"2> {line}".rstrip() for line in part.stderr]
        lines.append(f"? {part.status}")
    return "\n".join(lines) + "\n"


def parse_markdown(text):
    """The steps of the console blocks; what is expected is in stdout, status and stderr are open."""
    steps = []
    is_inside = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip().startswith("```"):
            is_inside = line.strip() == FENCE
        elif is_inside and line.startswith("$ "):
            steps.append(Step(number, line[2:]))
        elif is_inside:
            assert steps, f"line {number}: output without a command"
            steps[-1].stdout.append(line)
            steps[-1].size += 1
    return steps


def print_markdown(text, steps):
    """The document with what its steps, as parse_markdown gave them, now expect."""
    lines = text.splitlines()
    for step, size in reversed([(step, step.size) for step in steps]):
        lines[step.line_number:step.line_number + size] = step.stdout
    return "\n".join(lines) + "\n"


def normalized(text):
    """The lines of an output, without what differs from run to run and from version to version."""
    text = re.sub(r'"(cpu_seconds|peak_bytes|seconds|replays_per_second)":( ?)[0-9.e+-]+', r'"\1":\2_', text)
    text = re.sub(r"^([0-9]+ replays?) in [0-9.]+ s, [0-9.]+[kMG]?/s$", r"\1 in _ s, _/s", text, flags=re.M)
    text = re.sub(r'"clew":( ?)"[^"]*"', r'"clew":\1"_"', text)
    text = re.sub(r"^clew [0-9]+\.[0-9]+\.[0-9]+$", "clew _._._", text, flags=re.M)
    text = re.sub(r"\.[0-9]+\.part\b", "._.part", text)
    return text.splitlines()


class Place:
    """A folder in which commands run: the files of the goldens, the litmus traces, the examples, the cases, also built."""

    def __init__(self, source, clew, folder):
        self.work = os.path.join(folder, "work")
        binaries = os.path.join(folder, "bin")
        os.makedirs(binaries)
        os.symlink(clew, os.path.join(binaries, "clew"))
        files = os.path.join(source, "test", "golden", "files")
        shutil.copytree(files, self.work)
        for name in ("test/litmus", "examples", "cases"):
            if os.path.isdir(os.path.join(source, name)):
                shutil.copytree(os.path.join(source, name), os.path.join(self.work, os.path.basename(name)))
        built = os.path.join(os.path.dirname(clew), "cases")
        if os.path.isdir(built):
            os.makedirs(os.path.join(self.work, "build"))
            os.symlink(os.path.abspath(built), os.path.join(self.work, "build", "cases"))
        self.environment = dict(os.environ, PATH=f"{binaries}:{os.environ['PATH']}", HOME=self.work, TMPDIR=self.work,
                                LC_ALL="C", TZ="UTC", TERM="dumb")
        self.environment.pop("NO_COLOR", None)

    def run(self, command):
        """Runs the command; gives its standard output, standard error (lines) and status."""
        done = subprocess.run(["sh", "-c", command], cwd=self.work, env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, check=False, timeout=300)
        return (normalized(done.stdout.decode(errors="replace")), normalized(done.stderr.decode(errors="replace")),
                done.returncode)


def difference(what, wanted, got):
    if wanted == got:
        return []
    lines = list(difflib.unified_diff(wanted, got, n=1, lineterm=""))[2:]
    return [f"  {what} differs (- wanted, + got):"] + [f"    {line}" for line in lines]


def check_step(step, place):
    """Runs a step of a golden file and returns what differs, as lines."""
    stdout, stderr, status = place.run(step.command)
    complaints = difference("standard output", step.stdout, stdout)
    complaints += difference("standard error", step.stderr, stderr)
    if status != step.status:
        complaints.append(f"  status is {status}, not {step.status}")
    return [f"line {step.line_number}: $ {step.command}"] + complaints if complaints else []


def matches(wanted, got):
    """Whether lines match a pattern in which "..." stands for any lines."""
    if not wanted:
        return not got
    if wanted[0].strip() == "...":
        return any(matches(wanted[1:], got[i:]) for i in range(len(got) + 1))
    return bool(got) and wanted[0] == got[0] and matches(wanted[1:], got[1:])


def check_markdown_step(step, place):
    """The same for a step of a document."""
    stdout, stderr, status = place.run(step.command)
    shown = stdout + stderr
    wanted = list(step.stdout)
    while wanted and wanted[-1] == "":
        wanted.pop()
    if matches(wanted, shown):
        return []
    return [f"line {step.line_number}: $ {step.command}"] + difference("output", wanted, shown) + [f"  status is {status}"]
