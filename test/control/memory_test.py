"""What control says of a program that uses the heap, right or wrong: memory.c has a function for each use."""
import json
import os
import re
import shutil
import sys

sys.dont_write_bytecode = True
from controlled import HERE, build, explore
import tap  # pylint: disable=wrong-import-position

MEMORY = os.path.join(HERE, "memory.c")
WRONG = {
    "use-after-free": ("read_after_free", "write_after_free", "read_after_many", "read_after_realloc", "copy_after_free",
                       "lock_after_free"),
    "double-free": ("free_twice", "realloc_after_free", "free_inside"),
    "overflow": ("write_behind", "write_behind_odd", "read_behind_word", "write_before", "set_behind", "write_behind_large",
                 "write_behind_aligned"),
}
RIGHT = ("use_all", "use_aligned", "use_usable", "use_of_libc", "use_zeroed")


def findings_of(compiler, use):
    """The findings of one run."""
    program = build("memory-" + compiler, path=MEMORY, compiler=("--with", compiler))
    return explore([program, use], "--fail-on", "exit", "--budget", "1runs")[0]["findings"]


def lines_of(use):
    """The lines of the function with that name."""
    with open(MEMORY, encoding="utf-8") as file:
        lines = file.read().splitlines()
    first = next(number for number, line in enumerate(lines, 1) if line == f"static void {use}(void)")
    return range(first, next(number for number, line in enumerate(lines, 1) if number > first and line == "}"))


def check_wrong(compiler):
    for kind, uses in WRONG.items():
        for use in uses:
            found = findings_of(compiler, use)
            assert [finding["kind"] for finding in found] == [kind], (use, found)
            assert "bytes were allocated at memory.c:" in found[0]["what"] or use == "free_inside", (use, found[0]["what"])
            assert ("and freed at memory.c:" in found[0]["what"]) == (kind != "overflow" and use != "free_inside"), found[0]["what"]
            places = {int(line) for line in re.findall(r"memory\.c:(\d+)", json.dumps(found[0]))}
            assert places & set(lines_of(use)), (use, found[0]["what"])


def test_every_use_is_listed():
    with open(MEMORY, encoding="utf-8") as file:
        uses = set(re.findall(r"USE\((\w+)\)", file.read())) - {"name"}
    assert uses == set(sum(WRONG.values(), RIGHT)), uses


def test_wrong_uses_are_named_in_code_by_gcc():
    check_wrong("gcc")


def test_wrong_uses_are_named_in_code_by_clang():
    if not shutil.which("clang"):
        raise tap.Skip("clang is not installed")
    check_wrong("clang")


def test_right_uses_are_let_be():
    for use in RIGHT:
        assert findings_of("gcc", use) == [], use


if __name__ == "__main__":
    sys.exit(tap.run(tap.claims(globals())))
