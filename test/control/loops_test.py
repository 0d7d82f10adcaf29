"""Random small programs with loops beside a model of them in Python: a task that looks again at what has not changed is not taken
for one that only waits, so that every execution of the model is one under control."""
import os
import random
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import executions  # pylint: disable=wrong-import-position
from controlled import CLEW, FOLDER, LONG, build, explore, run, tap  # pylint: disable=wrong-import-position

SEED = int(os.environ.get("CLEW_TEST_SEED", "1"))
PROGRAMS = 300 if LONG else 20
WORDS = 2
EXECUTIONS_MAX = 400

# Statements: the text in C, and what the model does. `i` and `j` are words, `c` a value; `noted` is what the thread returns.
def read(i, _j, _c, noted):
    return noted * 3 + (yield "read", i)


def write(i, _j, c, noted):
    yield "write", i, c
    return noted


def write_if(i, j, c, noted):
    if (yield "read", i) == 0:
        yield "write", j, c
    return noted


def table(i, _j, _c, noted):
    for _ in range(2):
        yield "read", i
    return noted


def both(i, j, _c, noted):
    for _ in range(2):
        yield "read", i
        yield "read", j
    return noted


def look(i, _j, c, noted):
    for _ in range(c + 1):
        if (yield "read", i) != 0:
            break
    return noted


def look_aside(i, j, c, noted):
    for _ in range(c + 1):
        if (yield "read", i) != 0:
            break
        yield "read", j
    return noted


def wait(i, _j, _c, noted):
    yield "await", i
    return noted


LOAD = "atomic_load(&words[{}])"
ENDING = {
    read: f"noted = noted * 3 + {LOAD.format('{i}')};",
    write: "atomic_store(&words[{i}], {c});",
    write_if: f"if ({LOAD.format('{i}')} == 0) atomic_store(&words[{{j}}], {{c}});",
    table: f"for (int k = 0; k < bound; k++) (void){LOAD.format('{i}')};",
    both: f"for (int k = 0; k < bound; k++) {{{{ (void){LOAD.format('{i}')}; (void){LOAD.format('{j}')}; }}}}",
    look: f"for (int k = 0; k < {{c}} + 1 && {LOAD.format('{i}')} == 0; k++) {{{{ }}}}",
    look_aside: f"for (int k = 0; k < {{c}} + 1 && {LOAD.format('{i}')} == 0; k++) (void){LOAD.format('{j}')};",
}
WAITING = {wait: f"while ({LOAD.format('{i}')} == 0) {{{{ }}}}"}

FRAME = """
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int words[%d];
static int bound = 2;
static long returned[4];
%s
typedef void *body(void *);
static body *const programs[][3] = {%s};
int main(int argc, char **argv)
{
    pthread_t threads[3];
    body *const *own = programs[atoi(argv[1])];
    int count = 0;
    for (; count < 3 && own[count] != NULL; count++) pthread_create(&threads[count], NULL, own[count], (void *)(long)count);
    long all = 0;
    for (int i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
        all = all * 27 + returned[i];
    }
    if (argc > 2 && all == atol(argv[2])) abort();
    return 0;
}
"""


def draw(prng, forms):
    """Threads of a program, each a list of (statement, i, j, c)."""
    return [[(prng.choice(list(forms)), prng.randrange(WORDS), prng.randrange(WORDS), prng.randrange(1, 3))
             for _ in range(prng.randrange(1, 4))] for _ in range(prng.randrange(2, 4))]


def model(statements):
    def thread():
        noted = 0
        for form, i, j, c in statements:
            noted = yield from form(i, j, c, noted)
        return noted
    return thread


def build_all(name, programs, forms):
    """One program in C that does what the program of a number does."""
    functions, rows = [], []
    for number, program in enumerate(programs):
        for own, statements in enumerate(program):
            lines = "\n    ".join(forms[form].format(i=i, j=j, c=c) for form, i, j, c in statements)
            functions.append(f"static void *t{number}_{own}(void *own)\n{{\n    long noted = 0;\n    {lines}\n"
                             "    returned[(long)own] = noted;\n    return NULL;\n}")
        rows.append("{" + ", ".join(f"t{number}_{own}" for own in range(len(program))) + "}")
    return build(name, text=FRAME % (WORDS, "\n".join(functions), ", ".join(rows)))


def draw_small(count, forms, is_small):
    """So many programs of which the model says that they are small, each with what it says."""
    prng, drawn = random.Random(SEED), []
    while len(drawn) < count:
        program = draw(prng, forms)
        said = is_small([model(statements) for statements in program])
        if said is not None:
            drawn.append((program, said))
    return drawn


def count_few(threads):
    count = executions.executions(threads)
    return count if 1 < count <= EXECUTIONS_MAX else None


def test_dpor_reaches_every_execution_of_programs_with_loops():
    drawn = draw_small(PROGRAMS, ENDING, count_few)
    path = build_all("loops", [program for program, _ in drawn], ENDING)
    for number, (program, count) in enumerate(drawn):
        folder = os.path.join(FOLDER.name, f"loops.{number}")
        done = run([CLEW, "explore", "--strategy", "dpor", "-o", folder, "--", path, str(number)])
        told = [[(form.__name__, *more) for form, *more in statements] for statements in program]
        assert f"all {count} executions explored" in done.stdout, f"{told}: {count}; {done.stdout}{done.stderr}"


def few_outcomes(threads):
    found, is_stuck = executions.outcomes(threads)
    return found if not is_stuck and 1 < len(found) <= 12 else None


def test_what_the_threads_of_programs_that_wait_can_return_is_reached():
    """A wait without an end is a loop that looks at one word; whatever the model can return some run returns, and nothing else."""
    forms = ENDING | WAITING
    drawn = [row for row in draw_small(PROGRAMS, forms, few_outcomes) if any(form is wait for thread in row[0] for form, *_ in thread)]
    path = build_all("waits", [program for program, _ in drawn], forms)
    for number, (program, found) in enumerate(drawn):
        values = {sum(value * 27 ** (len(outcome) - 1 - i) for i, value in enumerate(outcome)) for outcome in found}
        told = [[(form.__name__, *more) for form, *more in statements] for statements in program]
        for value in sorted(values) + [max(values) + 1]:
            said, _ = explore([path, str(number), str(value)], "--strategy", "dpor", "--first", "--budget", "20000runs")
            assert bool(said["findings"]) == (value in values), (told, value, sorted(values), said)


if __name__ == "__main__":
    sys.exit(tap.run(tap.claims(globals())))
