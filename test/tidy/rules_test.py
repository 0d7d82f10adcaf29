"""Every rule can fail: a tiny bad tree for each, beside a good one that passes."""
import json
import os
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
SOURCE = os.environ["CLEW_SOURCE"]
sys.path[:0] = [os.path.join(SOURCE, "test", folder) for folder in ("harness", "tidy")]
import rules  # pylint: disable=wrong-import-position
import tap  # pylint: disable=wrong-import-position
import tools  # pylint: disable=wrong-import-position
from tree import Tree, without_comments_and_strings  # pylint: disable=wrong-import-position

# The rules are tried without the exemptions of this project.
EXEMPTIONS = ("PRIVATE_UNITS", "HEADLESS_UNITS", "FEW_ASSERTIONS")
for exemption in EXEMPTIONS:
    setattr(rules, exemption, ())

LAYERS = "# module  may include\nwire\nbase\ntrace base\ncli everything but probe\nprobe\n"

GOOD = {
    "src/LAYERS": LAYERS,
    "src/base/a.h": '#include <stddef.h>\n#include "wire/w.h"\nint a_get(int x);\n',
    "src/base/a.c": '#include "base/a.h"\n\n#include <stdio.h>\n\n#include "wire/w.h"\n\n'
                    "int a_get(int x)\n{\n    return W(x);\n}\n",
    "src/base/meson.build": "files('a.c')",
    "src/wire/w.h": "#include <stdint.h>\n#define W(x) (x)\n",
    "src/cli/main.c": '#include "base/a.h"\n\n/* printf("%d") and free(x) in words are no calls */\n'
                      'int main(void)\n{\n    return a_get(1); // exit(2)\n}\n',
    "src/cli/meson.build": "files('main.c')",
    "src/trace/meson.build": "files()",
    "src/probe/meson.build": "files()",
    "docs/architecture.md": "| `wire/` | a |\n| `base/` | b |\n| `trace/` | c |\n| `cli/` | d |\n| `probe/` | e |\n"
                            "[modules](../src/LAYERS), src/base/a.c\n",
    "README.md": "[docs](docs/architecture.md) and [the web](https://example.org/x)\n",
    "LICENSE": "Copyright 2024\n",
    "tools/go": "#!/bin/sh\n",
    "Makefile": "go:\n\ttools/go\n",
}


def with_file(path, text):
    return Tree({**GOOD, path: text})


LONG_FUNCTION = "int f(void)\n{\n" + "    g();\n" * 81 + "}\n"
TASK_MARK = "TO" + "DO"

