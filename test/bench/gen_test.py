"""The traces that benches generate are valid executions of the promised size, the same for the same seed."""
import collections
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["CLEW_SOURCE"], "test", "harness"))
import tap  # pylint: disable=wrong-import-position

GEN = os.environ["CLEW_BENCH_GEN"]  # the folder of the generators


def run(program, *numbers):
    done = subprocess.run([os.path.join(GEN, program), *map(str, numbers)], capture_output=True, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def cyclon(nodes, cycles, seed):
    return [json.loads(line) for line in run("gen_cyclon", nodes, cycles, seed)[1].splitlines()]


def test_cyclon_has_the_promised_size():
    for nodes, cycles in ((2, 0), (2, 1), (5, 5), (10, 10), (300, 2)):
        assert len(cyclon(nodes, cycles, 1)) == nodes * (4 + 16 * cycles), (nodes, cycles)


def test_cyclon_has_the_promised_candidates():
    for nodes, cycles in ((5, 5), (10, 10)):
        accesses = collections.defaultdict(list)
        for event in cyclon(nodes, cycles, 3):
            if event["type"] in "RW":
                thread, node = event["thread"].split("@")
                accesses[node].append((thread, event["type"]))
        pairs = sum(1 for on_node in accesses.values() for i, a in enumerate(on_node) for b in on_node[:i]
                    if a[0] != b[0] and "W" in (a[1], b[1]))
        assert pairs == nodes * (2 * cycles ** 2 + 3 * cycles), pairs


def test_cyclon_is_an_execution_in_which_messages_overtake():
    overtakes = 0
    for seed in range(5):
        sent, received, started, held, inside, time = {}, set(), set(), {}, set(), 0
        last_number = {}
        for event in cyclon(6, 12, seed):
            thread, kind = event["thread"], event["type"]
            assert event["timestamp"] >= time
            time = event["timestamp"]
            if thread.startswith("gossip") and kind != "START":
                assert thread in started
            if kind == "START":
                started.add(thread)
            elif kind == "SND":
                assert event["message"] not in sent
                sent[event["message"]] = event
            elif kind == "RCV":
                assert event["message"] in sent and event["message"] not in received
                assert event["dst"] == sent[event["message"]]["dst"] == thread.split("@")[1]
                received.add(event["message"])
                source, number = event["message"].split("-")
                overtakes += int(number) < last_number.get((source, event["dst"]), -1)
                last_number[source, event["dst"]] = int(number)
            elif kind == "HANDLERBEGIN":
                assert thread not in inside
                inside.add(thread)
            elif kind == "HANDLEREND":
                inside.remove(thread)
            elif kind == "LOCK":
                assert event["variable"] not in held
                held[event["variable"]] = thread
            elif kind == "UNLOCK":
                assert held.pop(event["variable"]) == thread
        assert received == set(sent) and not held and not inside
    assert overtakes > 0


def std(*numbers, program="gen_std"):
    for line in run(program, *numbers)[1].splitlines():
        thread, kind, operand, place = re.fullmatch(r"T(\d+)\|(\w+)\([TLV](\d+)\)\|(\d+)", line).groups()
        yield int(thread), kind, int(operand), int(place)


def test_std_has_the_promised_size():
    for numbers in ((1, 0, 1, 5), (3, 2, 1, 4), (12, 32, 100, 5000), (4, 1, 3, 777)):
        assert len(list(std(*numbers, 9))) == numbers[3], numbers


def test_std_is_an_execution_with_nested_locks():
    deepest = 0
    for seed in range(5):
        owner, live, joined, kinds = {}, {0}, set(), {}
        depth = collections.Counter()
        for thread, kind, operand, place in std(6, 8, 40, 3000, seed):
            assert thread in live and thread not in joined
            assert kinds.setdefault(place, kind) == kind
            if kind == "fork":
                live.add(operand)
            elif kind == "join":
                assert not depth[operand]
                joined.add(operand)
            elif kind == "acq":
                assert operand not in owner
                owner[operand] = thread
                depth[thread] += 1
                deepest = max(deepest, depth[thread])
            elif kind == "rel":
                assert owner.pop(operand) == thread
                depth[thread] -= 1
        assert not owner and joined == set(range(1, 6))
    assert deepest == 3


def test_mixed_is_an_execution_of_about_the_promised_size():
    for numbers in ((6, 2, 9, 3000, 0, 20), (6, 0, 9, 3000, 5, 20), (40, 1, 1, 500, 1, 0)):
        owner, joined, places, count = {}, set(), set(), 0
        for thread, kind, operand, place in std(*numbers, 7, program="gen_mixed"):
            count += 1
            assert thread not in joined
            if kind == "join":
                joined.add(operand)
            elif kind == "acq":
                assert operand not in owner
                owner[operand] = thread
            elif kind == "rel":
                assert owner.pop(operand) == thread
            elif kind in "rw":
                assert (numbers[4] > 0 and place < 3 + numbers[4]) or place not in places
                places.add(place)
        assert not owner and joined == set(range(1, numbers[0]))
        assert numbers[3] - 2 <= count <= numbers[3], count


def test_a_seed_gives_the_same_bytes():
    for program, numbers in (("gen_cyclon", (4, 4)), ("gen_std", (3, 3, 9, 200)),
                             ("gen_mixed", (3, 3, 9, 200, 0, 20))):
        assert run(program, *numbers, 5) == run(program, *numbers, 5)
        assert run(program, *numbers, 5) != run(program, *numbers, 6)
        assert run(program, *numbers) == run(program, *numbers, 1)


def test_impossible_numbers_are_refused():
    for program, numbers in (("gen_cyclon", (1, 1)), ("gen_cyclon", (5,)), ("gen_cyclon", (5, "x")),
                             ("gen_cyclon", (5, "-1")), ("gen_std", (3, 2, 1, 3)), ("gen_std", (1, 1, 0, 3)),
                             ("gen_std", (1, 1, 1, 1, 1, 1))):
        status, out, err = run(program, *numbers)
        assert status == 2 and out == "" and err.count("\n") == 1, (program, numbers, status, out, err)


sys.exit(tap.run(tap.claims(globals())))
