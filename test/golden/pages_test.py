"""Manual pages are clean and whole, and completion completes: both are made from the tables that --help prints."""
import glob
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
SOURCE = os.environ.get("CLEW_SOURCE") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("CLEW_BUILD") or os.path.join(SOURCE, "build")
CLEW = os.environ.get("CLEW") or os.path.join(BUILD, "clew")
sys.path[:0] = [os.path.join(SOURCE, "test", "harness")]
import tap  # pylint: disable=wrong-import-position

HEADER_PAGE = os.path.join(SOURCE, "man", "clew.h.3")
PAGES = sorted(glob.glob(os.path.join(BUILD, "man", "*.1")))


def output_of(command, **keywords):
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60, **keywords).stdout


def verbs():
    return re.findall(r"^  ([\w+]+)  ", output_of([CLEW, "--help"]), re.M)


def options_of(verb):
    """The long options in the help of a verb."""
    text = output_of([CLEW, verb, "--help"])
    text = text[text.index("\noptions:\n"):text.index("\nexit status:\n")]
    names = re.findall(r"^ {2,6}(?:-\w, )?(--\S+)", text, re.M)
    plain = [name for name in names if not name.startswith("--[no-]")]
    switches = [name[len("--[no-]"):] for name in names if name.startswith("--[no-]")]
    return plain + [f"--{prefix}{name}" for name in switches for prefix in ("", "no-")]


def rendered(page):
    if shutil.which("man") is None:
        raise tap.Skip("man is not installed")
    done = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", page], capture_output=True, text=True,
                          check=False, timeout=60, env=dict(os.environ, MANWIDTH="100", MANROFFSEQ="", LC_ALL="C.UTF-8"))
    assert done.returncode == 0 and not done.stderr, f"{page}: {done.stderr}"
    return re.sub("\x1b\\[[0-9;]*m|.\b", "", done.stdout).replace("\u2010", "-")


def test_every_verb_has_a_page():
    pages = {os.path.basename(page) for page in PAGES}
    assert pages == {"clew.1"} | {f"clew-{verb}.1" for verb in verbs()}, pages


def test_annotations_have_a_page():
    """Every function of clew.h is in the page and in a test of recorded programs, in C and in C++; a name that ends in _ is
    not for users."""
    with open(os.path.join(SOURCE, "include", "clew", "clew.h"), encoding="utf-8") as file:
        names = re.findall(r"^static inline void (clew_\w*[a-z])\(", file.read(), re.M)
    assert len(names) > 10, names
    text = rendered(HEADER_PAGE)
    assert not [name for name in names if f"void {name}(" not in text], names
    for ending in ("c", "cc"):
        sources = ""
        for path in glob.glob(os.path.join(SOURCE, "test", "*", f"*.{ending}")):
            with open(path, encoding="utf-8") as file:
                sources += file.read()
        missing = [name for name in names if f"{name}(" not in sources]
        assert not missing, f"{ending}: {missing}"


def test_pages_have_no_warnings():
    assert PAGES
    for page in [*PAGES, HEADER_PAGE, *glob.glob(os.path.join(SOURCE, "man", "*.5"))]:
        rendered(page)


def test_pages_name_every_option():
    for verb in verbs():
        text = rendered(os.path.join(BUILD, "man", f"clew-{verb}.1"))
        missing = [option for option in options_of(verb) if option not in text]
        assert options_of(verb) and not missing, f"{verb}: {missing}"


def test_pages_have_their_sections():
    for page in PAGES:
        text = rendered(page)
        wanted = ["NAME", "SYNOPSIS", "DESCRIPTION", "EXIT STATUS", "SEE ALSO"]
        wanted += ["VERBS", "FILES"] if page.endswith("clew.1") else ["OPTIONS", "EXAMPLES"]
        missing = [section for section in wanted if f"\n{section}\n" not in text]
        assert not missing, f"{page}: {missing}"


def test_pages_have_stages_in_the_order_of_help():
    told = output_of([CLEW, "minimize", "--help"])
    stages = re.findall(r"^  (\w+) ", told[told.index("\n--stage:\n"):told.index("\nexit status:\n")], re.M)
    with open(os.path.join(SOURCE, "man", "clew-minimize.1.in"), encoding="utf-8") as file:
        page = file.read()
    page = page[page.index(".SS Stages\n"):page.index(".SS Programs\n")]
    assert len(stages) > 20 and re.findall(r"^\.TP\n\.B (\w+)$", page, re.M) == stages, stages


def test_pages_say_that_the_second_signal_ends_what_the_first_stops():
    for verb, words in (("minimize", "ended it at the second signal, or before"), ("info", "SIGINT or SIGTERM ended it;")):
        text = rendered(os.path.join(BUILD, "man", f"clew-{verb}.1"))
        assert words in re.sub(r"\s+", " ", text), verb


def completed(line):
    """What bash offers at the end of the line."""
    script = f"source {os.path.join(BUILD, 'completion', 'clew')}\n" \
             "COMP_WORDS=(\"$@\")\nCOMP_CWORD=$(($# - 1))\n_clew\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n"
    words = re.findall(r"=|[^ =]+", line) + ([""] if line.endswith(" ") else [])
    return output_of(["bash", "-c", script, "bash"] + words, cwd=os.path.join(SOURCE, "examples")).split()


def test_completion_offers_verbs_options_words_and_files():
    assert completed("clew ")[:len(verbs())] == verbs()
    assert completed("clew che") == ["check"]
    assert completed("clew help sl") == ["slice"]
    assert completed("clew convert --o") == ["--output", "--one-run"]
    assert "native" in completed("clew convert bank.log --to ")
    assert completed("clew convert bank.log --to=na") == ["native"]
    assert completed("clew check --color=") == ["auto", "always", "never"]
    assert completed("clew check bank.l") == ["bank.log"]
    assert completed("clew convert -o bank-b") == ["bank-broken.log"]
    assert not completed("clew check --limit ")


def test_completion_offers_every_option():
    for verb in verbs():
        assert sorted(completed(f"clew {verb} --")) == sorted(options_of(verb)), verb


sys.exit(tap.run(tap.claims(dict(globals()))))
