"""The table in docs/theory/control.md is that of the source, and the source's is what the library has."""
import os
import re
import shutil
import subprocess
import sys

SOURCE = os.environ["CLEW_SOURCE"]
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(SOURCE, "test", "harness"))
import tap  # pylint: disable=wrong-import-position

MARK = "<!-- generated"


def printed():
    return subprocess.run([os.path.join(SOURCE, "tools", "describe-calls")], capture_output=True, check=True).stdout.decode()


def test_the_table_of_calls_is_current():
    with open(os.path.join(SOURCE, "docs", "theory", "control.md"), encoding="utf-8") as file:
        text = file.read()
    assert text.count(MARK) == 1, "no place for the table"
    written = text[text.index("\n", text.index(MARK)) + 1:]
    assert written == printed(), "docs/theory/control.md is not current: run ninja -C build control-docs"


def test_the_table_lists_what_the_library_has():
    if not shutil.which("nm"):
        raise tap.Skip("nm is not installed")
    listing = subprocess.run(["nm", "-D", "--defined-only", os.environ["CLEW_CONTROL_LIBRARY"]], capture_output=True, text=True,
                             check=True).stdout
    # Headers of C99 and later call fscanf and its kin by another name.
    exported = {line.split()[2].partition("@")[0].removeprefix("__isoc99_") for line in listing.splitlines()}
    own = {name for name in exported if name.startswith(("clew_rt_", "clew_stop_"))}
    listed = set(re.findall(r"`(\w+)`", printed()))
    assert exported - own - {"__libc_start_main"} == listed, exported - own ^ listed


sys.exit(tap.run(tap.claims(globals())))
