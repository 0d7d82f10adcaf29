"""A search that is killed again and again loses no violation, and goes on."""
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

SOURCE = os.environ["CLEW_SOURCE"]
CLEW = os.environ["CLEW"]
IS_LONG = bool(os.environ.get("CLEW_TEST_LONG"))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(SOURCE, "test", "harness"))
import tap  # pylint: disable=wrong-import-position


def built(folder, name):
    system = os.path.join(folder, name + ".so")
    subprocess.run([CLEW, "cc", "--sim", os.path.join(SOURCE, "examples", name + ".c"), "-o", system], check=True,
                   capture_output=True)
    return system


def account(campaign):
    done = subprocess.run([CLEW, "campaign", "--json", campaign], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    told = json.loads(done.stdout)
    return told["stats"]["runs"], {finding["key"]: finding["replay"] for finding in told["findings"]}


def search_and_kill(campaign, system, seconds, *options):
    """Goes on with the search until it is killed with all its processes; true when it came to its end before."""
    child = subprocess.Popen([CLEW, "explore", "--budget", "600s", *options, "--resume", campaign, system],
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
    time.sleep(seconds)
    os.killpg(child.pid, signal.SIGKILL)
    told = child.stderr.read().decode()
    status = child.wait()
    assert status in (-signal.SIGKILL, 0, 1), f"status {status}: {told}"
    return status != -signal.SIGKILL


def killed_often(jobs):
    chance = random.Random(jobs)
    with tempfile.TemporaryDirectory() as folder:
        system = built(folder, "ring")
        campaign = os.path.join(folder, "ring.campaign")
        subprocess.run([CLEW, "explore", "--budget", "100runs", "-o", campaign, system], check=False, capture_output=True)
        runs, known = account(campaign)
        assert known, "nothing was found"
        for _ in range(100 if IS_LONG else 8):
            assert not search_and_kill(campaign, system, chance.uniform(0, 0.3), "-j", str(jobs))
            runs_now, known_now = account(campaign)
            assert runs_now >= runs, f"{runs} runs became {runs_now}"
            assert known.items() <= known_now.items(), f"{known} became {known_now}"
            runs, known = runs_now, known_now
        done = subprocess.run([CLEW, "explore", "--budget", "200runs", "--resume", campaign, system], check=False,
                              capture_output=True)
        assert done.returncode == 1, done.stderr.decode()
        assert account(campaign)[0] >= runs + 200
        for replay in known.values():
            words = replay.split()
            done = subprocess.run([CLEW] + words[1:], check=False, capture_output=True)
            assert done.returncode == 1 and b"as recorded" in done.stdout, done.stdout.decode() + done.stderr.decode()


def test_one_process_killed_at_any_instant_loses_nothing():
    killed_often(1)


def test_two_processes_killed_at_any_instant_lose_nothing():
    killed_often(2)


def systematic_killed_often(*options):
    """However often it is killed, the search makes each run once, and finds what it finds at one go."""
    chance = random.Random(len(options))
    with tempfile.TemporaryDirectory() as folder:
        system = built(folder, "commit")
        whole = os.path.join(folder, "whole.campaign")
        done = subprocess.run([CLEW, "explore", *options, "-o", whole, system], check=False, capture_output=True)
        assert done.returncode in (0, 1), done.stderr.decode()
        campaign = os.path.join(folder, "killed.campaign")
        subprocess.run([CLEW, "explore", *options, "--budget", "10runs", "-o", campaign, system], check=False,
                       capture_output=True)
        for _ in range(100 if IS_LONG else 12):
            if search_and_kill(campaign, system, chance.uniform(0, 0.4), *options):
                break
        again = subprocess.run([CLEW, "explore", *options, "--resume", campaign, system], check=False,
                               capture_output=True)
        assert again.returncode == done.returncode, again.stderr.decode()
        wanted = account(whole)
        got = account(campaign)
        assert got[0] == wanted[0] and got[1].keys() == wanted[1].keys(), f"{wanted} became {got}"
        if b"executions explored" in done.stdout:
            first = done.stdout.splitlines()[-1].split(b",")[0]
            assert again.stdout.splitlines()[-1].split(b",")[0] == first, again.stdout.decode()


def test_dpor_killed_at_any_instant_goes_on_where_it_was():
    systematic_killed_often("--strategy", "dpor", "--faults", "crash=1,restart=1,drop=1", "--net", "datagram")


def test_delay_killed_at_any_instant_goes_on_where_it_was():
    systematic_killed_often("--strategy", "delay", "--delays", "6", "--no-prune")
    systematic_killed_often("--strategy", "delay", "--delays", "12")


def test_a_campaign_in_use_is_refused():
    with tempfile.TemporaryDirectory() as folder:
        system = built(folder, "ring")
        campaign = os.path.join(folder, "ring.campaign")
        child = subprocess.Popen([CLEW, "explore", "--budget", "60s", "-o", campaign, system], stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
        try:
            while not os.path.exists(os.path.join(campaign, "violations", "1.clew")):
                assert child.poll() is None, "the search has ended"
                time.sleep(0.01)
            done = subprocess.run([CLEW, "explore", "--resume", campaign, system], check=False, capture_output=True)
        finally:
            child.kill()
            child.wait()
        assert done.returncode == 2, done.returncode
        assert f"in use by another clew (process {child.pid})" in done.stderr.decode(), done.stderr.decode()


if __name__ == "__main__":
    sys.exit(tap.run(tap.claims(globals())))
