"""What the process around a command promises: signals, closed streams, broken pipes, terminals."""
import glob
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
SOURCE = os.environ.get("CLEW_SOURCE") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CLEW = os.environ.get("CLEW") or os.path.join(SOURCE, "build", "clew")
BANK = os.path.join(SOURCE, "examples", "bank.log")
sys.path[:0] = [os.path.join(SOURCE, "test", "harness")]
import tap  # pylint: disable=wrong-import-position
import terminal  # pylint: disable=wrong-import-position


def until(condition, what):
    """Waits for something that comes in a moment; only a hang lets it fail."""
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, f"{what} did not come about"
        time.sleep(0.01)


def status_after(number):
    """The status of a conversion that a signal ends while it waits for the rest of its input."""
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "out.clew")
        with subprocess.Popen([CLEW, "convert", "-", "-o", output], stdin=subprocess.PIPE) as process:
            with open(BANK, "rb") as bank:
                process.stdin.write(bank.read() * 10)  # enough to recognize the format by
            process.stdin.flush()
            until(lambda: glob.glob(output + "*.part"), "the unfinished output")
            process.send_signal(number)
            status = process.wait(timeout=60)
            process.stdin.close()
        assert not os.listdir(folder), f"{os.listdir(folder)} was left behind"
        return status


def test_an_interrupt_leaves_nothing_and_ends_with_130():
    assert status_after(signal.SIGINT) == 130


def test_termination_leaves_nothing_and_ends_with_143():
    assert status_after(signal.SIGTERM) == 143


def test_a_hangup_leaves_nothing_and_ends_with_129():
    assert status_after(signal.SIGHUP) == 129


