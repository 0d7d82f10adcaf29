"""clew convert to formats that other tools open: each is well-formed, whole, and shows names as text."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

sys.dont_write_bytecode = True
SOURCE = os.environ["CLEW_SOURCE"]
CLEW = os.environ["CLEW"]
sys.path.insert(0, os.path.join(SOURCE, "test", "harness"))
import tap  # pylint: disable=wrong-import-position

FOLDER = tempfile.TemporaryDirectory(prefix="clew-export-")
BANK = os.path.join(SOURCE, "examples", "bank.log")
HOSTILE = [
    '</svg><script>alert(1)</script>', 'a"b\\', "x];e0 -> e9;", "}\nend", "#35;%%{init}%%", "\u202e\u2028", "<![CDATA[", "\\N\\l",
]


def quote(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def hostile_trace():
    lines = ["clew-text 1 order=exact"]
    for i, name in enumerate(HOSTILE):
        task = quote(f"{name}{i}@{name}")
        lines += [f"{task} thread-start", f"{task} send c{i} msg={quote(name + str(i))}", f"{task} write {quote(name)} @{quote(name)} value=1"]
    path = os.path.join(FOLDER.name, "hostile.txt")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    return path


def convert(trace, form):
    done = subprocess.run([CLEW, "convert", "-q", "--to", form, trace, "-o", "-"], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def events_of(trace):
    return convert(trace, "text").rstrip("\n").split("\n")[1:]


def check_chrome(trace):
    events = json.loads(convert(trace, "chrome"))["traceEvents"]
    slices = [e for e in events if e["ph"] == "X"]
    assert [e["args"]["event"] for e in slices] == list(range(len(events_of(trace)))), "a slice for each event"
    for task in {(e["pid"], e["tid"]) for e in slices}:
        own = [e for e in slices if (e["pid"], e["tid"]) == task]
        assert all(a["ts"] + a["dur"] <= b["ts"] + 1e-9 for a, b in zip(own, own[1:])), own
        assert any(e["ph"] == "M" and e["name"] == "thread_name" and (e["pid"], e["tid"]) == task for e in events), task
        assert any(e["ph"] == "M" and e["name"] == "process_name" and e["pid"] == task[0] for e in events), task
    flows = {}
    for e in events:
        if e["ph"] in "sf":
            flows.setdefault(e["id"], []).append(e)
            # A flow binds to a slice of its thread that holds its time.
            assert any(s["pid"] == e["pid"] and s["tid"] == e["tid"] and s["ts"] <= e["ts"] <= s["ts"] + s["dur"] for s in slices), e
    assert all([e["ph"] for e in ends] == ["s", "f"] for ends in flows.values()), flows
    begun = [e["id"] for e in events if e["ph"] == "b"]
    assert len(begun) == len(set(begun)) and {e["id"] for e in events if e["ph"] == "e"} <= set(begun), begun
    return events, flows


def test_chrome_has_a_slice_for_each_event_and_an_arrow_for_each_order():
    events, flows = check_chrome(BANK)
    messages = [ends for ends in flows.values() if ends[0]["name"] == "message"]
    received = sum(" recv " in line for line in events_of(BANK))
    assert len(messages) == received > 0, (len(messages), received)
    assert {e["name"] for e in events if e["ph"] == "b"} == {"journal"}, events


def test_chrome_has_the_times_of_a_trace_that_has_them():
    trace = os.path.join(FOLDER.name, "times.txt")
    with open(trace, "w", encoding="utf-8") as file:
        file.write("clew-text 1 order=exact tick=1\n" + "".join(f"T@n write x value={i} t={1000000 + t}\n" for i, t in enumerate([0, 7, 7, 2500, 9001])))
    events, _ = check_chrome(trace)
    assert [(e["ts"], e["dur"]) for e in events if e["ph"] == "X"] == [(0, 0.007), (0.007, 0), (0.007, 1), (2.5, 1), (9.001, 1)], events


def test_names_are_text_in_chrome():
    events, _ = check_chrome(hostile_trace())
    names = {e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    assert names == {f"{name}{i}@{name}" for i, name in enumerate(HOSTILE)}, names


def test_an_svg_has_a_mark_and_a_label_for_each_event():
    for trace in (BANK, hostile_trace()):
        root = xml.etree.ElementTree.fromstring(convert(trace, "svg"))
        space = "{http://www.w3.org/2000/svg}"
        count = len(events_of(trace))
        assert len(root.findall(f"{space}circle")) == count, count
        assert {e.tag.replace(space, "") for e in root.iter()} == {"svg", "style", "defs", "marker", "path", "rect", "text", "circle"}, "names are no elements"
        labels = " ".join(e.text or "" for e in root.findall(f"{space}text"))
        if trace != BANK:
            assert all(re.sub(r"[\0-\x1f]", " ", name) in labels for name in HOSTILE), labels


def test_graphviz_draws_the_graph():
    if shutil.which("dot") is None:
        raise tap.Skip("dot is not installed (make deps-programs)")
    for trace in (BANK, hostile_trace()):
        done = subprocess.run(["dot", "-Tplain"], input=convert(trace, "dot"), capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0 and done.stderr == "", done.stderr
        nodes = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("node ")]
        assert sorted(nodes) == sorted(f"e{i}" for i in range(len(events_of(trace)))), nodes


def test_mermaid_has_an_arrow_for_each_message_and_no_word_of_a_name():
    for trace in (BANK, hostile_trace()):
        lines = convert(trace, "mermaid").rstrip("\n").split("\n")
        assert lines[0] == "sequenceDiagram", lines[0]
        wanted = re.compile(r"    (participant T\d+ as |Note over T\d+: |T\d+->>T\d+: )[^;<>&\"%{}`]*(#\d+;[^;<>&\"%{}`]*)*$")
        assert all(wanted.match(line) for line in lines[1:]), [line for line in lines[1:] if not wanted.match(line)]
        arrows = sum("->>" in line for line in lines)
        events = events_of(trace)
        received = sum(" recv " in line for line in events)
        assert arrows == received and len(lines) == 1 + sum(line.startswith("    participant") for line in lines) + len(events) - received, lines


def test_a_diagram_that_mermaid_refuses_is_noted():
    trace = os.path.join(FOLDER.name, "long.txt")
    with open(trace, "w", encoding="utf-8") as file:
        file.write("clew-text 1 order=exact\n" + "T@n write x\n" * 4000)
    done = subprocess.run([CLEW, "convert", "--to", "mermaid", trace, "-o", os.path.join(FOLDER.name, "long.mmd")], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0 and "clew slice" in done.stderr, done.stderr


def test_the_longest_ending_names_the_format():
    for name, first in (("run.trace.json", '{"displayTimeUnit"'), ("run.mmd", "sequenceDiagram"), ("run.dot", "digraph"), ("run.svg", "<svg ")):
        path = os.path.join(FOLDER.name, name)
        subprocess.run([CLEW, "convert", "-q", BANK, "-o", path], check=True, timeout=60)
        with open(path, encoding="utf-8") as file:
            assert file.read().startswith(first), name


if __name__ == "__main__":
    sys.exit(tap.run(tap.claims(globals())))
