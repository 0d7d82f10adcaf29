"""The systems of cases/cluster: the bug of each is found, minimized and replayed, and nothing is found in its fixed twin. And what a
cluster promises: nodes reach nodes alone, files stay in their folders, nothing is left behind, and what cannot start is said."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
SOURCE = os.environ["CLEW_SOURCE"]
CLEW = os.environ["CLEW"]
sys.path.insert(0, os.path.join(SOURCE, "test", "harness"))
import tap  # pylint: disable=wrong-import-position

CASES = os.path.join(SOURCE, "cases", "cluster")
IS_LONG = os.environ.get("CLEW_TEST_LONG", "") not in ("", "0")
TWIN_RUNS = 10000 if IS_LONG else 40
REPLAYS = 100 if IS_LONG else 3
FOLDER = tempfile.mkdtemp()


def run(*words, timeout=900):
    return subprocess.run(words, capture_output=True, text=True, timeout=timeout, check=False, cwd=FOLDER)


def expected():
    """Pairs of a case and the words of what is found."""
    with open(os.path.join(CASES, "expect"), encoding="utf-8") as file:
        return [tuple(line.strip().split(" ", 1)) for line in file if not line.startswith("#")]


def build(case, *options):
    folder = tempfile.mkdtemp(dir=FOLDER)
    done = run("cc", "-g", "-O1", "-D_GNU_SOURCE", *options, os.path.join(CASES, case + ".c"), "-o", os.path.join(folder, case), "-pthread")
    assert done.returncode == 0, done.stderr
    return shutil.copy(os.path.join(CASES, case + ".yaml"), folder)


def cluster(text):
    path = os.path.join(tempfile.mkdtemp(dir=FOLDER), "cluster.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def explore(path, *options):
    folder = tempfile.mkdtemp(dir=FOLDER) + "/own"
    done = run(CLEW, "explore", "-q", "--json", *options, "-o", folder, "--cluster", path)
    assert done.returncode in (0, 1, 3), done.stderr
    return json.loads(done.stdout), os.path.join(folder, "violations", "1.sched")


def log(schedule, name):
    with open(os.path.join(schedule.replace(".sched", ".files"), "clew-data", name), encoding="utf-8") as file:
        return file.read()


def check_found(case, words):
    path = build(case)
    said, schedule = explore(path, "--first", "--budget", "500runs")
    assert [finding["kind"] for finding in said["findings"]] == ["exit"] and words in said["findings"][0]["what"], said
    assert said["stats"]["uncontrolled"] == 0, said
    least = tempfile.mktemp(dir=FOLDER)
    done = run(CLEW, "minimize", "--budget", "5s", schedule, "-o", least, "--cluster", path)
    assert done.returncode in (0, 3) and os.path.exists(least), done.stdout + done.stderr
    done = run(CLEW, "replay", "--verify", str(REPLAYS), least, "--cluster", path)
    assert done.returncode == 1 and f"{REPLAYS} replays, all the same" in done.stdout, done.stdout + done.stderr


def check_assumption():
    folder = tempfile.mkdtemp(dir=FOLDER)
    for name, text in (("node", '#include <stdio.h>\n#include <unistd.h>\nint main(void) { puts("up"); fflush(stdout); for (;;) pause(); }\n'),
                       ("client", "int main(void) { return 0; }\n")):
        with open(os.path.join(folder, name + ".c"), "w", encoding="utf-8") as file:
            file.write(text)
        done = run(CLEW, "cc", os.path.join(folder, name + ".c"), "-o", os.path.join(folder, name))
        assert done.returncode == 0, done.stderr
    with open(os.path.join(folder, "cluster.yaml"), "w", encoding="utf-8") as file:
        file.write("nodes:\n  a: {run: ./node, ready: up}\nworkload:\n  w: {run: ./client}\n")
    said, _ = explore(os.path.join(folder, "cluster.yaml"), "--strategy", "dpor", "--require-exhaustive")
    assert said["verdict"] == "unknown", said
    assert any(text.startswith("messages between nodes arrive") for text in said["assumptions"]), said["assumptions"]


def check_twin(case):
    said, _ = explore(build(case, "-DFIXED"), "--strategy", "random", "--budget", f"{TWIN_RUNS}runs")
    assert not said["findings"] and said["stats"]["runs"] == TWIN_RUNS and said["stats"]["unlike"] == 0, said


def check_history():
    """What clients wrote down is judged, saved, and judged again by hand."""
    for options in ((), ("-DFIXED",)):
        path = build("store", *options)
        path = shutil.copy(os.path.join(CASES, "store_history.yaml"), os.path.dirname(path))
        said, schedule = explore(path, "--budget", "60runs")
        if options:
            assert not said["findings"], said
            continue
        assert [(f["kind"], f["key"]) for f in said["findings"]] == [("property", "property: a stale read of key x")], said
        saved = os.path.join(schedule.replace(".sched", ".files"), "clew-data", "history")
        done = run(CLEW, "cluster", "history", saved)
        assert done.returncode == 1 and "a stale read: client reads nothing from key x" in done.stdout, done.stdout
        done = run(CLEW, "cluster", "edn", saved)
        assert done.stdout.startswith('{:process "client", :type :invoke, :f :write, :value ["x" "new"]}\n'), done.stdout
        done = run(CLEW, "replay", "--verify", str(REPLAYS), schedule, "--cluster", path)
        assert done.returncode == 1 and f"{REPLAYS} replays, all the same" in done.stdout, done.stdout + done.stderr


def check_files():
    """What a node writes is in its folder, and gone after the run; it changes nothing else."""
    outside = os.path.join(FOLDER, "outside")
    path = cluster(f"workload: {{w: sh -c 'echo mine > own; echo x > {outside}; cat own; exit 3'}}")
    said, schedule = explore(path, "--budget", "1runs")
    assert "w ends with status 3" in said["findings"][0]["what"], said
    assert "Read-only file system" in log(schedule, "w.log") and log(schedule, "w.log").endswith("mine\n"), log(schedule, "w.log")
    assert log(schedule, "w/own") == "mine\n"
    assert not os.path.exists(outside) and os.listdir(os.path.dirname(path)) == ["cluster.yaml"]


def check_network():
    """A node has its name and its address; another machine and another program's port are not there."""
    script = ("import socket, http.client as h\n"
              "print(socket.gethostbyname('w'), socket.gethostbyname('localhost'))\n"
              "listening = socket.create_server(('', 80))\n"
              "client = socket.create_connection(('w', 80))\n"
              "server, peer = listening.accept()\n"
              "print(peer == client.getsockname(), server.getsockname(), client.getpeername())\n"
              "for place in (('127.0.0.1', PORT), ('10.0.0.1', 80), ('127.77.0.9', 80)):\n"
              "    try:\n"
              "        socket.create_connection(place)\n"
              "    except OSError as e:\n"
              "        print(e.strerror)\n"
              "raise SystemExit(1)\n")
    import socket  # pylint: disable=import-outside-toplevel
    with socket.create_server(("127.0.0.1", 0)) as own:
        path = cluster("workload: {w: {run: [/usr/bin/python3, s.py], files: {s.py: s.py}}}")
        with open(os.path.join(os.path.dirname(path), "s.py"), "w", encoding="utf-8") as file:
            file.write(script.replace("PORT", str(own.getsockname()[1])))
        _, schedule = explore(path, "--budget", "1runs", "--depth", "100000")
    assert log(schedule, "w.log").splitlines() == [
        "127.77.0.1 127.0.0.1", "True ('127.77.0.1', 80) ('127.77.0.1', 80)", "Connection refused", "Network is unreachable",
        "Network is unreachable"], log(schedule, "w.log")


