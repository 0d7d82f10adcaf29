"""The text of a project, as the rules see it: paths from its root and what the files say."""
import os
import re
import subprocess


class Tree:
    """Files by path. Made from a folder (what git tracks, or all that is not built), or from a dict in tests."""

    def __init__(self, texts, root=None):
        self.texts = texts
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
        return without_comments_and_strings(self.texts[path])

    def comments(self, path):
        """The words of the comments of a C file, without the signs around them."""
        tokens = [found[0] for found in TOKEN.finditer(self.texts[path]) if found[0][0] == "/"]
        return [re.sub(r"^/[/*]+|\*/$|^[ \t]*\* ?", "", token, flags=re.MULTILINE).strip() for token in tokens]


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


def line_of(text, position):
    return text.count("\n", 0, position) + 1
