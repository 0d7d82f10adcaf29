"""Source packages of Debian, through lists of their own: they are made from the system's, which stay untouched."""
import glob
import os
import re
import subprocess

SECONDS_MAX = 300
SYSTEM = "/etc/apt"
SUITE_LATER = "stable"  # asked when the files of the system's own suites are gone from its mirror


class Unavailable(Exception):
    """The package cannot be had here, and why."""


def paragraphs():
    """The system's sources as paragraphs of fields, whichever way they are written."""
    for path in sorted(glob.glob(f"{SYSTEM}/sources.list.d/*.sources")):
        with open(path, encoding="utf-8") as file:
            for paragraph in re.split(r"\n\s*\n", file.read()):
                fields = dict(re.findall(r"^([A-Za-z-]+):[ \t]*(.*)$", paragraph, re.M))
                if {"URIs", "Suites"} <= set(fields) and fields.get("Enabled") != "no":
                    yield fields
    for path in [f"{SYSTEM}/sources.list", *sorted(glob.glob(f"{SYSTEM}/sources.list.d/*.list"))]:
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                for options, uri, suite, rest in re.findall(r"^deb[ \t]+(?:\[(.*?)\][ \t]+)?(\S+)[ \t]+(\S+)[ \t]*(.*)$", file.read(), re.M):
                    signed = re.search(r"signed-by=(\S+)", options)
                    yield {"URIs": uri, "Suites": suite, "Components": rest, **({"Signed-By": signed[1]} if signed else {})}


def own_list(is_later):
    """The text of a list of source packages."""
    text = ""
    for fields in paragraphs():
        suites = fields["Suites"]
        if is_later:
            if "-" in suites.split()[0] or "/" in suites:
                continue
            suites = SUITE_LATER
        kept = {"Types": "deb-src", "URIs": fields["URIs"], "Suites": suites, "Components": fields.get("Components", "main"),
                "Signed-By": fields.get("Signed-By", "")}
        text += "".join(f"{name}: {value}\n" for name, value in kept.items() if value) + "\n"
    return text


def apt(home, folder, *words):
    places = {"Etc::sourcelist": f"{home}/own.sources", "Etc::sourceparts": f"{home}/none", "State::lists": f"{home}/lists",
              "Cache": f"{home}/cache"}
    options = [word for name, path in places.items() for word in ("-o", f"Dir::{name}={path}")]
    done = subprocess.run(["apt-get", "-qq", *options, "-o", "APT::Sandbox::User=", *words], cwd=folder, capture_output=True,
                          text=True, timeout=SECONDS_MAX, check=False)
    return done.returncode == 0, done.stderr.strip()


def fetch_from(home, folder, package, is_later):
    if not os.path.exists(f"{home}/own.sources"):
        for name in ("none", "lists/partial", "cache"):
            os.makedirs(f"{home}/{name}", exist_ok=True)
        text = own_list(is_later)
        if not text:
            return "the system has no list of packages"
        with open(f"{home}/own.sources", "w", encoding="utf-8") as file:
            file.write(text)
        is_done, why = apt(home, folder, "update")
        if not is_done:
            os.remove(f"{home}/own.sources")
            return why
    is_done, why = apt(home, folder, "source", "--only-source", package)
    return None if is_done else why


def unpacked(folder, package):
    trees = [path for path in glob.glob(os.path.join(folder, f"{package}-*")) if os.path.isdir(path)]
    return sorted(trees)[-1] if trees else None


def unpack_upstream(folder, package):
    """Where the mirror has lost Debian's changes to a package, upstream's own tree may be there. True when it is unpacked."""
    archives = sorted(glob.glob(os.path.join(folder, f"{package}_*.orig.tar.*[!c]")))
    return bool(archives) and subprocess.run(["tar", "xf", archives[-1]], cwd=folder, timeout=SECONDS_MAX, check=False).returncode == 0


def fetch(folder, package):
    """The folder with the package's source, unpacked below `folder`. Raises Unavailable."""
    folder = os.path.abspath(folder)  # apt-get runs there, and is told paths
    os.makedirs(folder, exist_ok=True)
    tree = unpacked(folder, package)
    why = None
    for is_later in (False, True):
        if tree is None:
            try:
                why = fetch_from(os.path.join(folder, "later" if is_later else "own"), folder, package, is_later)
            except (OSError, subprocess.TimeoutExpired) as problem:
                why = str(problem)
            tree = unpacked(folder, package)
    if tree is None and unpack_upstream(folder, package):
        tree = unpacked(folder, package)
    if tree is None:
        raise Unavailable(f"{package} cannot be fetched: {(why or 'no reason given').splitlines()[-1]}")
    return tree