def test_an_interrupt_ends_a_monitor_that_waits_for_reports():
    reports = [("a", "set", 1, 1), ("b", "set", 1, 2), ("a", "set", 0, 50), ("b", "set", 0, 60), ("a", "set", 0, 70)]
    lines = "".join('{"process":"%s","event":"%s","name":"v","value":%d,"pt_ms":%d}\n' % report for report in reports)
    with tempfile.TemporaryDirectory() as folder:
        spec = os.path.join(folder, "two.spec")
        with open(spec, "w", encoding="utf-8") as file:
            file.write("two: never count(p: p.v = 1) >= 2\n")
        command = [CLEW, "monitor", "--spec", spec, "--skew", "2ms", "--lag", "30ms", "--check-every", "event", "--from",
                   "jsonl", "-"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            process.stdin.write(lines.encode() + b'{"process":"a","ev')  # a line that never becomes whole
            process.stdin.flush()
            first = process.stdout.readline()  # it follows the stream
            process.send_signal(signal.SIGINT)
            rest = process.stdout.read()       # while nobody closes the pipe
            status = process.wait(timeout=60)
            process.stdin.close()
        assert b"two: a state that must never occur" in first, first
        assert b"two: yes" in rest, rest
        assert status == 1, status


def test_termination_ends_a_monitor_with_what_it_knows_so_far():
    for values, word in (((1, 1), b"two: yes"), ((1, 0), b"two: unknown, it was terminated before the stream ended")):
        with tempfile.TemporaryDirectory() as folder:
            spec = os.path.join(folder, "two.spec")
            with open(spec, "w", encoding="utf-8") as file:
                file.write("two: never count(p: p.v = 1) >= 2\nsome: possibly count(p: p.v = 1) >= 1\n")
            reports = [("a", values[0], 1), ("b", values[1], 2), ("a", 0, 50), ("b", 0, 60), ("a", 0, 70)]
            lines = "".join('{"process":"%s","event":"set","name":"v","value":%d,"pt_ms":%d}\n' % report for report in reports)
            # Few lines tell the format as well, while the program that writes them goes on.
            command = [CLEW, "monitor", "--spec", spec, "--skew", "2ms", "--lag", "30ms", "--check-every", "event", "-"]
            with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
                process.stdin.write(lines.encode())
                process.stdin.flush()
                process.stdout.readline()  # it follows the stream
                process.send_signal(signal.SIGTERM)
                rest = process.stdout.read()
                status = process.wait(timeout=60)
                process.stdin.close()
            assert word in rest and status == 143, (rest, status)


def test_an_interrupt_ends_a_search_for_races_and_keeps_what_was_found():
    for number in (signal.SIGINT, signal.SIGTERM):
        with subprocess.Popen([CLEW, "races", "--model", "observed", "--jsonl", "-"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            with open(BANK, "rb") as bank:
                text = bank.read()
            process.stdin.write(text * 10)  # enough to recognize the format by
            process.stdin.flush()
            first = process.stdout.readline()  # the search is under way
            process.send_signal(number)
            process.stdin.write(text)
            rest, said = process.communicate(timeout=60)
            assert b'"data-race"' in first, first
            assert process.returncode == 1, (process.returncode, rest)
            assert said.startswith(b"clew: standard input: stopped after "), said


def test_an_interrupt_ends_a_correlation_and_keeps_what_was_read():
    lines = "".join('{"thread":"%s@bank","type":"W","timestamp":1700000000000,"loc":"bank.c:1","variable":"%s"}\n' % of
                    for of in (("A", "x"), ("A", "y"), ("B", "x"), ("B", "y"))) * 2000
    for number in (signal.SIGINT, signal.SIGTERM):
        with subprocess.Popen([CLEW, "correlate", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            process.stdin.write(lines.encode())  # more than a pipe holds: some of it has been read
            process.stdin.flush()
            process.send_signal(number)
            found, said = process.communicate(lines.encode(), timeout=60)
            assert found.count(b"\n") == 2 and b"\tx\ty\n" in found, found
            assert process.returncode == 3, process.returncode
            assert said.startswith(b"clew: standard input: stopped after "), said


def run(arguments, **keywords):
    return subprocess.run([CLEW] + arguments, stderr=subprocess.PIPE, check=False, timeout=60, **keywords)


def test_a_closed_pipe_is_quiet_but_told_by_the_status():
    for arguments in (["--help"], ["--version"], ["info", BANK], ["check", BANK], ["demo"], ["doctor"],
                      ["convert", BANK, "--to", "text", "-o", "-"],
                      ["slice", BANK, "--node", "ledger", "--to", "text", "-o", "-"],
                      ["races", BANK], ["races", "--json", BANK], ["races", "--jsonl", BANK],
                      ["races", "--explain", "1", BANK], ["races", "-j", "2", BANK],
                      ["races", "--model", "observed", "--jsonl", BANK]):
        reader, writer = os.pipe()
        os.close(reader)
        done = run(arguments, stdout=writer)
        os.close(writer)
        assert (done.returncode, done.stderr) == (2, b""), (arguments, done)


def test_a_full_disk_is_told():
    for arguments in (["--help"], ["info", BANK], ["convert", BANK, "--to", "text", "-o", "-"]):
        with open("/dev/full", "wb") as full:
            done = run(arguments, stdout=full)
        assert done.returncode == 2, arguments
        assert done.stderr == b"clew: standard output: cannot be written: No space left on device\n", done.stderr


def test_no_file_takes_the_place_of_a_closed_stream():
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "out.txt")
        closed = subprocess.run(["sh", "-c", f"'{CLEW}' convert '{BANK}' --to text -o '{output}' >&- 2>&- <&-"],
                                check=False, timeout=60)
        assert closed.returncode == 0
        with open(output, encoding="utf-8") as text:
            assert text.readline().startswith("clew-text 1 ")


def on_terminal(arguments, environment):
    """Standard output and status of a command whose output is a terminal."""
    leader, follower = terminal.open_terminal()
    with subprocess.Popen([CLEW] + arguments, stdin=subprocess.DEVNULL, stdout=follower, stderr=follower,
                          env=environment) as process:
        os.close(follower)
        shown = terminal.read_all(leader)
        status = process.wait(timeout=60)
    os.close(leader)
    return shown, status


def test_colours_are_for_terminals_and_NO_COLOR_is_obeyed():
    broken = os.path.join(SOURCE, "examples", "bank-broken.log")
    plain = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    shown, status = on_terminal(["check", broken], plain)
    assert status == 1 and b"\x1b[" in shown
    shown, status = on_terminal(["check", broken], dict(plain, NO_COLOR="1"))
    assert status == 1 and b"\x1b[" not in shown
    shown, status = on_terminal(["check", broken, "--color=never"], plain)
    assert status == 1 and b"\x1b[" not in shown
    done = run(["check", broken], stdout=subprocess.PIPE)
    assert b"\x1b[" not in done.stdout


def test_the_native_form_is_kept_from_terminals():
    shown, status = on_terminal(["convert", BANK, "--to", "native", "-o", "-"], dict(os.environ))
    assert status == 2 and b"is not for terminals" in shown, shown


sys.exit(tap.run(tap.claims(dict(globals()))))
