"""The programs of cases/threads: small ones with one bug each, and their fixed twins. threads.py reads the table that says
what is found in them."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
SOURCE = os.environ["CLEW_SOURCE"]
CLEW = os.environ["CLEW"]
sys.path.insert(0, os.path.join(SOURCE, "test", "harness"))
import tap  # pylint: disable=wrong-import-position
import threads  # pylint: disable=wrong-import-position

FOLDER = tempfile.mkdtemp()
PROGRAMS = threads.programs()


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, timeout=300, check=False, cwd=FOLDER)


def test_every_program_is_listed():
    sources = {name.rpartition(".")[0] for name in os.listdir(threads.FOLDER) if name.endswith((".c", ".cc"))}
    assert {program.name for program in PROGRAMS} == sources, sources


def test_twins_run_to_their_end_without_a_race():
    wrong = []
    for program in PROGRAMS:
        trace = os.path.join(FOLDER, "run.clew")
        done = run(CLEW, "record", "-q", "-o", trace, "--", program.build(CLEW, FOLDER, True), *program.arguments)
        if done.returncode != 0:
            wrong.append(f"{program.title}: ended with {done.returncode}: {done.stderr}")
            continue
        result = json.loads(run(CLEW, "races", "-q", "--model", "observed", "--json", trace).stdout)
        if result["findings"] or result["events"] == 0:
            wrong.append(f"{program.title}: {[finding['what'] for finding in result['findings']]}")
    assert not wrong, "\n".join(wrong)


def main():
    try:
        return tap.run(tap.claims(globals()))
    finally:
        shutil.rmtree(FOLDER)


if __name__ == "__main__":
    sys.exit(main())
