"""An interrupted clew cc ends its compiler, removes its folder, and ends with the status of the signal."""
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.environ["CLEW_SOURCE"], "test", "harness"))
import tap  # pylint: disable=wrong-import-position

CLEW = os.environ["CLEW"]
SOURCE = "\n".join(f"int f{n}(int x) {{ int s = 0; for (int i = 0; i < x; i++) s += i * x % {n}; return s; }}"
                   for n in range(2, 9000)) + "\nint main(void) { return 0; }\n"


def folder_of_step(process):
    """The folder that the words of the compiler name, once it runs; None when the build is over."""
    while process.poll() is None:
        with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii") as children:
            for child in children.read().split():
                try:
                    with open(f"/proc/{child}/cmdline", encoding="utf-8") as words:
                        for word in words.read().split("\0"):
                            if word.startswith("/tmp/clew-cc-"):
                                return os.path.dirname(word)
                except FileNotFoundError:
                    pass
        time.sleep(0.01)
    return None


def compilers_of(path):
    """The processes whose command names the file."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/cmdline", "rb") as words:
                if path.encode() in words.read():
                    found.append(int(name))
        except OSError:
            pass
    return found


def interrupt(number):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "large.c")
        with open(path, "w", encoding="utf-8") as file:
            file.write(SOURCE)
        with subprocess.Popen([CLEW, "cc", "-O2", path, "-o", os.path.join(folder, "large")],
                              stderr=subprocess.DEVNULL) as process:
            scratch = folder_of_step(process)
            assert scratch is not None and os.path.isdir(scratch), "the build was over at once"
            process.send_signal(number)
            status = process.wait()
        assert status == 128 + number, status
        assert not compilers_of(path), "a compiler goes on"
        assert not os.path.exists(scratch), f"{scratch} stays behind"


def test_a_terminated_build_leaves_nothing_behind():
    interrupt(signal.SIGTERM)


def test_an_interrupted_build_leaves_nothing_behind():
    interrupt(signal.SIGINT)


sys.exit(tap.run(tap.claims(globals())))