# Rule, the file that breaks it, its text, and a part of the complaint.
BAD = [
    ("modules_keep_to_their_layers", "src/base/b.c", '#include "trace/t.h"\n', "base/ may not include"),
    ("modules_keep_to_their_layers", "src/cli/b.c", '#include "probe/t.h"\n', "cli/ may not include"),
    ("modules_keep_to_their_layers", "src/base/b.c", '#  include "a.h"\n', "does not name its module"),
    ("modules_keep_to_their_layers", "src/attic/b.c", "int x;\n", "attic is not in src/LAYERS"),
    ("modules_keep_to_their_layers", "src/wire/b.h", "#include <stdio.h>\n", "freestanding"),
    ("modules_keep_to_their_layers", "src/LAYERS", LAYERS + "odd nowhere\n", "no module"),
    ("modules_keep_to_their_layers", "src/LAYERS", LAYERS + "attic base\n", "there is no folder src/attic"),
    ("own_header_comes_first", "src/base/a.c", '#include <stdio.h>\n#include "base/a.h"\n', "first include"),
    ("own_header_comes_first", "src/base/a.c", '#include "base/a.h"\n#include "wire/w.h"\n#include <stdio.h>\n', "before"),
    ("banned_calls_are_not_made", "src/base/b.c", "void *f(void) { return malloc(3); }", "malloc()"),
    ("banned_calls_are_not_made", "src/base/b.h", "#define P(x) printf (x)", "printf()"),
    ("banned_calls_are_not_made", "src/trace/b.c", "int f(void) { exit(1); }", "exit()"),
    ("banned_calls_are_not_made", "src/trace/b.c", "int f(void) { return time(NULL); }", "time()"),
    ("banned_calls_are_not_made", "test/unit/b.c", "int f(void) { return rand(); }", "rand()"),
    ("banned_calls_are_not_made", "src/cli/b.c", "void f(char *t) { strcpy(t, t); }", "strcpy()"),
    ("banned_calls_are_not_made", "bench/b.c", "void f(void) { qsort(0, 0, 0, 0); }", "qsort()"),
    ("functions_and_files_are_short", "src/base/b.c", LONG_FUNCTION, "f has 81 lines"),
    ("functions_and_files_are_short", "src/base/b.h", "int x;\n" * 1001, "1001 lines"),
    ("every_source_is_built", "src/base/b.c", "int x;\n", "no meson.build"),
    ("every_header_is_included", "src/base/b.h", "int x;\n", "nothing includes it"),
    ("every_source_is_built", "tools/rest", "#!/bin/sh\n", "nothing calls it"),
    ("every_source_is_built", "test/odd_test.py", "pass\n", "nothing calls it"),
    ("declarations_are_used", "src/base/b.h", "int b_lost(int (*f)(int), char *x);\n", "b_lost"),
    ("declarations_are_used", "src/base/b.h", "static inline int b_lost(void)\n{\n    return 1;\n}\n", "b_lost"),
    ("declarations_are_used", "src/base/b.h", "#define B_LOST 1\n", "B_LOST"),
    ("base_names_are_unique", "src/cli/a.c", "int x;\n", "src/base/a.c has the same base name"),
    ("base_names_are_unique", "src/cli/hooks/a.h", "int x;\n", "same base name"),
    ("headers_are_small", "src/base/b.h", "".join(f"int b_{i}(void);\n" for i in range(41)), "41 functions"),
    ("headers_are_small", "src/base/b.h", "struct b {\n" + "    int x;\n" * 31 + "};\n", "struct b has 31 fields"),
    ("private_phrases_are_not_written", "README.md", "It is told any" + "way who goes next.\n", "who goes next"),
    ("private_phrases_are_not_written", "man/b.1.in", "It starts\nanew.\n", "man/b.1.in:2: 'anew' is no term"),
    ("private_phrases_are_not_written", "src/base/b.h", "/* The memory is\n * put back. */\n", "'is put back'"),
    ("private_phrases_are_not_written", "src/base/b.c", 'f("no" " rooms\\n");\n', "'rooms' is no term of the field: modules"),
    ("only_text_is_kept", "program", "\x7fELF\0", "no text"),
    ("examples_in_comments_are_whole", "src/base/b.h", "/* b\n *\n *     " + "x " * 44 + "\n * y\n */\n", "runs into"),
    ("sentences_name_their_subjects", "src/order/b.c", "/* What is needed\n * is kept. */\n", "1 headless clauses in 5 words"),
    ("sentences_name_their_subjects", "src/order/b.h", "int x; // the lock: who waits for it\n", "who waits"),
    ("sentences_name_their_subjects", "src/order/b.c", '\n\nf("of what\\nwas sent");\n', "src/order/b.c:3: 'what was sent'"),
    ("sentences_name_their_subjects", "man/b.1.in", "Prints\nwhat is there.\n", "man/b.1.in:2: 'what is"),
    ("sentences_name_their_subjects", "docs/b.md", "It goes to\nwhoever waits.\n", "to whoever waits"),
    ("modules_state_their_assertions", "src/order/b.c", "int x;\n" * 1001 + "/* must(x) */\n", "0 assertions in 1002 lines"),
    ("modules_state_their_assertions", "src/cli/b.c", "must(x);\n" * 4 + "int x;\n" * 1000, "at least 4 per"),
    ("nothing_is_left_to_do", "docs/x.md", f"{TASK_MARK}: more\n", TASK_MARK),
    ("text_speaks_of_the_project_only", "docs/x.md", "see /home" + "/me/x\n", "no place here"),
    ("text_speaks_of_the_project_only", "docs/x.md", "made by " + rules.FOREIGN[0].title() + "\n", "no place here"),
    ("only_the_licence_claims_rights", "src/base/b.c", "/* Copyright me */\n", "LICENSE"),
    ("documents_name_what_exists", "docs/x.md", "[gone](gone.md)\n", "no docs/gone.md"),
    ("documents_name_what_exists", "src/base/a.h", "/* see docs/gone.md */\n", "no docs/gone.md"),
    ("architecture_lists_every_module", "docs/architecture.md", "| `base/` | b |\n| `wire/` | a |\n", "src/ has"),
]


