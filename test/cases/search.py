"""Searches of case studies by clew explore. Their budgets are processor time, so that what is found does not depend on
what else the machine does."""
import json
import os
import signal
import subprocess
import tempfile

POLL_SECONDS = 0.05
TRIES = 3


class Failed(Exception):
    """clew explore could not run; what it said."""


def used_seconds(process):
    """Processor time of a process that has not been waited for."""
    with open(f"/proc/{process.pid}/stat", encoding="ascii", errors="replace") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait(process, cpu_seconds):
    """Until it ends; one Ctrl-C, which makes it report what it has, when it has used up its time."""
    is_told = False
    while True:
        try:
            return process.wait(POLL_SECONDS)
        except subprocess.TimeoutExpired:
            if not is_told and used_seconds(process) >= cpu_seconds:
                process.send_signal(signal.SIGINT)
                is_told = True


def explore_once(words, cpu_seconds, folder):
    """The exit status, what it printed and what it complained of."""
    with tempfile.TemporaryFile("w+", dir=folder) as out, tempfile.TemporaryFile("w+", dir=folder) as complaints:
        with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=complaints) as process:
            status = wait(process, cpu_seconds)
        out.seek(0)
        complaints.seek(0)
        return status, out.read(), complaints.read()


def explore(clew, library, options, cpu_seconds, folder):
    """The result as --json prints it; the campaign stays in a folder of its own in this one. The search ends after so many
    seconds of processor time. One that ended by itself in the moment in which it was told to dies of it, and is made
    again."""
    for _ in range(TRIES):
        campaign = os.path.join(tempfile.mkdtemp(dir=folder), "campaign")
        words = [clew, "explore", "--json", "--budget", "1d", *options, "-o", campaign, library]
        status, out, complaints = explore_once(words, cpu_seconds, folder)
        if status in (0, 1):
            return json.loads(out)
        if status != -signal.SIGINT:
            break
    raise Failed(f"{' '.join(words)}: status {status}: {complaints.strip()}")
