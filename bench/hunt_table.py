#!/usr/bin/env python3
"""Prints the table of docs/theory/confirm.md: what clew hunt makes of the programs of a folder of case studies, and of their fixed twins.
Usage: hunt_table.py races|atomicity|threads|processes [PART...]: only of programs whose names have one of the parts."""
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
BUDGET = os.environ.get("BUDGET", "60s")
SECONDS_MAX = 150
HAS_TWINS = {"threads", "atomicity", "processes"}


def run(folder, *words):
    try:
        return subprocess.run(words, capture_output=True, text=True, timeout=SECONDS_MAX, check=False, cwd=folder)
    except subprocess.TimeoutExpired:
        return None


def sources(folder):
    paths = [path for ending in ("*.c", "*.cc") for path in glob.glob(os.path.join(SOURCE, "cases", folder, "**", ending), recursive=True)]
    return sorted(path for path in paths if "int main(" in open(path, encoding="utf-8").read())


def hunt(path, *flags):
    """The object of a hunt in the program, or None where it could not be hunted, the seconds it took, and why not."""
    with tempfile.TemporaryDirectory(prefix="clew-hunt-") as place:
        compiler = "c++" if path.endswith(".cc") else "cc"
        built = run(place, CLEW, compiler, *FLAGS, *flags, "-I", os.path.dirname(path), path, "-o", "program")
        if built is None or built.returncode != 0:
            return None, 0, "could not be built"
        began = time.monotonic()
        done = run(place, CLEW, "hunt", "--json", "--budget", BUDGET, "-o", "program.hunt", "--", "./program")
        seconds = time.monotonic() - began
        if done is None or done.returncode == 2:
            return None, seconds, done.stderr.strip() if done else f"took more than {SECONDS_MAX} s"
        said = json.loads(done.stdout)
        said["status"] = done.returncode
        return said, seconds, said["stats"]["unfinished"]


COLUMNS = ("predicted", "sound", "confirmed", "harmful", "refuted", "unknown", "bugs", "seconds")


def figures(said, seconds):
    predictions = said["predictions"]
    sound = [one for one in predictions if one["grade"] == "sound"]
    causes = {key for bug in said["bugs"] if bug["harm"] == "harmful" for key in bug["causes"]}
    return {"predicted": len(predictions), "sound": len(sound), "sound confirmed": sum(one["status"] == "confirmed" for one in sound),
            "confirmed": sum(one["status"] == "confirmed" for one in predictions), "harmful": len(causes),
            "refuted": sum(one["status"] == "refuted" for one in predictions),
            "unknown": sum(one["status"] in ("unknown", "predicted") for one in predictions),
            "bugs": len(said["bugs"]), "harmful bugs": sum(bug["harm"] == "harmful" for bug in said["bugs"]), "seconds": seconds,
            "programs": 1, "found": said["status"] == 1, f"status {said['status']}": 1}


def add(total, row):
    for name, figure in row.items():
        total[name] = total.get(name, 0) + figure


def print_total(title, total):
    print(f"\n{title}: " + ", ".join(f"{name} {figure:.1f}" if name == "seconds" else f"{name} {int(figure)}" for name, figure in total.items()))


def main(folder, parts):
    total = {}
    twins = {}
    print("| program | " + " | ".join(COLUMNS) + " | status | found as | twin | why not |")
    print("|---|" + "---:|" * (len(COLUMNS) + 1) + "---|---|---|")
    for path in sources(folder):
        name = os.path.relpath(path, os.path.join(SOURCE, "cases", folder)).rsplit(".", 1)[0]
        if parts and not any(part in name for part in parts):
            continue
        said, seconds, why = hunt(path)
        if said is None:
            print(f"| {name} |" + " |" * len(COLUMNS) + f" 2 | | | {why} |", flush=True)
            continue
        row = figures(said, seconds)
        twin = "–"
        if folder in HAS_TWINS and "FIXED" in open(path, encoding="utf-8").read() + open(os.path.join(SOURCE, "cases/atomicity/kernel.h")).read() * (folder == "atomicity"):
            of_twin, twin_seconds, twin_why = hunt(path, "-DFIXED")
            twin = "2" if of_twin is None else str(of_twin["status"])
            if of_twin is not None:
                add(twins, figures(of_twin, twin_seconds))
                for one in of_twin["findings"]:
                    twin += f" {one['kind']}"
            if twin_why:
                twin += f" ({twin_why})"
        add(total, row)
        kinds = sorted({one["kind"] + ("" if bug["harm"] == "harmful" else f" ({bug['harm']})") for one, bug in zip(said["findings"], said["bugs"])})
        reasons = sorted({f"{one['status']}: {one['reason']}" for one in said["predictions"] if one["status"] in ("unknown", "predicted")})
        reasons += [why] if why else []
        cells = " | ".join(f"{row[column]:.1f}" if column == "seconds" else str(row[column]) for column in COLUMNS)
        print(f"| {name} | {cells} | {said['status']} | {', '.join(kinds)} | {twin} | {'; '.join(reasons)} |", flush=True)
    print_total("programs", total)
    print_total("twins", twins)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
