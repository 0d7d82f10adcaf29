"""What is enforced by reading: each rule takes a Tree and returns its complaints, one line each."""
import codecs
import collections
import posixpath
import re

from tree import line_of

FUNCTION_LINES_MAX = 80
FILE_LINES_MAX = 1000

C_FOLDERS = ("src/", "include/", "test/", "bench/", "examples/", "cases/")

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)


def includes_of(text):
    """Pairs (path, is_quoted) in the order they stand."""
    return [(match[1] or match[2], match[1] is not None) for match in INCLUDE.finditer(text)]


# Modules

def layers_of(text):
    """The table in src/LAYERS: module to the set of modules it may include. 'everything but a and b' means what it says."""
    rows = [line.split() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    modules = {row[0] for row in rows}
    layers = {}
    for module, *may in rows:
        if may[:2] == ["everything", "but"]:
            layers[module] = modules - {module} - set(may[2:])
        else:
            layers[module] = set(may)
    return layers


FREESTANDING = {"stdint.h", "stddef.h", "stdbool.h", "stdatomic.h", "stdarg.h", "limits.h"}


def modules_keep_to_their_layers(tree):
    layers = layers_of(tree.texts["src/LAYERS"])
    existing = {path.split("/")[1] for path in tree.paths(under=["src/"])}
    complaints = [f"src/LAYERS: there is no folder src/{module}" for module in layers if module not in existing]
    for module, may in layers.items():
        complaints += [f"src/LAYERS: {module} may include {other}, which is no module" for other in may - set(layers)]
    for path in tree.paths(".c", ".h", under=["src/"]):
        module = path.split("/")[1]
        if module not in layers:
            complaints.append(f"{path}: module {module} is not in src/LAYERS")
            continue
        for include, is_quoted in includes_of(tree.texts[path]):
            other = include.split("/")[0]
            if not is_quoted:
                if module == "wire" and include not in FREESTANDING:
                    complaints.append(f"{path}: wire/ is freestanding and may not include <{include}>")
            elif "/" not in include:
                complaints.append(f'{path}: "{include}" does not name its module')
            elif other not in {module, "wire", "clew"} | layers[module]:
                complaints.append(f'{path}: {module}/ may not include "{include}" (src/LAYERS)')
    return complaints


def own_header_comes_first(tree):
    """Own header, then the system's, then other modules'."""
    complaints = []
    for path in tree.paths(".c", under=["src/"]):
        includes = includes_of(tree.texts[path])
        own = path[len("src/"):-1] + "h"
        if "src/" + own in tree.texts and (not includes or includes[0] != (own, True)):
            complaints.append(f'{path}: the first include must be "{own}"')
        rest = [is_quoted for include, is_quoted in includes if include != own]
        if "src/" + own in tree.texts and rest != sorted(rest):
            complaints.append(f"{path}: headers of the system come before those of other modules")
    return complaints


# Calls

HEAP = "malloc calloc realloc reallocarray free strdup strndup asprintf vasprintf getline"
PRINT = "printf vprintf fprintf vfprintf puts fputs putchar putc fputc fwrite perror dprintf"
LEAVE = "exit _exit _Exit quick_exit abort atexit"
CLOCK = "time clock gettimeofday clock_gettime localtime localtime_r gmtime ctime strftime"
UNSAFE = "strcpy strcat sprintf vsprintf strtok strtok_r gets alloca atoi atol atoll system popen tmpnam mktemp"
CHANCE = "rand srand random srandom drand48 lrand48 rand_r getrandom"
SORT = "qsort qsort_r"
LOCALE = "setlocale"

# What is banned, in which folders, and the files that are allowed to.
BANNED = [
    (UNSAFE, C_FOLDERS, ("src/runtime/record/hooks/shell_command.c", "src/runtime/control/hooks/shell_command.c", "test/preload/shell_commands.c", "test/control/edges.c", "test/control/process_calls.c", "test/recorded/called_libc.c")),
    (CHANCE, C_FOLDERS, ("src/runtime/control/hooks/random.c", "src/runtime/control/hooks/syscall.c", "src/runtime/sim/sim_random.c", "test/sim/systems/draws.c",
              "test/control/everything.c", "test/control/raw.c", "cases/threads/",
              "bench/programs/calls.c")),
    (SORT, C_FOLDERS, ("test/recorded/called_libc.c",)),
    (LOCALE, C_FOLDERS, ("src/runtime/control/hooks/libc_state.c",)),
    (CLOCK, ("src/",), ("src/base/limit.c", "src/proc/record/run_recorded.c", "src/runtime/record/log/recorder.c", "src/runtime/control/hooks/clock.c",
                        "src/runtime/control/hooks/syscall.c", "src/runtime/sim/sim_clock.c")),
    (HEAP, ("src/", "bench/"), ("src/base/mem.c", "src/runtime/record/hooks/malloc.c", "src/runtime/control/hooks/malloc.c", "src/runtime/shared/operator_new.h", "src/runtime/sim/sim_malloc.c", "bench/programs/")),
    (PRINT, ("src/",), ("src/cli/", "src/base/must_exit.c")),
    (LEAVE, ("src/",), ("src/cli/", "src/base/fork_pool.c", "src/proc/suite/started_programs.c", "src/base/must_exit.c", "src/runtime/shared/must_raw.c", "src/runtime/record/hooks/process.c",
                        "src/runtime/record/hooks/malloc.c", "src/runtime/control/hooks/malloc.c", "src/runtime/control/hooks/process.c", "src/runtime/control/hooks/exec.c",
                        "src/runtime/control/hooks/syscall.c", "src/proc/control/program_process.c", "src/proc/control/gdb.c",
                        "src/proc/control/private_files.c", "src/proc/build/property_library.c", "src/proc/record/run_recorded.c", "src/minimize/engine/speculation.c", "src/sim/exit_calls.c")),
]


CALL = re.compile(r"(?<![\w.>])([A-Za-z_]\w*)[ \t]*\(")


def banned_calls_are_not_made(tree):
    banned = [(frozenset(names.split()), folders, allowed) for names, folders, allowed in BANNED]
    complaints = []
    for path in tree.paths(".c", ".h", under=C_FOLDERS):
        here = [names for names, folders, allowed in banned if path.startswith(folders) and not path.startswith(allowed)]
        code, names = tree.code(path), frozenset().union(*here)
        complaints += [f"{path}:{line_of(code, found.start())}: {found[1]}() is not called here"
                       for found in CALL.finditer(code) if found[1] in names]
    return complaints


# Sizes

def functions_of(code):
    """(name, first line, last line) of each function, by the layout that clang-format keeps."""
    lines = code.splitlines()
    start = None
    for number, line in enumerate(lines, 1):
        if line == "{":
            start = number
        elif line.startswith("}") and start is not None:
            head = "".join(lines[max(0, start - 8):start - 1])
            names = re.findall(r"(\w+)\s*\(", head[head.rfind(";") + 1:])
            yield (names[0] if names else "?", start, number)
            start = None


def functions_and_files_are_short(tree):
    complaints = []
    for path in tree.paths(".c", ".h", ".py", under=C_FOLDERS + ("tools/",)):
        text = tree.texts[path]
        if text.count("\n") > FILE_LINES_MAX:
            complaints.append(f"{path}: {text.count(chr(10))} lines, at most {FILE_LINES_MAX}")
        if path.endswith(".py"):
            continue
        for name, first, last in functions_of(tree.code(path)):
            if last - first - 1 > FUNCTION_LINES_MAX:
                complaints.append(f"{path}:{first}: {name} has {last - first - 1} lines, at most {FUNCTION_LINES_MAX}")
    return complaints


# Dead files and declarations

COMPILED_BY_SCRIPTS = ("test/control/", "test/recorded/", "bench/programs/", "cases/atomicity/", "cases/cluster/", "cases/processes/", "cases/races/",
                       "cases/threads/", "test/sim/systems/", "test/golden/files/")


def every_source_is_built(tree):
    """A .c file is named in the meson.build of its folder or of one above, unless a script beside it compiles the
    whole folder with clew cc; a script is called."""
    complaints = []
    meson = {posixpath.dirname(path): tree.texts[path] for path in tree.paths("meson.build")}
    for path in tree.paths(".c", under=C_FOLDERS):
        folder, is_built = posixpath.dirname(path), False
        while not is_built:
            relative = posixpath.relpath(path, folder or ".")
            named = (f"'{relative}'", f"'{relative[:-2]}'")
            is_built = any(name in meson.get(folder, "") for name in named)
            if not folder:
                break
            folder = posixpath.dirname(folder)
        if not is_built and not path.startswith(COMPILED_BY_SCRIPTS):
            complaints.append(f"{path}: no meson.build names it")
    for path in tree.paths(".py", under=("test/", "tools/", "bench/")) + tree.paths(under=["tools/"]):
        name = posixpath.basename(path)
        name = name[:-3] if name.endswith(".py") else name
        word = re.compile(rf"\b{re.escape(name)}\b")
        if not any(name in text and word.search(text) for other, text in tree.texts.items() if other != path):
            complaints.append(f"{path}: nothing calls it")
    return complaints


def every_header_is_included(tree):
    users = collections.defaultdict(set)
    for path in tree.paths(".c", ".h"):
        for include, _ in includes_of(tree.texts[path]):
            users[posixpath.basename(include)].add((path, include))
    return [f"{path}: nothing includes it (but its own .c)" for path in tree.paths(".h", under=("src/", "test/", "bench/"))
            if not any(("/" + path).endswith("/" + include) and user != path[:-1] + "c"
                       for user, include in users[posixpath.basename(path)])]


def declared_functions(code):
    """Names of the functions that a header declares or defines, at file level."""
    flat = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", "", code, flags=re.MULTILINE)
    depth = 0
    outside = []
    for character in flat:
        depth += {"{": 1, "}": -1}.get(character, 0)
        outside.append(character if depth == 0 else ";" if character == "{" else " ")
    for statement in "".join(outside).replace("}", ";").split(";"):
        statement = " ".join(statement.split())  # bodies left long gaps
        statement = re.sub(r"__attribute__\s*\(\(.*?\)\)|PRINTF_LIKE\(.*?\)", "", statement, flags=re.DOTALL)
        if "typedef" in statement or statement.startswith("ENTRY "):  # recorded programs call entries
            continue
        found = re.match(r"\s*[\w\s*]*?\b(\w+)\s*\([^()]*(?:\([^()]*\)[^()]*)*\)\s*$", statement)
        if found and not re.search(r"\(\s*\*", statement[:found.end(1)]):
            yield found[1]


def declarations_are_used(tree):
    """A function that a header offers is called elsewhere than in that header and its own .c; a macro is used at all."""
    words = {path: set(re.findall(r"\w+", tree.code(path))) for path in tree.paths(".c", ".h")}
    users = collections.Counter(name for names in words.values() for name in names)
    complaints = []
    for path in tree.paths(".h", under=["src/"]):
        header, own = tree.code(path), words.get(path[:-1] + "c", set())
        # What is defined above an include is meant for it.
        macros = set(re.findall(r"^#define (\w+)", header[max(0, header.rfind("#include")):], re.MULTILINE))
        functions = set(declared_functions(header))
        for name in sorted(functions | macros):
            user_count = users[name] - 1 - (name in own and name in functions)
            if user_count == 0 and len(re.findall(rf"\b{name}\b", header)) == 1:
                complaints.append(f"{path}: nothing uses {name}")
    return complaints


# Names and sizes of contracts

def twin_of(path):
    """The path that a file's twin may have: the recorder's hooks beside those of control."""
    return path.replace("src/runtime/record/", "src/runtime/control/", 1)


def base_names_are_unique(tree):
    """A file of src/ can be named without its folder; a .c and its .h share a name, and so do twins in parallel folders."""
    complaints, seen = [], {}
    for path in sorted(tree.paths(".c", ".h", under=["src/"]), key=lambda path: (twin_of(path), path)):
        stem = path[:-2]
        other = seen.setdefault(posixpath.basename(stem), stem)
        if twin_of(other) != twin_of(stem):
            complaints.append(f"{path}: {other}{path[-2:]} has the same base name")
    return complaints


HEADER_FUNCTIONS_MAX = 40
STRUCT_FIELDS_MAX = 30
STRUCT = re.compile(r"^struct (\w+) \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)

# A header or struct that is larger, and why.
LARGE_HEADERS = {
    "include/clew/sim.h": "one struct of callbacks is what a system fills in",
    "src/proc/control/program_state.h": "one controlled program; the cluster runtime replaces it",
    "src/runtime/control/sched/run_control.h": "one process; the cluster runtime replaces it",
    "src/wire/control.h": "the layout of a page that two programs share",
}


def headers_are_small(tree):
    """A header is a contract that a person can hold in mind."""
    complaints = []
    for path in tree.paths(".h", under=("src/", "include/")):
        if path in LARGE_HEADERS:
            continue
        code = tree.code(path)
        count = len(list(declared_functions(code)))
        if count > HEADER_FUNCTIONS_MAX:
            complaints.append(f"{path}: {count} functions, at most {HEADER_FUNCTIONS_MAX}")
        complaints += [f"{path}: struct {found[1]} has {found[2].count(';')} fields, at most {STRUCT_FIELDS_MAX}"
                       for found in STRUCT.finditer(code) if found[2].count(";") > STRUCT_FIELDS_MAX]
    return complaints


# Assertions

ASSERTION = re.compile(r"\b(?:must|must_in_tests|_Static_assert)\s*\(")
ASSERTIONS_PER_1000_LINES = {"cli": 4}
ASSERTIONS_PER_1000_LINES_MIN = 10
SMALL_MODULE_LINES = 1000

# Modules that state fewer of their invariants. The list only gets shorter.
FEW_ASSERTIONS = (
    "proc", "runtime",
)


def modules_state_their_assertions(tree):
    """A module states what it knows: must() and _Static_assert() for at least ten of 1,000 lines."""
    lines, assertions = collections.Counter(), collections.Counter()
    for path in tree.paths(".c", ".h", under=["src/"]):
        module = path.split("/")[1]
        lines[module] += tree.texts[path].count("\n")
        assertions[module] += len(ASSERTION.findall(tree.code(path)))
    complaints = []
    for module, line_count in sorted(lines.items()):
        floor = ASSERTIONS_PER_1000_LINES.get(module, ASSERTIONS_PER_1000_LINES_MIN)
        is_enough = line_count <= SMALL_MODULE_LINES or assertions[module] * 1000 >= line_count * floor
        if not is_enough and module not in FEW_ASSERTIONS:
            complaints.append(f"src/{module}: {assertions[module]} assertions in {line_count} lines, at least {floor} per 1,000")
        if is_enough and module in FEW_ASSERTIONS:
            complaints.append(f"src/{module}: states enough assertions: take it out of FEW_ASSERTIONS")
    return complaints


# Words

def without_examples(text):
    """A document without its blocks of code and transcripts, which programs print, and without names that users type."""
    return EXAMPLES.sub(lambda found: "\n" * found[0].count("\n"), text)


EXAMPLES = re.compile(r"^```.*?^```|^\.(?:EX|nf)$.*?^\.(?:EE|fi)$|^\.B [\w\\-]+$|`[^`\n]*`|(?<!\*)\*\w+\*(?!\*)", re.MULTILINE | re.DOTALL)


def prose_by_unit(tree):
    """Everything that a person reads, by unit: the comments of a module, what clew prints, the manual, the documents.
    Each unit is a list of (path, text), with one line of text in the place of each line of the file."""
    units = collections.defaultdict(list)
    for path in tree.paths(".c", ".h", under=["src/", "include/"]):
        module = "/".join(path.split("/")[:2]) if path.startswith("src/") else "include"
        units[module].append((path, tree.comments(path)))
        units["messages"].append((path, tree.strings(path)))
    for path in tree.paths(".md", ".in", ".1", ".3", ".5", under=["docs/", "man/", "README.md", "CHANGELOG.md"]):
        units[posixpath.dirname(path) or path].append((path, without_examples(tree.texts[path])))
    return units


def complaints_by_unit(tree, complaints_of, exempt, list_name):
    """The complaints about the units that are not exempt, and about exempt units that need no exemption any more."""
    result = []
    for unit, texts in prose_by_unit(tree).items():
        complaints = complaints_of(unit, texts)
        if unit not in exempt:
            result += complaints
        elif not complaints:
            result.append(f"{unit}: follows the rule: take it out of {list_name}")
    return result


# Phrases that only insiders understand, and the words that an engineer of the field expects (docs/glossary.md).
PRIVATE_PHRASES = {
    "who(ever)? goes next": "the scheduler chooses",
    "(comes?|came|brought) to light": "is found",
    "come back to": "is tried again",
    "in vain": "without success",
    "anew": "again",
    "(at most|by|of|in|within|after|every) so many": "N, or a number",
    "(comes?|came) (of|to)(?! rest| an end)": "follows from, is caused by, reaches",
    "(could|can) notice": "visible operation",
    "event counters?": "eventfd",
    "sets? of descriptors": "epoll",
    "(is|are|was|were|be) put back": "is restored",
    "(gives?|gave|given) back": "releases, returns, frees",
    "of our own making": "our own",
    "by chance": "at random",
    "by hand": "user-supplied, hand-written",
    "told(?! apart)|tells? of": "reports, prints, describes, names",
    "rooms": "modules",
}

# Units that still have such phrases. The list only gets shorter.
PRIVATE_UNITS = (
    "src/proc", "src/runtime",
)


def private_phrases_are_not_written(tree):
    phrases = [(re.compile(r"\b(?:" + phrase.replace(" ", r"\s+") + r")\b", re.IGNORECASE), say)
               for phrase, say in PRIVATE_PHRASES.items()]

    def complaints_of(_, texts):
        return [f"{path}:{line_of(text, found.start())}: {' '.join(found[0].split())!r} is no term of the field: {say}"
                for path, text in texts for phrase, say in phrases for found in phrase.finditer(text)]

    return complaints_by_unit(tree, complaints_of, PRIVATE_UNITS, "PRIVATE_UNITS")


HEADLESS_PER_1000_WORDS_MAX = 3

# "What is needed", "of what was sent", "who waits": a clause that stands where its noun should be named.
HEADLESS = re.compile(r"\bwhat\b|(?:^|[.,:;(]\s+|\b(?:of|to|from|for|by|with|and|or|but|than|when|is)\s+)who(?:ever)?\b",
                      re.IGNORECASE | re.MULTILINE)

# Units that still have more. The list only gets shorter.
HEADLESS_UNITS = (
    "src/proc", "src/runtime",
)


def sentences_name_their_subjects(tree):
    """Comments, messages, manual and documents have few headless "what" and "who" clauses."""
    def complaints_of(unit, texts):
        words = sum(len(text.split()) for _, text in texts)
        headless = [f"{path}:{line_of(text, found.start())}: {' '.join(text[found.start():found.end() + 40].split())!r}"
                    for path, text in texts for found in HEADLESS.finditer(text)]
        if len(headless) * 1000 <= words * HEADLESS_PER_1000_WORDS_MAX:
            return []
        return [f"{unit}: {len(headless)} headless clauses in {words} words"] + headless

    return complaints_by_unit(tree, complaints_of, HEADLESS_UNITS, "HEADLESS_UNITS")


def prose(tree):
    """Everything that people write: not what fuzzing collected, and no picture of the documents."""
    return [(path, tree.texts[path]) for path in tree.paths()
            if "/corpus/" not in path and not (path.startswith("docs/") and path.endswith(".png"))]


def only_text_is_kept(tree):
    """What was built does not belong here; what fuzzing collected may be any bytes."""
    return [f"{path}: holds bytes that are no text" for path, text in prose(tree) if "\0" in text]


def nothing_is_left_to_do(tree):
    mark = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"]) + r")\b")
    return [f"{path}:{line_of(text, found.start())}: {found[0]}" for path, text in prose(tree)
            for found in mark.finditer(text)]


# Turned by thirteen letters, so that this file may hold them.
FOREIGN = [codecs.decode(word, "rot13") for word in (
    "pynhqr", "naguebcvp", "bcranv", "tcg", "pungtcg", "pbcvybg", "yyz", "yyzf", "ynathntr zbqry", "jbexgerr",
    "fhontrag", "nv nffvfgnag", "nv-trarengrq")]

MACHINE_PATH = re.compile(r"(?<![\w.])/(?:work|home|root|Users|mnt|workspace)/\w")


def text_speaks_of_the_project_only(tree):
    """No paths of one machine, no words about what it was written with."""
    word = re.compile(r"\b(" + "|".join(map(re.escape, FOREIGN)) + r")\b", re.IGNORECASE)
    complaints = []
    for path, text in prose(tree):
        for pattern in (word, MACHINE_PATH):
            complaints += [f"{path}:{line_of(text, found.start())}: {found[0]!r} has no place here"
                           for found in pattern.finditer(text)]
    return complaints


def only_the_licence_claims_rights(tree):
    claim = re.compile(r"copyright|all rights reserved|SPDX-", re.IGNORECASE)
    own = {"LICENSE", "test/tidy/rules.py", "test/tidy/rules_test.py"}
    return [f"{path}:{line_of(text, found.start())}: {found[0]!r} belongs into LICENSE"
            for path, text in prose(tree) if path not in own for found in claim.finditer(text)]


REFLOWED = re.compile(r"^ \*  {3,}\S.{75,}\n \* \S", re.MULTILINE)


def examples_in_comments_are_whole(tree):
    """An indented line that is too long is taken for prose by clang-format, and what follows runs into it."""
    return [f"{path}:{line_of(tree.texts[path], found.start())}: an example runs into the next line: make it shorter"
            for path in tree.paths(".c", ".h", under=C_FOLDERS) for found in REFLOWED.finditer(tree.texts[path])]


# Documents

LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
NAMED = re.compile(r"\b((?:docs|man|src|test|bench|tools|examples)/[\w./-]+\.(?:md|c|h|py|[135]|in))\b")


def documents_name_what_exists(tree):
    """Links in documents, and paths of this project named in any text, lead somewhere."""
    complaints = []
    for path in tree.paths(".md"):
        for found in LINK.finditer(tree.texts[path]):
            target = posixpath.normpath(posixpath.join(posixpath.dirname(path), found[1]))
            exists = target in tree.texts or any(other.startswith(target + "/") for other in tree.texts)
            if "://" not in found[1] and not exists:
                complaints.append(f"{path}:{line_of(tree.texts[path], found.start())}: no {target}")
    for path in tree.paths(".c", ".h", ".md", "Makefile"):
        for found in NAMED.finditer(tree.texts[path]):
            is_pattern = re.search(r"/[A-Z]+[/_]", found[1])
            if not is_pattern and found[1] not in tree.texts:
                complaints.append(f"{path}:{line_of(tree.texts[path], found.start())}: no {found[1]}")
    return complaints


ROW_OF_MODULE = re.compile(r"^\| `(\w+)/` \|", re.MULTILINE)


def architecture_lists_every_module(tree):
    """The table in docs/architecture.md has a row for each folder of src/, in the order of src/LAYERS."""
    wanted = list(layers_of(tree.texts["src/LAYERS"]))
    got = ROW_OF_MODULE.findall(tree.texts.get("docs/architecture.md", ""))
    return [] if got == wanted else [f"docs/architecture.md: modules {got}, but src/ has {wanted}"]


RULES = [
    modules_keep_to_their_layers,
    own_header_comes_first,
    banned_calls_are_not_made,
    functions_and_files_are_short,
    every_source_is_built,
    every_header_is_included,
    declarations_are_used,
    base_names_are_unique,
    headers_are_small,
    private_phrases_are_not_written,
    only_text_is_kept,
    examples_in_comments_are_whole,
    sentences_name_their_subjects,
    modules_state_their_assertions,
    nothing_is_left_to_do,
    text_speaks_of_the_project_only,
    only_the_licence_claims_rights,
    documents_name_what_exists,
    architecture_lists_every_module,
]