def check_waits():
    """Nobody outside is waited for: not at a socket, and not for the address of a name."""
    path = build("store")
    with open(path, "w", encoding="utf-8") as file:
        file.write("workload: {w: ./store}")
    said, _ = explore(path, "--budget", "1runs")
    assert [finding["kind"] for finding in said["findings"]] == ["deadlock"] and said["stats"]["uncontrolled"] == 0, said
    said, _ = explore(cluster("workload: {w: getent ahosts nobody}"), "--budget", "1runs")
    assert "w ends with status 2" in said["findings"][0]["what"] and said["stats"]["uncontrolled"] == 0, said


def refused(text, words):
    done = run(CLEW, "explore", "-q", "--budget", "20runs", "-o", tempfile.mkdtemp(dir=FOLDER) + "/own", "--cluster", cluster(text), timeout=60)
    assert done.returncode == 2 and words in done.stderr and done.stderr.count("\n") == 1, done.stdout + done.stderr


def check_refusals():
    refused("{nodes: {a: sh -c 'echo no config; exit 3', b: {run: sleep 1000, ready: up}}, workload: {w: echo}}",
            "a node does not start: a ends with status 3; it printed last: no config")
    refused("{nodes: {a: {run: sleep 1000, ready: up}}, workload: {w: echo}}", "no line that says a node is ready")
    refused("{nodes: {a: no-such-program}, workload: {w: echo}}", "a: cannot start no-such-program: No such file")
    refused("{nodes: {a: {run: sh -c 'while echo much; do true; done', ready: up}}, workload: {w: echo}}", "no line that says a node is ready")


def processes_of(mark):
    """The processes that have this in their environment."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                found += [name] if mark.encode() in file.read() else []
        except OSError:
            pass
    return found


def check_killed():
    """Nothing is left of a search that is killed: no process, no file."""
    path = build("store")
    for moment in range(12 if IS_LONG else 3):
        scratch = tempfile.mkdtemp(dir=FOLDER)
        words = [CLEW, "explore", "-q", "-j", "2", "--budget", "60s", "-o", tempfile.mkdtemp(dir=FOLDER) + "/own", "--cluster", path]
        with subprocess.Popen(words, env=dict(os.environ, TMPDIR=scratch), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as search:
            time.sleep(0.3 + moment / 3)
            search.kill()
        for _ in range(100):
            left = processes_of("TMPDIR=" + scratch) + os.listdir(scratch)
            if not left:
                break
            time.sleep(0.1)
        assert not left, left


def tests():
    for case, words in expected():
        yield f"{case} is found, minimized and replayed", lambda case=case, words=words: check_found(case, words)
        yield f"nothing is found in the twin of {case}", lambda case=case: check_twin(case)
    yield "a history that is not linearizable is found", check_history
    yield "files of a node are its own", check_files
    yield "a node reaches nodes alone", check_network
    yield "nobody outside is waited for", check_waits
    yield "a search to the end says what it assumes of messages", check_assumption
    yield "a cluster that does not start is refused", check_refusals
    yield "a killed search leaves nothing behind", check_killed


if __name__ == "__main__":
    result = tap.run(list(tests()))
    shutil.rmtree(FOLDER, ignore_errors=True)
    sys.exit(result)
