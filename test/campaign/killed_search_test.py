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


def search_and_kill(campaign, system, jobs, seconds):
    """Searches until it is killed with all its processes."""
    how = ["--resume", campaign] if os.path.exists(os.path.join(campaign, "campaign.db")) else ["-o", campaign]
    child = subprocess.Popen([CLEW, "explore", "--budget", "60s", "-j", str(jobs)] + how + [system],
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
    time.sleep(seconds)
    os.killpg(child.pid, signal.SIGKILL)
    told = child.stderr.read().decode()
    status = child.wait()
    assert status == -signal.SIGKILL, f"status {status}: {told}"


def killed_often(jobs):
    chance = random.Random(jobs)
    with tempfile.TemporaryDirectory() as folder:
        system = built(folder, "ring")
        campaign = os.path.join(folder, "ring.campaign")
        subprocess.run([CLEW, "explore", "--budget", "100runs", "-o", campaign, system], check=False, capture_output=True)
        runs, known = account(campaign)
        assert known, "nothing was found"
        for _ in range(100 if IS_LONG else 8):
            search_and_kill(campaign, system, jobs, chance.uniform(0, 0.3))
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
