"""The programs of cases/threads, as the table in its README.md lists them."""
import contextlib
import os
import re
import subprocess
import threading

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
FOLDER = os.path.normpath(os.path.join(SOURCE, "cases", "threads"))
ROW = re.compile(r"^\| `(\w+)((?: \w+)*)` \| (.*) \| (yes|no) \| ([\w, -]+) \|$")


KERNEL = re.compile(r"^\| `(\w+)((?: \w+)*)` \| (.*) \| (-|\d+(?:-\d+)?) \| ([a-z][a-z, -]+) \|$")


class Program:
    def __init__(self, name, arguments, is_race, kinds):
        self.name = name
        self.arguments = arguments  # words
        self.is_race = is_race      # clew races tells of it
        self.kinds = kinds          # of finding, any of which it may be found as
        self.title = " ".join([name, *arguments])

    @property
    def source(self):
        """Where it is written."""
        path = os.path.join(FOLDER, self.name)
        return path + ".c" if os.path.exists(path + ".c") else path + ".cc"

    @property
    def spec(self):
        """What must hold in it, the path of a file; None where nothing is said."""
        path = os.path.join(FOLDER, self.name + ".spec")
        return path if os.path.exists(path) else None

    def build(self, clew, folder, is_fixed, *flags):
        """Builds it with clew cc, once in a folder, whole or not at all; returns its path."""
        path = os.path.join(folder, "".join([self.name, "-fixed" if is_fixed else "", *flags]))
        if os.path.exists(path):
            return path
        words = [clew, "c++" if self.source.endswith(".cc") else "cc", "-g", "-O1", "-pthread", "-D_GNU_SOURCE",
                 "-I", os.path.join(SOURCE, "include"), *(["-DFIXED"] if is_fixed else []), *flags, self.source, "-o", path + f".{threading.get_ident()}"]
        done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, f"{self.name}: {done.stderr}"
        with contextlib.suppress(FileExistsError):  # another row's: who runs it must find it as it was
            os.link(words[-1], path)
        os.remove(words[-1])
        return path


class Kernel(Program):
    """A program after published work, with the published figures."""
    def __init__(self, row):
        super().__init__(row[1], row[2].split(), False, row[5].split(", "))
        self.after = row[3]
        self.published = row[4]  # schedules to the first bug, "LEAST-MOST"; "-" where there are none


def rows_of(form):
    """The rows of README.md that have this form."""
    with open(os.path.join(FOLDER, "README.md"), encoding="utf-8") as file:
        rows = [form.match(line) for line in file.read().splitlines()]
    return [row for row in rows if row]


def programs():
    """All of them, in the order of the table."""
    return [Program(row[1], row[2].split(), row[4] == "yes", row[5].split(", ")) for row in rows_of(ROW)]


def kernels():
    """Kernels after the literature, in the order of their table; each is one of the programs, with arguments of its own."""
    return [Kernel(row) for row in rows_of(KERNEL)]
