"""Runs each program here under clew record and compares the trace with what the program's first comment says. Timing
never decides: counts, and the order of what is ordered. program.h tells how the comments are written."""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
SOURCE = os.environ["CLEW_SOURCE"]
CLEW = os.environ["CLEW"]
PROGRAMS = os.environ["CLEW_PROGRAMS"]
sys.path.insert(0, os.path.join(SOURCE, "test", "harness"))
import tap  # pylint: disable=wrong-import-position

SECONDS_MAX = 120
SAID = re.compile(r"^[ /*]*(expect|order|allow|status): (.*?)(?: \*/)?$")


def claims_of(path):
    """What the comment says, a list of pairs (word, rest)."""
    with open(path, encoding="utf-8") as file:
        comment = file.read().split("*/")[0]
    return [(match[1], match[2].strip()) for line in comment.splitlines() if (match := SAID.match(line))]


def clew(*words, cwd=None):
    return subprocess.run([CLEW, *words], cwd=cwd, capture_output=True, text=True, timeout=SECONDS_MAX, check=False)


def record(program, trace, *arguments):
    done = clew("record", "-o", trace, "--name", "n", "--", program, *arguments, cwd=os.path.dirname(trace))
    assert os.path.exists(trace), f"no trace: {done.stderr}"
    assert not os.path.exists(trace + ".rings"), "the rows are still there"
    return done


def lines_of(trace):
    done = clew("convert", trace, "--to", "text", "-o", "-")
    assert done.returncode == 0, done.stderr
    return done.stdout.replace('"', "").splitlines()[1:]


def check_unfinished(trace, allowed):
    """Nothing is impossible, nothing unfinished but what is allowed, and every message has both its ends."""
    done = clew("check", "--json", trace)
    result = json.loads(done.stdout)
    told = "\n".join(finding["what"] for finding in result["findings"][:10])
    assert done.returncode == 0 and result["stats"]["impossible"] == 0, told
    rules = set(result["stats"].get("rules", {}))
    assert rules <= set(allowed), f"{sorted(rules - set(allowed))}: {told}"
    assert result["stats"]["messages_outside"] == 0 or "outside" in allowed, "messages from or to nobody recorded"


def check_count(lines, said):
    count, *wanted = said.split()
    pattern = re.compile(rf"^\S+ {re.escape(wanted[0])}(?= |$)" + (rf" {re.escape(wanted[1])}(?= |$)" if wanted[1:] else "") +
                         "".join(rf".* {re.escape(word)}(?= |$)" for word in wanted[2:]))
    found = sum(1 for line in lines if pattern.match(line))
    is_right = found >= int(count[:-1]) if count.endswith("+") else found == int(count)
    assert is_right, f"{said}: found {found} in\n" + "\n".join(lines[:60])


def check_order(lines, wanted):
    """Each wanted event comes, after the one before it; its words are in the line in their order."""
    rest = iter(lines)
    for said in wanted:
        pattern = re.compile(r"(?<!\S)" + r".*?(?<!\S)".join(re.escape(word) for word in said.split()))
        assert any(pattern.search(line) for line in rest), f"{said}: not there, or too early, in\n" + "\n".join(lines[:60])


def check_program(path):
    claims = claims_of(path)
    assert any(word in ("expect", "order") for word, _ in claims), "nothing is expected"
    program = os.path.join(PROGRAMS, "recorded_" + os.path.splitext(os.path.basename(path))[0])
    status = next((int(rest) for word, rest in claims if word == "status"), 0)
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "run.clew")
        done = record(program, trace)
        assert done.returncode == status, f"ended with {done.returncode}: {done.stderr}"
        assert "dropped" not in done.stderr, done.stderr
        check_unfinished(trace, [rest for word, rest in claims if word == "allow"])
        lines = lines_of(trace)
    for word, rest in claims:
        if word == "expect":
            check_count(lines, rest)
    check_order(lines, [rest for word, rest in claims if word == "order"])


def main(wanted):
    paths = sorted(glob.glob(os.path.join(SOURCE, "test", "preload", "*.c*")))
    paths = [path for path in paths if os.path.basename(path) != "plugin.c"]
    paths = [path for path in paths if not wanted or any(part in path for part in wanted)]
    return tap.run([(os.path.relpath(path, SOURCE), lambda path=path: check_program(path)) for path in paths])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
