"""Headers stand alone, for gcc and for clang."""
import os
import sys

sys.dont_write_bytecode = True
SOURCE = os.environ["CLEW_SOURCE"]
sys.path[:0] = [os.path.join(SOURCE, "test", folder) for folder in ("harness", "tidy")]
import tap  # pylint: disable=wrong-import-position
import tools  # pylint: disable=wrong-import-position
from tools import expect_none, needs  # pylint: disable=wrong-import-position
from tree import Tree  # pylint: disable=wrong-import-position


def headers_compile_alone(compiler):
    needs(compiler)
    tree = Tree.of_folder(SOURCE)
    # The .c of a header in src/ includes it first (a rule of tidy_test), so the build and compile_test prove that header.
    # A header that stands in front of one of libstdc++ includes that one, and is found in no other way.
    headers = [path for path in tree.paths(".h")
               if not (path.startswith("src/") and path[:-1] + "c" in tree.texts) and not path.startswith("include/clew/cxx/")]
    assert headers
    expect_none(tools.headers_compile_alone(SOURCE, headers, compiler))


sys.exit(tap.run([
    ("headers_compile_alone_with_gcc", lambda: headers_compile_alone("gcc")),
    ("headers_compile_alone_with_clang", lambda: headers_compile_alone("clang")),
]))
