"""Kills the recorded program, a child of it, or clew record itself, at instants drawn from a seed: whatever was
committed is in the trace, nothing torn is, and nothing in it is impossible. The instants decide what is met, never
whether the test passes."""
import ctypes
import glob
import json
import os
import random
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
SOURCE = os.environ["CLEW_SOURCE"]
CLEW = os.environ["CLEW"]
PROGRAM = os.path.join(os.environ["CLEW_PROGRAMS"], "recorded_busy")
FLOOD = os.path.join(os.environ["CLEW_PROGRAMS"], "recorded_flood")
sys.path.insert(0, os.path.join(SOURCE, "test", "harness"))
import tap  # pylint: disable=wrong-import-position

KILL_PARTS = 4  # tests, each with its share of the kills
KILLS = 2000 if os.environ.get("CLEW_TEST_LONG") else 48
FLOODS = 100 if os.environ.get("CLEW_TEST_LONG") else 3
DRAINS = 100 if os.environ.get("CLEW_TEST_LONG") else 3
SECONDS_MAX = 60
SEGMENT_SIZE = 1 << 20
HEADER_SIZE, RECORD_SIZE, MAGIC = 4096, 32, 0x316765736c6377
FLOOD_EVENTS = 1600000  # two threads, each 400,000 times lock and unlock
VOID, IS_WORD, WORD_SIZE, NOTES_FROM = 4, 0x80, 8, 0x80


