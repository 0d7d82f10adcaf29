"""Which accesses are recorded, against a slow twin on random programs.

A random program is a list of steps, each of one task: reads and writes of words and parts of them, locks, creations, joins. It
is built with clew cc and run in exactly the order of its list (an unrecorded counter hands on the turn), once filtered
and once with --all-accesses. The filtered trace must hold the accesses that the rules of docs/theory/record.md say, no
more and no fewer, each task's to one variable in their order, and say of which words accesses were lost. No race may be lost: each one in the whole trace stands in the filtered one between the same tasks
on the same bytes, at the same place for an access to a word that was shared by then, else at that of its task's last of its
kind to those bytes before.

    CLEW_FILTER_SEED=7 filter_test.py       one program only"""
import json
import os
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
SOURCE = os.environ["CLEW_SOURCE"]
CLEW = os.environ["CLEW"]
sys.path.insert(0, os.path.join(SOURCE, "test", "harness"))
import tap  # pylint: disable=wrong-import-position

PROGRAMS = 400 if os.environ.get("CLEW_TEST_LONG") else 16
TASKS_MAX, WORDS, LOCKS = 6, 3, 2
HEAD = """#include <pthread.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>
static volatile union { uint64_t whole; uint32_t half[2]; uint16_t pair[4]; uint8_t byte[8]; } word[%d];
static pthread_mutex_t lock[%d] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_t thread[%d];
static int turn;
#ifdef __clang__ /* which else tells the atomic operations of a function all the same */
#define UNSEEN __attribute__((disable_sanitizer_instrumentation, noinline))
#else
#define UNSEEN __attribute__((no_sanitize("thread"), noinline))
#endif
UNSEEN static void when(int step)
{
    while (__atomic_load_n(&turn, __ATOMIC_SEQ_CST) != step) {
        syscall(SYS_sched_yield);
    }
}
UNSEEN static void next(void)
{
    __atomic_fetch_add(&turn, 1, __ATOMIC_SEQ_CST);
}
""" % (WORDS, LOCKS, TASKS_MAX)


SIZES = {"whole": 8, "half": 4, "pair": 2, "byte": 1}


def bytes_of(part):
    """Which bytes of its word an access (name, index) touches."""
    name, index = part
    return range(index * SIZES[name], (index + 1) * SIZES[name])


