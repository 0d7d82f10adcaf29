"""What is enforced by running compilers and clang-format; each check returns its complaints."""
import itertools
import json
import os
import shlex
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

import tap

WORKERS = 2

WARNINGS = """-std=gnu17 -D_GNU_SOURCE -Wall -Wextra -Wpedantic -Werror -Wconversion -Wno-sign-conversion -Wshadow -Wvla
    -Wundef -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wwrite-strings -Wpointer-arith
    -Wformat=2""".split()

# Of the build's arguments, those that gcc alone knows, and those that say what to make.
GCC_ONLY = {"-Wlogical-op", "-Wduplicated-cond", "-Wduplicated-branches", "-Wno-maybe-uninitialized",
            "-Wno-format-truncation", "-Winvalid-pch"}
WITH_VALUE = {"-o", "-MF", "-MQ", "-MT"}
DROPPED = GCC_ONLY | {"-c", "-MD", "-fdiagnostics-color=always"}
CLANG_MORE = ["-Wcomma", "-Wunreachable-code"]


def expect_none(complaints):
    assert not complaints, "\n".join(complaints[:50])


def needs(program):
    if shutil.which(program) is None:
        raise tap.Skip(f"{program} is not installed")


def run(command, folder):
    """The lines a failing command prints; none when it succeeds."""
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    if done.returncode == 0:
        return []
    said = (done.stdout + done.stderr).decode("utf-8", "replace").splitlines()
    return [line for line in said if ": error:" in line or ": warning:" in line] or said[:5] or [
        f"{command[0]} failed without a word"]


def run_all(commands):
    with ThreadPoolExecutor(WORKERS) as pool:
        return [line for lines in pool.map(lambda command: run(*command), commands) for line in lines]


def in_parts(paths):
    """One part for each worker: a compiler started once looks at many files."""
    return [part for part in (paths[first::WORKERS] for first in range(WORKERS)) if part]


def headers_compile_alone(root, headers, compiler):
    places = ["-Isrc", "-Iinclude", "-Itest/harness", "-Ibench"]
    start = [compiler, "-fsyntax-only", "-x", "c", *WARNINGS, *places]
    if compiler == "clang":
        start += ["-Wno-unused-function"]  # gcc never warns of unused static inline functions
    return run_all([(start + part, root) for part in in_parts(headers)])


def for_clang(command):
    """The arguments of one call of the build's compiler, turned into a look by clang."""
    # A launcher such as ccache stands before the compiler: the arguments begin with the first option.
    arguments = itertools.dropwhile(lambda word: not word.startswith("-"), shlex.split(command))
    result, skip = [], False
    for argument in arguments:
        if skip:
            skip = False
        elif argument in WITH_VALUE:
            skip = True
        elif argument not in DROPPED and not argument.startswith(("-fsanitize", "-O", "-flto", "-ffat-lto")):
            result.append(argument)
    return ["clang", "-fsyntax-only", *result, *CLANG_MORE]


def sources_compile_with_clang(build, choose=lambda names: names):
    """The chosen sources of the build's list of commands, looked at by clang with the build's own arguments."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        entries = {entry["file"]: entry for entry in json.load(file)}
    groups = {}
    for name in choose(sorted(entries)):
        entry = entries[name]
        command = for_clang(entry["command"])
        command.remove(name)
        # The first -I is the folder of the target itself, which holds no headers of ours.
        key = tuple(argument for argument in command if not argument.endswith(".p"))
        groups.setdefault((entry["directory"], key), []).append(name)
    return run_all([(list(key) + part, folder) for (folder, key), names in groups.items()
                    for part in in_parts(sorted(names))])


def layout_is_clean(root, paths):
    return run_all([(["clang-format", "--dry-run", "-Werror", *part], root) for part in in_parts(paths)])
