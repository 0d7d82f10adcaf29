"""What tools/deps does on machines that lack something, with programs that only say how they were called."""
import os
import subprocess
import sys
import tempfile

SOURCE = os.environ["CLEW_SOURCE"]
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(SOURCE, "test", "harness"))
import tap  # pylint: disable=wrong-import-position

TOOL = os.path.join(SOURCE, "tools", "deps")


def run(programs, keep=(), words=(), more=None):
    """Runs tools/deps where the only programs are these: name to text of a shell script."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in programs.items():
            path = os.path.join(folder, name)
            with open(path, "w", encoding="utf-8") as file:
                file.write("#!/bin/sh\n" + text + "\n")
            os.chmod(path, 0o755)
        for name in keep:
            os.symlink("/usr/bin/" + name, os.path.join(folder, name))
        done = subprocess.run(["/bin/sh", TOOL, *words], env={"PATH": folder, **(more or {})}, capture_output=True, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


ALL = 'shift 3; for p in "$@"; do printf "%s=installed " "$p"; done'
ALL_BUT_ONE = ALL.replace("for p", "shift; for p")
APT = 'echo "apt-get $*"'


def test_nothing_happens_where_everything_is_installed():
    assert run({"dpkg-query": ALL, "id": "echo 0", "apt-get": APT}) == (0, "", "")


def test_root_updates_the_lists_and_installs_what_is_missing():
    status, out, _ = run({"dpkg-query": ALL_BUT_ONE, "id": "echo 0", "apt-get": APT}, keep=["env"])
    assert status == 0
    assert out == "apt-get update -qq\napt-get install -y -qq --no-install-recommends gcc\n", out


def test_a_package_that_was_removed_counts_as_missing():
    _, out, _ = run({"dpkg-query": ALL.replace("=installed", "=config-files"), "id": "echo 0", "apt-get": APT},
                    keep=["env"])
    assert "libyajl-dev" in out, out


def test_without_root_and_sudo_the_one_command_is_printed():
    status, out, err = run({"dpkg-query": ALL_BUT_ONE, "id": "echo 1000", "apt-get": APT})
    assert status == 1 and out == "", (status, out)
    assert "apt-get update && apt-get install -y --no-install-recommends gcc" in err, err


def test_sudo_is_used_where_it_asks_nothing():
    sudo = 'case $1 in -n) exit 0 ;; esac; echo "sudo $*"'
    status, out, _ = run({"dpkg-query": ALL_BUT_ONE, "id": "echo 1000", "sudo": sudo})
    assert status == 0 and out.startswith("sudo env apt-get update"), (status, out)
    status, _, err = run({"dpkg-query": ALL_BUT_ONE, "id": "echo 1000", "sudo": "exit 1"})
    assert status == 1 and "run:" in err, (status, err)


def test_servers_are_installed_without_being_started():
    """While apt-get runs a policy denies their start; afterwards there is none, and one that stood before is untouched."""
    programs = {"dpkg-query": ALL_BUT_ONE, "id": "echo 0", "apt-get": '[ $1 = update ] || { "$POLICY_RC"; echo "policy: $?"; }'}
    with tempfile.TemporaryDirectory() as folder:
        policy = os.path.join(folder, "policy-rc.d")
        keep = ["env", "tee", "chmod", "rm"]
        status, out, err = run(programs, keep, ["servers"], {"POLICY_RC": policy})
        assert (status, out) == (0, "policy: 101\n") and not os.path.exists(policy), (status, out, err)
        failing = dict(programs, **{"apt-get": "[ $1 = update ]"})
        status, _, _ = run(failing, keep, ["servers"], {"POLICY_RC": policy})
        assert status != 0 and not os.path.exists(policy), status
        with open(policy, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\nexit 7\n")
        os.chmod(policy, 0o755)
        status, out, _ = run(programs, keep, ["servers"], {"POLICY_RC": policy})
        assert (status, out) == (0, "policy: 7\n") and os.path.exists(policy), (status, out)


def test_elsewhere_than_on_debian_it_only_says_what_is_needed():
    status, _, err = run({})
    assert status == 0 and "libz3-dev" in err, (status, err)


sys.exit(tap.run(tap.claims(globals())))