class Program:
    """Steps (task, verb, what, part): part is which bytes of a word, as (name, index) in the union, else None."""

    def __init__(self, seed):
        chance = random.Random(seed)
        self.steps, self.parent = [], {0: None}
        alive, ended, joined, held = {0}, set(), set(), {}
        for _ in range(chance.randint(20, 60)):
            task = chance.choice(sorted(alive))
            kids = [kid for kid in ended - joined if self.parent[kid] == task or chance.random() < 0.3]
            verb = chance.choices(["read", "write", "lock", "unlock", "create", "join", "end"], [6, 6, 2, 3, 2, 3, 1])[0]
            if verb in ("read", "write"):
                name = chance.choice(["whole", "whole", "half", "half", "pair", "byte", "byte"])
                self.steps.append((task, verb, chance.randrange(WORDS), (name, chance.randrange(8 // SIZES[name]))))
            elif verb == "lock" and (free := [i for i in range(LOCKS) if i not in held]):
                held[free[0]] = task
                self.steps.append((task, verb, free[0], None))
            elif verb == "unlock" and (own := [i for i in held if held[i] == task]):
                del held[own[0]]
                self.steps.append((task, verb, own[0], None))
            elif verb == "create" and len(self.parent) < TASKS_MAX:
                child = len(self.parent)
                self.parent[child] = task
                alive.add(child)
                self.steps.append((task, verb, child, None))
            elif verb == "join" and kids:
                joined.add(kids[0])
                self.steps.append((task, verb, kids[0], None))
            elif verb == "end" and task != 0 and task not in held.values():
                alive.remove(task)
                ended.add(task)

    def path(self, task):
        siblings = [kid for kid in self.parent if self.parent[kid] == self.parent[task]]
        return "main" if task == 0 else f"{self.path(self.parent[task])}/{siblings.index(task) + 1}"

    def line(self, number, step):
        task, verb, what, part = step
        name, index = part or ("whole", 0)
        place = f"word[{what}].{name}" + (f"[{index}]" if name != "whole" else "")
        does = {"read": f"(void){place}", "write": f"{place} = {number}", "lock": f"pthread_mutex_lock(&lock[{what}])",
                "unlock": f"pthread_mutex_unlock(&lock[{what}])", "join": f"pthread_join(thread[{what}], 0)",
                "create": f"pthread_create(&thread[{what}], 0, task{what}, 0)"}[verb]
        return f"    when({number});\n    {does};\n    next();\n"

    def text(self):
        """The source; self.line_of tells at which line a step stands."""
        self.line_of = {}
        text = HEAD + "".join(f"static void *task{task}(void *);\n" for task in self.parent if task)
        for task in self.parent:
            text += f"static void *task{task}(void *unused)\n{{\n" if task else "int main(void)\n{\n"
            for number, step in enumerate(self.steps):
                if step[0] == task:
                    self.line_of[number] = text.count("\n") + 2
                    text += self.line(number, step)
            text += "    return unused;\n}\n" if task else f"    when({len(self.steps)});\n    return 0;\n}}\n"
        return text


class Filter:
    """The rules of docs/theory/record.md, one access after the other."""

    def __init__(self, program):
        self.program = program
        self.phase, self.epoch, self.made_by, self.joined_by = {0: 0}, {0: 0}, {}, {}
        self.known = {0: {}}  # by task: which phases of others came before, by creations and joins
        self.state, self.trails, self.recorded, self.was_shared = {}, {}, set(), {}
        self.lost = set()  # accesses that are recorded, and behind which others were lost
        self.held = dict.fromkeys(program.parent, 0)  # by task: how many locks

    def is_past(self, task, phase, asker):
        """Climbs from the owner through its joins, and from the asker through its makers."""
        while True:
            child = asker
            if task == asker:
                return True
            while child in self.made_by:
                child, ended = self.made_by[child]
                if child == task and phase <= ended:
                    return True
                if child == task:
                    break
            if task not in self.joined_by:
                return False
            task, phase = self.joined_by[task]

    def access(self, number):
        task, verb, word, part = self.program.steps[number]
        trails = self.trails.setdefault(word, {})
        owner = self.state.get(word)
        if owner not in (None, "shared") and owner[0] != task:
            is_past = self.is_past(*owner, task)
            assert not is_past or self.known[task].get(owner[0], -1) >= owner[1], "a takeover without an order"
            if not is_past:
                self.tell(trails.values())
                self.state[word] = "shared"
        self.was_shared[number] = self.state.get(word) == "shared"
        if self.was_shared[number]:
            self.recorded.add(number)
            return
        self.state[word] = (task, self.phase[task])
        if self.held[task] > 0:
            self.recorded.add(number)
            return
        name, rest = self.row(verb, part)
        is_carried = False  # what the task before has lost, the new owner's trail says
        for slot in rest:
            old = trails.get((name, slot))
            if old and old[0] != task:
                for key in [key for key, trail in trails.items() if key[0][1] == name[1] and trail[:2] == old[:2]]:
                    is_carried |= trails[key][3]
                    self.recorded.add(trails.pop(key)[2])
            trails[name, slot] = (task, self.epoch[task], number, is_carried or bool(old and old[0] == task))

    def tell(self, trails):
        self.recorded |= {trail[2] for trail in trails}
        self.lost |= {trail[2] for trail in trails if trail[3]}

    @staticmethod
    def row(verb, part):
        """Where an access leaves its trails: in the halves of the word, or in its bytes if it touches less than one."""
        touched = bytes_of(part)
        if len(touched) >= 4:
            return (verb, "halves"), sorted({byte // 4 for byte in touched})
        return (verb, "bytes"), list(touched)

    def run(self):
        for number, (task, verb, what, _) in enumerate(self.program.steps):
            if verb in ("read", "write"):
                self.access(number)
            elif verb == "create":
                self.made_by[what] = (task, self.phase[task])
                self.known[what] = {**self.known[task], task: self.phase[task]}
                self.phase[what], self.epoch[what] = 0, 0
                self.phase[task] += 1
            elif verb == "join":
                self.joined_by[what] = (task, self.phase[task])
                for other, phase in {**self.known[what], what: 1 << 30}.items():
                    self.known[task][other] = max(phase, self.known[task].get(other, -1))
            self.held[task] += (verb == "lock") - (verb == "unlock")
            self.epoch[task] += verb not in ("read", "write")
        return self.recorded


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode in (0, 1) and "dropped" not in done.stderr, f"{words}: {done.returncode}: {done.stderr}"
    return done.stdout


def steps_of(trace, step_at, kinds):
    """The steps of events of these kinds in the trace, with their tasks and variables, as listed."""
    lines = [line.split() for line in run(CLEW, "convert", "-q", trace, "--to", "text", "-o", "-").splitlines()[1:]]
    return [(step_at[place], words[0], words[2]) for words in lines if words[1] in kinds and words[2].startswith("word")
            for place in [word.split(":")[-1] for word in words if word.startswith("@")]]


def accesses_of(trace, step_at):
    """The steps whose accesses are in the trace."""
    return {step for step, _, _ in steps_of(trace, step_at, ("read", "write"))}


def unordered_in(program, trace, step_at):
    """Two accesses of a task to a variable that the trace has the wrong way round, of those that leave trails in one row."""
    last = {}
    for step, task, variable in steps_of(trace, step_at, ("read", "write")):
        key = (task, variable, Filter.row("", program.steps[step][3])[0])
        if step < last.get(key, -1):
            return last[key], step
        last[key] = step
    return None


def races_of(trace, model, step_at):
    found = json.loads(run(CLEW, "races", "-q", "--json", "--model", model, trace))["findings"]
    return {frozenset(step_at[event["location"].split(":")[-1]] for event in finding["events"]) for finding in found
            if finding["events"][0]["object"].startswith("word")}


def stands_for(program, later, earlier, was_shared):
    """Whether one access may stand for another: it is the same, or, where the other was made before its word was shared, a later
    one of the same task and kind to one of its bytes."""
    if was_shared[earlier]:
        return later == earlier
    return (later >= earlier and program.steps[later][:3] == program.steps[earlier][:3]
            and set(bytes_of(program.steps[later][3])) & set(bytes_of(program.steps[earlier][3])))


def is_kept(program, race, kept, was_shared):
    a, b = sorted(race)
    return any(stands_for(program, x, a, was_shared) and stands_for(program, y, b, was_shared)
               for other in kept for x, y in (sorted(other), sorted(other)[::-1]))


def check(seed):
    program = Program(seed)
    with tempfile.TemporaryDirectory() as folder:
        source, binary = os.path.join(folder, "program.c"), os.path.join(folder, "program")
        with open(source, "w", encoding="utf-8") as file:
            file.write(program.text())
        step_at = {str(line): number for number, line in program.line_of.items()}
        run(CLEW, "cc", "--with", "clang" if seed % 2 else "gcc", "-g", "-O1", "-pthread", source, "-o", binary)
        traces = {}
        for name, options in (("filtered", ("--first-accesses", "0")), ("first", ()), ("whole", ("--all-accesses",))):
            traces[name] = os.path.join(folder, name + ".clew")
            run(CLEW, "record", "-q", *options, "-o", traces[name], "--", binary)
        everything = {number for number, step in enumerate(program.steps) if step[1] in ("read", "write")}
        assert accesses_of(traces["whole"], step_at) == everything, f"seed {seed}: --all-accesses is not all"
        created = [number for number, step in enumerate(program.steps) if step[1] == "create"]
        early = {number for number in everything if not created or number < created[0]}
        left_out = everything - early - accesses_of(traces["first"], step_at)
        assert not left_out, f"seed {seed}: first accesses {sorted(left_out)} are left out"
        rules = Filter(program)
        expected, got = rules.run(), accesses_of(traces["filtered"], step_at)
        assert got == expected, f"seed {seed}: recorded {sorted(got - expected)} and left out {sorted(expected - got)}"
        lost = {step for step, _, _ in steps_of(traces["filtered"], step_at, ("lost",))}
        assert lost == rules.lost, f"seed {seed}: lost {sorted(lost)}, not {sorted(rules.lost)}"
        assert not steps_of(traces["whole"], step_at, ("lost",)), f"seed {seed}: --all-accesses has lost some"
        for name in ("filtered", "first"):
            assert not unordered_in(program, traces[name], step_at), f"seed {seed}: {name}: {unordered_in(program, traces[name], step_at)}"
        for model in ("observed", "strict"):
            kept, whole = (races_of(traces[name], model, step_at) for name in ("filtered", "whole"))
            assert kept <= whole, f"seed {seed}: only the filtered trace has {sorted(map(sorted, kept - whole))} ({model})"
            if model == "observed" or not any(step[1] == "lock" for step in program.steps):
                lost = [sorted(race) for race in whole if not is_kept(program, race, kept, rules.was_shared)]
                assert not lost, f"seed {seed}: lost {lost} ({model})"


def main():
    chosen = os.environ.get("CLEW_FILTER_SEED")
    seeds = [int(chosen)] if chosen else range(PROGRAMS)

    def test():
        for seed in seeds:
            check(seed)

    return tap.run([(f"the filter keeps to its rules in {len(seeds)} random programs", test)])


if __name__ == "__main__":
    sys.exit(main())
