"""clang finds nothing to say of what gcc builds."""
import os
import sys

sys.dont_write_bytecode = True
SOURCE = os.environ["CLEW_SOURCE"]
sys.path[:0] = [os.path.join(SOURCE, "test", folder) for folder in ("harness", "tidy")]
import tap  # pylint: disable=wrong-import-position
import tools  # pylint: disable=wrong-import-position
from tools import expect_none, needs  # pylint: disable=wrong-import-position


def sources_compile_with_clang():
    needs("clang")
    expect_none(tools.sources_compile_with_clang(os.environ["CLEW_BUILD"]))


sys.exit(tap.run([("sources_compile_with_clang", sources_compile_with_clang)]))
