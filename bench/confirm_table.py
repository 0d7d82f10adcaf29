#!/usr/bin/env python3
"""Prints the table of docs/theory/confirm.md: for the programs of a folder of case studies, what a recording predicts, and what clew
confirm makes of it. Usage: confirm_table.py races|atomicity|threads [--fixed] [PART...]: of the fixed twins, and only of programs whose
names have one of the parts."""
import glob
import json
import os
import subprocess
import sys
import tempfile
import time

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CLEW = os.path.abspath(os.environ.get("CLEW") or os.path.join(SOURCE, "build", "clew"))
FLAGS = ("-D_GNU_SOURCE", "-g", "-O1", "-pthread", "-I", os.path.join(SOURCE, "include"))
VERBS = {"races": "races", "atomicity": "atomicity", "threads": "races"}
BUDGET = "2000runs,30s"
SECONDS_MAX = 100


def run(folder, *words):
    try:
        return subprocess.run(words, capture_output=True, text=True, timeout=SECONDS_MAX, check=False, cwd=folder)
    except subprocess.TimeoutExpired:
        return None


def sources(folder):
    paths = glob.glob(os.path.join(SOURCE, "cases", folder, "**", "*.c"), recursive=True)
    return sorted(path for path in paths if "int main(" in open(path, encoding="utf-8").read())


def predict(place, path, verb, flags):
    """The findings file of a recording of the program, and its findings; None where there are none to confirm."""
    program = os.path.join(place, "program")
    built = run(place, CLEW, "cc", *FLAGS, *flags, "-I", os.path.dirname(path), path, "-o", program)
    if built is None or built.returncode != 0:
        return None
    if run(place, CLEW, "record", "-q", "-o", "run.clew", "--", "./program") is None:
        return None
    done = run(place, CLEW, verb, "--json", "run.clew")
    if done is None or done.returncode != 1:
        return None
    with open(os.path.join(place, "run.findings"), "w", encoding="utf-8") as file:
        file.write(done.stdout)
    return json.loads(done.stdout)["findings"]


def confirm(path, verb, flags):
    """A row of the table, and a line for each finding that is neither confirmed nor refuted."""
    with tempfile.TemporaryDirectory(prefix="clew-confirm-") as place:
        findings = predict(place, path, verb, flags)
        if not findings:
            return None
        began = time.monotonic()
        done = run(place, CLEW, "confirm", "--json", "--budget", BUDGET, "run.findings", "--", "./program")
        seconds = time.monotonic() - began
        if done is None or done.returncode == 2:
            return {"predicted": len(findings), "failed": 1, "seconds": seconds,
                    "reasons": ["could not run: " + (done.stderr.strip() if done else "it took too long")]}
        said = json.loads(done.stdout)
        sound = {finding["id"] for finding in findings if finding["grade"] == "sound"}
        rows = said["confirmations"]
        row = {name: said["stats"][name] for name in ("confirmed", "harmful", "benign", "refuted", "unknown")}
        row.update(predicted=len(findings), sound=len(sound), seconds=seconds,
                   sound_confirmed=sum(one["status"] == "confirmed" and one["id"] in sound for one in rows),
                   reasons=[f"{one['status']}: {one['reason']}" for one in rows if one["status"] != "confirmed"])
        return row


COLUMNS = ("predicted", "sound", "sound_confirmed", "confirmed", "harmful", "benign", "refuted", "unknown", "seconds")


def cell(row, name):
    return f"{row.get(name, 0):.1f}" if name == "seconds" else str(row.get(name, 0))


def main(folder, words):
    flags = ("-DFIXED",) if "--fixed" in words else ()
    parts = [word for word in words if word != "--fixed"]
    total = dict.fromkeys(COLUMNS, 0)
    print("| program | " + " | ".join(name.replace("_", " ") for name in COLUMNS) + " | why not |")
    print("|---|" + "---:|" * len(COLUMNS) + "---|")
    for path in sources(folder):
        name = os.path.relpath(path, os.path.join(SOURCE, "cases", folder))[:-2]
        row = confirm(path, VERBS[folder], flags) if not parts or any(part in name for part in parts) else None
        if row is None:
            continue
        for column in COLUMNS:
            total[column] += row.get(column, 0)
        print(f"| {name} | " + " | ".join(cell(row, column) for column in COLUMNS) + f" | {'; '.join(sorted(set(row['reasons'])))} |", flush=True)
    print("| **all** | " + " | ".join(cell(total, column) for column in COLUMNS) + " | |")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
