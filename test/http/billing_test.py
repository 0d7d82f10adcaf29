"""The billing service of the examples, captured by itself and by mitmproxy: what clew reads from both. Through the
proxy it takes mitmproxy (make deps-proxy); without it those tests are skipped."""
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

sys.dont_write_bytecode = True
SOURCE = os.environ["CLEW_SOURCE"]
CLEW = os.environ["CLEW"]
BILLING = os.environ["CLEW_BILLING"]
ADDON = os.path.join(SOURCE, "examples", "har_addon.py")
sys.path.insert(0, os.path.join(SOURCE, "test", "harness"))
import tap  # pylint: disable=wrong-import-position

SECONDS_MAX = 60
PLAIN = ["anna read /accounts/7", "anna write /accounts/7", "bob read /accounts/7", "bob write /accounts/7",
         "carol read /visits/1", "carol write /bills/1", "dave read /visits/1", "dave write /visits/1"]
SAFE = ["anna read /accounts/7", "anna write /accounts/7 conditional",
        "bob read /accounts/7", "bob write /accounts/7 conditional",
        "carol lock /locks/visit-1", "carol read /visits/1", "carol write /bills/1", "carol unlock /locks/visit-1",
        "dave lock /locks/visit-1", "dave read /visits/1", "dave write /visits/1 conditional",
        "dave unlock /locks/visit-1"]


def run(words, **more):
    if not os.path.exists(BILLING):
        raise tap.Skip("the service is not built (ninja -C build); it needs libmicrohttpd-dev")
    return subprocess.run(words, capture_output=True, text=True, timeout=SECONDS_MAX, check=False, **more)


def accesses_in(capture):
    """The accesses of a capture, in the order of the list."""
    done = run([CLEW, "convert", capture, "--to", "text", "-o", "-"])
    assert done.returncode == 0, done.stderr
    found = re.findall(r"^(\w+ (?:read|write|lock|unlock) \S+)(.*)$", done.stdout, re.M)
    return [access + (" conditional" if "mode=conditional" in rest else "") for access, rest in found]


def captured_by_itself(folder, *options):
    capture = os.path.join(folder, "own.har")
    done = run([BILLING, "--har", capture, *options])
    assert done.returncode == 0 and done.stdout == "balance 170, bill 150\n", done
    return capture


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(process, port):
    """Until somebody listens."""
    for _ in range(SECONDS_MAX * 10):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.1)
    raise AssertionError("nobody listens")


def captured_by_proxy(folder, *options):
    if shutil.which("mitmdump") is None:
        raise tap.Skip("mitmproxy is not installed (make deps-proxy)")
    capture = os.path.join(folder, "proxy.har")
    port = free_port()
    environment = dict(os.environ, HOME=folder)
    with subprocess.Popen(["mitmdump", "-q", "--listen-host", "127.0.0.1", "-p", str(port), "-s", ADDON,
                           "--set", f"har_file={capture}"], env=environment, stderr=subprocess.PIPE, text=True) as proxy:
        try:
            wait_for(proxy, port)
            done = run([BILLING, *options], env=dict(os.environ, http_proxy=f"http://127.0.0.1:{port}"))
        finally:
            proxy.send_signal(signal.SIGINT)
            proxy.wait(SECONDS_MAX)
    assert done.returncode == 0, done.stderr
    return capture


def check(capture_by, options, wanted):
    with tempfile.TemporaryDirectory() as folder:
        assert accesses_in(capture_by(folder, *options)) == wanted


def found_in(capture):
    """Kind, task and resource of each finding."""
    done = run([CLEW, "atomicity", "--json", capture])
    findings = json.loads(done.stdout)["findings"]
    assert done.returncode == (1 if findings else 0), done.stderr
    return [(finding["kind"], sorted({event["object"] for event in finding["events"]})) for finding in findings]


BUGS = [("lost-update", ["/accounts/7"]), ("stale-read", ["/bills/1", "/visits/1"])]


def check_bugs(capture_by):
    with tempfile.TemporaryDirectory() as folder:
        assert found_in(capture_by(folder)) == BUGS
        assert found_in(capture_by(folder, "--safe")) == []


def test_what_could_go_wrong_is_found_and_the_safe_twin_is_silent():
    check_bugs(captured_by_itself)


def test_the_same_is_found_through_mitmproxy():
    check_bugs(captured_by_proxy)


def test_the_service_captures_itself():
    check(captured_by_itself, [], PLAIN)
    check(captured_by_itself, ["--safe"], SAFE)


def test_mitmproxy_captures_the_same():
    check(captured_by_proxy, [], PLAIN)
    check(captured_by_proxy, ["--safe"], SAFE)


def test_what_mitmproxy_writes_is_an_archive():
    with tempfile.TemporaryDirectory() as folder:
        with open(captured_by_proxy(folder), encoding="utf-8") as file:
            log = json.load(file)["log"]
    assert log["version"] == "1.2" and len(log["entries"]) == 8, log
    entry = log["entries"][0]
    assert entry["request"]["method"] == "GET" and entry["response"]["status"] == 200, entry
    assert entry["response"]["content"]["text"] == '{"balance":100}', entry
    assert {"name": "X-Request-ID", "value": "anna"} in entry["request"]["headers"], entry


def status_of(port, method, path, body=b"", **headers):
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data=body, method=method,
                                     headers={name.replace("_", "-"): value for name, value in headers.items()})
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=SECONDS_MAX) as answer:
            return answer.status
    except urllib.error.HTTPError as why:
        return why.code


def test_the_service_refuses_what_is_out_of_date_or_locked():
    if not os.path.exists(BILLING):
        raise tap.Skip("the service is not built (ninja -C build); it needs libmicrohttpd-dev")
    port = free_port()
    with subprocess.Popen([BILLING, "--serve", str(port)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as service:
        wait_for(service, port)
        got = [status_of(port, "PUT", "/accounts/7", b"{}", If_Match='"1"'),
               status_of(port, "PUT", "/accounts/7", b"{}", If_Match='"1"'),
               status_of(port, "GET", "/nothing"), status_of(port, "POST", "/locks/a"),
               status_of(port, "POST", "/locks/a"), status_of(port, "DELETE", "/locks/a"),
               status_of(port, "DELETE", "/locks/a"), status_of(port, "POST", "/accounts/7")]
        service.communicate(timeout=SECONDS_MAX)
    assert got == [200, 412, 404, 201, 423, 204, 404, 405], got


sys.exit(tap.run(tap.claims(globals())))
