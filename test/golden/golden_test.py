"""Runs every transcript here, and those in README.md, docs/tutorial/ and the pages of case studies. With --update, what has changed is rewritten
with what the commands print now: read the difference before you keep it. Further arguments choose files by a part
of their name."""
import glob
import os
import re
import sys
import tempfile

sys.dont_write_bytecode = True
SOURCE = os.environ.get("CLEW_SOURCE") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CLEW = os.environ.get("CLEW") or os.path.join(SOURCE, "build", "clew")
sys.path[:0] = [os.path.join(SOURCE, "test", folder) for folder in ("harness", "golden")]
import tap  # pylint: disable=wrong-import-position
import transcript  # pylint: disable=wrong-import-position


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def in_place(function):
    with tempfile.TemporaryDirectory() as folder:
        return function(transcript.Place(SOURCE, CLEW, folder))


def check_golden(path):
    steps = [part for part in transcript.parse_golden(read(path)) if not isinstance(part, str)]
    assert steps, "no commands"
    complaints = in_place(lambda place: [line for step in steps for line in transcript.check_step(step, place)])
    assert not complaints, "\n".join(complaints)


def check_markdown(path):
    steps = transcript.parse_markdown(read(path))
    if not steps:
        raise tap.Skip("no console blocks")
    for library in re.findall(r"\bbuild/(cases/\w+\.so)", read(path)):
        if not os.path.exists(os.path.join(os.path.dirname(CLEW), library)):
            raise tap.Skip(f"{library} was not built")
    complaints = in_place(lambda place: [line for step in steps for line in transcript.check_markdown_step(step, place)])
    assert not complaints, "\n".join(complaints)


def update_golden(path):
    parts = transcript.parse_golden(read(path))

    def run(place):
        for part in parts:
            if not isinstance(part, str):
                part.stdout, part.stderr, part.status = place.run(part.command)
    in_place(run)
    write(path, transcript.print_golden(parts))


def update_markdown(path):
    text = read(path)
    steps = transcript.parse_markdown(text)

    def run(place):
        for step in steps:
            stdout, stderr, _ = place.run(step.command)
            if not transcript.matches(step.stdout, stdout + stderr):
                step.stdout = stdout + stderr
    in_place(run)
    write(path, transcript.print_markdown(text, steps))


def claim(path):
    return os.path.relpath(path, SOURCE)


def main(arguments):
    is_update = "--update" in arguments
    wanted = [argument for argument in arguments if argument != "--update"]
    goldens = sorted(glob.glob(os.path.join(SOURCE, "test", "golden", "*.golden")))
    documents = [path for path in [os.path.join(SOURCE, "README.md")] if os.path.exists(path)]
    documents += sorted(glob.glob(os.path.join(SOURCE, "docs", "tutorial", "*.md")))
    documents += sorted(glob.glob(os.path.join(SOURCE, "cases", "*", "README.md")))

    def is_wanted(path):
        return not wanted or any(part in claim(path) for part in wanted)
    goldens = [path for path in goldens if is_wanted(path)]
    documents = [path for path in documents if is_wanted(path)]
    if is_update:
        for path in goldens:
            update_golden(path)
        for path in documents:
            update_markdown(path)
        return 0
    return tap.run([(claim(path), lambda path=path: check_golden(path)) for path in goldens] +
                   [(claim(path), lambda path=path: check_markdown(path)) for path in documents])


sys.exit(main(sys.argv[1:]))
