"""The tables in docs/trace-format.md are those of the program."""
import os
import subprocess
import sys

SOURCE = os.environ["CLEW_SOURCE"]
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(SOURCE, "test", "harness"))
import tap  # pylint: disable=wrong-import-position

MARK = "<!-- generated"


def test_the_tables_of_the_trace_format_are_current():
    printed = subprocess.run([os.environ["CLEW_DESCRIBE_FORMAT"]], capture_output=True, check=True).stdout.decode()
    with open(os.path.join(SOURCE, "docs", "trace-format.md"), encoding="utf-8") as file:
        text = file.read()
    assert text.count(MARK) == 1, "no place for the tables"
    written = text[text.index("\n", text.index(MARK)) + 1:]
    assert written == printed, "docs/trace-format.md is not current: run ninja -C build docs"


sys.exit(tap.run(tap.claims(globals())))
