"""clew view --serve: one page on loopback, for whoever has its address, until Ctrl-C."""
import os
import signal
import socket
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
SOURCE = os.environ["CLEW_SOURCE"]
CLEW = os.environ["CLEW"]
sys.path.insert(0, os.path.join(SOURCE, "test", "harness"))
import tap  # pylint: disable=wrong-import-position

BANK = os.path.join(SOURCE, "examples", "bank.log")


class Served:
    """The server; leaving it sends SIGINT, after which it must end with status 0."""

    def __enter__(self):
        self.process = subprocess.Popen([CLEW, "view", "--serve", BANK], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()
        start = "http://127.0.0.1:"
        assert self.address.startswith(start), self.address
        port, _, self.path = self.address[len(start):].partition("/")
        self.port, self.path = int(port), "/" + self.path
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        out, err = self.process.communicate(timeout=30)
        assert (self.process.returncode, out, err) == (0, "", ""), (self.process.returncode, out, err)

    def ask(self, text, host="127.0.0.1", timeout=30):
        """The answer to the request, whole."""
        with socket.create_connection((host, self.port), timeout=timeout) as connection:
            connection.sendall(text.encode())
            answer = b""
            while block := connection.recv(65536):
                answer += block
        return answer.decode()

    def get(self, path=None, host=None, method="GET"):
        host = f"127.0.0.1:{self.port}" if host is None else host
        return self.ask(f"{method} {self.path if path is None else path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")


def status(answer):
    return int(answer.split()[1])


def test_the_page_is_the_one_that_a_file_would_hold():
    with tempfile.TemporaryDirectory(prefix="clew-serve-") as folder, Served() as served:
        page = os.path.join(folder, "page.html")
        subprocess.run([CLEW, "view", "-q", BANK, "-o", page], check=True, timeout=60)
        head, _, body = served.get().partition("\r\n\r\n")
        with open(page, encoding="utf-8") as file:
            assert body == file.read(), "the page"
        assert status(head) == 200 and "nosniff" in head and "no-store" in head and "no-referrer" in head, head
        assert status(served.get(host=f"localhost:{served.port}")) == 200, "localhost"
        assert served.get(method="HEAD").partition("\r\n\r\n")[2] == "", "HEAD has no body"


def test_without_the_token_there_is_nothing():
    with Served() as served:
        assert len(served.path) == 34, served.path
        wrong = served.path[:-2] + ("0" if served.path[-2] != "0" else "1") + "/"
        for path in ("/", "/index.html", wrong, served.path + "x", served.path[:-1], "/" + "0" * 32 + "/"):
            assert status(served.get(path)) == 404, path
    with Served() as again:
        assert again.path != served.path, "each server has its own token"


def test_another_host_or_method_is_refused():
    with Served() as served:
        for host in ("evil.example", f"evil.example:{served.port}", "127.0.0.1", f"127.0.0.2:{served.port}", ""):
            assert status(served.get(host=host)) in (400, 403), host
        assert status(served.ask(f"GET {served.path} HTTP/1.0\r\n\r\n")) == 403, "no Host"
        for method in ("POST", "PUT", "DELETE", "OPTIONS"):
            assert status(served.get(method=method)) == 405, method


def test_it_listens_on_one_address_and_survives_garbage():
    with Served() as served:
        try:
            served.ask("GET / HTTP/1.1\r\n\r\n", host="127.0.0.2")
            raise AssertionError("it listens on more than 127.0.0.1")
        except ConnectionRefusedError:
            pass
        for text in ("\0\0\0\r\n\r\n", "GET\r\n\r\n", "x" * 100000 + "\r\n\r\n"):
            try:
                served.ask(text, timeout=1)
            except (ConnectionError, TimeoutError):
                pass # it may hang up, answer, or wait for more until the connection is idle for too long
        with socket.create_connection(("127.0.0.1", served.port)) as half:
            half.sendall(b"GET / HT") # and no more: others are answered
            assert status(served.get()) == 200, "beside a half request"
        assert status(served.get()) == 200, "still there"


def test_a_port_that_is_taken_is_named():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = subprocess.run([CLEW, "view", "--serve", "--port", str(port), BANK], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2 and f"port {port} of 127.0.0.1" in done.stderr and "--port" in done.stderr, done
    for words in (["--port", "70000"], ["-o", "x.html"]):
        done = subprocess.run([CLEW, "view", "--serve", *words, BANK], capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 2 and done.stderr.count("\n") >= 1, done


if __name__ == "__main__":
    sys.exit(tap.run(tap.claims(globals())))