def rule_named(name):
    return getattr(rules, name)


def test_a_good_tree_passes_every_rule():
    for rule in rules.RULES:
        assert rule(Tree(GOOD)) == [], rule(Tree(GOOD))


def test_a_bad_tree_fails_its_rule():
    for name, path, text, complaint in BAD:
        got = rule_named(name)(with_file(path, text))
        assert any(complaint in line for line in got), f"{name} {path}: wanted {complaint!r}, got {got}"


def test_every_rule_has_a_bad_tree():
    assert {rule.__name__ for rule in rules.RULES} <= {name for name, *_ in BAD}


def test_comments_and_strings_are_no_code():
    text = 'a /* " \n */ b("\\"c /* ", \'"\') // d "\ne'
    code = without_comments_and_strings(text)
    assert len(code) == len(text) and code.count("\n") == text.count("\n")
    assert code.split() == ["a", 'b("', '",', "'", "')", "e"], code


def test_an_example_in_a_document_is_no_prose():
    text = "Prints\n```\nwhat is left\n```\n`what` and\n.EX\nwhat now\n.EE\n"
    plain = rules.without_examples(text)
    assert plain.split() == ["Prints", "and"], plain
    assert plain.count("\n") == text.count("\n")


def test_an_exemption_that_nothing_needs_is_found():
    for rule, exemption in ((rules.private_phrases_are_not_written, "PRIVATE_UNITS"),
                            (rules.sentences_name_their_subjects, "HEADLESS_UNITS"),
                            (rules.modules_state_their_assertions, "FEW_ASSERTIONS")):
        setattr(rules, exemption, ("base", "src/base"))
        got = rule(Tree(GOOD))
        setattr(rules, exemption, ())
        assert len(got) == 1 and f"take it out of {exemption}" in got[0], got


def in_folder(files, check):
    with tempfile.TemporaryDirectory() as folder:
        for path, text in files.items():
            full = os.path.join(folder, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w", encoding="utf-8") as file:
                file.write(text.replace("FOLDER", folder))
        return check(folder)


def needs(program):
    if shutil.which(program) is None:
        raise tap.Skip(f"{program} is not installed")


def test_a_header_that_needs_another_is_found():
    for compiler in ("gcc", "clang"):
        needs(compiler)
        files = {"src/good.h": "#include <stddef.h>\nstatic inline size_t f(void)\n{\n    return 1;\n}\n",
                 "src/bad.h": "size_t g(void);\n"}
        got = in_folder(files, lambda folder, c=compiler: tools.headers_compile_alone(folder, sorted(files), c))
        assert len(got) == 1 and "src/bad.h" in got[0], got


def test_a_warning_of_clang_is_found():
    needs("clang")
    commands = [{"directory": "FOLDER", "file": name, "output": name + ".o",
                 "command": f"{cc} -Wall -Werror -Wlogical-op -fsanitize=address -MD -MQ x -MF y -o x -c {name}"}
                for name, cc in (("good.c", "ccache cc"), ("bad.c", "cc"))]
    files = {"good.c": "int f(void);\n", "bad.c": "static int x = 1, y = (x, 2);\n",
             "compile_commands.json": json.dumps(commands)}
    got = in_folder(files, tools.sources_compile_with_clang)
    assert got and all("bad.c" in line for line in got), got


def test_a_crooked_layout_is_found():
    needs("clang-format")
    files = {".clang-format": "BasedOnStyle: LLVM\n", "good.c": "int x;\n", "bad.c": "int  x ;\n"}
    got = in_folder({"f/" + path: text for path, text in files.items()},
                    lambda folder: tools.layout_is_clean(os.path.join(folder, "f"), ["bad.c", "good.c"]))
    assert got and all("bad.c" in line for line in got), got


sys.exit(tap.run(tap.claims(globals())))
