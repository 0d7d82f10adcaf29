"""The text of a project, as the rules see it: paths from its root and what the files say."""
import os
import re
import subprocess


class Tree:
    """Files by path. Made from a folder (what git tracks, or all that is not built), or from a dict in tests."""

    def __init__(self, texts, root=None):
        self.texts = texts
        self.views = {}
        self.root = root

    @classmethod
    def of_folder(cls, root):
        listed = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard"], capture_output=True,
                                check=False)
        paths = listed.stdout.decode().splitlines() if listed.returncode == 0 else list(walk(root))
        texts = {}
        for path in paths:
            full = os.path.join(root, path)
            if os.path.isfile(full):
                with open(full, "rb") as file:
                    texts[path] = file.read().decode("utf-8", "replace")
        return cls(texts, root)

    def paths(self, *endings, under=("",)):
        """The paths with one of the endings (all when none is given) in one of the folders, sorted."""
        return sorted(path for path in self.texts
                      if (not endings or path.endswith(endings)) and path.startswith(tuple(under)))

    def code(self, path):
        """A C file with comments and the insides of strings blanked, every line in its place."""
        return self.kept(path, without_comments_and_strings)

    def comments(self, path):
        """The words of the comments of a C file, without the signs around them, every line in its place."""
        return self.kept(path, only_comments)

    def strings(self, path):
        """The insides of the strings of a C file, every line in its place."""
        return self.kept(path, only_strings)

    def kept(self, path, view):
        """A view of a file, computed once: many rules read the same one."""
        key = (path, view.__name__)
        if key not in self.views:
            self.views[key] = view(self.texts[path])
        return self.views[key]


def walk(root):
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in (".git", "build", "__pycache__")]
        for name in names:
            yield os.path.relpath(os.path.join(folder, name), root)


TOKEN = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.DOTALL)


def without_comments_and_strings(text):
    def blank(match):
        token = match.group()
        if token[0] in "\"'":
            return token[0] + " " * (len(token) - 2) + token[0]
        return re.sub(r"[^\n]", " ", token)

    return TOKEN.sub(blank, text)


def only(text, signs, words_of):
    """The tokens of a text that begin with one of the signs, as words_of() reads them, and its ends of lines."""
    lines, end = [], 0
    for found in TOKEN.finditer(text):
        lines.append("\n" * text.count("\n", end, found.start()))
        token = found[0]
        lines.append(words_of(token) if token[0] in signs else "\n" * token.count("\n"))
        end = found.end()
    return "".join(lines)


def only_comments(text):
    return only(text, "/", lambda token: re.sub(r"^/[/*]+|\*/$|^[ \t]*\* ?", "", token, flags=re.MULTILINE) + " ")


def only_strings(text):
    """A string without a blank is a name, not prose."""
    return only(text, '"', lambda token: token[1:-1].replace("\\n", " ") + " " if " " in token else "")


def line_of(text, position):
    return text.count("\n", 0, position) + 1
