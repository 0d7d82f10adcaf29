#!/usr/bin/env python3
"""Puts one small mistake after another into the Raft of cases/raft and looks whether clew explore finds it.

    test/cases/mutants.py build [--only PART] [--skip N] [--limit N] [--list]

A mutant is raft.c with a comparison flipped, a write to the disk left out, one side of a condition dropped, or a
number one too small. It is caught when one of the invariants does not hold, an assertion of raft.c fails,
or the simulator itself complains; or when its runs do no work any more: nobody is elected, or nothing is committed. One
that survives must be explained in cases/raft/survivors; the script fails when one is not.
"""
import argparse
import itertools
import os
import re
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import search  # pylint: disable=wrong-import-position

CASE = os.path.join(HERE, "..", "..", "cases", "raft")
# The ways to search: how many runs, and the options. Those before WORK_AFTER catch most; runs that do no work are no
# reason to try the others, each of which has caught some that no other did.
WAYS = ((6000, "--strategy random"),
        (6000, "--strategy pos --set nodes=3,patience=4"),
        (6000, "--strategy random --set nodes=3,patience=4 --faults crash=6,restart=6,disk-error=3"),
        (12000, "--strategy random --set nodes=3,patience=4,commands=4 --faults crash=1,restart=1,disk-error=2 --depth 200"),
        (4000, "--strategy random --set demi=1"),
        (6000, "--strategy pos --net datagram --faults crash=2,restart=2,drop=3,duplicate=3"),
        (120000, "--strategy pos --net datagram --set nodes=3,patience=1,commands=0 --faults crash=1,restart=1 --depth 50"))
