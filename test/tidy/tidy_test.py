"""The project keeps its own rules (see docs/hacking.md)."""
import os
import shutil
import sys

sys.dont_write_bytecode = True
SOURCE = os.environ["CLEW_SOURCE"]
sys.path[:0] = [os.path.join(SOURCE, "test", folder) for folder in ("harness", "tidy")]
import rules  # pylint: disable=wrong-import-position
import tap  # pylint: disable=wrong-import-position
import tools  # pylint: disable=wrong-import-position
from tree import Tree  # pylint: disable=wrong-import-position

TREE = Tree.of_folder(SOURCE)


def expect_none(complaints):
    assert not complaints, "\n".join(complaints[:50])


def needs(program):
    if shutil.which(program) is None:
        raise tap.Skip(f"{program} is not installed")


def reading(rule):
    return rule.__name__, lambda: expect_none(rule(TREE))


def headers_compile_alone(compiler):
    needs(compiler)
    expect_none(tools.headers_compile_alone(SOURCE, TREE.paths(".h"), compiler))


def sources_compile_with_clang():
    needs("clang")
    expect_none(tools.sources_compile_with_clang(os.environ["CLEW_BUILD"]))


def layout_is_clean():
    needs("clang-format")
    expect_none(tools.layout_is_clean(SOURCE, TREE.paths(".c", ".h")))


sys.exit(tap.run([reading(rule) for rule in rules.RULES] + [
    ("headers_compile_alone_with_gcc", lambda: headers_compile_alone("gcc")),
    ("headers_compile_alone_with_clang", lambda: headers_compile_alone("clang")),
    ("sources_compile_with_clang", sources_compile_with_clang),
    ("layout_is_clean", layout_is_clean),
]))
