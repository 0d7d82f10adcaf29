"""clang finds nothing to say of what gcc builds."""
import os
import sys

sys.dont_write_bytecode = True
SOURCE = os.environ["CLEW_SOURCE"]
sys.path[:0] = [os.path.join(SOURCE, "test", folder) for folder in ("harness", "tidy")]
import tap  # pylint: disable=wrong-import-position
import tools  # pylint: disable=wrong-import-position
from tools import expect_none, needs  # pylint: disable=wrong-import-position


PARTS = 4  # tests, each with its share of the sources


def sources_compile_with_clang(part):
    needs("clang")
    expect_none(tools.sources_compile_with_clang(os.environ["CLEW_BUILD"], lambda names: names[part::PARTS]))


sys.exit(tap.run([(f"sources_compile_with_clang, part {part + 1} of {PARTS}", lambda part=part: sources_compile_with_clang(part))
                  for part in range(PARTS)]))
