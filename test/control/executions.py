"""Counts the executions of a small program by brute force: classes of interleavings that differ in no order of two conflicting accesses.

A thread is a generator function. It yields ("read", variable), to which the value is sent back, or ("write", variable, value). All
variables are 0 at first."""


def next_access(thread, seen):
    """What the thread does after it has seen these values; None at its end. A write is answered with None."""
    running = thread()
    try:
        access = next(running)
        for value in seen:
            access = running.send(value)
    except StopIteration:
        return None
    return access


def after(history, event, access):
    """The history of one variable with one more access: writes in order, each with the set of reads that came before the next."""
    if access[0] == "write":
        return (*history, (event, access[2], frozenset()))
    writer, value, readers = history[-1]
    return (*history[:-1], (writer, value, readers | {event}))


def executions(threads):
    """How many there are. Prefixes that are the same but for the order of accesses that commute are followed once."""
    start = (tuple(() for _ in threads), ())  # what each thread has seen; the history of each variable, sorted by its name
    level, ends = {start}, 0
    while level:
        following = set()
        for seen, histories in level:
            is_end = True
            for number, thread in enumerate(threads):
                access = next_access(thread, seen[number])
                if access is None:
                    continue
                is_end = False
                known = dict(histories)
                history = known.get(access[1], ((None, 0, frozenset()),))
                answer = history[-1][1] if access[0] == "read" else None
                known[access[1]] = after(history, (number, len(seen[number])), access)
                following.add((tuple((*values, answer) if i == number else values for i, values in enumerate(seen)),
                               tuple(sorted(known.items()))))
            ends += is_end
        level = following
    return ends


def peterson(own, bound):
    """Peterson's algorithm; a thread that has looked so many times in vain gives up."""
    def thread():
        yield "write", f"flag{own}", 1
        yield "write", "turn", 1 - own
        for tries in range(bound + 1):
            if not (yield "read", f"flag{1 - own}") or (yield "read", "turn") == own:
                break
            if tries == bound:
                return
        yield "write", "inside", own
        yield "read", "inside"
        yield "write", f"flag{own}", 0
    return thread


def szymanski(own, bound):
    """Szymanski's algorithm for two threads; one that has looked so many times in vain gives up."""
    mine, other = f"flag{own}", f"flag{1 - own}"

    def awaits(is_met):
        for _ in range(bound):
            if is_met((yield "read", other)):
                return True
        return False

    def thread():
        yield "write", mine, 1
        if not (yield from awaits(lambda flag: flag < 3)):
            return
        yield "write", mine, 3
        if (yield "read", other) == 1:
            yield "write", mine, 2
            if not (yield from awaits(lambda flag: flag == 4)):
                return
        yield "write", mine, 4
        if own == 1 and not (yield from awaits(lambda flag: flag < 2)):
            return
        yield "write", "inside", own
        yield "read", "inside"
        if own == 0 and not (yield from awaits(lambda flag: flag < 2 or flag > 3)):
            return
        yield "write", mine, 0
    return thread


def outcomes(threads):
    """What the threads can return, as a set of tuples with an item for each, and whether some execution gets stuck. Beside accesses,
    a thread yields ("await", variable): it goes on when the variable is not 0, and is answered with its value."""
    def returned(thread, seen):
        running = thread()
        try:
            next(running)
            for value in seen:
                running.send(value)
        except StopIteration as end:
            return end.value
        return None

    level, found, is_stuck = {(tuple(() for _ in threads), ())}, set(), False
    while level:
        following = set()
        for seen, memory in level:
            known, is_end = dict(memory), True
            accesses = [next_access(thread, seen[number]) for number, thread in enumerate(threads)]
            for number, access in enumerate(accesses):
                if access is None or (access[0] == "await" and known.get(access[1], 0) == 0):
                    continue
                is_end = False
                answer = None if access[0] == "write" else known.get(access[1], 0)
                after_it = known | {access[1]: access[2]} if access[0] == "write" else known
                following.add((tuple((*values, answer) if i == number else values for i, values in enumerate(seen)),
                               tuple(sorted(after_it.items()))))
            if is_end and all(access is None for access in accesses):
                found.add(tuple(returned(thread, seen[number]) for number, thread in enumerate(threads)))
            is_stuck = is_stuck or (is_end and any(accesses))
        level = following
    return found, is_stuck