def children_of(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def users_of(folder):
    """The processes that this folder was named to: the recorder, and all that are recorded into it."""
    return [int(pid) for pid in os.listdir("/proc") if pid.isdigit() and int(pid) != os.getpid()
            and any(folder.encode() in text_of(f"/proc/{pid}/{name}") for name in ("environ", "cmdline")) and is_alive(pid)]


def text_of(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def wait_until_alone(folder):
    """A process that is made while one look is taken is there at the next."""
    limit = time.monotonic() + SECONDS_MAX
    while users_of(folder) or users_of(folder):
        assert time.monotonic() < limit, "the program does not end"
        time.sleep(0.002)


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def unpacked(data):
    room = ctypes.create_string_buffer(SEGMENT_SIZE)
    library = ctypes.CDLL("libzstd.so.1")
    library.ZSTD_decompress.restype = ctypes.c_size_t
    size = library.ZSTD_decompress(room, ctypes.c_size_t(SEGMENT_SIZE), data, ctypes.c_size_t(len(data)))
    assert size <= SEGMENT_SIZE, "a packed segment is damaged"
    return room.raw[:size]


def committed_in(path):
    """How many events the file's writer has committed; the format is that of wire/segment.h. A file whose name has another
    number than its header is a copy that its writer was killed making."""
    with open(path, "rb") as file:
        data = file.read()
    if path.endswith(".z"):
        path, data = path[:-2], unpacked(data)
        if os.path.exists(path):
            return 0  # its packer was killed before it could remove this one
    if len(data) < HEADER_SIZE or struct.unpack_from("<Q", data)[0] != MAGIC:
        return 0
    if not path.endswith(f".{struct.unpack_from('<I', data, 20)[0]}"):
        return 0
    end = HEADER_SIZE + struct.unpack_from("<Q", data, 32)[0]
    at, count = HEADER_SIZE, 0
    while at < end:
        kind, _, extra, flags = data[at:at + 4]
        if flags & IS_WORD:
            count += 1
            at += WORD_SIZE
        else:
            count += kind < NOTES_FROM and not flags & VOID
            at += RECORD_SIZE * (1 + extra)
    assert at == end, f"{path}: a torn record was committed"
    return count


def committed(folder):
    return sum(committed_in(path) for path in glob.glob(os.path.join(folder, "[0-9]*")))


def read(*words):
    done = subprocess.run([CLEW, *words], capture_output=True, text=True, timeout=SECONDS_MAX, check=False)
    assert done.returncode == 0, f"{words}: {done.returncode}: {done.stdout[:2000]}{done.stderr[:2000]}"
    return json.loads(done.stdout)


def check_trace(trace):
    result = read("check", "--json", trace)
    assert result["stats"]["impossible"] == 0, result["findings"][:3]
    return result["events"]


def begin(folder, program=PROGRAM, *options):
    trace = os.path.join(folder, "run.clew")
    recorder = subprocess.Popen(  # pylint: disable=consider-using-with
        [CLEW, "record", "-q", *options, "-o", trace, "--", program], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return trace, recorder


def family_of(recorder):
    """The program and its child, those of them that are there."""
    program = children_of(recorder.pid)[:1]
    return program + [child for pid in program for child in children_of(pid)]


def kill_one(seed):
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        trace, recorder = begin(folder)
        time.sleep(chance.uniform(0, 0.06))
        family = family_of(recorder)
        victim = chance.choice(["program", "child", "recorder"])
        if victim == "recorder":
            kill_recorder(folder, trace, recorder)
            return
        if len(family) > (victim == "child"):
            kill(family[victim == "child"])
        recorder.wait(SECONDS_MAX)
        wait_until_alone(folder)
        check_trace(trace)


def kill_recorder(folder, trace, recorder):
    kill(recorder.pid)
    recorder.wait(SECONDS_MAX)
    for pid in users_of(folder):
        kill(pid)
    wait_until_alone(folder)
    if not os.path.exists(trace + ".rings/recording"):
        return
    count = committed(trace + ".rings")
    if os.path.exists(trace):
        return  # it was killed when the trace was whole and only the rows were left to remove
    if os.path.getsize(trace + ".rings/recording") > 0:  # else it was killed before it had told who it is
        with open(f"{trace}.{recorder.pid}.part", "ab"):
            pass  # as if it had been killed when it wrote the trace
    assert check_trace(trace) == count
    assert os.listdir(folder) == [os.path.basename(trace)], os.listdir(folder)


def check_kills(first):
    for seed in range(first, first + KILLS // KILL_PARTS):
        try:
            kill_one(seed)
        except Exception as why:
            raise AssertionError(f"seed {seed}: {why}") from why


def test_a_kill_while_segments_are_saved_loses_nothing():
    """The recorder is killed first, so that the rows stay; then the program, with some of its rows saved."""
    for seed in range(FLOODS):
        chance = random.Random(seed)
        with tempfile.TemporaryDirectory() as folder:
            trace, recorder = begin(folder, FLOOD)
            while not glob.glob(trace + ".rings/0.[01].1") and recorder.poll() is None:
                time.sleep(0.001)
            time.sleep(chance.uniform(0, 0.004))
            kill_recorder(folder, trace, recorder)


def test_a_kill_while_segments_are_packed_loses_nothing():
    """There is so little room that the program waits for the recorder to pack what is full."""
    for seed in range(DRAINS):
        chance = random.Random(seed)
        with tempfile.TemporaryDirectory() as folder:
            trace, recorder = begin(folder, FLOOD, "--room", "8MiB")
            while not glob.glob(trace + ".rings/*.z") and recorder.poll() is None:
                time.sleep(0.001)
            time.sleep(chance.uniform(0, 0.05))
            kill_recorder(folder, trace, recorder)


def test_little_room_is_enough_or_what_was_lost_is_told():
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "run.clew")
        done = subprocess.run([CLEW, "record", "--json", "--room", "16MiB", "-o", trace, "--", FLOOD], capture_output=True,
                              text=True, timeout=SECONDS_MAX, check=False)
        stats = json.loads(done.stdout)
        assert done.returncode == 0 and stats["events"] + stats["stats"]["dropped"] >= FLOOD_EVENTS, stats
        assert stats["events"] * RECORD_SIZE > 16 << 20, stats
        check_trace(trace)


def test_a_program_outlives_its_recorder():
    with tempfile.TemporaryDirectory() as folder:
        trace, recorder = begin(folder)
        family = []
        while len(family) < 2 and recorder.poll() is None:
            family = family_of(recorder)
        os.kill(family[0], signal.SIGSTOP)
        kill(recorder.pid)
        recorder.wait(SECONDS_MAX)
        done = subprocess.run([CLEW, "info", trace], capture_output=True, text=True, timeout=SECONDS_MAX, check=False)
        assert done.returncode == 2 and "still being recorded" in done.stderr, done.stderr
        os.kill(family[0], signal.SIGCONT)
        wait_until_alone(folder)
        count = committed(trace + ".rings")
        assert count > 100, count
        assert check_trace(trace) == count


def test_a_full_disk_harms_nobody():
    """Files may not grow: no row can be made, and the program does what it does."""
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "run.clew")
        done = subprocess.run(["sh", "-c", 'ulimit -f 16; exec "$@"', "sh", CLEW, "record", "-o", trace, "--", PROGRAM],
                              capture_output=True, text=True, timeout=SECONDS_MAX, check=False)
        assert done.returncode == 0, f"{done.returncode}: {done.stderr}"
        assert "dropped" in done.stderr, done.stderr


if __name__ == "__main__":
    parts = [(f"kills_at_any_instant_leave_whole_traces, seeds from {first}", lambda first=first: check_kills(first))
             for first in range(0, KILLS, KILLS // KILL_PARTS)]
    sys.exit(tap.run(parts + tap.claims(globals())))
