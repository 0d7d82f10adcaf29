"""The project keeps its own rules (see docs/hacking.md)."""
import os
import sys

sys.dont_write_bytecode = True
SOURCE = os.environ["CLEW_SOURCE"]
sys.path[:0] = [os.path.join(SOURCE, "test", folder) for folder in ("harness", "tidy")]
import rules  # pylint: disable=wrong-import-position
import tap  # pylint: disable=wrong-import-position
import tools  # pylint: disable=wrong-import-position
from tools import expect_none, needs  # pylint: disable=wrong-import-position
from tree import Tree  # pylint: disable=wrong-import-position

TREE = Tree.of_folder(SOURCE)


def reading(rule):
    return rule.__name__, lambda: expect_none(rule(TREE))


def layout_is_clean():
    needs("clang-format")
    expect_none(tools.layout_is_clean(SOURCE, TREE.paths(".c", ".h")))


sys.exit(tap.run([reading(rule) for rule in rules.RULES] + [
    ("layout_is_clean", layout_is_clean),
]))