WORK_AFTER = 2
WORK_RUNS = 200
WORK_SETTINGS = "nodes=3,patience=8,commands=24"
CPU_SECONDS = 120  # of one search, at most
FLIPPED = {"==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">"}
COMPARISON = re.compile(r"(?<=\s)(==|!=|<=|>=|<|>)(?=\s)")


class Mutant:
    def __init__(self, place, operator, change, text):
        self.place = place  # the function, and the line as it was
        self.operator = operator
        self.change = change
        self.text = text  # of the whole file
        self.ordinal = 1  # where the same is done to the same line twice

    def name(self):
        again = f" #{self.ordinal}" if self.ordinal > 1 else ""
        return f"{self.operator} in {self.place} [{self.change}]{again}"


def operand_end(line, at):
    """Where the operand that begins at `at` ends: before the next operator or bracket of its own level."""
    depth = 0
    while at < len(line):
        if line[at] in "([":
            depth += 1
        elif line[at] in ")]":
            depth -= 1
            if depth < 0:
                break
        elif depth == 0 and (line[at] in ";?,:" or line[at:at + 2] in ("&&", "||")):
            break
        at += 1
    return at


def operand_begin(line, at):
    depth = 0
    while at > 0:
        if line[at - 1] in ")]":
            depth += 1
        elif line[at - 1] in "([":
            depth -= 1
            if depth < 0:
                break
        elif depth == 0 and (line[at - 2:at] in ("&&", "||") or
                             re.search(r"(\breturn|[^=!<>]=) $", line[:at])):
            break
        at -= 1
    return at


def changes(line):
    """(operator, from, to, what is there instead) of all that can be done to a line."""
    for found in COMPARISON.finditer(line):
        yield "comparison", found.start(), found.end(), FLIPPED[found[0]]
    for found in re.finditer(r"save\(node\);", line):
        yield "persist", found.start(), found.end(), ";"
    for found in re.finditer(r"&&|\|\|", line):
        end = operand_end(line, found.end())
        yield "check", found.start(), end, ""
        begin = operand_begin(line, found.start())
        yield "check", begin, found.end() + 1, ""
    for found in re.finditer(r" [+-] 1\b", line):
        yield "number", found.start(), found.end(), ""


def name_of_change(before, after):
    return "left out" if after == ";" else f"{before} -> {after or 'nothing'}"


def is_code(line):
    """Not what only a bug's switch or DEMi's shape reaches, nor a loop, nor a claim."""
    return not re.search(r"\bbugs\.|has_demi_shape|\bfor \(|assert|^\s*(/?\*|#|static|const struct|bool|void)|while", line)


def join_statements(lines):
    """Statements over several lines as one, so that both sides of each && are there: (first, last, text)."""
    at = 0
    while at < len(lines):
        last = at
        text = lines[at].rstrip("\n")
        is_comment = text.lstrip().startswith(("/*", "*"))
        while not is_comment and (text.count("(") > text.count(")") or re.search(r"(&&|\|\||=)$", text)):
            last += 1
            text += " " + lines[last].strip()
        yield at, last, text
        at = last + 1


def reachable(statements):
    """Those that run without a bug, each with the function it is in."""
    function = ""
    indent_skipped = None
    for first, last, text in statements:
        indent = len(text) - len(text.lstrip())
        named = re.match(r"(?:static |void |const |bool ).*?(\w+)\(", text)
        function = named[1] if named else function
        if indent_skipped is not None and (indent > indent_skipped or text.strip() == "}"):
            indent_skipped = None if indent == indent_skipped else indent_skipped
            continue
        indent_skipped = indent if re.match(r"\s*(\} else )?if \(bugs\.", text) else None
        if function != "mode_index":
            yield first, last, text, function


def mutants():
    with open(os.path.join(CASE, "raft.c"), encoding="utf-8") as file:
        lines = file.readlines()
    names = {}
    texts = set()
    for first, last, text, function in reachable(join_statements(lines)):
        if not is_code(text):
            continue
        for operator, begin, end, after in changes(text):
            changed = text[:begin] + after + text[end:]
            whole = "".join(lines[:first]) + changed + "\n" + "".join(lines[last + 1:])
            mutant = Mutant(f"{function}: {text.strip()}", operator, name_of_change(text[begin:end].strip(), after), whole)
            if "".join(whole.split()) not in texts:
                texts.add("".join(whole.split()))
                names[mutant.name()] = names.get(mutant.name(), 0) + 1
                mutant.ordinal = names[mutant.name()]
                yield mutant


def run(words, folder):
    return subprocess.run(words, capture_output=True, text=True, timeout=600, check=False, cwd=folder)


def build(mutant, clew, folder):
    """The mutant as a system; None where it is no C."""
    with open(os.path.join(folder, "mutant.c"), "w", encoding="utf-8") as file:
        file.write(mutant.text)
    sources = [os.path.join(CASE, name) for name in ("invariants.c", "system.c")]
    done = run([clew, "cc", "--sim", "--with", "clang", "-O2", "-I", CASE, "mutant.c", *sources, "-o", "mutant.so"], folder)
    return "./mutant.so" if done.returncode == 0 else None


def seek(library, way, tools, folder):
    """The key of a violation, "" when there is none."""
    runs, options = way
    words = ["--first", "--budget", f"{runs}runs", *options.split()]
    findings = search.explore(tools.clew, os.path.join(folder, library), words, CPU_SECONDS, folder)["findings"]
    return findings[0]["key"] if findings else ""


def work_missing(library, tools, folder):
    """What its runs do not do, "" when they work."""
    done = run([tools.work, library, str(WORK_RUNS), WORK_SETTINGS], folder).stdout
    words = [word for word in ("elected", "committed") if not re.search(rf"\b{word} [1-9]", done)]
    return f"no work: nothing {words[0]}" if words else ""


def judge(library, tools, folder):
    """What catches it; "" when nothing does."""
    if tools.way is not None:
        return seek(library, WAYS[tools.way], tools, folder)
    return next(filter(None, itertools.chain(
        (seek(library, way, tools, folder) for way in WAYS[:WORK_AFTER]),
        (work_missing(library, tools, folder) for _ in range(1)),
        (seek(library, way, tools, folder) for way in WAYS[WORK_AFTER:]))), "")


def sort_of(by):
    """In what sense it was caught."""
    if by.startswith("property: "):
        return "invariant"
    if by.startswith("assertion: mutant.c"):
        return "assertion"
    return "no work" if by.startswith("no work") else "simulator"


def survivors():
    """Name of a mutant to why nothing catches it."""
    known = {}
    name = None
    with open(os.path.join(CASE, "survivors"), encoding="utf-8") as file:
        for line in file:
            if line.startswith("    ") and name:
                known[name] = (known[name] + " " + line.strip()).strip()
            elif line.strip() and not line.startswith("#"):
                name = line.strip()
                known[name] = ""
    return known


def read_words():
    words = argparse.ArgumentParser()
    words.add_argument("build")
    words.add_argument("--only", default="")
    words.add_argument("--limit", type=int, default=0)
    words.add_argument("--skip", type=int, default=0)
    words.add_argument("--way", type=int, help="search in one of the ways only, from 0")
    words.add_argument("--trust", action="store_true", help="that the Raft as it stands is right")
    words.add_argument("--list", action="store_true")
    tools = words.parse_args()
    tools.clew = os.path.abspath(os.path.join(tools.build, "clew"))
    tools.work = os.path.abspath(os.path.join(tools.build, "cases", "case_work"))
    return tools


def verdict_of(mutant, tools, known):
    """A word for it, and what was seen."""
    with tempfile.TemporaryDirectory() as folder:
        library = build(mutant, tools.clew, folder)
        if library is None:
            return "no C", "is refused by the compiler"
        by = judge(library, tools, folder)
    if by:
        return sort_of(by), by
    if mutant.name() not in known:
        return "wrong", "survives, and nobody says why"
    return "explained", "survives: " + known[mutant.name()]


def check_original(tools):
    """As it stands it builds, works, and nothing is found: else nothing that follows means anything."""
    with open(os.path.join(CASE, "raft.c"), encoding="utf-8") as file:
        original = Mutant("", "", "", file.read())
    with tempfile.TemporaryDirectory() as folder:
        library = build(original, tools.clew, folder)
        found = "it does not build" if library is None else judge(library, tools, folder)
    if found:
        sys.exit("without a mutation: " + found)


def main():
    tools = read_words()
    chosen = [mutant for mutant in mutants() if tools.only in mutant.name()]
    chosen = chosen[tools.skip:tools.skip + tools.limit] if tools.limit else chosen[tools.skip:]
    if tools.list:
        print("\n".join(mutant.name() for mutant in chosen))
        return 0
    if not tools.trust:
        check_original(tools)
    known = survivors()
    counts = dict.fromkeys(("invariant", "assertion", "simulator", "no work", "no C", "explained", "wrong"), 0)
    for mutant in chosen:
        begin = time.monotonic()
        verdict, seen = verdict_of(mutant, tools, known)
        counts[verdict] += 1
        print(f"{verdict}: {mutant.name()}: {seen} ({time.monotonic() - begin:.1f} s)", flush=True)
    print(f"{len(chosen)} mutants: {counts['invariant']} caught by invariants, {counts['assertion']} by assertions, "
          f"{counts['simulator']} by the simulator, {counts['no work']} do no work, {counts['explained']} survive and are "
          f"explained, {counts['no C']} are no C, {counts['wrong']} not as expected")
    return 1 if counts["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
